import { setImmediate } from 'node:timers/promises';
import { type InferResult, sql } from 'kysely';
import type { CertificateState } from '../../domain/certificate-state.ts';
import { columnsOf, type Reader, type Tables } from '../engine/statement.ts';
import { type Certificate, OPERATOR, type Paged } from '../store.ts';

export async function findCertificate(reader: Reader, hostname: string): Promise<Certificate | null> {
  const row = await reader.one(selectCertificate, { hostname });
  return row === null ? null : certificateOf(row);
}

export async function listCertificates(
  reader: Reader,
  page: { limit: number; cursor?: string | undefined; state?: CertificateState | undefined },
): Promise<Paged<Certificate>> {
  const { limit, cursor: from = '', state } = page;
  const rows =
    state === undefined
      ? await reader.all(selectCertificates, { from, rows: limit + 1 })
      : await reader.all(selectCertificatesIn, { from, rows: limit + 1, state });
  const items = rows.slice(0, limit).map(certificateOf);
  const next = rows[limit];
  return next === undefined ? { items } : { items, next: next.hostname };
}

export async function listExpiring(reader: Reader, limit: number): Promise<Certificate[]> {
  return (await reader.all(selectExpiring, { limit })).map(certificateOf);
}

export async function listWaiting(reader: Reader, limit: number): Promise<Certificate[]> {
  return (await reader.all(selectWaiting, { limit })).map(certificateOf);
}

const states: Record<CertificateState, true> = {
  wanted: true,
  waiting_for_routing: true,
  ordering: true,
  issued: true,
  renewing: true,
  failed: true,
};

/** Rows that one statement counts: about a millisecond. */
const BATCH = 10_000;

/** Counts in batches and yields between them: SQLite reads in the thread of the API. */
export async function countCertificates(reader: Reader): Promise<Partial<Record<CertificateState, number>>> {
  const counts: Partial<Record<CertificateState, number>> = {};
  for (const state of Object.keys(states) as CertificateState[]) {
    for (let after = ''; ; await setImmediate()) {
      const batch = await reader.one(countBatch, { state, after, limit: BATCH });
      if (batch === null || batch.last === null) break;
      counts[state] = (counts[state] ?? 0) + batch.count;
      after = batch.last;
      if (batch.count < BATCH) break;
    }
  }
  return counts;
}

type CertificateRow = InferResult<ReturnType<typeof selectFromCertificates>>[number];

export function certificateOf(row: CertificateRow): Certificate {
  const { problem, selfCheck, issuer, chain, notBefore, notAfter, issuedAt, renewal, ...rest } = row;
  return {
    ...rest,
    problem: problem && JSON.parse(problem),
    selfCheck: selfCheck && JSON.parse(selfCheck),
    issued: issuedOf(row),
  };
}

/** As the columns `problem` and `self_check` hold it. */
export function toJson(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

function issuedOf({ issuer, chain, notBefore, notAfter, issuedAt, renewal }: CertificateRow): Certificate['issued'] {
  if (issuer === null || chain === null || renewal === null) return null;
  if (notBefore === null || notAfter === null || issuedAt === null) return null;
  return { issuer, chain, notBefore, notAfter, issuedAt, renewal: JSON.parse(renewal) };
}

const owned = sql<boolean>`(domains.id is not null or certificates.workspace_id = ${sql.lit(OPERATOR)})`;

/** Without keys. */
const columns = [
  'certificates.hostname',
  sql<string>`coalesce(domains.id, ${sql.lit(OPERATOR)})`.as('domainId'),
  sql<string>`coalesce(domains.workspace_id, ${sql.lit(OPERATOR)})`.as('workspaceId'),
  ...columnsOf('certificates', ['state', 'problem', 'selfCheck', 'failures', 'authorizationFailedAt', 'challenge']),
  ...columnsOf('certificates', ['nextTryAt', 'leasedUntil', 'createdAt']),
  ...columnsOf('served', ['issuer', 'chain', 'notBefore', 'notAfter', 'issuedAt', 'renewal']),
] as const;

/** Certificates with their domains, if they are not the operator's own, and the certificates in use. */
export function selectFromCertificates(db: Tables) {
  return db
    .selectFrom('certificates')
    .leftJoin('servedCertificates as served', 'served.hostname', 'certificates.hostname')
    .leftJoin('routes', 'routes.hostname', 'certificates.hostname')
    .leftJoin('domains', 'domains.id', 'routes.domainId')
    .where(owned)
    .select(columns);
}

function selectCertificate(db: Tables, p: { hostname: string }) {
  return selectFromCertificates(db).where('certificates.hostname', '=', p.hostname);
}

function selectCertificates(db: Tables, p: { from: string; rows: number }) {
  return selectFromCertificates(db)
    .where('certificates.hostname', '>=', p.from)
    .orderBy('certificates.hostname')
    .limit(p.rows);
}

function selectCertificatesIn(db: Tables, p: { from: string; rows: number; state: CertificateState }) {
  return selectCertificates(db, p).where('certificates.state', '=', p.state);
}

function selectExpiring(db: Tables, p: { limit: number }) {
  return db
    .selectFrom('servedCertificates as served')
    .innerJoin('certificates', 'certificates.hostname', 'served.hostname')
    .leftJoin('routes', 'routes.hostname', 'certificates.hostname')
    .leftJoin('domains', 'domains.id', 'routes.domainId')
    .where(owned)
    .orderBy('served.notAfter')
    .limit(p.limit)
    .select(columns);
}

/**
 * Those that are neither in use nor ordered nor kept back by their routing, by the condition of the index, to the letter. With `in`, SQLite would take the
 * index of states, and sort; without the range, it would not search.
 */
function selectWaiting(db: Tables, p: { limit: number }) {
  return selectFromCertificates(db)
    .where(sql<boolean>`certificates.state not in ('waiting_for_routing', 'ordering', 'issued', 'renewing')`)
    .where('certificates.authorizationFailedAt', 'is', null)
    .where('certificates.createdAt', '>=', sql.lit(0))
    .orderBy('certificates.createdAt')
    .limit(p.limit);
}

function countBatch(db: Tables, p: { state: CertificateState; after: string; limit: number }) {
  return db
    .selectFrom((of) =>
      of
        .selectFrom('certificates')
        .where('state', '=', p.state)
        .where('hostname', '>', p.after)
        .orderBy('hostname')
        .limit(p.limit)
        .select('hostname')
        .as('batch'),
    )
    .select((of) => [of.fn.countAll<number>().as('count'), of.fn.max('hostname').as('last')]);
}
