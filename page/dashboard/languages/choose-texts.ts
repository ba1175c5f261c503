import { chosenOf, type LanguageId, speakIn } from '../../languages/choose.ts';
import { VOICE } from '../../languages/voice.ts';
import { type DashboardTexts, ENGLISH, setDashboardTexts } from '../text.ts';

/** Each is a script of its own, beside that of the customer's page in the same language. */
const TEXTS: Record<LanguageId, () => Promise<DashboardTexts>> = {
  en: async () => ENGLISH,
  de: async () => (await import('./de.ts')).de,
  fr: async () => (await import('./fr.ts')).fr,
  es: async () => (await import('./es.ts')).es,
  pt: async () => (await import('./pt.ts')).pt,
  ja: async () => (await import('./ja.ts')).ja,
};

const KEY = 'nameplate-language';

/** Returns the language chosen in this browser, or else the browser's own. */
export const LANGUAGE: LanguageId = chosenOf([chosenBefore(), ...navigator.languages]);

/** Speaks it from now on; English where a script of it cannot be loaded. */
export async function speakLanguage(): Promise<void> {
  const [texts] = await Promise.all([TEXTS[LANGUAGE]().catch(() => null), speakIn(LANGUAGE)]);
  if (texts === null) await speakIn('en');
  else setDashboardTexts(texts);
  Object.assign(document.documentElement, VOICE.attributes);
}

/** Opens the page again in this language: its address keeps all that it shows. */
export function chooseLanguage(id: LanguageId): void {
  try {
    localStorage.setItem(KEY, id);
  } catch {
    // The browser keeps nothing for pages: it goes on in its own language.
  }
  location.reload();
}

function chosenBefore(): string {
  try {
    return localStorage.getItem(KEY) ?? '';
  } catch {
    return '';
  }
}
