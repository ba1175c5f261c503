import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { migrate } from '../../server/src/store/engine/sqlite/sqlite.ts';
import { type About, type Contents, inspect } from './inspection.ts';
import type { Postgres } from './postgres.ts';

/** Where the servers of a site keep their data: one of the engines. */
export interface Data {
  /** For NAMEPLATE_DATABASE_URL. */
  url: string;
  /** Runs a query that changes nothing. */
  query(sql: string): Promise<Record<string, unknown>[]>;
  /** Looks at everything from outside, at one moment. */
  inspect(about: About): Promise<Contents>;
}

/** The embedded store, in a file of the directory. */
export async function embedded(directory: string): Promise<Data> {
  const path = join(directory, 'nameplate.db');
  return {
    url: `sqlite:${path}`,
    query: async (sql) => query(path, sql),
    inspect: async (about) => inspect(path, about),
  };
}

function query(path: string, sql: string): Record<string, unknown>[] {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5000 });
  try {
    return db.prepare(sql).all();
  } finally {
    db.close();
  }
}

/** A database of its own on a server. What is wrong with it is found in a copy, by the same rules. */
export function onPostgres(server: Postgres): (directory: string) => Promise<Data> {
  return async (directory) => {
    const url = await server.createDatabase();
    return {
      url,
      query: (sql) => server.run(url, sql),
      async inspect(about) {
        const path = join(directory, 'copy.db');
        await copy(url, path);
        try {
          return inspect(path, about);
        } finally {
          for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true });
        }
      },
    };
  };
}

const TABLES =
  "select name from sqlite_schema where type = 'table' and name not like 'kysely%' and name not like 'sqlite%'";

/** Writes the rows of a PostgreSQL database, as they are at one moment, into a new file of the embedded store. */
async function copy(url: string, path: string): Promise<void> {
  await migrate(path);
  const db = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  const client = new pg.Client({ connectionString: url });
  try {
    await client.connect();
    await client.query('begin isolation level repeatable read read only');
    db.exec('pragma synchronous = off; begin');
    for (const { name: table } of db.prepare(TABLES).all()) {
      const columns = db.prepare('select name from pragma_table_info(?)').all(String(table));
      const names = columns.map(({ name }) => `"${name}"`);
      const insert = db.prepare(`insert into ${table} (${names}) values (${names.map(() => '?')})`);
      // Numbers come as text: the columns of the file make numbers of them again.
      const { rows } = await client.query({ text: `select ${names} from ${table}`, rowMode: 'array' });
      for (const row of rows) insert.run(...row);
    }
    db.exec('commit');
  } finally {
    await client.end();
    db.close();
  }
}
