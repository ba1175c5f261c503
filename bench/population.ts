import { randomBytes } from 'node:crypto';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { idMaker } from '../server/src/base/ids.ts';
import { type Domain, WINDOW_MS } from '../server/src/domain/domain.ts';
import type { NameserverAnswers, ZoneObservation } from '../server/src/domain/observation.ts';
import { CHECK_INTERVAL_MS } from '../server/src/domain/schedule.ts';
import { NO_MEMORY } from '../server/src/domain/status.ts';
import type { Store } from '../server/src/store/store.ts';
import { fingerprintOf } from '../server/src/verification/observation/observe.ts';
import { type Checkout, importSource, PRESENT } from './checkout.ts';
import { apexOf, nameOf } from './zone.ts';

/** A database with domains in it, and what is needed to ask for them. */
export interface Population {
  path: string;
  domains: number;
  /** That the domains are spread over. */
  zones: number;
  /** Whose schema it has. */
  checkout: Checkout;
  /** With every permission. */
  rootKey: string;
  ids: Pick<Domain, 'workspaceId' | 'projectId' | 'appId' | 'environmentId'>;
  /** Slugs of the environment, for creating more domains. */
  slugs: { project: string; app: string; environment: string };
  /** Unix ms: every domain was created then, and is due within the minute after it. */
  createdAt: number;
}

/** Every so manieth check looks at everything. */
const ATTEMPTS = 10;
const CNAME_ZONE = 'cname.bench.test';

/** The check result of a domain after some checks: most find nothing new, and each tenth looks at everything. */
function steady(number: number, name: string): { attempts: number; fingerprint: string } {
  const zone: ZoneObservation = {
    apex: apexOf(name),
    source: 'parent',
    nameservers: [],
    ownNameservers: null,
    failure: null,
  };
  const answers: NameserverAnswers['answers'] = [{ kind: 'absent', reason: 'nxdomain', chain: [] }];
  const absent = { name: zone.apex, zone, nameservers: [{ server: 'ns', address: null, answers }], validation: null };
  return {
    attempts: ATTEMPTS + (number % ATTEMPTS),
    fingerprint: fingerprintOf({ ownership: absent, routing: absent }, () => false),
  };
}

/**
 * Makes the file with the schema of a checkout, and its domains by bulk insert: through the API it would take many
 * minutes.
 */
export async function populate(
  path: string,
  { domains, zones, checkout }: Pick<Population, 'domains' | 'zones' | 'checkout'>,
  onProgress: (done: number) => void,
): Promise<Population> {
  const now = Date.now();
  const clock = { now: () => now };
  const newId = idMaker(clock);
  const { migrate, sqliteStore } = await importSource('sqlite', checkout.root);
  await migrate(path);
  const store = await sqliteStore({ path, clock });
  const about = await prepare(store, now, checkout);
  await store.close();

  const db = new DatabaseSync(path);
  // Nobody would miss the file: no syncs; and a cache that holds the indexes whose keys come in no order.
  db.exec('pragma synchronous = off; pragma cache_size = -524288');
  const insert = inserting(db);
  for (let number = 0; number < domains; ) {
    db.exec('begin');
    for (const end = Math.min(domains, number + 50_000); number < end; number++) {
      const dueAt = now + Math.floor((CHECK_INTERVAL_MS * number) / domains);
      const domain = newDomain(about.ids, newId('dom'), nameOf(number, zones), now);
      insert('domains', domain);
      insert('checks', newCheck(domain, dueAt, number));
    }
    db.exec('commit');
    onProgress(number);
  }
  db.exec('pragma wal_checkpoint(truncate)');
  db.close();
  return { path, domains, zones, checkout, createdAt: now, ...about };
}

/** Makes what domains belong to. */
export async function prepare(
  store: Store,
  now: number,
  { root }: Checkout = PRESENT,
): Promise<Pick<Population, 'rootKey' | 'ids' | 'slugs'>> {
  const { seed } = await importSource('seed', root);
  const clock = { now: () => now };
  const deps = { store, clock, newId: idMaker(clock), randomBytes };
  const { rootKey, workspaceId, project, app, environment } = await seed(deps, undefined);
  return {
    rootKey,
    ids: { workspaceId, projectId: project.id, appId: app.id, environmentId: environment.id },
    slugs: { project: project.slug, app: app.slug, environment: environment.slug },
  };
}

/** The check of a new domain, some checks later. */
export function newCheck({ id, name }: Domain, dueAt: number, number: number) {
  return { domainId: id, nextCheckAt: dueAt, windowEndsAt: dueAt + WINDOW_MS, ...NO_MEMORY, ...steady(number, name) };
}

/** A domain whose records are not there yet, and whose first check is over. */
export function newDomain(ids: Population['ids'], id: string, name: string, at: number): Domain {
  return {
    id,
    ...ids,
    name,
    kind: 'subdomain',
    service: 'service',
    target: `${randomText(16)}.${CNAME_ZONE}`,
    token: randomText(24),
    status: 'verifying',
    routingVerifiedAt: null,
    challengeZone: null,
    challengeVerifiedAt: null,
    ownershipVerifiedAt: null,
    verificationError: null,
    createdAt: at,
    updatedAt: at,
    verifiedAt: null,
    windowStartedAt: at,
    revision: 2,
    externalId: null,
    metadata: null,
    sharedAddresses: null,
  };
}

type Values = Record<string, SQLInputValue>;

/**
 * Inserts rows without the store. What the table has no column for is left out: the schema may be older than the row.
 */
export function inserting(db: DatabaseSync): (table: string, row: object) => void {
  const prepared = new Map<string, (row: Values) => void>();
  const compile = (table: string, row: object) => {
    const there = db.prepare('select name from pragma_table_info(?)').all(table);
    const columns = there.map(({ name }) => String(name)).filter((column) => propertyOf(column) in row);
    const statement = db.prepare(`insert into ${table} (${columns}) values (${columns.map(() => '?')})`);
    const properties = columns.map(propertyOf);
    const insert = (row: Values) => void statement.run(...properties.map((property) => row[property] ?? null));
    prepared.set(table, insert);
    return insert;
  };
  return (table, row) => (prepared.get(table) ?? compile(table, row))(row as Values);
}

/** `nextCheckAt` of `next_check_at`. */
function propertyOf(column: string): string {
  return column.replace(/_[a-z]/g, (letter) => letter.charAt(1).toUpperCase());
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';

/** As random as needed for keys that come in no order; not for secrets. */
function randomText(length: number): string {
  let text = '';
  while (text.length < length) text += LETTERS.charAt(Math.floor(Math.random() * LETTERS.length));
  return text;
}
