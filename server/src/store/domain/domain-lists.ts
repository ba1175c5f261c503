import { setImmediate } from 'node:timers/promises';
import { type InferResult, type RawBuilder, sql } from 'kysely';
import type { Domain } from '../../domain/domain.ts';
import { formatPair } from '../../domain/own-data.ts';
import {
  containing,
  END,
  matches,
  type PageSlots,
  paged,
  pageSlots,
  type Range,
  searchInSlices,
} from '../engine/paging.ts';
import type { Reader, Statement, Tables } from '../engine/statement.ts';
import type { ListedDomain, Paged, PageRequest, WorkspacePageRequest } from '../store.ts';
import { EXTERNAL_ID, placeOf } from './domain-pairs.ts';
import { domainColumns, domainOf } from './domain-rows.ts';
import { suspensionColumns, suspensionOf } from './suspensions.ts';

/** Domains that one statement looks at: some milliseconds. */
const SLICE = 500;
/** Names that one statement looks at: the index has them, and most are passed over. */
const NAMES_SLICE = 5000;
/** Slices that one page looks at. */
const MOST_SLICES = 20;
/** Domains that one statement shows. */
const MOST_SHOWN = 100;

interface Limits {
  slice: number;
  mostSlices: number;
  namesSlice: number;
}

/**
 * One filter is a range of an index, in whose order the page is; the others are searched for in slices of that range, and no further than so many of
 * them. So a page takes the same time however many domains there are, and every combination works.
 *
 * Indexes give ids alone, and further statements look at the domains of these. A single statement would join a dozen tables to a range, whose length
 * PostgreSQL cannot know before it has the values: it would plan each page anew, for longer than it reads.
 */
export async function listWorkspaceDomains(
  reader: Reader,
  workspaceId: string,
  page: WorkspacePageRequest,
  { slice = SLICE, mostSlices = MOST_SLICES, namesSlice = NAMES_SLICE }: Partial<Limits> = {},
): Promise<Paged<ListedDomain>> {
  const { limit, cursor = '', status, certificate, live, environmentIds } = page;
  // Only verified domains are looked at, and a failed one has no certificate.
  if (live !== undefined && (status ?? 'verified') !== 'verified') return { items: [] };
  if (certificate !== undefined && status === 'failed') return { items: [] };
  const [pair = { key: '', value: '' }] = pairsOf(page);
  const values = { workspaceId, environmentId: '', status: status ?? '', state: certificate ?? '', ...pair };
  const wanted = isFoundByIndex(page) ? null : wantedOf(page);
  const index = indexFor(page);
  const named = index === byName || index === byStatus ? page.search?.toLowerCase() : undefined;
  const bounds = {
    from: cursor,
    rows: limit + 1,
    slice: named === undefined ? slice : namesSlice,
    most: mostSlices,
    named,
  };
  const { keys, next } =
    environmentIds === undefined
      ? await search(reader, index, { ...values, to: END }, wanted, bounds)
      : await searchEnvironments(reader, page, values, wanted, { slice, mostSlices });
  const items = await findListed(reader, workspaceId, keys.slice(0, limit));
  const after = keys[limit]?.key ?? next;
  return after === null ? { items } : { items, next: after };
}

/**
 * One environment after the other, each in order of ids, and no others are looked at: so a page takes no longer among many domains that are not
 * wanted, and no cursor can name one of them. It is the environment, a dot, and the id at which the next page begins.
 */
async function searchEnvironments(
  reader: Reader,
  page: WorkspacePageRequest,
  values: Values,
  wanted: Wanted | null,
  { slice, mostSlices }: Omit<Limits, 'namesSlice'>,
): Promise<Found> {
  const { limit, cursor = '', environmentIds = new Set() } = page;
  const isByPair = pairsOf(page).length > 0;
  const [first = '', firstId = ''] = cursor.split('.');
  const keys: Key[] = [];
  let slices = 0;
  for (const environmentId of [...environmentIds].filter((id) => id >= first).sort()) {
    const place = (id: string) => placeOf({ environmentId, id });
    if (slices === mostSlices) return { keys, next: place(''), slices };
    const bounds = { rows: limit + 1 - keys.length, slice, most: mostSlices - slices };
    const from = environmentId === first ? firstId : '';
    const found = isByPair
      ? await search(reader, byPair, { ...values, to: place(END) }, wanted, { ...bounds, from: place(from) })
      : await search(reader, byEnvironment, { ...values, environmentId, to: END }, wanted, { ...bounds, from });
    keys.push(...found.keys.map(({ id }) => ({ id, key: place(id) })));
    slices += found.slices;
    if (keys.length > limit) break;
    if (found.next !== null) return { keys, next: isByPair ? found.next : place(found.next), slices };
  }
  return { keys, next: null, slices };
}

