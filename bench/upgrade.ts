// node bench/upgrade.ts [deliveries]: how long `nameplate migrate` takes where so many deliveries to webhooks are kept, on both engines, and how long others wait
// for PostgreSQL meanwhile; for CHANGELOG.md.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { migrate as migratePostgres } from '../src/store/postgres/postgres.ts';
import { migrate as migrateSqlite } from '../src/store/sqlite/sqlite.ts';
import { addressOf, startPostgres } from '../test/support/postgres.ts';
import { UNDO_AFTER_SETUP_LINKS, UNDO_STATES } from '../test/support/undo-newest-migration.ts';
import { SETTINGS } from './postgres.ts';

const DELIVERIES = Number(process.argv[2] ?? 1_000_000);
const ROWS_AT_ONCE = 50_000;
const WEBHOOKS = 100;

const COLUMNS =
  'id, webhook_id, queue, event_id, type, message, happened_at, created_at, attempts, last_attempt_at, last_response, outcome, finished_at';

/** One of a hundred waits, and one of a hundred has failed. The message is as long as that of a domain with two records. */
function rowsFrom(from: number, count: number): string {
  const id = (prefix: string) =>
    `'${prefix}_' || substr('01kaghn1h2f7n8v3q0y6w5t4r9', 1, 16) || substr(cast(10000000000 + n as text), 2)`;
  const isWaiting = 'n % 100 = 0';
  const isFailed = 'n % 100 = 1';
  const values = [
    id('dlv'),
    `'wh_01kaghq2r3s4t5v6w7x8y9z' || cast(100 + n % ${WEBHOOKS} as text)`,
    id('dom'),
    id('evt'),
    "'domain.verified'",
    `'${'m'.repeat(1000)}'`,
    ...['n', 'n', '1', 'n'],
    `case when ${isFailed} then 'The body of a response.' end`,
    `case when ${isWaiting} then null when ${isFailed} then 'failed' else 'delivered' end`,
    `case when ${isWaiting} then null else n end`,
  ];
  const numbers = `with recursive numbers (n) as (select ${from} union all select n + 1 from numbers where n < ${from + count - 1})`;
  return `insert into webhook_deliveries (${COLUMNS}) ${numbers} select ${values} from numbers`;
}

async function fill(run: (sql: string) => unknown): Promise<void> {
  for (let done = 0; done < DELIVERIES; done += ROWS_AT_ONCE) await run(rowsFrom(done, ROWS_AT_ONCE));
}

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}

async function onSqlite(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'nameplate-upgrade-'));
  const path = join(directory, 'nameplate.db');
  await migrateSqlite(path);
  const edit = async (sql: string | typeof fill) => {
    const db = new DatabaseSync(path);
    db.exec('pragma synchronous = off');
    await (typeof sql === 'string' ? db.exec(sql) : sql((text) => db.exec(text)));
    db.exec('pragma wal_checkpoint(truncate)');
    db.close();
  };
  await edit(UNDO_AFTER_SETUP_LINKS);
  await edit(fill);
  console.log(`SQLite, from 0010: ${(await secondsOf(() => migrateSqlite(path))).toFixed(1)} s`);
  await edit(UNDO_STATES);
  console.log(`SQLite, from 0012: ${(await secondsOf(() => migrateSqlite(path))).toFixed(1)} s`);
  await rm(directory, { recursive: true });
}

/** The longest that a statement took until `stop`, again and again on a connection of its own. */
async function longestOf(url: string, sql: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  let isStopped = false;
  let longest = 0;
  const done = (async () => {
    for (let n = 0; !isStopped; n++) {
      longest = Math.max(longest, await secondsOf(() => client.query(sql, [n])));
      await delay(5);
    }
    await client.end();
  })();
  return async () => {
    isStopped = true;
    await done;
    return `${longest.toFixed(1)} s`;
  };
}

async function onPostgres(): Promise<void> {
  const server = await startPostgres('newest', SETTINGS);
  const url = await server.createDatabase();
  const measure = async (from: string) => {
    const reading = await longestOf(url, 'select count(*) from webhooks where created_at > $1');
    const writing = await longestOf(url, 'update webhook_deliveries set attempts = attempts where seq = $1');
    const seconds = await secondsOf(() => migratePostgres(addressOf(url)));
    const waits = `a write of deliveries ${await writing()} at most, a read of webhooks ${await reading()}`;
    console.log(`PostgreSQL, from ${from}: ${seconds.toFixed(1)} s; ${waits}`);
  };
  await migratePostgres(addressOf(url));
  await server.run(url, UNDO_AFTER_SETUP_LINKS);
  await fill((sql) => server.run(url, sql));
  await server.run(url, 'vacuum analyze');
  await measure('0010');
  await server.run(url, UNDO_STATES);
  await measure('0012');
  await server.close();
}

console.log(`${DELIVERIES.toLocaleString('en-US')} deliveries`);
await onSqlite();
await onPostgres();
