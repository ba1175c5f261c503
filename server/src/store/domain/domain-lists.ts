import { type InferResult, sql } from 'kysely';
import type { Domain } from '../../domain/domain.ts';
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
import { domainColumns, domainOf } from './domain-rows.ts';
import { settingsColumns, siteSettingsOf } from './site-settings.ts';
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
 * Each filter is a range of an index that ends with the name, so that a page begins where the one before ended. What no index finds is searched
 * for in slices of that range, and no further than so many of them.
 */
export async function listWorkspaceDomains(
  reader: Reader,
  workspaceId: string,
  page: WorkspacePageRequest,
  { slice = SLICE, mostSlices = MOST_SLICES }: Partial<Limits> = {},
): Promise<Paged<ListedDomain>> {
  const { limit, cursor = '', status, certificate, search, environmentIds } = page;
  // Only verified domains have a certificate.
  if (certificate !== undefined && (status ?? 'verified') !== 'verified') return { items: [] };
  if (environmentIds !== undefined) return listOfEnvironments(reader, workspaceId, page, { slice, mostSlices });
  const range = rangeOf(page);
  const slots = { workspaceId, value: certificate ?? status ?? '', pattern: containing(search ?? '') };
  const rows = limit + 1;
  if (search === undefined) {
    const found = await reader.all(range.select, { ...slots, from: cursor, to: END, rows });
    return pageOf(found, limit, null, ({ name }) => name);
  }
  const found = await searchInSlices(reader, range, slots, { from: cursor, rows, slice, most: mostSlices });
  return pageOf(found.rows, limit, found.next, ({ name }) => name);
}

/**
 * One environment after the other, each in order of ids, and no others are looked at: so a page takes no longer among many domains that are not
 * wanted, and no cursor can name one of them. It is the environment, a dot, and the id at which the next page begins.
 */
async function listOfEnvironments(
  reader: Reader,
  workspaceId: string,
  { limit, cursor = '', status, certificate, search, environmentIds = new Set() }: WorkspacePageRequest,
  { slice, mostSlices }: Limits,
): Promise<Paged<ListedDomain>> {
  const wanted = { status: status ?? '', certificate: certificate ?? '', pattern: containing(search ?? '') };
  const [first = '', start = ''] = cursor.split('.');
  const rows: ListedRow[] = [];
  let slices = 0;
  for (const environmentId of [...environmentIds].filter((id) => id >= first).sort()) {
    if (slices === mostSlices) return pageOf(rows, limit, `${environmentId}.`, cursorOf);
    const found = await searchInSlices(
      reader,
      byEnvironment,
      { workspaceId, environmentId, ...wanted },
      {
        from: environmentId === first ? start : '',
        rows: limit + 1 - rows.length,
        slice,
        most: mostSlices - slices,
      },
    );
    rows.push(...found.rows);
    slices += found.slices;
    if (rows.length > limit) break;
    if (found.next !== null) return pageOf(rows, limit, `${environmentId}.${found.next}`, cursorOf);
  }
  return pageOf(rows, limit, null, cursorOf);
}

export async function findListedDomain(reader: Reader, workspaceId: string, id: string): Promise<ListedDomain | null> {
  const row = await reader.one(selectListedDomain, { workspaceId, id });
  return row && listed(row);
}

function selectListedDomain(db: Tables, p: { workspaceId: string; id: string }) {
  return selectDomains(db, containing(''))
    .where('domains.id', '=', p.id)
    .where('domains.workspaceId', '=', p.workspaceId);
}

function cursorOf({ environmentId, id }: ListedRow): string {
  return `${environmentId}.${id}`;
}

/** `next`: where the next page begins if these rows do not fill one. */
function pageOf(
  rows: ListedRow[],
  limit: number,
  next: string | null,
  cursorOf: (row: ListedRow) => string,
): Paged<ListedDomain> {
  const more = rows[limit];
  const items = rows.slice(0, limit).map(listed);
  if (more !== undefined) return { items, next: cursorOf(more) };
  return next === null ? { items } : { items, next };
}

function rangeOf({ status, certificate }: WorkspacePageRequest): NameRange {
  if (certificate !== undefined) return byCertificate;
  return status === undefined ? byName : byStatus;
}

/** Domains of a workspace in the order of their names, by an index. */
type NameRange = Range<{ workspaceId: string; value: string; pattern: string }, ListedRow>;

