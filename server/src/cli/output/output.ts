import { stripVTControlCharacters, styleText } from 'node:util';

/** Commands print text for people on standard output, or exactly one document with `--json`. */

type Style = Parameters<typeof styleText>[0];

export interface JsonOption {
  json?: true;
}

/** Prints a value: as text, or with `--json` as one document without null fields. */
export function show<T>(options: JsonOption, value: T, textOf: (value: T) => string): void {
  if (options.json) print(jsonText(value));
  else print(textOf(value));
}

/** JSON as it may be printed on a terminal: characters that could control it are escaped, which programs read alike. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value, (_, inner) => (inner === null ? undefined : inner));
  const escapeUnits = (character: string) =>
    Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join('');
  return text.replace(INVISIBLE, escapeUnits);
}

export function print(text: string): void {
  process.stdout.write(`${forTerminal(text)}\n`);
}

/** Prints a value on standard error, after the name of the program and without styles. */
export function printError(text: string): void {
  process.stderr.write(`nameplate: ${text.split('\n').map(printable).join('\n')}\n`);
}

/** Escapes all characters that a terminal does not show, except line breaks, tabs and the styles of `paint`. */
function forTerminal(text: string): string {
  return text.replace(STYLE_OR_INVISIBLE, (found) => (SHOWN.test(found) ? found : printable(found)));
}

/** Coloured only on a terminal that supports it, unless NO_COLOR or NODE_DISABLE_COLORS is set. */
export function paint(style: Style, text: string): string {
  return styleText(style, text);
}

/** Control, format and unassigned characters, and line separators. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

// biome-ignore lint/suspicious/noControlCharactersInRegex: styles begin with one.
const STYLE_OR_INVISIBLE = /\u001b\[[\d;]*m|[\p{C}\p{Zl}\p{Zp}]/gu;
/** Matches characters that are printed as they are. */
const SHOWN = /^[\n\t]$|m$/;

/**
 * Untrusted text with its control characters escaped, so that it can neither move the cursor nor reorder the text
 * around it.
 */
export function printable(text: string): string {
  return text.replace(INVISIBLE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

export interface Column<Row> {
  title: string;
  text(row: Row): string;
  style?(row: Row): Style;
}

const GAP = '  ';
const INDENT = '  ';

/**
 * A table with a dim heading, indented by two. If a row is wider than the terminal, each row becomes a block with one
 * line per cell. Without a terminal there is no limit.
 */
export function table<Row>(columns: Column<Row>[], rows: readonly Row[], width = process.stdout.columns): string {
  const cells = rows.map((row) => columns.map((column) => printable(column.text(row))));
  const widths = columns.map(({ title }, at) => Math.max(title.length, ...cells.map((line) => lengthOf(line[at]))));
  const total = INDENT.length + widths.reduce((sum, each) => sum + each + GAP.length, -GAP.length);
  if (width !== undefined && total > width) return blocks(columns, rows, cells);
  const line = (texts: string[]) => texts.map((text, at) => pad(text, widths[at] ?? 0));
  const heading = paint(
    'dim',
    INDENT +
      line(columns.map(({ title }) => title))
        .join(GAP)
        .trimEnd(),
  );
  const lines = cells.map((texts, at) => {
    const padded = line(texts);
    // The last cell ends the line, so it needs no padding.
    padded.push(padded.pop()?.trimEnd() ?? '');
    return INDENT + painted(columns, rows[at], padded).join(GAP);
  });
  return [heading, ...lines].join('\n');
}

/** The text of a list: a table, or a sentence where it is empty. */
export function listing<Row>(columns: Column<Row>[], none: string): (rows: readonly Row[]) => string {
  return (rows) => (rows.length === 0 ? none : table(columns, rows));
}

/** A table of two columns. */
export function pairTable(titles: [string, string], rows: readonly string[][]): string {
  return table(
    titles.map((title, at) => ({ title, text: (row: string[]) => row[at] ?? '' })),
    rows,
  );
}

function blocks<Row>(columns: Column<Row>[], rows: readonly Row[], cells: string[][]): string {
  const widest = Math.max(...columns.map(({ title }) => title.length));
  const block = (texts: string[], row: Row | undefined) =>
    painted(columns, row, texts).map(
      (text, at) => `${INDENT}${paint('dim', pad(columns[at]?.title ?? '', widest))}${GAP}${text}`,
    );
  return cells.map((texts, at) => block(texts, rows[at]).join('\n')).join('\n\n');
}

function painted<Row>(columns: Column<Row>[], row: Row | undefined, texts: string[]): string[] {
  return texts.map((text, at) => {
    const style = row === undefined ? undefined : columns[at]?.style?.(row);
    return style === undefined ? text : paint(style, text);
  });
}

/** Wraps text to the terminal, with every line but the first indented. Without a terminal it stays one line. */
export function wrap(text: string, indent: number, width = process.stdout.columns): string {
  if (width === undefined) return text;
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && indent + lengthOf(stripVTControlCharacters(longer)) > width) lines.push(word);
    else lines[lines.length - 1] = longer;
  }
  return lines.join(`\n${' '.repeat(indent)}`);
}

/** Lines with a dim title each, indented by two, wrapped to the terminal. */
export function factLines(facts: readonly [title: string, text: string][]): string[] {
  const width = Math.max(...facts.map(([title]) => title.length));
  const indent = INDENT.length + width + GAP.length;
  return facts.map(([title, text]) => INDENT + paint('dim', title.padEnd(width)) + GAP + wrap(printable(text), indent));
}

function pad(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - lengthOf(text)));
}

function lengthOf(text = ''): number {
  return [...text].length;
}

/** `2026-11-20 20:14` in the machine's time zone; empty if there is no time. */
export function dateTime(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return '';
  const date = new Date(ms);
  const two = (value: number) => String(value).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** `20:14:05` in the machine's time zone. */
export function timeOfDay(ms: number): string {
  return new Date(ms).toTimeString().slice(0, 8);
}

/** `59 d 3 h`, `23 h 59 min`, `4 min 10 s`, `9 s`: a duration in its two largest units. */
export function shortDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  if (hours >= 48) return `${Math.floor(hours / 24)} d ${hours % 24} h`;
  if (hours > 0) return `${hours} h ${minutes} min`;
  return minutes > 0 ? `${minutes} min ${seconds % 60} s` : `${seconds} s`;
}