/** A domain, and its place in the order of an index. */
export interface Key {
  id: string;
  key: string;
}

interface Found {
  keys: Key[];
  /** Where to go on; null at the end of the range. */
  next: string | null;
  /** The number of slices that were looked at. */
  slices: number;
}

/**
 * Looks for domains from a key on. `wanted`: what the range does not say of them; null: nothing. `named`: what the id or the key, a name, holds. SQLite reads in the API's thread, so other requests run between two slices.
 */
async function search(
  reader: Reader,
  index: Index,
  range: Values & { to: string },
  wanted: Wanted | null,
  {
    from,
    rows,
    slice,
    most,
    named,
  }: { from: string; rows: number; slice: number; most: number; named?: string | undefined },
): Promise<Found> {
  if (wanted === null) return { keys: await reader.all(index.keys, { ...range, from, rows }), next: null, slices: 1 };
  const keys: Key[] = [];
  for (let slices = 1; ; slices++) {
    const scanned = await reader.all(index.keys, { ...range, from, rows: slice + 1 });
    const next = scanned[slice]?.key ?? null;
    const likely = scanned
      .slice(0, slice)
      .filter(({ id, key }) => named === undefined || key.includes(named) || id.includes(named));
    for (let at = 0; at < likely.length && keys.length < rows; at += SLICE) {
      const looked = likely.slice(at, at + SLICE);
      const found = await reader.all(selectWanted, {
        ...wanted,
        ...slotsOf(
          looked.map(({ id }) => id),
          SLICE,
        ),
      });
      const isFound = new Set(found.map(({ id }) => id));
      keys.push(...looked.filter(({ id }) => isFound.has(id)));
    }
    if (keys.length >= rows) return { keys: keys.slice(0, rows), next: null, slices };
    if (next === null || slices === most) return { keys, next, slices };
    from = next;
    await setImmediate();
  }
}

/** Shows the domains that are still there. */
async function findListed(reader: Reader, workspaceId: string, keys: Key[]): Promise<ListedDomain[]> {
  const found = new Map<string, ListedDomain>();
  for (let at = 0; at < keys.length; at += MOST_SHOWN) {
    const ids = keys.slice(at, at + MOST_SHOWN).map(({ id }) => id);
    const rows = await reader.all(selectListed, slotsOf(ids, MOST_SHOWN));
    for (const row of rows) if (row.workspaceId === workspaceId) found.set(row.id, listed(row));
  }
  return keys.flatMap(({ id }) => found.get(id) ?? []);
}

function indexFor(page: WorkspacePageRequest): Index {
  if (pairsOf(page).length > 0) return byPair;
  if (page.certificate !== undefined) return byCertificate;
  return page.status === undefined ? byName : byStatus;
}

/** The pairs that are asked for: the external id first, which few domains share. */
function pairsOf({ externalId, metadata = {} }: WorkspacePageRequest): { key: string; value: string }[] {
  const pairs = Object.entries(metadata).map(([key, value]) => ({ key, value }));
  return externalId === undefined ? pairs : [{ key: EXTERNAL_ID, value: externalId }, ...pairs];
}

/** Whether the range has what is wanted and nothing else. */
function isFoundByIndex(page: WorkspacePageRequest): boolean {
  const { status, certificate, live, search, createdAfter, createdBefore, readyAt, environmentIds } = page;
  const pairs = pairsOf(page).length;
  const filters = pairs + [certificate, status].filter((each) => each !== undefined).length;
  const ofIndex = environmentIds === undefined || pairs > 0 ? 1 : 0;
  const others = [live, search, createdAfter, createdBefore, readyAt];
  return filters <= ofIndex && others.every((other) => other === undefined);
}

/** A statement compares each row of a range with this. Empty texts are any. */
interface Wanted {
  status: string;
  certificate: string;
  live: string;
  pattern: string;
  externalId: string;
  after: number;
  before: number;
  /** `yes` or `no`, at this time. */
  ready: string;
  readyAt: number;
  /** As the JSON of metadata has them. */
  pair1: string;
  pair2: string;
  pair3: string;
  pair4: string;
  pair5: string;
}

export function wantedOf(page: WorkspacePageRequest): Wanted {
  const { status = '', certificate = '', live = '', search = '', externalId = '', metadata = {} } = page;
  const { createdAfter = 0, createdBefore = Number.MAX_SAFE_INTEGER, readyAt } = page;
  const pairs = Object.entries(metadata).map(([key, value]) => formatPair(key, value));
  const [pair1 = '', pair2 = '', pair3 = '', pair4 = '', pair5 = ''] = pairs;
  const texts = { status, certificate, live, externalId, pattern: containing(search) };
  const ready = { ready: readyAt === undefined ? '' : readyAt.is ? 'yes' : 'no', readyAt: readyAt?.at ?? 0 };
  return { ...texts, ...ready, after: createdAfter, before: createdBefore, pair1, pair2, pair3, pair4, pair5 };
}

