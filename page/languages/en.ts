import { english, type Wording } from '../../words/english.ts';
import { ENGLISH, type Texts } from '../text.ts';

/** All that the page and the component say in a language: `page/languages/` has a file for each. */
export interface Language extends Wording {
  dir?: 'rtl';
  texts: Texts;
}

export const en: Language = { ...english, texts: ENGLISH };
