// node bench/rechecks.ts [monitored…]: what the store's part of a re-check costs with so many verified domains beside 100,000 waiting ones, on both
// engines, and what re-checks cost the claims of checks; for docs/scale.md. Time is simulated: the re-checks of a day are spread over it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { type CheckResult, digestOf, toBoundedJson } from '../src/domain/check-result.ts';
import { type Domain, WINDOW_MS } from '../src/domain/domain.ts';
import { HEALTHY } from '../src/domain/monitoring.ts';
import { CHECK_INTERVAL_MS } from '../src/domain/schedule.ts';
import { idMaker } from '../src/ids.ts';
import type { DueRecheck, Store } from '../src/store/contract/store.ts';
import { migrate as migratePostgres, postgresStore } from '../src/store/postgres/postgres.ts';
import { migrate as migrateSqlite, sqliteStore } from '../src/store/sqlite/sqlite.ts';
import { observation, rightTxt, twice } from '../test/support/observations.ts';
import { addressOf, startPostgres } from '../test/support/postgres.ts';
import { cpuMicros } from './part.ts';
import { newDomain, prepare } from './population.ts';
import { cpuMicrosOf, SETTINGS } from './postgres.ts';
import { nameOf } from './zone.ts';

const DAY_MS = 86_400_000;
const WAITING = 100_000;
/** Re-checks that are claimed in one measurement, and how many at once, as by `verification/monitor.ts`. */
const MEASURED = 4000;
const BATCH = 100;
/** Of so many re-checks one changes something. */
const CHANGE_EVERY = 50;

const sizes = process.argv.slice(2).map(Number);
if (sizes.length === 0) sizes.push(1000, 100_000, 1_000_000);

interface Engine {
  name: string;
  store: Store;
  /** Adds rows by bulk insert, in the order of the tables. */
  insert(rows: Record<string, object[]>): Promise<void>;
  /** After many rows were added. */
  settle(): Promise<void>;
  /** CPU time of the database server, in microseconds; 0 where it is this process. */
  serverCpuMicros(): Promise<number>;
}

/** All rows of a domain, under the names of their columns. */
function rowsOf(domain: Domain, dueAt: number, isVerified: boolean): Record<string, object[]> {
  const verified = { status: 'verified', routingVerifiedAt: dueAt, ownershipVerifiedAt: dueAt, verifiedAt: dueAt };
  const result: CheckResult = {
    findings: [],
    observation: observation(domain, 'example.com', { ownership: [twice(rightTxt(domain))] }),
  };
  const { id, environmentId, name: hostname } = domain;
  const stored = {
    domainId: id,
    digest: digestOf(result),
    checkedAt: dueAt,
    ...toBoundedJson(result),
  };
  const check = { domainId: id, nextCheckAt: dueAt, windowEndsAt: dueAt + WINDOW_MS, attempts: 0, unreadableInARow: 0 };
  return {
    domains: [{ ...domain, ...(isVerified && verified) }],
    check_results: [stored],
    checks: isVerified ? [] : [check],
    routes: isVerified ? [{ hostname, domainId: id, environmentId }] : [],
    monitors: isVerified ? [{ domainId: id, nextCheckAt: dueAt, attempts: 0 }] : [],
  };
}

function columnsOf(row: object): [string, unknown][] {
  return Object.entries(row).map(([name, value]) => [name.replace(/[A-Z]/g, (it) => `_${it.toLowerCase()}`), value]);
}

const ROWS_AT_ONCE = 5000;

interface Population {
  ids: Awaited<ReturnType<typeof prepare>>['ids'];
  start: number;
  added: number;
}

/** Adds domains: waiting ones are due within a minute, verified ones within a day. */
async function add(engine: Engine, population: Population, count: number, isVerified: boolean): Promise<void> {
  const { ids, start } = population;
  const newId = idMaker({ now: () => start });
  for (let done = 0; done < count; ) {
    const rows: Record<string, object[]> = {};
    for (const end = Math.min(count, done + ROWS_AT_ONCE); done < end; done++) {
      const dueAt = start + Math.floor(Math.random() * (isVerified ? DAY_MS : CHECK_INTERVAL_MS));
      const domain = newDomain(ids, newId('dom'), nameOf(population.added++), start);
      for (const [table, added] of Object.entries(rowsOf(domain, dueAt, isVerified))) {
        rows[table] ??= [];
        rows[table].push(...added);
      }
    }
    await engine.insert(rows);
  }
}

interface Cost {
  /** Microseconds of CPU for each: of this process, and of the database server. */
  own: number;
  server: number;
}

async function costOf(engine: Engine, work: () => Promise<number>): Promise<Cost> {
  const [own, server] = [cpuMicros(), await engine.serverCpuMicros()];
  const done = await work();
  return { own: (cpuMicros() - own) / done, server: ((await engine.serverCpuMicros()) - server) / done };
}

