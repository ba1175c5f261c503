import type { Language } from './languages/en.ts';

/** The texts of the page and the component, in the language of the page: `speakIn` loads them before anything is shown. */
export let TEXT: Language['texts'];

export function setTexts(texts: Language['texts']): void {
  TEXT = texts;
}
