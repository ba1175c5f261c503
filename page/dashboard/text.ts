import type { en } from './languages/en.ts';

/** The same keys and parameters with any texts. */
type Translated<T> = T extends string
  ? string
  : T extends (...parameters: infer Parameters) => infer Text
    ? (...parameters: Parameters) => Translated<Text>
    : { readonly [Key in keyof T]: Translated<T[Key]> };

/** The dashboard in a language: what a language lacks is an error of types. */
export type DashboardTexts = Translated<typeof en>;

/** In the language of the page, which is loaded before anything is shown. */
export let TEXT: DashboardTexts;

export function setDashboardTexts(texts: DashboardTexts): void {
  TEXT = texts;
}

/** The word for a value of the API; of a newer server, the value itself. */
export function wordFor(words: Readonly<Record<string, string>>, value: string): string {
  return (Object.hasOwn(words, value) ? words[value] : undefined) ?? value.replaceAll('_', ' ');
}

export type PageName = keyof typeof en.pages;
