import { existsSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { cannotOpen } from '../sqlite/database-file.ts';
import { openAlone } from '../sqlite/exclusive-file.ts';
import { prepareSchema } from '../sqlite/migrate-sqlite.ts';
import { asUnavailable } from '../sqlite/sqlite-errors.ts';
import {
  type CopyEnd,
  type CopySource,
  type CopyTarget,
  isCopied,
  notEmpty,
  type Row,
  statementsOf,
  type Table,
  UNFINISHED,
} from './copy.ts';

/** The file as the source of a copy. Its schema must be current. */
export async function copySource(path: string): Promise<CopySource> {
  await prepareSchema(path);
  const db = openAlone(path);
  return {
    ...endOn(path, db),
    async lastNumbers() {
      const rows = rowsOf(db, 'select name, seq from sqlite_sequence');
      return new Map(rows as [string, bigint][]);
    },
  };
}

/** The file as the target of a copy: made where there is none. Rejects unless it is empty, or holds the beginning of a copy. */
export async function copyTarget(path: string, source: string): Promise<CopyTarget> {
  const continues = holdsUnfinished(path);
  if (!continues) await prepareSchema(path);
  const db = openAlone(path);
  const end = endOn(path, db);
  try {
    db.exec('pragma synchronous = full');
    if (!continues) await begin(db, end, source);
  } catch (error) {
    db.close();
    throw asUnavailable(error);
  }
  return {
    ...end,
    continues,
    async add(table, rows) {
      const { insertInto, values } = statementsOf(table, slot);
      atOnce(db, () => {
        const insert = db.prepare(`${insertInto} values ${values(0)}`);
        for (const row of rows) insert.run(...row);
      });
    },
    async finish(lastNumbers) {
      atOnce(db, () => {
        db.exec(`delete from sqlite_sequence; drop table ${UNFINISHED}`);
        const set = db.prepare('insert into sqlite_sequence (name, seq) values (?, ?)');
        for (const [table, last] of lastNumbers) set.run(table, last);
      });
    },
  };
}

function holdsUnfinished(path: string): boolean {
  if (!existsSync(path)) return false;
  try {
    const db = new DatabaseSync(path, { readOnly: true });
    const found = db.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(UNFINISHED);
    db.close();
    return found !== undefined;
  } catch (error) {
    throw cannotOpen(path, error);
  }
}

async function begin(db: DatabaseSync, end: CopyEnd, source: string): Promise<void> {
  for (const table of await end.tables()) {
    if ((await end.count(table)) > 0) throw notEmpty(end.name, table.name);
  }
  atOnce(db, () => {
    db.exec(`create table ${UNFINISHED} (source text not null) strict`);
    db.prepare(`insert into ${UNFINISHED} values (?)`).run(source);
  });
}

function endOn(path: string, db: DatabaseSync): CopyEnd {
  return {
    name: path,
    migrations: async () => namesIn(db, 'select name from kysely_migration order by name'),
    tables: async () => tablesIn(db),
    count: async (table) => Number(rowsOf(db, statementsOf(table, slot).count)[0]?.[0]),
    async rowsAfter(table, after, limit) {
      const { read, readAfter } = statementsOf(table, slot);
      return after === null ? rowsOf(db, read, limit) : rowsOf(db, readAfter, limit, ...after);
    },
    close: async () => db.close(),
  };
}

function tablesIn(db: DatabaseSync): Table[] {
  const all = namesIn(db, "select name from sqlite_schema where type = 'table' and name not glob 'sqlite_*'");
  return all.filter(isCopied).map((name) => ({
    name,
    columns: namesIn(db, 'select name from pragma_table_info(?)', name).sort(),
    key: namesIn(db, 'select name from pragma_table_info(?) where pk > 0 order by pk', name),
    refersTo: namesIn(db, 'select distinct "table" from pragma_foreign_key_list(?)', name).sort(),
  }));
}

function namesIn(db: DatabaseSync, sql: string, ...values: string[]): string[] {
  return rowsOf(db, sql, ...values).map(([name]) => String(name));
}

function rowsOf(db: DatabaseSync, sql: string, ...values: SQLInputValue[]): Row[] {
  try {
    const statement = db.prepare(sql);
    statement.setReturnArrays(true);
    statement.setReadBigInts(true);
    return statement.all(...values) as unknown as Row[];
  } catch (error) {
    throw asUnavailable(error);
  }
}

function atOnce(db: DatabaseSync, work: () => void): void {
  try {
    db.exec('begin immediate');
    work();
    db.exec('commit');
  } catch (error) {
    if (db.isTransaction) db.exec('rollback');
    throw asUnavailable(error);
  }
}

function slot(number: number): string {
  return `?${number}`;
}
