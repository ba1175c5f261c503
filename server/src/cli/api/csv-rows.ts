import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { CsvError, parse } from 'csv-parse/sync';

/** A row of a CSV file. */
export interface CsvRow {
  /** Number of its last line in the file, from 1. */
  line: number;
  /** The part of the file that is read once this row is, up to 1. */
  share: number;
  /** The cells without white space around them; none where the row cannot be read. */
  cells: string[];
  /** Why the row cannot be read; null where it can. */
  problem: string | null;
}

interface ReadRow extends Pick<CsvRow, 'cells' | 'problem'> {
  bytes: number;
  lines: number;
}

const DELIMITERS = [',', ';', '\t'] as const;
const NEWLINE = 10;
/** Longest row, in bytes. */
const LONGEST_ROW = 65_536;
const LARGEST_FILE = 64 * 1024 * 1024;
/** Number of rows after which other work runs, such as the handler of Ctrl-C. */
const ROWS_AT_ONCE = 100;

/**
 * Reads a file (RFC 4180; UTF-8, or UTF-16 with a byte order mark) row by row, without empty rows. The first line of a
 * row that cannot be read is refused, and reading goes on with the next line. The header decides the delimiter. Rejects
 * a path that is no regular file, and a file above 64 MiB.
 */
export async function* readCsv(path: string): AsyncGenerator<CsvRow> {
  const content = await contentOf(path);
  let delimiter: string | undefined;
  let line = 0;
  for (let at = 0, rows = 0; at < content.length; rows += 1) {
    while (content[at] === NEWLINE) {
      at += 1;
      line += 1;
    }
    if (at === content.length) return;
    delimiter ??= delimiterAt(content, at);
    const { bytes, lines, cells, problem } = rowAt(content, at, delimiter);
    at += bytes;
    line += lines;
    if (rows % ROWS_AT_ONCE === 0) await setImmediate();
    if (problem !== null || cells.some((cell) => cell !== '')) {
      yield { line, share: at / content.length, cells, problem };
    }
  }
}

/** Returns the file in UTF-8, with a newline as the end of each line. */
async function contentOf(path: string): Promise<Buffer> {
  // Opening a FIFO would otherwise block until somebody writes to it.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const found = await file.stat();
    if (!found.isFile()) throw new Error('it is not a regular file. Copy its content into one.');
    if (found.size > LARGEST_FILE)
      throw new Error('it is larger than 64 MiB. Split it into several files, each with the first line.');
    const bytes = await file.readFile();
    const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8';
    return Buffer.from(new TextDecoder(encoding).decode(bytes).replace(/\r\n?/g, '\n'));
  } finally {
    await file.close();
  }
}

/** Returns the delimiter that makes the most columns. */
function delimiterAt(content: Buffer, at: number): string {
  const columns = DELIMITERS.map((delimiter) => rowAt(content, at, delimiter).cells.length);
  return DELIMITERS[columns.indexOf(Math.max(...columns))] ?? ',';
}

/**
 * Reads one row, and stops at the byte that ends it or makes it unreadable: so the time for a file grows with its size
 * only.
 */
function rowAt(content: Buffer, at: number, delimiter: string): ReadRow {
  const newline = content.indexOf(NEWLINE, at);
  const bytes = (newline < 0 ? content.length : newline + 1) - at;
  const refused = (problem: string) => ({ bytes, lines: 1, cells: [], problem });
  const tooLong = `The row is longer than ${LONGEST_ROW / 1024} KiB.`;
  if (bytes > LONGEST_ROW) return refused(tooLong);
  const longest = content.subarray(at, at + LONGEST_ROW);
  try {
    const [row] = parse(longest, {
      delimiter,
      info: true,
      record_delimiter: '\n',
      relax_column_count: true,
      // A quotation mark inside an unquoted cell is a plain character.
      relax_quotes: true,
      to: 1,
      trim: true,
    }) as unknown as [{ record: string[]; info: { bytes: number; lines: number } }];
    const { record, info } = row;
    const isCut = info.bytes === LONGEST_ROW && longest.at(-1) !== NEWLINE && at + info.bytes < content.length;
    return isCut ? refused(tooLong) : { bytes: info.bytes, lines: info.lines, cells: record, problem: null };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const isOpen = error.code === 'CSV_QUOTE_NOT_CLOSED' || Number(error.lines) > 1;
    return refused(isOpen ? 'A quotation mark has no end.' : 'A cell goes on after the quotation mark at its end.');
  }
}
