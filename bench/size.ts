// node bench/size.ts [domains]: bytes on the disk per domain, on both engines, for docs/guides/scale.md. Every row is written
// by the store itself.

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { idMaker, newTarget, newToken } from '../server/src/base/ids.ts';
import type { CheckResult } from '../server/src/domain/check-result.ts';
import type { Domain } from '../server/src/domain/domain.ts';
import { ownershipValue } from '../server/src/domain/records.ts';
import { NO_MEMORY } from '../server/src/domain/status.ts';
import { migrate as migratePostgres, postgresStore } from '../server/src/store/engine/postgres/postgres.ts';
import { sqliteStore } from '../server/src/store/engine/sqlite/sqlite.ts';
import { createKeyring } from '../server/src/store/sealing/keyring.ts';
import { sealedStore } from '../server/src/store/sealing/sealed-store.ts';
import type { Store } from '../server/src/store/store.ts';
import { aLedgerEntry, anIssuedCertificate, anOrder, aSave } from '../test/support/certificates.ts';
import { aCheckResult, attach, plant, verifiedAt, verifyingAt } from '../test/support/entities.ts';
import { cname, everywhere, observation, rightTxt } from '../test/support/observations.ts';
import { addressOf, startPostgres } from '../test/support/postgres.ts';

/** Sizes of tables with their indexes, by name. */
type Sizes = Map<string, number>;

const domains = Number(process.argv[2] ?? 20_000);
const memory = NO_MEMORY;

/**
 * As long as what Let's Encrypt gives for a name of this length: the certificate itself and the one above it, of P-256
 * keys.
 */
const chain = () => randomBytes(1950).toString('base64');

/** As long as the texts of a finding are. */
const missing = { message: 'm'.repeat(120), fix: 'f'.repeat(160), expected: 'e'.repeat(45), name: 'n'.repeat(30) };

/** The result of the check that verifies a domain: each of two nameservers was asked twice. */
function foundIn(domain: Domain): CheckResult {
  const seen = { ownership: everywhere(rightTxt(domain)), routing: everywhere(cname(domain.target)) };
  return { findings: [], observation: observation(domain, 'customer.example', seen) };
}

type Stage = 'waiting' | 'verified' | 'certified';

/**
 * As many domains as asked for, each as long as names of customers are; all are checked once, then all are verified,
 * then all certified.
 */
async function live(engine: Store, measure: () => Promise<Sizes>): Promise<Record<Stage, Sizes>> {
  const store = sealedStore(engine, createKeyring({ name: '', keys: () => [randomBytes(32)] }));
  const newId = idMaker({ now: Date.now });
  const { environment } = await plant(store);
  const empty = await measure();
  const waiting = await each(domains, async (number) => {
    const now = Date.now();
    const name = `www.customer-${String(number).padStart(8, '0')}.com`;
    const records = { target: newTarget('cname.example.net', randomBytes), token: newToken(randomBytes) };
    const times = { createdAt: now, windowStartedAt: now };
    const before = await attach(store, environment, { id: newId('dom'), name, ...records, ...times });
    const after = verifyingAt(before, now);
    await store.saveTransition({ before, after, memory, result: aCheckResult(before, missing, missing), now });
    return after;
  });
  const atFirst = perDomain(await measure(), empty);
  await each(domains, async (number) => {
    const before = waiting[number];
    if (before === undefined) throw new Error('every domain was made');
    const now = Date.now();
    const seen = { ownership: [ownershipValue(before)], routing: [before.target] };
    const save = { before, after: verifiedAt(before, now), memory, result: foundIn(before), seen, now };
    await store.saveTransition(save);
  });
  const verified = perDomain(await measure(), empty);
  while (await certify(store));
  return { waiting: atFirst, verified, certified: perDomain(await measure(), empty) };
}

