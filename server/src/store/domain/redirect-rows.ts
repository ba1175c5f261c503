import type { Domain } from '../../domain/domain.ts';
import { MAX_REDIRECTS_TO_ONE, type RedirectEnd } from '../../domain/redirect.ts';
import { logChange } from '../cache/change-log.ts';
import { pick, type Reader, type Tables, type Transaction } from '../engine/statement.ts';
import type { Redirect } from '../store.ts';
import { domainColumns, domainOf } from './domain-rows.ts';
import { recordEvent } from './events.ts';

export async function findRedirect(reader: Reader, workspaceId: string, domainId: string): Promise<Redirect | null> {
  return reader.one(selectRedirect, { workspaceId, domainId });
}

/** How the route of a domain ends, as the domains that redirect to it are told. */
export interface RouteEnd {
  reason: Exclude<RedirectEnd, 'requested'>;
  at: number;
}

/** Removes the redirects to a domain whose route is about to be deleted. */
export async function endRedirectsTo(
  tx: Transaction,
  destination: Pick<Domain, 'id' | 'name'>,
  { reason, at }: RouteEnd,
): Promise<void> {
  if ((await tx.execute(lockSources, { destinationId: destination.id })) === 0) return;
  const sources = await tx.all(selectSources, { destinationId: destination.id, rows: MAX_REDIRECTS_TO_ONE });
  await tx.execute(deleteRedirectsTo, { destinationId: destination.id });
  for (const row of sources) {
    const source = domainOf(row);
    const redirect = { to: destination.name, status: row.redirectStatus, reason };
    await recordEvent(tx, 'redirect.removed', source, at, { redirect });
    await logRedirect(tx, source);
  }
}

/** The edge has it with the route of the domain that redirects, which a domain may have before it is verified. */
export async function logRedirect(tx: Transaction, { name, status }: Pick<Domain, 'name' | 'status'>): Promise<void> {
  if (status === 'verified' || status === 'verifying') logChange(tx, 'route', name);
}

/** The redirects to a domain take effect, whose route was just added. */
export async function beginRedirectsTo(tx: Transaction, { id }: Pick<Domain, 'id'>): Promise<void> {
  const sources = await tx.all(selectSources, { destinationId: id, rows: MAX_REDIRECTS_TO_ONE });
  // Whether or not they are verified: that may change meanwhile.
  for (const { name } of sources) logChange(tx, 'route', name);
}

export async function addRedirect(tx: Transaction, domain: Domain, redirect: Redirect): Promise<void> {
  const { to, status, setAt } = redirect;
  await tx.execute(upsertRedirect, redirect);
  await recordEvent(tx, 'redirect.set', domain, setAt, { redirect: { to, status } });
  await logRedirect(tx, domain);
}

function upsertRedirect(db: Tables, p: Redirect) {
  const redirect = pick(p, ['destinationId', 'status', 'setAt']);
  return db
    .insertInto('redirects')
    .values({ domainId: p.domainId, ...redirect })
    .onConflict((on) => on.column('domainId').doUpdateSet(redirect));
}

function deleteRedirectsTo(db: Tables, p: { destinationId: string }) {
  return db.deleteFrom('redirects').where('destinationId', '=', p.destinationId);
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
