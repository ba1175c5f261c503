import type { LanguageId } from '../../languages/choose.ts';
import type { DashboardTexts } from '../text.ts';

/** Each is a script of its own, beside that of the customer's page in the same language. */
export const TEXTS: Record<LanguageId, () => Promise<DashboardTexts>> = {
  en: async () => (await import('./en.ts')).en,
  de: async () => (await import('./de.ts')).de,
  fr: async () => (await import('./fr.ts')).fr,
  es: async () => (await import('./es.ts')).es,
  pt: async () => (await import('./pt.ts')).pt,
  ja: async () => (await import('./ja.ts')).ja,
};
