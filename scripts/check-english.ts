// Holds README, CHANGELOG, the guides, the reference with the product's sentences in it, and the internals to plain English. The generated reference has every help text, error,
// finding and setting, so one check of the pages covers these too. With --figures it prints how readable each page is.
import { globSync, readFileSync } from 'node:fs';
import markdownIt from 'markdown-it';
import { type Rule, rules } from './english/rules.ts';

const MOST_WORDS = 25;

interface Sentence {
  line: number;
  text: string;
  words: number;
}

const root = new URL('../', import.meta.url);
const markdown = markdownIt({ html: true });
const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

const pages = [
  'README.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'docs/README.md',
  ...globSync(['docs/guides/**/*.md', 'docs/reference/**/*.md', 'docs/internals/*.md'], { cwd: root }).sort(),
];
const named = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));

if (process.argv.includes('--figures')) printFigures();
else check();

function check(): void {
  const problems = (named.length > 0 ? named : pages).flatMap((page) => problemsOf(page));
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}

function problemsOf(page: string): string[] {
  return sentencesOf(page).flatMap(({ line, text, words }) => {
    const prose = text.replaceAll(/`[^`]*`/g, '`…`');
    const problems = rules.flatMap(({ pattern, instead, code, notIn, except }) => {
      if (notIn !== undefined && page.startsWith(notIn)) return [];
      const read = code === true ? text : prose;
      const { index } = pattern.exec(read) ?? {};
      if (index === undefined || isExcepted(except, page, text)) return [];
      return [`${page}:${line}: "${read.slice(Math.max(0, index - 20), index + 60)}": ${instead}`];
    });
    if (words <= MOST_WORDS) return problems;
    return [...problems, `${page}:${line}: ${words} words, ${MOST_WORDS} at most: ${text}`];
  });
}

function isExcepted(except: Rule['except'], page: string, text: string): boolean {
  return (except ?? []).some((each) => page === each.page && text.includes(each.sentence));
}

/** The sentences of headings, paragraphs, list items and cells. Code in a sentence, and a list of codes, counts as one word; blocks of code, and columns of tests, are left out. */
function sentencesOf(page: string): Sentence[] {
  const found: Sentence[] = [];
  for (const { type, map, children, column } of lines(page)) {
    if (type !== 'inline' || column === 'Test' || column === 'Test file') continue;
    const text = (children ?? [])
      .map((child) => {
        if (child.type === 'code_inline') return `\`${child.content.replaceAll(/[.?!:;]\s/g, ' ')}\``;
        return child.type === 'softbreak' || child.type === 'hardbreak'
          ? ' '
          : child.type === 'image'
            ? ''
            : child.content;
      })
      .join('');
    // Code in capitals, because a sentence would not end before a small letter.
    const capital = text.replaceAll(/`[^`]*`/g, (code) => code.toUpperCase());
    for (const {
      segment: { length },
      index,
    } of segmenter.segment(capital)) {
      const segment = text.slice(index, index + length);
      const words =
        segment
          .replaceAll(/`[^`]*`(?:,? (?:and |or )?`[^`]*`)*/g, 'code')
          .match(/[\p{L}\p{N}][\p{L}\p{N}'’./:@-]*/gu) ?? [];
      if (words.length > 0) found.push({ line: (map?.[0] ?? 0) + 1, text: segment.trim(), words: words.length });
    }
  }
  return found;
}

function lines(page: string) {
  let map: [number, number] | null = null;
  let columns: string[] = [];
  let cell = 0;
  return markdown.parse(readFileSync(new URL(page, root), 'utf8'), {}).map((token, index, tokens) => {
    map = token.map ?? map;
    if (token.type === 'table_open' || token.type === 'table_close') columns = [];
    if (token.type === 'tr_open') cell = 0;
    if (token.type === 'th_open') columns.push(tokens[index + 1]?.content ?? '');
    if (token.type === 'td_close') cell += 1;
    return { type: token.type, children: token.children, map, column: columns[cell] };
  });
}

/** Flesch reading ease: 206.835 - 1.015 words per sentence - 84.6 syllables per word. 60 is plain, 30 is academic. */
function printFigures(): void {
  console.log('| Page | Sentences | Words each | Over 25 words | Reading ease |\n|---|---|---|---|---|');
  const all: Sentence[] = [];
  for (const page of named.length > 0 ? named : pages) {
    const sentences = sentencesOf(page).filter(({ words }) => words > 3);
    all.push(...sentences);
    printRow(page, sentences);
  }
  printRow('All', all);
}

function printRow(name: string, sentences: Sentence[]): void {
  const words = sentences.flatMap(({ text }) => text.replaceAll(/`[^`]*`/g, 'code').match(/\p{L}[\p{L}'’-]*/gu) ?? []);
  const syllables = words.reduce((sum, word) => sum + syllablesOf(word), 0);
  const long = sentences.filter((sentence) => sentence.words > MOST_WORDS).length;
  const each = words.length / sentences.length;
  const ease = 206.835 - 1.015 * each - 84.6 * (syllables / words.length);
  console.log(
    `| ${name} | ${sentences.length} | ${each.toFixed(1)} | ${((100 * long) / sentences.length).toFixed(1)} % | ${ease.toFixed(0)} |`,
  );
}

function syllablesOf(word: string): number {
  const vowels = word
    .toLowerCase()
    .replace(/(?:[^laeiouy]es|ed|[^laeiouy]e)$/, '')
    .match(/[aeiouy]+/g);
  return Math.max(1, vowels?.length ?? 0);
}