function isWanted(p: Wanted) {
  const holds = (pair: string) =>
    // Not `like`, which folds case on SQLite.
    sql`(${pair} = '' or replace(domains.metadata, ${pair}, '') <> domains.metadata)`;
  const conditions = [
    matches(p.pattern),
    sql`(${p.status} = '' or domains.status = ${p.status})`,
    sql`(${p.certificate} = '' or certificates.state = ${p.certificate})`,
    sql`(${p.live} = '' or live_checks.state = ${p.live})`,
    sql`(${p.externalId} = '' or domains.external_id = ${p.externalId})`,
    sql`domains.created_at >= ${p.after} and domains.created_at < ${p.before}`,
    sql`(${p.ready} = '' or (${p.ready} = 'yes') = exists (
      select 1 from served_certificates where hostname = certificates.hostname and not_after > ${p.readyAt}))`,
    ...[p.pair1, p.pair2, p.pair3, p.pair4, p.pair5].map(holds),
  ];
  return sql<boolean>`${sql.join(conditions, sql` and `)}`;
}

/** By which an index finds domains. */
interface Values {
  workspaceId: string;
  environmentId: string;
  status: string;
  /** The state of the certificate. */
  state: string;
  /** A pair. */
  key: string;
  value: string;
}

type IndexRange = Values & { from: string; to: string; rows: number };

/** Domains in the order of an index: from one key on, and before another. */
export interface Index {
  keys: Statement<IndexRange, Key>;
  /** The same as a part of a statement. */
  range(p: IndexRange): RawBuilder<Key>;
}

// Ranges of all columns of an index: with equalities, PostgreSQL may choose another index in the order of names, and read past every domain that
// has another value.
export const byName = indexOf('domains', ['workspaceId'], 'name');
const byStatus = indexOf('domains', ['workspaceId', 'status'], 'name');
const byCertificate = indexOf('certificates', ['workspaceId', 'state'], 'hostname', {
  id: sql`(select domain_id from routes where routes.hostname = certificates.hostname)`,
});
export const byPair = indexOf('domain_pairs', ['workspaceId', 'key', 'value'], 'place', { id: sql`domain_id` });
export const byEnvironment = indexOf('domains', ['environmentId'], 'id', {
  // As an expression, so that no index is chosen for it.
  of: (workspaceId) => sql`workspace_id || '' = ${workspaceId} and`,
});

function indexOf(
  table: string,
  prefix: (keyof Values)[],
  last: string,
  {
    id = sql`id`,
    of = () => sql``,
  }: { id?: RawBuilder<unknown>; of?: (workspaceId: string) => RawBuilder<unknown> } = {},
): Index {
  const columns = sql.join([...prefix, last].map((column) => sql.ref(`${table}.${column}`)));
  const range = (p: IndexRange) => {
    const values = sql.join(prefix.map((column) => p[column]));
    return sql<Key>`
      select ${id} as id, ${sql.ref(last)} as key from ${sql.table(table)}
      where ${of(p.workspaceId)} (${columns}) >= (${values}, ${p.from}) and (${columns}) < (${values}, ${p.to})
      order by ${columns} limit ${p.rows}`;
  };
  return { range, keys: (db, p) => ({ compile: () => range(p).compile(db) }) };
}

export async function findListedDomain(reader: Reader, workspaceId: string, id: string): Promise<ListedDomain | null> {
  const row = await reader.one(selectListedDomain, { workspaceId, id });
  return row && listed(row);
}

function selectListedDomain(db: Tables, p: { workspaceId: string; id: string }) {
  return selectSites(db).where('domains.id', '=', p.id).where('domains.workspaceId', '=', p.workspaceId);
}

/** Ids that a statement takes: as many slots as parameters, so that it is prepared once and its plan depends on no value. */
type Ids = Record<`id${number}`, string>;

function slotsOf(ids: string[], most: number): Ids {
  return Object.fromEntries(Array.from({ length: most }, (_, at) => [`id${at}`, ids[at] ?? '']));
}

function anyOf(p: Ids, most: number) {
  return Array.from({ length: most }, (_, at) => p[`id${at}`] as string);
}

// Ids alone: with the workspace, SQLite reads all domains of that.
export function selectListed(db: Tables, p: Ids) {
  return selectSites(db).where('domains.id', 'in', anyOf(p, MOST_SHOWN));
}

