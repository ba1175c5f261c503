import { createReadStream } from 'node:fs';
import { CsvError, parse } from 'csv-parse/sync';

/** A row of a CSV file. */
export interface CsvRow {
  /** Where it ends in the file, from 1. */
  line: number;
  /** Of the file, up to the end of the row. */
  bytes: number;
  /** Without white space around them; none where the row cannot be read. */
  cells: string[];
  /** Why it cannot be read; null where it can. */
  problem: string | null;
}

interface Line {
  /** Without its end. Of a line that is too long, any part that is too long, too. */
  text: string;
  /** With its end. */
  bytes: number;
}

const DELIMITERS = [',', ';', '\t'] as const;

/** Longest row, in characters, and as much of the file as is held at a time: a quotation mark that never ends would otherwise take all of it into memory. */
const LONGEST_ROW = 65_536;

/**
 * Reads a file (RFC 4180; UTF-8, or UTF-16 with a byte order mark) row by row, without empty rows. A row is a line, or several where a quotation mark says so.
 * Of one that cannot be read, the first line is refused, and reading goes on with the next line.
 */
export async function* readCsv(path: string): AsyncGenerator<CsvRow> {
  const { delimiter, encoding } = await formatOf(path);
  const ahead: Line[] = [];
  let held = 0;
  let line = 0;
  let bytes = 0;

  function take(): CsvRow[] {
    const { lines, cells, problem } = firstRow(ahead, delimiter);
    for (const taken of ahead.splice(0, lines)) {
      held -= taken.text.length + 1;
      bytes += taken.bytes;
    }
    line += lines;
    const isEmpty = problem === null && cells.every((cell) => cell === '');
    return isEmpty ? [] : [{ line, bytes, cells, problem }];
  }

  for await (const next of linesOf(createReadStream(path, { encoding }), encoding)) {
    ahead.push(next);
    held += next.text.length + 1;
    while (held > LONGEST_ROW) yield* take();
  }
  while (ahead.length > 0) yield* take();
}

/** Encoding, and what separates the columns: the delimiter that the first line has most often outside of quotation marks. */
async function formatOf(path: string): Promise<{ encoding: 'utf8' | 'utf16le'; delimiter: string }> {
  const chunks: Buffer[] = [];
  for await (const chunk of createReadStream(path, { end: LONGEST_ROW })) chunks.push(chunk);
  const start = Buffer.concat(chunks);
  const encoding = start[0] === 0xff && start[1] === 0xfe ? 'utf16le' : 'utf8';
  const unquoted = start
    .toString(encoding)
    .replace(/"[^"]*"/g, '')
    .trimStart();
  const [first = ''] = unquoted.split(/[\r\n]/, 1);
  const counts = DELIMITERS.map((delimiter) => first.split(delimiter).length);
  return { encoding, delimiter: DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',' };
}

/** A carriage return at the end may be the half of an end. */
const LINE_END = /\r\n|\n|\r(?!$)/g;

async function* linesOf(source: AsyncIterable<string>, encoding: BufferEncoding): AsyncGenerator<Line> {
  let rest = '';
  let dropped = 0;
  for await (const chunk of source) {
    const text = rest + chunk;
    let from = 0;
    for (const { index, 0: end } of text.matchAll(LINE_END)) {
      const to = index + end.length;
      yield { text: text.slice(from, index), bytes: dropped + Buffer.byteLength(text.slice(from, to), encoding) };
      from = to;
      dropped = 0;
    }
    // Of a line that is too long, no more is held than shows that it is.
    rest = text.slice(Math.max(from, text.length - LONGEST_ROW - 1));
    dropped += Buffer.byteLength(text.slice(from, text.length - rest.length), encoding);
  }
  if (rest !== '') yield { text: rest.replace(/\r$/, ''), bytes: dropped + Buffer.byteLength(rest, encoding) };
}

interface ReadRow extends Pick<CsvRow, 'cells' | 'problem'> {
  /** How many it takes. */
  lines: number;
}

/** The row with which these lines begin. */
function firstRow(ahead: readonly Line[], delimiter: string): ReadRow {
  const [first] = ahead;
  if (first === undefined) throw new Error('there is no line');
  if (isLong(first)) return refused(`The row is longer than ${LONGEST_ROW / 1024} KiB.`);
  const alone = parseRow(first.text, delimiter);
  if (!(alone instanceof CsvError)) return alone;
  if (alone.code !== 'CSV_QUOTE_NOT_CLOSED') return refused('A cell goes on after the quotation mark at its end.');
  // The cell may go on in the next lines. One that is too long is the last of them.
  const lines = ahead.filter((line) => !isLong(line)).map(({ text }) => text);
  const several = parseRow(lines.join('\n'), delimiter);
  return several instanceof CsvError ? refused('A quotation mark has no end.') : several;
}

function isLong({ text }: Line): boolean {
  return text.length > LONGEST_ROW;
}

/** Of one line. */
function refused(problem: string): ReadRow {
  return { lines: 1, cells: [], problem };
}

function parseRow(text: string, delimiter: string): ReadRow | CsvError {
  try {
    const [row] = parse(text, {
      bom: true,
      delimiter,
      info: true,
      record_delimiter: '\n',
      relax_column_count: true,
      // A quotation mark in the middle is part of what the cell says.
      relax_quotes: true,
      to: 1,
      trim: true,
    }) as unknown as { record: string[]; info: { lines: number } }[];
    return { lines: row?.info.lines ?? 1, cells: row?.record ?? [], problem: null };
  } catch (error) {
    if (error instanceof CsvError) return error;
    throw error;
  }
}
