import type { Domain } from '../../domain/domain.ts';
import { MAX_REDIRECTS_TO_ONE, type RedirectEnd } from '../../domain/redirect.ts';
import { logChange } from '../cache/change-log.ts';
import { pick, type Reader, type Tables, type Transaction } from '../engine/statement.ts';
import type { PlannedRedirect, Redirect } from '../store.ts';
import { domainColumns, domainOf } from './domain-rows.ts';
import { recordEvent } from './events.ts';

export async function findRedirect(reader: Reader, workspaceId: string, domainId: string): Promise<Redirect | null> {
  return reader.one(selectRedirect, { workspaceId, domainId });
}

/** Null: none is planned, or there is no such domain in the workspace. */
export async function findPlannedRedirect(
  reader: Reader,
  workspaceId: string,
  domainId: string,
): Promise<PlannedRedirect | null> {
  return reader.one(selectPlanned, { workspaceId, domainId });
}

/** How the route of a domain ends, as the domains that redirect to it are told. */
export interface RouteEnd {
  reason: Exclude<RedirectEnd, 'requested'>;
  at: number;
}

/** The redirects to a domain whose route is about to be deleted, which deletes them (`on delete cascade`): for their timelines and for the edge. */
export async function endRedirectsTo(
  tx: Transaction,
  destination: Pick<Domain, 'id' | 'name'>,
  { reason, at }: RouteEnd,
): Promise<void> {
  if ((await tx.execute(lockSources, { destinationId: destination.id })) === 0) return;
  const sources = await tx.all(selectSources, { destinationId: destination.id, rows: MAX_REDIRECTS_TO_ONE });
  for (const row of sources) {
    const source = domainOf(row);
    const redirect = { to: destination.name, status: row.redirectStatus, reason };
    await recordEvent(tx, 'redirect.removed', source, at, { redirect });
    await logRedirect(tx, source);
  }
}

/** The edge has it with the route of the domain that redirects. */
export async function logRedirect(tx: Transaction, { name, status }: Pick<Domain, 'name' | 'status'>): Promise<void> {
  if (status === 'verified') logChange(tx, 'route', name);
}

/** Changes nothing. */
function lockSources(db: Tables, p: { destinationId: string }) {
  return db
    .updateTable('domains')
    .where('id', 'in', (of) =>
      of.selectFrom('redirects').where('destinationId', '=', p.destinationId).select('domainId'),
    )
    .set((of) => ({ revision: of.ref('revision') }));
}

function selectRedirect(db: Tables, p: { workspaceId: string; domainId: string }) {
  return db
    .selectFrom('redirects')
    .innerJoin('domains as destinations', 'destinations.id', 'redirects.destinationId')
    .where('redirects.domainId', '=', p.domainId)
    .where('destinations.workspaceId', '=', p.workspaceId)
    .select([
      'redirects.domainId',
      'redirects.destinationId',
      'destinations.name as to',
      'redirects.status',
      'redirects.setAt',
    ]);
}

export function selectSources(db: Tables, p: { destinationId: string; rows: number }) {
  return db
    .selectFrom('redirects')
    .innerJoin('domains', 'domains.id', 'redirects.domainId')
    .where('redirects.destinationId', '=', p.destinationId)
    .orderBy('redirects.domainId')
    .limit(p.rows)
    .select(domainColumns)
    .select('redirects.status as redirectStatus');
}

function selectPlanned(db: Tables, p: { workspaceId: string; domainId: string }) {
  return db
    .selectFrom('plannedRedirects as planned')
    .innerJoin('domains as destinations', 'destinations.id', 'planned.destinationId')
    .where('planned.domainId', '=', p.domainId)
    .where('destinations.workspaceId', '=', p.workspaceId)
    .select(['planned.domainId', 'planned.destinationId', 'destinations.name as to', 'planned.status']);
}

export function planRedirect(db: Tables, p: Pick<Redirect, 'domainId' | 'destinationId' | 'status'>) {
  return db.insertInto('plannedRedirects').values(pick(p, ['domainId', 'destinationId', 'status']));
}

export function selectPlannedTo(db: Tables, p: { destinationId: string }) {
  return db
    .selectFrom('plannedRedirects')
    .where('destinationId', '=', p.destinationId)
    .select(['domainId', 'destinationId', 'status']);
}

export function deletePlanned(db: Tables, p: { domainId: string }) {
  return db.deleteFrom('plannedRedirects').where('domainId', '=', p.domainId);
}