/** Domains of an environment in the order of their ids; an empty status or certificate state is any. */
const byEnvironment: Range<EnvironmentSlots, ListedRow> = {
  select: (db, p) =>
    selectDomains(db, p.pattern)
      .where('domains.workspaceId', '=', p.workspaceId)
      .where('domains.environmentId', '=', p.environmentId)
      .where('domains.id', '>=', p.from)
      .where('domains.id', '<', p.to)
      .where(sql<boolean>`(${p.status} = '' or domains.status = ${p.status})`)
      .where(sql<boolean>`(${p.certificate} = '' or certificates.state = ${p.certificate})`)
      .orderBy('domains.id')
      .limit(p.rows),
  next: nextOfEnvironment,
};

interface EnvironmentSlots {
  workspaceId: string;
  environmentId: string;
  status: string;
  certificate: string;
  pattern: string;
}

const byName: NameRange = {
  select: (db, p) =>
    selectDomains(db, p.pattern)
      .where('domains.workspaceId', '=', p.workspaceId)
      .where('domains.name', '>=', p.from)
      .where('domains.name', '<', p.to)
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
const byStatus: NameRange = {
  select: (db, p) =>
    selectDomains(db, p.pattern)
      .where(sql<boolean>`${STATUS_KEY} >= (${p.workspaceId}, ${p.value}, ${p.from})`)
      .where(sql<boolean>`${STATUS_KEY} < (${p.workspaceId}, ${p.value}, ${p.to})`)
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

const byCertificate: NameRange = {
  select: (db, p) =>
    selectCertified(db, p.pattern)
      .where(sql<boolean>`${STATE_KEY} >= (${p.workspaceId}, ${p.value}, ${p.from})`)
      .where(sql<boolean>`${STATE_KEY} < (${p.workspaceId}, ${p.value}, ${p.to})`)
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

type ListedRow = InferResult<ReturnType<typeof selectDomains>>[number];

const certificateColumns = ['certificates.state', 'certificates.problem', 'served.notAfter'] as const;
const redirectColumns = [
  'redirects.destinationId',
  'destinations.hostname as to',
  'redirects.status as redirectStatus',
  'redirects.setAt',
] as const;

const originColumns = ['deployments.id as deploymentId', 'deployments.origin'] as const;

function selectDomains(db: Tables, pattern: string) {
  return db
    .selectFrom('domains')
    .leftJoin('routes', 'routes.domainId', 'domains.id')
    .leftJoin('certificates', 'certificates.hostname', 'routes.hostname')
    .leftJoin('servedCertificates as served', 'served.hostname', 'routes.hostname')
    .leftJoin('redirects', 'redirects.domainId', 'domains.id')
    .leftJoin('routes as destinations', 'destinations.domainId', 'redirects.destinationId')
    .innerJoin('workspaces', 'workspaces.id', 'domains.workspaceId')
    .leftJoin('suspensions', 'suspensions.domainId', 'domains.id')
    .leftJoin('siteSettings', 'siteSettings.domainId', 'domains.id')
    .leftJoin('environments', 'environments.id', 'domains.environmentId')
    .leftJoin('deployments', 'deployments.id', 'environments.currentDeploymentId')
    .where(matches(pattern))
    .select(domainColumns)
    .select(certificateColumns)
    .select(redirectColumns)
    .select(suspensionColumns)
    .select(settingsColumns)
    .select(originColumns);
}

function selectCertified(db: Tables, pattern: string) {
  return db
    .selectFrom('certificates')
    .innerJoin('routes', 'routes.hostname', 'certificates.hostname')
    .innerJoin('domains', 'domains.id', 'routes.domainId')
    .leftJoin('servedCertificates as served', 'served.hostname', 'certificates.hostname')
    .leftJoin('redirects', 'redirects.domainId', 'domains.id')
    .leftJoin('routes as destinations', 'destinations.domainId', 'redirects.destinationId')
    .innerJoin('workspaces', 'workspaces.id', 'domains.workspaceId')
    .leftJoin('suspensions', 'suspensions.domainId', 'domains.id')
    .leftJoin('siteSettings', 'siteSettings.domainId', 'domains.id')
    .leftJoin('environments', 'environments.id', 'domains.environmentId')
    .leftJoin('deployments', 'deployments.id', 'environments.currentDeploymentId')
    .where(matches(pattern))
    .select(domainColumns)
    .select(certificateColumns)
    .select(redirectColumns)
    .select(suspensionColumns)
    .select(settingsColumns)
    .select(originColumns);
}

function listed(row: ListedRow): ListedDomain {
  const { state, problem, notAfter, destinationId, to, redirectStatus, setAt, deploymentId, origin } = row;
  const isRedirected = destinationId !== null && to !== null && redirectStatus !== null && setAt !== null;
  return {
    domain: domainOf(row),
    redirect: isRedirected ? { domainId: row.id, destinationId, to, status: redirectStatus, setAt } : null,
    suspension: suspensionOf(row),
    origin: deploymentId === null || origin === null ? null : { deploymentId, origin },
    settings: siteSettingsOf(row),
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
