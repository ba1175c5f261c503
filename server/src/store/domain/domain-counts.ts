import { setImmediate } from 'node:timers/promises';
import { type AliasedExpression, sql } from 'kysely';
import type { CertificateState } from '../../domain/certificate-state.ts';
import type { DomainStatus } from '../../domain/domain.ts';
import { END } from '../engine/paging.ts';
import type { Reader, Statement, Tables } from '../engine/statement.ts';
import type { DomainCounts } from '../store.ts';

/** Domains that one statement counts: some milliseconds. */
const BATCH = 10_000;

/** A place in the order of an index. */
interface Place {
  workspaceId: string;
  /** The status, or the state of the certificate. */
  value: string;
  name: string;
}

/** Counts the workspaces from one to another. */
interface Scope {
  from: string;
  to: string;
}

type CountStatement = Statement<Place & { to: string; limit: number }, Place & { count: number }>;

/** Counts in batches of one index, and yields between them: SQLite reads in the thread of its caller. */
export async function countDomains(reader: Reader, { batch = BATCH } = {}): Promise<Record<DomainStatus, number>> {
  return countByStatus(reader, { from: '', to: END }, batch);
}

export async function countWorkspaceDomains(
  reader: Reader,
  workspaceId: string,
  { batch = BATCH } = {},
): Promise<DomainCounts> {
  const scope = { from: workspaceId, to: workspaceId };
  const byStatus = await countByStatus(reader, scope, batch);
  const states: Record<CertificateState, number> = {
    ...{ wanted: 0, waiting_for_routing: 0, ordering: 0, issued: 0, renewing: 0, failed: 0 },
    ...(await count(reader, countStates, scope, batch)),
  };
  const total = sum(byStatus);
  // The two are not of one moment.
  return { total, byStatus, byCertificate: { none: Math.max(0, total - sum(states)), ...states } };
}

async function countByStatus(reader: Reader, scope: Scope, batch: number): Promise<Record<DomainStatus, number>> {
  return { pending: 0, verifying: 0, verified: 0, failed: 0, ...(await count(reader, countStatuses, scope, batch)) };
}

function sum(counts: Record<string, number>): number {
  return Object.values(counts).reduce((total, each) => total + each, 0);
}

async function count(
  reader: Reader,
  statement: CountStatement,
  { from, to }: Scope,
  batch: number,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (let after: Place = { workspaceId: from, value: '', name: '' }; ; await setImmediate()) {
    const groups = await reader.all(statement, { ...after, to, limit: batch });
    for (const { value, count } of groups) counts[value] = (counts[value] ?? 0) + count;
    const last = groups.at(-1);
    if (last === undefined || groups.reduce((counted, { count }) => counted + count, 0) < batch) return counts;
    after = last;
  }
}

/** The next domains, by workspace and status in the order of the index: so the last group has the last name. */
const countStatuses: CountStatement = (db, p) =>
  grouped(
    db,
    db
      .selectFrom('domains')
      .where(sql<boolean>`(workspace_id, status, name) > (${p.workspaceId}, ${p.value}, ${p.name})`)
      .where('workspaceId', '<=', p.to)
      .orderBy('workspaceId')
      .orderBy('status')
      .orderBy('name')
      .limit(p.limit)
      .select(['workspaceId', sql<string>`status`.as('value'), 'name']),
  );

/** The same by the states of their certificates. */
const countStates: CountStatement = (db, p) =>
  grouped(
    db,
    db
      .selectFrom('certificates')
      .where(sql<boolean>`(workspace_id, state, hostname) > (${p.workspaceId}, ${p.value}, ${p.name})`)
      .where('workspaceId', '<=', p.to)
      .orderBy('workspaceId')
      .orderBy('state')
      .orderBy('hostname')
      .limit(p.limit)
      .select(['workspaceId', sql<string>`state`.as('value'), 'hostname as name']),
  );

function grouped(db: Tables, batch: { as(alias: 'batch'): AliasedExpression<Place, 'batch'> }) {
  return db
    .selectFrom(batch.as('batch'))
    .groupBy(['workspaceId', 'value'])
    .orderBy('workspaceId')
    .orderBy('value')
    .select((of) => ['workspaceId', 'value', of.fn.max('name').as('name'), of.fn.countAll<number>().as('count')]);
}
