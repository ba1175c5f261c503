import { VOICE } from '../languages/voice.ts';

/** Numbers and dates in the language of the page. */

/** Makes a format when it is first used, and another one after a change of language: it takes long to make. */
export function inLanguage<Format>(make: (language: string) => Format): () => Format {
  let made: { language: string; format: Format } | undefined;
  return () => {
    const { lang: language } = VOICE.attributes;
    if (made?.language !== language) made = { language, format: make(language) };
    return made.format;
  };
}

const numbers = inLanguage((language) => new Intl.NumberFormat(language));
const dates = inLanguage((language) => new Intl.DateTimeFormat(language, { dateStyle: 'medium' }));

/** `2,000`. */
export const number = (count: number): string => numbers().format(count);

/** `27 Nov 2026`. `at`: Unix ms. */
export const date = (at: number): string => dates().format(at);
