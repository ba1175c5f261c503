import { type InferResult, sql } from 'kysely';
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
import type { Reader, Tables } from '../engine/statement.ts';
import type { ListedDomain, Paged, PageRequest, WorkspacePageRequest } from '../store.ts';
import { EXTERNAL_ID, placeOf } from './domain-pairs.ts';
import { domainColumns, domainOf } from './domain-rows.ts';
import { suspensionColumns, suspensionOf } from './suspensions.ts';

/** Domains that one statement scans: some milliseconds. */
const SLICE = 500;
/** Slices that one page scans. */
const MOST_SLICES = 20;

interface Limits {
  slice: number;
  mostSlices: number;
}

/**
 * One filter is a range of an index, in whose order the page is; the others are searched for in slices of that range, and no further than so many of
 * them. So a page takes the same time however many domains there are, and every combination works.
 */
export async function listWorkspaceDomains(
  reader: Reader,
  workspaceId: string,
  page: WorkspacePageRequest,
  { slice = SLICE, mostSlices = MOST_SLICES }: Partial<Limits> = {},
): Promise<Paged<ListedDomain>> {
  const { limit, cursor = '', status, certificate, live, environmentIds } = page;
  // Only verified domains have a certificate, and are looked at.
  if ((certificate ?? live) !== undefined && (status ?? 'verified') !== 'verified') return { items: [] };
  if (environmentIds !== undefined) return listOfEnvironments(reader, workspaceId, page, { slice, mostSlices });
  const [pair] = pairsOf(page);
  const range: WorkspaceRange = pair === undefined ? rangeOf(page) : byPair;
  const keyOf = pair === undefined ? ({ name }: ListedRow) => name : placeOf;
  const { key = '', value = certificate ?? status ?? '' } = pair ?? {};
  const slots = { ...wantedOf(page), workspaceId, key, value, until: END };
  const rows = limit + 1;
  if (isFoundByIndex(page)) {
    const found = await reader.all(range.select, { ...slots, from: cursor, to: END, rows });
    return pageOf(found, limit, null, keyOf);
  }
  const found = await searchInSlices(reader, range, slots, { from: cursor, rows, slice, most: mostSlices });
  return pageOf(found.rows, limit, found.next, keyOf);
}

/**
 * One environment after the other, each in order of ids, and no others are looked at: so a page takes no longer among many domains that are not
 * wanted, and no cursor can name one of them. It is the environment, a dot, and the id at which the next page begins.
 */
async function listOfEnvironments(
  reader: Reader,
  workspaceId: string,
  page: WorkspacePageRequest,
  { slice, mostSlices }: Limits,
): Promise<Paged<ListedDomain>> {
  const { limit, cursor = '', environmentIds = new Set() } = page;
  const wanted = wantedOf(page);
  const [pair] = pairsOf(page);
  const [first = '', start = ''] = cursor.split('.');
  const rows: ListedRow[] = [];
  let slices = 0;
  for (const environmentId of [...environmentIds].filter((id) => id >= first).sort()) {
    if (slices === mostSlices) return pageOf(rows, limit, `${environmentId}.`, placeOf);
    const id = environmentId === first ? start : '';
    const bounds = { rows: limit + 1 - rows.length, slice, most: mostSlices - slices };
    const place = (id: string) => placeOf({ environmentId, id });
    const found =
      pair === undefined
        ? await searchInSlices(
            reader,
            byEnvironment,
            { ...wanted, workspaceId, environmentId },
            { ...bounds, from: id },
          )
        : await searchInSlices(
            reader,
            byPair,
            { ...wanted, ...pair, workspaceId, until: place(END) },
            { ...bounds, from: place(id) },
          );
    rows.push(...found.rows);
    slices += found.slices;
    if (rows.length > limit) break;
    if (found.next !== null) return pageOf(rows, limit, pair === undefined ? place(found.next) : found.next, placeOf);
  }
  return pageOf(rows, limit, null, placeOf);
}

/** `next`: where the next page begins if these rows do not fill one. */
function pageOf(
  rows: ListedRow[],
  limit: number,
  next: string | null,
  keyOf: (row: ListedRow) => string,
): Paged<ListedDomain> {
  const more = rows[limit];
  const items = rows.slice(0, limit).map(listed);
  if (more !== undefined) return { items, next: keyOf(more) };
  return next === null ? { items } : { items, next };
}

function rangeOf({ status, certificate }: WorkspacePageRequest): WorkspaceRange {
  if (certificate !== undefined) return byCertificate;
  return status === undefined ? byName : byStatus;
}

/** The pairs that are asked for: the external id first, which few domains share. */
function pairsOf({ externalId, metadata = {} }: WorkspacePageRequest): { key: string; value: string }[] {
  const pairs = Object.entries(metadata).map(([key, value]) => ({ key, value }));
  return externalId === undefined ? pairs : [{ key: EXTERNAL_ID, value: externalId }, ...pairs];
}