/** Claims and saves as time passes. */
async function recheck({ store }: Engine, monitored: number, clock: { now: number }): Promise<number> {
  let done = 0;
  while (done < Math.min(MEASURED, monitored)) {
    clock.now += (BATCH * DAY_MS) / monitored;
    const now = Math.round(clock.now);
    const due = await store.claimMonitored({ now, limit: BATCH, intervalMs: DAY_MS, jitter: Math.random });
    await Promise.all(due.filter((_, i) => (done + i) % CHANGE_EVERY === 0).map((each) => change(store, each, now)));
    done += due.length;
  }
  return done;
}

async function change(store: Store, { domain, attempts }: DueRecheck, now: number): Promise<void> {
  const memory = { ...HEALTHY, driftedSince: now };
  const after = { ...domain, verificationError: 'The CNAME record is gone.', revision: domain.revision + 1 };
  await store.saveMonitoring({ before: domain, after, memory, attempts, now });
}

/** Claims that find nothing. */
async function poll({ store }: Engine): Promise<number> {
  // Nothing is due then, and nothing is too far ahead.
  const claim = { now: 0, limit: BATCH, intervalMs: Date.now(), jitter: Math.random };
  for (let i = 0; i < 1000; i++) await store.claimMonitored(claim);
  return 1000;
}

async function check({ store }: Engine, clock: { now: number }): Promise<number> {
  let done = 0;
  while (done < MEASURED) {
    clock.now += 150;
    done += (await store.claimDue(Math.round(clock.now), 250, CHECK_INTERVAL_MS, Math.random)).length;
  }
  return done;
}

async function measure(engine: Engine): Promise<void> {
  const start = Date.now();
  const population = { ...(await prepare(engine.store, start)), start, added: 0 };
  await add(engine, population, WAITING, false);
  await engine.settle();
  const checking = { now: start };
  await check(engine, checking);
  print(engine.name, 'none', 'claim of a check', await costOf(engine, () => check(engine, checking)));
  let monitored = 0;
  for (const size of sizes) {
    await add(engine, population, size - monitored, true);
    monitored = size;
    await engine.settle();
    const clock = { now: start };
    await recheck(engine, size, clock);
    const wholes = size.toLocaleString('en');
    print(engine.name, wholes, 're-check', await costOf(engine, () => recheck(engine, size, clock)));
    // As after days without re-checks.
    clock.now += 3 * DAY_MS;
    const overdue = await costOf(engine, () => recheck(engine, size, clock));
    if (size > 2 * MEASURED) print(engine.name, wholes, 're-check, all of them overdue', overdue);
    print(engine.name, wholes, 'claim that finds nothing', await costOf(engine, () => poll(engine)));
    print(engine.name, wholes, 'claim of a check', await costOf(engine, () => check(engine, checking)));
  }
}

function print(engine: string, monitored: string, what: string, { own, server }: Cost): void {
  console.log(
    `| ${engine} | ${monitored} | ${what} | ${Math.round(own)} | ${server === 0 ? '' : Math.round(server)} |`,
  );
}

async function onSqlite(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'nameplate-rechecks-'));
  const path = join(directory, 'nameplate.db');
  await migrateSqlite(path);
  const store = await sqliteStore({ path });
  const db = new DatabaseSync(path, { timeout: 5000 });
  db.exec('pragma synchronous = off; pragma cache_size = -524288');
  await measure({
    name: 'SQLite',
    store,
    async insert(tables) {
      db.exec('begin');
      for (const [table, rows] of Object.entries(tables)) {
        const [first] = rows;
        if (first === undefined) continue;
        const columns = columnsOf(first).map(([name]) => name);
        const insert = db.prepare(`insert into ${table} (${columns}) values (${columns.map(() => '?')})`);
        for (const row of rows) insert.run(...columnsOf(row).map(([, value]) => value as string | number | null));
      }
      db.exec('commit');
    },
    settle: async () => db.exec('pragma wal_checkpoint(truncate)'),
    serverCpuMicros: async () => 0,
  });
  db.close();
  await store.close();
  await rm(directory, { recursive: true });
}

async function onPostgres(): Promise<void> {
  const server = await startPostgres('newest', SETTINGS);
  const url = await server.createDatabase();
  await migratePostgres(addressOf(url));
  const store = await postgresStore({ address: addressOf(url) });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('set synchronous_commit = off');
  await measure({
    name: 'PostgreSQL',
    store,
    async insert(tables) {
      for (const [table, rows] of Object.entries(tables)) {
        const json = JSON.stringify(rows.map((row) => Object.fromEntries(columnsOf(row))));
        await client.query(`insert into ${table} select * from json_populate_recordset(null::${table}, $1)`, [json]);
      }
    },
    async settle() {
      await client.query('vacuum analyze');
      await client.query('checkpoint').catch(() => {});
    },
    serverCpuMicros: await cpuMicrosOf(server),
  });
  await client.end();
  await store.close();
  await server.close();
}

console.log(`With ${WAITING.toLocaleString('en')} waiting domains; CPU-µs for each\n`);
console.log('| Engine | Verified domains | What | process | database server |\n|---|---|---|---|---|');
await onSqlite();
await onPostgres();
