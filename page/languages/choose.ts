import { setTexts } from '../text.ts';
import type { Language } from './en.ts';
import { tellFinding, tellProblem } from './tell-finding.ts';
import { setVoice } from './voice.ts';

/** Each is a script of its own, which is loaded when it is chosen. */
export const LANGUAGES = {
  en: { name: 'English', load: async () => (await import('./en.ts')).en },
  de: { name: 'Deutsch', load: async () => (await import('./de.ts')).de },
  fr: { name: 'Français', load: async () => (await import('./fr.ts')).fr },
  es: { name: 'Español', load: async () => (await import('./es.ts')).es },
  pt: { name: 'Português (Brasil)', load: async () => (await import('./pt.ts')).pt },
  ja: { name: '日本語', load: async () => (await import('./ja.ts')).ja },
} satisfies Record<string, { name: string; load: () => Promise<Language> }>;

export type LanguageId = keyof typeof LANGUAGES;

/** In the order in which they are offered, with the names that they give themselves. */
export const LANGUAGE_NAMES = Object.entries(LANGUAGES).map(([id, { name }]) => [id as LanguageId, name] as const);

/** The first of these that there is, by its primary subtag (RFC 5646); English where there is none. */
export function chosenOf(wanted: readonly string[]): LanguageId {
  const ids = wanted.map((tag) => tag.trim().toLowerCase().split(/[-_]/)[0] ?? '');
  return (ids.find((id) => Object.hasOwn(LANGUAGES, id)) ?? 'en') as LanguageId;
}

let newest = 0;

/** Speaks this language from now on: English where its script cannot be loaded. Resolves to false where another was chosen meanwhile; rejects where neither can be loaded. */
export async function speakIn(id: LanguageId): Promise<boolean> {
  newest += 1;
  const number = newest;
  const language = await LANGUAGES[id].load().catch(LANGUAGES.en.load);
  if (number !== newest) return false;
  setTexts(language.texts);
  setVoice({
    attributes: { lang: language.tag, dir: language.dir ?? 'ltr' },
    tellFinding: (finding) => tellFinding(finding, language),
    tellProblem: (certificate) => tellProblem(certificate, language),
  });
  return true;
}