/** Whether the range has what is wanted and nothing else. */
function isFoundByIndex(page: WorkspacePageRequest): boolean {
  const { status, certificate, live, search, createdAfter, createdBefore } = page;
  const indexed = pairsOf(page).length + Number((certificate ?? status) !== undefined);
  const others = [live, search, createdAfter, createdBefore];
  return indexed <= 1 && others.every((other) => other === undefined);
}

/** What a statement compares each row of a range with. Empty texts are any. */
interface Wanted {
  status: string;
  certificate: string;
  live: string;
  pattern: string;
  externalId: string;
  after: number;
  before: number;
  /** As the JSON of metadata has them. */
  pair1: string;
  pair2: string;
  pair3: string;
  pair4: string;
  pair5: string;
}

function wantedOf(page: WorkspacePageRequest): Wanted {
  const { status = '', certificate = '', live = '', search = '', externalId = '', metadata = {} } = page;
  const { createdAfter = 0, createdBefore = Number.MAX_SAFE_INTEGER } = page;
  const pairs = Object.entries(metadata).map(([key, value]) => formatPair(key, value));
  const [pair1 = '', pair2 = '', pair3 = '', pair4 = '', pair5 = ''] = pairs;
  const texts = { status, certificate, live, externalId, pattern: containing(search) };
  return { ...texts, after: createdAfter, before: createdBefore, pair1, pair2, pair3, pair4, pair5 };
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
    ...[p.pair1, p.pair2, p.pair3, p.pair4, p.pair5].map(holds),
  ];
  return sql<boolean>`${sql.join(conditions, sql` and `)}`;
}

/** Domains of a workspace, in the order of an index. `value`: of what it is an index of. */
type WorkspaceRange = Range<Wanted & { workspaceId: string; key: string; value: string; until: string }, ListedRow>;

/** Domains of an environment in the order of their ids. */
const byEnvironment: Range<Wanted & { workspaceId: string; environmentId: string }, ListedRow> = {
  select: (db, p) =>
    selectSites(fromDomains(db))
      .where('domains.workspaceId', '=', p.workspaceId)
      .where('domains.environmentId', '=', p.environmentId)
      .where('domains.id', '>=', p.from)
      .where('domains.id', '<', p.to)
      .where(isWanted(p))
      .orderBy('domains.id')
      .limit(p.rows),
  next: nextOfEnvironment,
};

/** Domains that have a pair, in the order of their places. */
const byPair: WorkspaceRange = {
  select: (db, p) =>
    selectSites(fromPairs(db))
      .where(sql<boolean>`${PAIR_KEY} >= (${p.workspaceId}, ${p.key}, ${p.value}, ${p.from})`)
      .where(sql<boolean>`${PAIR_KEY} < (${p.workspaceId}, ${p.key}, ${p.value}, ${p.to})`)
      .where(sql<boolean>`domain_pairs.place < ${p.until}`)
      .where(isWanted(p))
      .orderBy(sql`domain_pairs.workspace_id`)
      .orderBy(sql`domain_pairs.key`)
      .orderBy(sql`domain_pairs.value`)
      .orderBy(sql`domain_pairs.place`)
      .limit(p.rows),
  next: (db, p) =>
    db
      .selectFrom('domainPairs')
      .where(sql<boolean>`${PAIR_KEY} >= (${p.workspaceId}, ${p.key}, ${p.value}, ${p.from})`)
      .where(sql<boolean>`${PAIR_KEY} < (${p.workspaceId}, ${p.key}, ${p.value}, ${p.until})`)
      .orderBy('domainPairs.workspaceId')
      .orderBy('domainPairs.key')
      .orderBy('domainPairs.value')
      .orderBy('domainPairs.place')
      .limit(1)
      .offset(p.slice)
      .select('domainPairs.place as key'),
};

const PAIR_KEY = sql`(domain_pairs.workspace_id, domain_pairs.key, domain_pairs.value, domain_pairs.place)`;

const byName: WorkspaceRange = {
  select: (db, p) =>
    selectSites(fromDomains(db))
      .where('domains.workspaceId', '=', p.workspaceId)
      .where('domains.name', '>=', p.from)
      .where('domains.name', '<', p.to)
      .where(isWanted(p))
      .orderBy('domains.name')
      .limit(p.rows),
  next: (db, p) =>
    db
      .selectFrom('domains')
      .where('workspaceId', '=', p.workspaceId)
      .where('name', '>=', p.from)
      .orderBy('name')
      .limit(1)
      .offset(p.slice)
      .select('name as key'),
};

