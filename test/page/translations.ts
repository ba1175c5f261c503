import type { Certificate, Diagnosis } from '../../client/client.ts';
import { de } from '../../page/languages/de.ts';
import { en, type Language } from '../../page/languages/en.ts';
import { ja } from '../../page/languages/ja.ts';
import { partsOf } from '../../page/languages/sentence.ts';
import { tellFinding, tellProblem } from '../../page/languages/tell-finding.ts';
import { sentencesIn, textsIn } from './catalogue-texts.ts';

export const LANGUAGES = { en, de, ja };
export type Locale = keyof typeof LANGUAGES;

/** The results that the page of a domain tells. */
export interface Subject {
  diagnosis: Diagnosis;
  certificate: Certificate | null;
}

/** Texts that an English page may have, each with its translations. */
export type Translations = Map<string, Set<string>>;

export function addTranslations(translations: Translations, subject: Subject, to: Language): void {
  const others = textsAbout(subject, to);
  textsAbout(subject, en).forEach((text, at) => {
    translations.set(text, (translations.get(text) ?? new Set()).add(others[at] ?? ''));
  });
}

/** In the same order in each language. */
function textsAbout({ diagnosis, certificate }: Subject, { texts, ...language }: Language): string[] {
  const { findings, zone } = diagnosis;
  const told = findings.map((finding) => tellFinding(finding, { texts, ...language }));
  const problem = certificate === null ? '' : tellProblem(certificate, { texts, ...language }).text;
  const removed = [[], ...findings.map(({ action }) => action?.removes ?? [])];
  const tasks = TYPES.flatMap((type) =>
    [1, 2].flatMap((count) => removed.map((removes) => ({ type, count, removes }))),
  );
  return [
    ...told.flatMap(({ message, fix }) => [message, fix]),
    problem,
    ...Object.values(texts.stages).flatMap((stage) =>
      ABOUTS.flatMap((about) =>
        Object.values(stage({ ...about, provider: zone?.provider?.name, platform: undefined })),
      ),
    ),
    ...Object.values(texts.hints).flatMap((hint) =>
      tasks.map((task) => hint({ ...task, kind: 'told', zone: null, adds: [], mayKeep: false })),
    ),
    ...Object.values(texts.purposes).flatMap((by) =>
      Object.values(by).flatMap((purpose) => [purpose, `${purpose} ${texts.alias}`]),
    ),
    ...[1, 2].map(texts.noAlias),
    ...[...TYPES, null].map(texts.alsoAdd),
    texts.mayKeep,
    texts.noTxt,
    texts.caaPurpose,
    texts.movingTitle,
    texts.movingText,
    texts.movingPurpose,
  ].map(asShown);
}

const TYPES = ['ALIAS', 'CAA', 'CNAME', 'TXT'];

const upTo = (most: number) => Array.from({ length: most + 1 }, (_, number) => number);

/** Every number of records and mistakes that a title names. */
const ABOUTS = upTo(4).flatMap((records) =>
  upTo(3).flatMap((found) =>
    upTo(3).flatMap((other) =>
      upTo(2).flatMap((wrong) =>
        [true, false].map((needsCaa) => {
          const isGone = needsCaa;
          return { records, found, lacking: other, missing: other, wrong, needsCaa, isGone };
        }),
      ),
    ),
  ),
);

/** Without the marks of values. */
function asShown(text: string): string {
  return partsOf(text).join('').trim();
}

const wordsOf = ({ texts, findings }: Language) =>
  new Set([...textsIn(texts), ...sentencesIn(findings)].flatMap(([, text]) => wordsIn(text.replaceAll(/<\w+>/g, ''))));

/** Latin words in lower case, but for names with dots. */
function wordsIn(text: string): string[] {
  return (
    text
      .replaceAll(/[\w-]*(?:[._@][\w-]+)+/g, '')
      .toLowerCase()
      .match(/\p{Script=Latin}{2,}/gu) ?? []
  );
}

/** Words of the English page that are no words of the other language. */
export function englishWordsIn(text: string, language: Language): string[] {
  const [english, own] = [wordsOf(en), wordsOf(language)];
  return wordsIn(text).filter((word) => english.has(word) && !own.has(word));
}