/** Obtains certificates for some names; whether there were any. */
async function certify(store: Store): Promise<boolean> {
  const now = Date.now();
  const issuer = 'https://acme-v02.api.letsencrypt.org/directory';
  const due = await store.claimCertificates({ now, limit: 25, leaseMs: 60_000, newNames: true });
  await Promise.all(
    due.map(async (one) => {
      const { hostname } = one.certificate;
      const order = anOrder({ hostname, issuer });
      await store.beginOrder({ lease: one.lease, order, entry: aLedgerEntry(order), limits: [], now });
      await store.saveOrderUrl(
        hostname,
        one.lease,
        'https://acme-v02.api.letsencrypt.org/acme/order/1234567890/123456789012',
      );
      const issued = { ...anIssuedCertificate({ issuer, chain: chain() }), privateKey: order.privateKey };
      const nextTryAt = now + 21_600_000;
      const selfCheck = { at: now, answers: [{ address: '192.0.2.1', outcome: 'ours' as const, seen: null }] };
      await store.saveCertificate(
        aSave(one, { state: 'issued', orderOutcome: 'issued', issued, selfCheck, nextTryAt, now }),
      );
    }),
  );
  return due.length > 0;
}

/** A few at a time, as requests come. */
async function each<T>(count: number, work: (number: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const worker = async () => {
    while (next < count) {
      const number = next++;
      results[number] = await work(number);
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  return results;
}

function perDomain(sizes: Sizes, empty: Sizes): Sizes {
  return new Map([...sizes].map(([table, bytes]) => [table, (bytes - (empty.get(table) ?? 0)) / domains]));
}

async function onSqlite() {
  const directory = await mkdtemp(join(tmpdir(), 'nameplate-size-'));
  const path = join(directory, 'nameplate.db');
  const store = await sqliteStore({ path });
  const db = new DatabaseSync(path, { readOnly: true });
  const sizes = await live(store, async () => {
    const rows = db
      .prepare('select tbl_name as name, sum(pgsize) as bytes from dbstat join sqlite_schema using (name) group by 1')
      .all();
    return new Map(rows.map(({ name, bytes }) => [String(name), Number(bytes)]));
  });
  db.close();
  await store.close();
  await rm(directory, { recursive: true });
  return sizes;
}

async function onPostgres() {
  const server = await startPostgres();
  const url = await server.createDatabase();
  await migratePostgres(addressOf(url));
  // The sizes do not depend on syncs.
  await server.run(server.url('postgres'), 'alter system set synchronous_commit = off');
  await server.run(server.url('postgres'), 'select pg_reload_conf()');
  const store = await postgresStore({ address: addressOf(url) });
  const sizes = await live(store, async () => {
    const sql =
      "select relname, pg_total_relation_size(oid) as bytes from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace";
    await server.run(url, 'vacuum analyze');
    return new Map((await server.run(url, sql)).map(({ relname, bytes }) => [String(relname), Number(bytes)]));
  });
  await store.close();
  await server.close();
  return sizes;
}

const [sqlite, postgres] = [await onSqlite(), await onPostgres()];
const columns = [sqlite, postgres].flatMap(({ waiting, verified, certified }) => [waiting, verified, certified]);
console.log(`Bytes per domain, indexes included (${domains} domains)\n`);
console.log(
  `| Table | ${['SQLite', 'PostgreSQL'].flatMap((engine) => [`${engine}, waiting`, 'verified', 'certified']).join(' | ')} |`,
);
console.log('|---|---|---|---|---|---|---|');
const tables = [
  'domains',
  'checks',
  'check_results',
  'routes',
  'monitors',
  'certificates',
  'served_certificates',
  'certificate_orders',
  'spending',
  'events',
  'changes',
];
for (const table of tables)
  console.log(
    row(
      table,
      columns.map((sizes) => sizes.get(table) ?? 0),
    ),
  );
console.log(
  row(
    'all',
    columns.map((sizes) => tables.reduce((sum, table) => sum + (sizes.get(table) ?? 0), 0)),
  ),
);

function row(name: string, bytes: number[]): string {
  return `| ${[name, ...bytes.map((each) => Math.round(each).toLocaleString('en'))].join(' | ')} |`;
}
