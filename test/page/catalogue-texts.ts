import type { Language } from '../../page/languages/en.ts';
import type { Told } from '../../words/sentence.ts';

/** The texts of a language: each of the page, and each sentence about a finding. */

/** Each field is its own name, so that a sentence shows which it has. */
export function toldWith(count: number): Told {
  const plural: Told['plural'] = (number, forms) => (number === 1 ? forms.one : undefined) ?? forms.other;
  const fixed: Partial<Told> = { count, plural, type: 'TYPE' };
  return new Proxy({} as Told, { get: (_, field) => fixed[field as keyof Told] ?? `<${String(field)}>` });
}

/** Each sentence about a finding by its key, as it is said of two values. */
export function sentencesIn(findings: Language['findings']): (readonly [key: string, text: string])[] {
  return Object.entries(findings).map(([key, one]) => [key, typeof one === 'string' ? one : one(toldWith(2))] as const);
}

/** Every text of the page by its place in the catalogue: those with fields are said with each of these. */
const FIELDS = [
  ...[1, 2].map((count) => ({ found: count, lacking: count, missing: count, wrong: count, records: count, count })),
  '<one>',
  7_000,
  ['<one>', '<two>'],
];

export function textsIn(texts: unknown, path = ''): [path: string, text: string][] {
  // Fields of another kind than this text has.
  if (typeof texts === 'string') return /undefined|\[object/.test(texts) ? [] : [[path, texts]];
  if (typeof texts !== 'function') {
    return Object.entries(texts ?? {}).flatMap(([key, each]) => textsIn(each, `${path}.${key}`));
  }
  const said = FIELDS.flatMap((fields, at) => {
    const about = Object.assign(Object(fields), { provider: '<one>', type: '<one>', removes: ['<one>', '<two>'] });
    try {
      return textsIn(texts(typeof fields === 'object' ? about : fields, 7_000), `${path} ${at}`);
    } catch {
      // Fields of another kind; a text that takes none of them throws below.
      return [];
    }
  });
  if (said.length === 0) throw new Error(`The text ${path} says nothing with any of these fields.`);
  return said;
}
