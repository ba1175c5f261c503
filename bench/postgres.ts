import { readdir, readFile } from 'node:fs/promises';
import pg from 'pg';
import { idMaker } from '../server/src/base/ids.ts';
import { CHECK_INTERVAL_MS } from '../server/src/domain/schedule.ts';
import { addressOf, type PostgresServer } from '../test/support/postgres.ts';
import { type Checkout, importSource, PRESENT } from './checkout.ts';
import { newCheck, newDomain, type Population, prepare } from './population.ts';
import { nameOf } from './zone.ts';

/**
 * Memory for a million domains, and room between two checkpoints (docs/guides/operations.md); all else is PostgreSQL's
 * default, syncs included.
 */
export const SETTINGS = { shared_buffers: '1GB', max_wal_size: '8GB' };

/** A database on PostgreSQL with domains in it. */
export interface PostgresPopulation extends Omit<Population, 'path'> {
  /** URL for the database's owner. */
  url: string;
}

const ROWS_AT_ONCE = 10_000;

/** The same domains as in the embedded store, due in no order. */
export async function populatePostgres(
  server: PostgresServer,
  domains: number,
  onProgress: (done: number) => void = () => {},
  checkout: Checkout = PRESENT,
): Promise<PostgresPopulation> {
  const now = Date.now();
  const newId = idMaker({ now: () => now });
  const url = await server.createDatabase();
  const address = addressOf(url);
  const { migrate, postgresStore } = await importSource('postgres', checkout.root);
  await migrate(address);
  const store = await postgresStore({ address });
  const about = await prepare(store, now, checkout);
  await store.close();

  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('set synchronous_commit = off');
  for (let number = 0; number < domains; ) {
    const rows: object[] = [];
    const checks: object[] = [];
    for (const end = Math.min(domains, number + ROWS_AT_ONCE); number < end; number++) {
      const domain = newDomain(about.ids, newId('dom'), nameOf(number), now);
      const dueAt = now + 1 + Math.floor(Math.random() * CHECK_INTERVAL_MS);
      rows.push(rowOf(domain));
      checks.push(rowOf(newCheck(domain, dueAt, number)));
    }
    await client.query('insert into domains select * from json_populate_recordset(null::domains, $1)', [
      JSON.stringify(rows),
    ]);
    await client.query('insert into checks select * from json_populate_recordset(null::checks, $1)', [
      JSON.stringify(checks),
    ]);
    onProgress(number);
  }
  await client.query('vacuum analyze');
  await client.end();
  await server.run(server.url('postgres'), 'checkpoint');
  return { url, domains, zones: domains, checkout, createdAt: now, ...about };
}

/** Under the names of the columns. */
function rowOf(entity: object): Record<string, unknown> {
  const column = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(entity).map(([name, value]) => [column(name), value]));
}

/**
 * How to read the CPU time of a server: all its processes, those that have ended among them, in microseconds. On Linux
 * alone.
 */
export async function cpuMicrosOf(server: PostgresServer): Promise<() => Promise<number>> {
  const file = "split_part(pg_read_file('postmaster.pid'), e'\\n', 1)";
  const [row] = await server.run(server.url('postgres'), `select ${file} as pid`);
  const pid = String(row?.pid);
  return async () => {
    const processes = await Promise.all((await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(timesOf));
    const own = processes.filter((times) => times !== undefined && (times.pid === pid || times.parent === pid));
    return own.reduce((sum, times) => sum + (times?.pid === pid ? times.withEnded : (times?.alone ?? 0)), 0);
  };
}

const MICROS_PER_TICK = 10_000;

interface Times {
  pid: string;
  parent: string | undefined;
  /** Microseconds. */
  alone: number;
  /** With those of children that have ended. */
  withEnded: number;
}

/** Undefined for a process that ends meanwhile. */
async function timesOf(pid: string): Promise<Times | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined);
  if (stat === undefined) return undefined;
  // proc(5): after the name come state and parent; the 12th to the 15th are user and system time, alone and of ended
  // children.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15).map(Number);
  const alone = (user + system) * MICROS_PER_TICK;
  return { pid, parent: fields[1], alone, withEnded: alone + (endedUser + endedSystem) * MICROS_PER_TICK };
}