export function selectWanted(db: Tables, p: Ids & Wanted) {
  return fromDomains(db).where('domains.id', 'in', anyOf(p, SLICE)).where(isWanted(p)).select('domains.id');
}

type ListedRow = InferResult<ReturnType<typeof selectSites>>[number];

const certificateColumns = ['certificates.state', 'certificates.problem', 'served.notAfter', 'served.issuer'] as const;
const redirectColumns = [
  'redirects.destinationId',
  'destinations.name as to',
  'redirects.status as redirectStatus',
  'redirects.setAt',
] as const;
const originColumns = ['deployments.id as deploymentId', 'deployments.origin'] as const;

function fromDomains(db: Tables) {
  return db
    .selectFrom('domains')
    .leftJoin('routes', 'routes.domainId', 'domains.id')
    .leftJoin('certificates', 'certificates.hostname', 'routes.hostname')
    .leftJoin('liveChecks', 'liveChecks.domainId', 'domains.id');
}

/** Everything that serves domains. */
function selectSites(db: Tables) {
  return fromDomains(db)
    .leftJoin('servedCertificates as served', 'served.hostname', 'certificates.hostname')
    .leftJoin('redirects', 'redirects.domainId', 'domains.id')
    .leftJoin('domains as destinations', 'destinations.id', 'redirects.destinationId')
    .innerJoin('workspaces', 'workspaces.id', 'domains.workspaceId')
    .leftJoin('suspensions', 'suspensions.domainId', 'domains.id')
    .leftJoin('siteSettings', 'siteSettings.domainId', 'domains.id')
    .leftJoin('environments', 'environments.id', 'domains.environmentId')
    .leftJoin('deployments', 'deployments.id', 'environments.currentDeploymentId')
    .select(domainColumns)
    .select(certificateColumns)
    .select(redirectColumns)
    .select(suspensionColumns)
    .select(originColumns)
    .select(['liveChecks.seen', 'siteSettings.settings']);
}

function listed(row: ListedRow): ListedDomain {
  const { state, problem, notAfter, issuer, destinationId, to, redirectStatus, setAt, deploymentId, origin } = row;
  const isRedirected = destinationId !== null && to !== null && redirectStatus !== null && setAt !== null;
  return {
    domain: domainOf(row),
    live: row.seen && JSON.parse(row.seen),
    redirect: isRedirected ? { domainId: row.id, destinationId, to, status: redirectStatus, setAt } : null,
    suspension: suspensionOf(row),
    deployment: deploymentId === null || origin === null ? null : { id: deploymentId, origin },
    settings: row.settings && JSON.parse(row.settings),
    certificate: state === null ? null : { state, problem: problem && JSON.parse(problem), notAfter, issuer },
  };
}

/** Domains that one statement of a search scans: about a millisecond. */
const ENVIRONMENT_SLICE = 2000;

/** A rare term scans the whole environment. */
export async function listDomains(
  reader: Reader,
  workspaceId: string,
  environmentId: string,
  page: PageRequest & { search?: string | undefined },
  { slice = ENVIRONMENT_SLICE }: { slice?: number } = {},
): Promise<Paged<Domain>> {
  const place = { workspaceId, environmentId };
  const slots = pageSlots(page);
  const { search } = page;
  if (search === undefined) return paged(await reader.all(selectOfEnvironment, { ...place, ...slots }), page);
  const searched = { ...place, pattern: containing(search) };
  const found = await searchInSlices(reader, byId, searched, { ...slots, slice, most: Number.POSITIVE_INFINITY });
  return paged(found.rows, page);
}

interface Place {
  workspaceId: string;
  environmentId: string;
}

const byId: Range<Place & { pattern: string }, Domain> = {
  select: (db, p) => selectOfEnvironment(db, p).where('id', '<', p.to).where(matches(p.pattern)),
  next: nextOfEnvironment,
};

function selectOfEnvironment(db: Tables, p: PageSlots & Place) {
  return db
    .selectFrom('domains')
    .where('workspaceId', '=', p.workspaceId)
    .where('environmentId', '=', p.environmentId)
    .where('id', '>=', p.from)
    .orderBy('id')
    .limit(p.rows)
    .select(domainColumns);
}

/** Id at which the slice after the one from `from` on begins. */
export function nextOfEnvironment(db: Tables, p: { environmentId: string; from: string; slice: number }) {
  return db
    .selectFrom('domains')
    .where('environmentId', '=', p.environmentId)
    .where('id', '>=', p.from)
    .orderBy('id')
    .limit(1)
    .offset(p.slice)
    .select('id as key');
}
