import { setImmediate } from 'node:timers/promises';
import type { CertificateState } from '../../../domain/certificate-state.ts';
import type { Certificate, Paged } from '../../contract/store.ts';
import type { Reader, Tables } from '../statement.ts';

export async function findCertificate(reader: Reader, hostname: string): Promise<Certificate | null> {
  const row = await reader.one(selectCertificate, { hostname });
  return row === null ? null : certificateOf(row);
}

export async function listCertificates(
  reader: Reader,
  page: { limit: number; cursor?: string | undefined; state?: CertificateState | undefined },
): Promise<Paged<Certificate>> {
  const { limit, cursor = '', state } = page;
  const slots = { from: cursor, rows: limit + 1 };
  const rows =
    state === undefined
      ? await reader.all(selectCertificates, slots)
      : await reader.all(selectCertificatesIn, { ...slots, state });
  const items = rows.slice(0, limit).map(certificateOf);
  const next = rows[limit];
  return next === undefined ? { items } : { items, next: next.hostname };
}

export async function listExpiring(reader: Reader, limit: number): Promise<Certificate[]> {
  return (await reader.all(selectExpiring, { limit })).map(certificateOf);
}

const states: Record<CertificateState, true> = {
  wanted: true,
  waiting_for_routing: true,
  ordering: true,
  issued: true,
  renewing: true,
  failed: true,
};

/** Certificates that one statement counts: about a millisecond. */
const SLICE = 10_000;

/** Others are served between two slices: SQLite reads in the thread of the API. */
export async function countCertificates(reader: Reader): Promise<Partial<Record<CertificateState, number>>> {
  const counts: Partial<Record<CertificateState, number>> = {};
  for (const state of Object.keys(states) as CertificateState[]) {
    for (let after = ''; ; await setImmediate()) {
      const slice = await reader.one(countSlice, { state, after, slice: SLICE });
      if (slice === null || slice.last === null) break;
      counts[state] = (counts[state] ?? 0) + slice.count;
      after = slice.last;
      if (slice.count < SLICE) break;
    }
  }
  return counts;
}

export interface CertificateRow {
  hostname: string;
  domainId: string;
  workspaceId: string;
  state: CertificateState;
  problem: string | null;
  selfCheck: string | null;
  failures: number;
  nextTryAt: number | null;
  leasedUntil: number | null;
  createdAt: number;
  issuer: string | null;
  chain: string | null;
  notBefore: number | null;
  notAfter: number | null;
  issuedAt: number | null;
  renewal: string | null;
}

export function certificateOf(row: CertificateRow): Certificate {
  const { hostname, domainId, workspaceId, state, failures, leasedUntil, createdAt } = row;
  return {
    hostname,
    domainId,
    workspaceId,
    state,
    problem: row.problem === null ? null : JSON.parse(row.problem),
    selfCheck: row.selfCheck === null ? null : JSON.parse(row.selfCheck),
    failures,
    // The release before says nothing about it: at once.
    nextTryAt: row.nextTryAt ?? createdAt,
    leasedUntil,
    issued: issuedOf(row),
    createdAt,
  };
}

function issuedOf({ issuer, chain, notBefore, notAfter, issuedAt, renewal }: CertificateRow): Certificate['issued'] {
  if (issuer === null || chain === null || renewal === null) return null;
  if (notBefore === null || notAfter === null || issuedAt === null) return null;
  return { issuer, chain, notBefore, notAfter, issuedAt, renewal: JSON.parse(renewal) };
}

/** Certificates with what else is known of their host names; without their keys. */
export function selectFromCertificates(db: Tables) {
  return db
    .selectFrom('certificates')
    .innerJoin('routes', 'routes.hostname', 'certificates.hostname')
    .innerJoin('domains', 'domains.id', 'routes.domain_id')
    .leftJoin('served_certificates as served', 'served.hostname', 'certificates.hostname')
    .select([
      'certificates.hostname',
      'domains.id as domainId',
      'domains.workspace_id as workspaceId',
      'certificates.state',
      'certificates.problem',
      'certificates.self_check as selfCheck',
      'certificates.failures',
      'certificates.next_try_at as nextTryAt',
      'certificates.leased_until as leasedUntil',
      'certificates.created_at as createdAt',
      'served.issuer',
      'served.chain',
      'served.not_before as notBefore',
      'served.not_after as notAfter',
      'served.issued_at as issuedAt',
      'served.renewal',
    ]);
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
  return selectFromCertificates(db)
    .orderBy('served.not_after')
    .where('served.not_after', 'is not', null)
    .limit(p.limit);
}

function countSlice(db: Tables, p: { state: CertificateState; after: string; slice: number }) {
  return db
    .selectFrom((of) =>
      of
        .selectFrom('certificates')
        .where('state', '=', p.state)
        .where('hostname', '>', p.after)
        .orderBy('hostname')
        .limit(p.slice)
        .select('hostname')
        .as('slice'),
    )
    .select((of) => [of.fn.countAll<number>().as('count'), of.fn.max('hostname').as('last')]);
}