// Ranges of all columns of an index: with equalities, PostgreSQL may choose another index in the order of names, and read past every domain that
// has another value.
const byStatus: WorkspaceRange = {
  select: (db, p) =>
    selectSites(fromDomains(db))
      .where(sql<boolean>`${STATUS_KEY} >= (${p.workspaceId}, ${p.value}, ${p.from})`)
      .where(sql<boolean>`${STATUS_KEY} < (${p.workspaceId}, ${p.value}, ${p.to})`)
      .where(isWanted(p))
      .orderBy('domains.workspaceId')
      .orderBy('domains.status')
      .orderBy('domains.name')
      .limit(p.rows),
  next: (db, p) =>
    db
      .selectFrom('domains')
      .where(sql<boolean>`${STATUS_KEY} >= (${p.workspaceId}, ${p.value}, ${p.from})`)
      .where(sql<boolean>`${STATUS_KEY} < (${p.workspaceId}, ${p.value}, ${sql.lit(END)})`)
      .orderBy('domains.workspaceId')
      .orderBy('domains.status')
      .orderBy('domains.name')
      .limit(1)
      .offset(p.slice)
      .select('domains.name as key'),
};

const STATUS_KEY = sql`(domains.workspace_id, domains.status, domains.name)`;

const byCertificate: WorkspaceRange = {
  select: (db, p) =>
    selectSites(fromCertificates(db))
      .where(sql<boolean>`${STATE_KEY} >= (${p.workspaceId}, ${p.value}, ${p.from})`)
      .where(sql<boolean>`${STATE_KEY} < (${p.workspaceId}, ${p.value}, ${p.to})`)
      .where(isWanted(p))
      .orderBy('certificates.workspaceId')
      .orderBy('certificates.state')
      .orderBy('certificates.hostname')
      .limit(p.rows),
  next: (db, p) =>
    db
      .selectFrom('certificates')
      .where(sql<boolean>`${STATE_KEY} >= (${p.workspaceId}, ${p.value}, ${p.from})`)
      .where(sql<boolean>`${STATE_KEY} < (${p.workspaceId}, ${p.value}, ${sql.lit(END)})`)
      .orderBy('certificates.workspaceId')
      .orderBy('certificates.state')
      .orderBy('certificates.hostname')
      .limit(1)
      .offset(p.slice)
      .select('certificates.hostname as key'),
};

const STATE_KEY = sql`(certificates.workspace_id, certificates.state, certificates.hostname)`;

export async function findListedDomain(reader: Reader, workspaceId: string, id: string): Promise<ListedDomain | null> {
  const row = await reader.one(selectListedDomain, { workspaceId, id });
  return row && listed(row);
}

function selectListedDomain(db: Tables, p: { workspaceId: string; id: string }) {
  return selectSites(fromDomains(db)).where('domains.id', '=', p.id).where('domains.workspaceId', '=', p.workspaceId);
}

type ListedRow = InferResult<ReturnType<typeof selectSites>>[number];

const certificateColumns = ['certificates.state', 'certificates.problem', 'served.notAfter'] as const;
const redirectColumns = [
  'redirects.destinationId',
  'destinations.name as to',
  'redirects.status as redirectStatus',
  'redirects.setAt',
] as const;
const originColumns = ['deployments.id as deploymentId', 'deployments.origin'] as const;

// The table of the index comes first: PostgreSQL joins so many tables in the order in which they stand.
function fromDomains(db: Tables) {
  return db
    .selectFrom('domains')
    .leftJoin('routes', 'routes.domainId', 'domains.id')
    .leftJoin('certificates', 'certificates.hostname', 'routes.hostname')
    .leftJoin('liveChecks', 'liveChecks.domainId', 'domains.id');
}

/** The same columns as of `fromDomains`. */
type Domains = ReturnType<typeof fromDomains>;

function fromCertificates(db: Tables): Domains {
  const query = db
    .selectFrom('certificates')
    .innerJoin('routes', 'routes.hostname', 'certificates.hostname')
    .innerJoin('domains', 'domains.id', 'routes.domainId')
    .leftJoin('liveChecks', 'liveChecks.domainId', 'domains.id');
  return query as unknown as Domains;
}

function fromPairs(db: Tables): Domains {
  const query = db
    .selectFrom('domainPairs')
    .innerJoin('domains', 'domains.id', 'domainPairs.domainId')
    .leftJoin('routes', 'routes.domainId', 'domains.id')
    .leftJoin('certificates', 'certificates.hostname', 'routes.hostname')
    .leftJoin('liveChecks', 'liveChecks.domainId', 'domains.id');
  return query as unknown as Domains;
}

/** Everything that serves domains. */
function selectSites(from: Domains) {
  return from
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
  const { state, problem, notAfter, destinationId, to, redirectStatus, setAt, deploymentId, origin } = row;
  const isRedirected = destinationId !== null && to !== null && redirectStatus !== null && setAt !== null;
  return {
    domain: domainOf(row),
    live: row.seen && JSON.parse(row.seen),
    redirect: isRedirected ? { domainId: row.id, destinationId, to, status: redirectStatus, setAt } : null,
    suspension: suspensionOf(row),
    deployment: deploymentId === null || origin === null ? null : { id: deploymentId, origin },
    settings: row.settings && JSON.parse(row.settings),
    certificate: state === null ? null : { state, problem: problem && JSON.parse(problem), notAfter },
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
