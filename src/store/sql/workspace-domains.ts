import { setImmediate } from 'node:timers/promises';
import { type InferResult, sql } from 'kysely';
import type { ListedDomain, Paged, WorkspacePageRequest } from '../contract/store.ts';
import { containing, domainColumns, domainOf } from './domains.ts';
import type { Reader, Statement, Tables } from './statement.ts';

/** Domains that one statement scans: some milliseconds. */
const SLICE = 500;
/** Slices that one page scans. */
const MOST_SLICES = 20;

/** After every name. */
const END = '~';
/** All rows of a slice, also when some are added between two statements. */
const ALL = 1_000_000;

/**
 * Each filter is a range of an index that ends with the name, so that a page begins where the one before ended. What no index finds is searched
 * for in slices of that range, and no further than so many of them; to the end for a key that may see some environments only.
 */
export async function listWorkspaceDomains(
  reader: Reader,
  workspaceId: string,
  page: WorkspacePageRequest,
  { slice = SLICE, mostSlices = MOST_SLICES }: { slice?: number; mostSlices?: number } = {},
): Promise<Paged<ListedDomain>> {
  const { limit, cursor = '', status, certificate, search, environmentIds } = page;
  // Only verified domains have a certificate.
  if (certificate !== undefined && (status ?? 'verified') !== 'verified') return { items: [] };
  const range = rangeOf(page);
  const isSearch = search !== undefined || environmentIds !== undefined;
  const slots = { workspaceId, value: certificate ?? status ?? '', slice, pattern: containing(search ?? '') };
  const found: ListedRow[] = [];
  let from = cursor;
  // A page that ended in between would tell a key of some environments the name of a domain of others.
  const most = environmentIds === undefined ? mostSlices : Number.POSITIVE_INFINITY;
  for (let slices = 0; slices < most; slices++) {
    const end = isSearch ? await reader.one(range.next, { ...slots, from }) : null;
    const rows = environmentIds === undefined ? limit + 1 - found.length : ALL;
    const matching = await reader.all(range.select, { ...slots, from, to: end?.name ?? END, rows });
    found.push(...matching.filter((row) => environmentIds?.has(row.environmentId) ?? true));
    const next = found[limit];
    if (next !== undefined) return { items: found.slice(0, limit).map(listed), next: next.name };
    if (end === null) return { items: found.map(listed) };
    from = end.name;
    await setImmediate();
  }
  return { items: found.map(listed), next: from };
}

function rangeOf({ status, certificate }: WorkspacePageRequest): NameRange {
  if (certificate !== undefined) return byCertificate;
  return status === undefined ? byName : byStatus;
}

/** Domains of a workspace in the order of their names, by an index. */
interface NameRange {
  select: Statement<RangeSlots & { to: string; rows: number; pattern: string }, ListedRow>;
  /** Name at which the slice after the one from `from` on begins. */
  next: Statement<RangeSlots & { slice: number }, { name: string }>;
}

interface RangeSlots {
  workspaceId: string;
  /** That is filtered by; empty where nothing is. */
  value: string;
  from: string;
}

const byName: NameRange = {
  select: (db, p) =>
    selectDomains(db, p.pattern)
      .where('domains.workspace_id', '=', p.workspaceId)
      .where('domains.name', '>=', p.from)
      .where('domains.name', '<', p.to)
      .orderBy('domains.name')
      .limit(p.rows),
  next: (db, p) =>
    db
      .selectFrom('domains')
      .where('workspace_id', '=', p.workspaceId)
      .where('name', '>=', p.from)
      .orderBy('name')
      .limit(1)
      .offset(p.slice)
      .select('name'),
};

// Ranges of all columns of an index: with equalities, PostgreSQL may choose another index in the order of names, and read past every domain that
// has another value.
const byStatus: NameRange = {
  select: (db, p) =>
    selectDomains(db, p.pattern)
      .where(sql<boolean>`${STATUS_KEY} >= (${p.workspaceId}, ${p.value}, ${p.from})`)
      .where(sql<boolean>`${STATUS_KEY} < (${p.workspaceId}, ${p.value}, ${p.to})`)
      .orderBy('domains.workspace_id')
      .orderBy('domains.status')
      .orderBy('domains.name')
      .limit(p.rows),
  next: (db, p) =>
    db
      .selectFrom('domains')
      .where(sql<boolean>`${STATUS_KEY} >= (${p.workspaceId}, ${p.value}, ${p.from})`)
      .where(sql<boolean>`${STATUS_KEY} < (${p.workspaceId}, ${p.value}, ${sql.lit(END)})`)
      .orderBy('domains.workspace_id')
      .orderBy('domains.status')
      .orderBy('domains.name')
      .limit(1)
      .offset(p.slice)
      .select('domains.name'),
};

const STATUS_KEY = sql`(domains.workspace_id, domains.status, domains.name)`;

const byCertificate: NameRange = {
  select: (db, p) =>
    selectCertified(db, p.pattern)
      .where(sql<boolean>`${STATE_KEY} >= (${p.workspaceId}, ${p.value}, ${p.from})`)
      .where(sql<boolean>`${STATE_KEY} < (${p.workspaceId}, ${p.value}, ${p.to})`)
      .orderBy('certificates.workspace_id')
      .orderBy('certificates.state')
      .orderBy('certificates.hostname')
      .limit(p.rows),
  next: (db, p) =>
    db
      .selectFrom('certificates')
      .where(sql<boolean>`${STATE_KEY} >= (${p.workspaceId}, ${p.value}, ${p.from})`)
      .where(sql<boolean>`${STATE_KEY} < (${p.workspaceId}, ${p.value}, ${sql.lit(END)})`)
      .orderBy('certificates.workspace_id')
      .orderBy('certificates.state')
      .orderBy('certificates.hostname')
      .limit(1)
      .offset(p.slice)
      .select('certificates.hostname as name'),
};

const STATE_KEY = sql`(certificates.workspace_id, certificates.state, certificates.hostname)`;

type ListedRow = InferResult<ReturnType<typeof selectDomains>>[number];

const certificateColumns = ['certificates.state', 'certificates.problem', 'served.not_after as notAfter'] as const;

function selectDomains(db: Tables, pattern: string) {
  return db
    .selectFrom('domains')
    .leftJoin('routes', 'routes.domain_id', 'domains.id')
    .leftJoin('certificates', 'certificates.hostname', 'routes.hostname')
    .leftJoin('served_certificates as served', 'served.hostname', 'routes.hostname')
    .where(matches(pattern))
    .select(domainColumns)
    .select(certificateColumns);
}

function selectCertified(db: Tables, pattern: string) {
  return db
    .selectFrom('certificates')
    .innerJoin('routes', 'routes.hostname', 'certificates.hostname')
    .innerJoin('domains', 'domains.id', 'routes.domain_id')
    .leftJoin('served_certificates as served', 'served.hostname', 'certificates.hostname')
    .where(matches(pattern))
    .select(domainColumns)
    .select(certificateColumns);
}

function matches(pattern: string) {
  return sql<boolean>`(domains.id like ${pattern} escape '\\' or domains.name like ${pattern} escape '\\')`;
}

function listed(row: ListedRow): ListedDomain {
  const { state, problem, notAfter } = row;
  return {
    domain: domainOf(row),
    certificate: state === null ? null : { state, problem: problem && JSON.parse(problem), notAfter },
  };
}
