import { isDeepStrictEqual } from 'node:util';
import { StoreUnavailable } from '../contract/store.ts';

// A store is copied table by table, as the two databases themselves describe them: a table that a later migration adds is copied like
// the others. How far a copy came is told by the rows that it made, in the order of their keys; so it can end anywhere and be continued.

/** A table, without the names that only its engine knows. */
export interface Table {
  name: string;
  /** In alphabetical order. */
  columns: string[];
  /** Columns of the primary key, in its order. */
  key: string[];
  /** Names of the tables that its rows refer to, in alphabetical order. */
  refersTo: string[];
}

/** The values of a row in the order of the columns, exactly as they are stored: integers of any size, text, bytes. */
export type Row = readonly (string | bigint | Uint8Array | null)[];

/** A store that nobody else uses while it is open here. Whatever fails rejects with `StoreUnavailable`. */
export interface CopyEnd {
  /** For people; without a password. */
  name: string;
  /** Names of the migrations that it has seen. */
  migrations(): Promise<string[]>;
  tables(): Promise<Table[]>;
  count(table: Table): Promise<number>;
  /** The first rows whose keys are greater than `after`, in order of the bytes of their keys. */
  rowsAfter(table: Table, after: Row | null, limit: number): Promise<Row[]>;
  close(): Promise<void>;
}

export interface CopySource extends CopyEnd {
  /** For each table whose keys are counted up: the last number that was given, if one was. */
  lastNumbers(): Promise<Map<string, bigint>>;
}

/** A store that can be opened in no other way until `finish`: it holds a copy that is not whole. */
export interface CopyTarget extends CopyEnd {
  /** Whether it holds the beginning of a copy. */
  continues: boolean;
  /** Adds rows: all of them or none, and on the disk. */
  add(table: Table, rows: Row[]): Promise<void>;
  /** Has numbers counted on from where the source is, and gives the store free. */
  finish(lastNumbers: Map<string, bigint>): Promise<void>;
}

export interface CopyProgress {
  doing: 'copying' | 'comparing';
  done: number;
  /** Rows. */
  total: number;
}

export interface CopiedTable {
  table: string;
  /** Rows in the source. */
  source: number;
  /** Rows in the target. */
  target: number;
}

/** What the target holds is not of this source, so that nothing was or will be added to it. */
export class CopyRefused extends StoreUnavailable {}

/** Rows that are read, and committed, at once. PostgreSQL takes 65,535 values in a statement. */
const BATCH = 1000;

/**
 * Copies all rows, or what is missing of them; then reads everything once more on both sides, and compares each field. Rejects with
 * `CopyRefused` where the target holds anything that the source does not.
 */
export async function copyStore(
  source: CopySource,
  target: CopyTarget,
  onProgress: (progress: CopyProgress) => void,
): Promise<CopiedTable[]> {
  const tables = inOrder(await commonTables(source, target));
  const lastNumbers = await source.lastNumbers();
  let total = 0;
  for (const table of tables) total += await source.count(table);
  for (const doing of ['copying', 'comparing'] as const) {
    let done = 0;
    onProgress({ doing, done, total });
    for (const table of tables) {
      for await (const rows of walk(source, target, table, doing)) {
        done += rows;
        onProgress({ doing, done, total });
      }
    }
  }
  const counts: CopiedTable[] = [];
  for (const table of tables) {
    counts.push({ table: table.name, source: await source.count(table), target: await target.count(table) });
  }
  await target.finish(lastNumbers);
  return counts;
}

/** Goes through a table on both sides. Yields numbers of rows that are equal, and were added first where they were missing. */
async function* walk(source: CopySource, target: CopyTarget, table: Table, doing: CopyProgress['doing']) {
  let after: Row | null = null;
  for (;;) {
    const rows: Row[] = await source.rowsAfter(table, after, BATCH);
    const there: Row[] = await target.rowsAfter(table, after, BATCH);
    const missing = rows.slice(there.length);
    const added = doing === 'copying' ? missing : [];
    if (!isDeepStrictEqual([...there, ...added], rows)) throw differs(source, target, table);
    if (added.length > 0) await target.add(table, added);
    yield rows.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) return;
    after = keyOf(table, last);
  }
}

function keyOf({ key, columns }: Table, row: Row): Row {
  return key.map((column) => row[columns.indexOf(column)] ?? null);
}

async function commonTables(source: CopySource, target: CopyTarget): Promise<Table[]> {
  const [from, onto] = [await source.migrations(), await target.migrations()];
  const tables = await source.tables();
  if (isDeepStrictEqual(from, onto) && isDeepStrictEqual(byName(tables), byName(await target.tables()))) return tables;
  throw new CopyRefused(
    `the tables of ${target.name} are not those of ${source.name}, perhaps since another version of nameplate began the copy: empty ${target.name}, then copy again`,
  );
}

function byName(tables: Table[]): Map<string, Table> {
  return new Map(tables.map((table) => [table.name, table]));
}

/** Each table after those that it refers to. */
function inOrder(tables: Table[]): Table[] {
  const rest = byName(tables);
  const ordered: Table[] = [];
  while (rest.size > 0) {
    const ready = [...rest.values()].filter(({ refersTo }) => !refersTo.some((name) => rest.has(name)));
    if (ready.length === 0)
      throw new Error(`the tables ${[...rest.keys()].join(', ')} refer to each other in a circle`);
    for (const table of ready) {
      ordered.push(table);
      rest.delete(table.name);
    }
  }
  return ordered;
}

function differs(source: CopySource, target: CopyTarget, { name }: Table): CopyRefused {
  return new CopyRefused(
    `the table "${name}" of ${target.name} is not a copy of that of ${source.name}: one of the stores was changed since the copy began, or this is another source; empty ${target.name}, then copy again`,
  );
}

/** The table that marks a store that holds a copy which is not whole; its one row names the source. */
export const UNFINISHED = 'unfinished_copy';

/** Why nothing but the copy itself may open such a store. */
export function unfinished(name: string, source: unknown): StoreUnavailable {
  return new StoreUnavailable(
    `${name} holds a copy of ${source} that was not finished: run the same "nameplate copy" again, which goes on where it ended; or empty it, or name another`,
  );
}

export function notEmpty(name: string, table: string): CopyRefused {
  return new CopyRefused(
    `${name} is not empty: its table "${table}" holds rows; name a store that is new, since a copy is never mixed with what is there`,
  );
}

/** Whether a table is one of those that are copied. */
export function isCopied(table: string): boolean {
  return table !== UNFINISHED && !table.startsWith('kysely_');
}

/** The statements of both engines. `slot`: how the engine writes the parameter of a number, from 1 on. */
export function statementsOf({ name, columns, key }: Table, slot: (number: number) => string) {
  const [table, all, keys] = [quote(name), columns.map(quote).join(', '), key.map(quote).join(', ')];
  const slots = (count: number, first = 1) => Array.from({ length: count }, (_, at) => slot(first + at)).join(', ');
  return {
    count: `select count(*) from ${table}`,
    read: `select ${all} from ${table} order by ${keys} limit ${slot(1)}`,
    readAfter: `select ${all} from ${table} where (${keys}) > (${slots(key.length, 2)}) order by ${keys} limit ${slot(1)}`,
    insertInto: `insert into ${table} (${all})`,
    values: (row: number) => `(${slots(columns.length, row * columns.length + 1)})`,
  };
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
