import { randomBytes } from 'node:crypto';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { type Domain, WINDOW_MS } from '../src/domain/domain.ts';
import type { ZoneObservation } from '../src/domain/observation.ts';
import { CHECK_INTERVAL_MS } from '../src/domain/schedule.ts';
import { idMaker } from '../src/ids.ts';
import { type Glimpse, glanceOf } from '../src/observation/glance.ts';
import { seed } from '../src/playground/seed.ts';
import type { Store } from '../src/store/contract/store.ts';
import { migrate, sqliteStore } from '../src/store/sqlite/sqlite.ts';

/** A database with domains in it, and what is needed to ask for them. */
export interface Population {
  path: string;
  domains: number;
  zones: number;
  /** With every permission. */
  rootKey: string;
  ids: Pick<Domain, 'workspaceId' | 'projectId' | 'appId' | 'environmentId'>;
  /** Of the environment, for creating more. */
  slugs: { project: string; app: string; environment: string };
  /** Unix ms: every domain was created then, and is due within the minute after it. */
  createdAt: number;
}

/** As many zones whatever the number of domains, so that what is known of delegations costs the same; unless a measurement asks for more. */
const ZONES = 1000;
/** Every so manieth check looks at everything. */
const ATTEMPTS = 10;
const CNAME_ZONE = 'cname.bench.test';

export function nameOf(number: number, zones = ZONES): string {
  return `d${number}.z${zoneOf(number, zones)}.test`;
}

export function zoneOf(number: number, zones = ZONES): number {
  return number % zones;
}

/** What a domain's checks remember after some: most find nothing new, and each tenth looks at everything. */
export function steady(number: number, zones = ZONES): { attempts: number; glance: string } {
  const zone: ZoneObservation = {
    apex: apexOf(nameOf(number, zones)),
    source: 'parent',
    nameservers: [],
    ownNameservers: null,
    failure: null,
  };
  const absent: Glimpse = { zone, answer: { kind: 'absent', reason: 'nxdomain', chain: [] }, isMatch: false };
  return { attempts: ATTEMPTS + (number % ATTEMPTS), glance: glanceOf(absent, absent) };
}

/** The zone of a name or of what is below it. */
export function apexOf(name: string): string {
  return name.split('.').slice(-2).join('.');
}

/** Makes the file with the schema as it is, and its domains by bulk insert: through the API it would take many minutes. */
export async function populate(
  path: string,
  domains: number,
  onProgress: (done: number) => void,
  zones = ZONES,
): Promise<Population> {
  const now = Date.now();
  const clock = { now: () => now };
  const newId = idMaker(clock);
  await migrate(path);
  const store = await sqliteStore({ path, clock });
  const { rootKey, ids, slugs } = await prepare(store, now);
  await store.close();

  const db = new DatabaseSync(path);
  // Nobody would miss the file: no syncs; and a cache that holds the indexes whose keys come in no order.
  db.exec('pragma synchronous = off; pragma cache_size = -524288');
  const inserts = inserting(db);
  for (let number = 0; number < domains; ) {
    db.exec('begin');
    for (const end = Math.min(domains, number + 50_000); number < end; number++) {
      const domain = newDomain(ids, newId('dom'), nameOf(number, zones), now);
      const dueAt = now + Math.floor((CHECK_INTERVAL_MS * number) / domains);
      inserts.domain(domain);
      inserts.check(domain.id, dueAt, now + WINDOW_MS, steady(number, zones));
    }
    db.exec('commit');
    onProgress(number);
  }
  db.exec('pragma wal_checkpoint(truncate)');
  db.close();
  return { path, domains, zones, rootKey, ids, slugs, createdAt: now };
}

/** Makes what domains belong to. */
export async function prepare(store: Store, now: number): Promise<Pick<Population, 'rootKey' | 'ids' | 'slugs'>> {
  const clock = { now: () => now };
  const deps = { store, clock, newId: idMaker(clock), randomBytes };
  const { rootKey, workspaceId, project, app, environment } = await seed(deps, undefined);
  return {
    rootKey,
    ids: { workspaceId, projectId: project.id, appId: app.id, environmentId: environment.id },
    slugs: { project: project.slug, app: app.slug, environment: environment.slug },
  };
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
    ownershipVerifiedAt: null,
    verificationError: null,
    createdAt: at,
    updatedAt: at,
    verifiedAt: null,
    windowStartedAt: at,
    revision: 2,
  };
}

/** Statements that write a domain as the store writes it, without the store. */
export function inserting(db: DatabaseSync) {
  const domain = db.prepare(
    `insert into domains (id, workspace_id, project_id, app_id, environment_id, name, kind, service, target, token, status,
       routing_verified_at, ownership_verified_at, verification_error, created_at, updated_at, verified_at, window_started_at, revision)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const check = db.prepare(
    'insert into checks (domain_id, next_check_at, window_ends_at, attempts, unreadable_in_a_row, proven_since, glance) values (?, ?, ?, ?, 0, null, ?)',
  );
  const event = db.prepare(
    'insert into events (id, domain_id, workspace_id, type, data, created_at) values (?, ?, ?, ?, ?, ?)',
  );
  return {
    domain: (d: Domain) => domain.run(...columns(d)),
    check: (id: string, dueAt: number, windowEndsAt: number, { attempts, glance }: ReturnType<typeof steady>) =>
      check.run(id, dueAt, windowEndsAt, attempts, glance),
    event: (...values: SQLInputValue[]) => event.run(...values),
  };
}

function columns(d: Domain): SQLInputValue[] {
  const place = [d.id, d.workspaceId, d.projectId, d.appId, d.environmentId];
  const records = [d.name, d.kind, d.service, d.target, d.token];
  const state = [d.status, d.routingVerifiedAt, d.ownershipVerifiedAt, d.verificationError];
  return [...place, ...records, ...state, d.createdAt, d.updatedAt, d.verifiedAt, d.windowStartedAt, d.revision];
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';

/** As random as needed for keys that come in no order; not for secrets. */
function randomText(length: number): string {
  let text = '';
  while (text.length < length) text += LETTERS.charAt(Math.floor(Math.random() * LETTERS.length));
  return text;
}
