import type { Domain } from '../../domain/domain.ts';
import { isWildcard, wildcardOf } from '../../domain/wildcard.ts';
import { logChange } from '../cache/change-log.ts';
import { findInheritable, inherit } from '../certificate/inherited-certificates.ts';
import { deleteChallengesOf } from '../certificate/orders.ts';
import { addLiveCheck, addMonitor } from '../check/schedules.ts';
import { pick, type Tables, type Transaction } from '../engine/statement.ts';
import type { Schema } from '../schema/schema.ts';
import { beginUsage } from '../usage/usage.ts';
import { beginRedirectsTo, endRedirectsTo, type RouteEnd } from './redirect-rows.ts';

interface NewRoute {
  at: number;
  /** When the first re-check is due. */
  recheckAt: number;
  /** The domain that was verified for the name before (a takeover). */
  loser?: Domain | undefined;
}

/**
 * Adds the route of a domain that is verified now, its row for a certificate and its first re-check. Replaces the route of the domain that served the name
 * before (a takeover), whose certificate goes on serving until the domain has its own. A prepared domain keeps its route and its certificate; nobody
 * inherits that of another one.
 */
export async function addRoute(tx: Transaction, domain: Domain, { at, recheckAt, loser }: NewRoute): Promise<void> {
  const former = await tx.one(selectRoute, { hostname: domain.name });
  if (former?.domainId !== domain.id) {
    const isTakeover = loser !== undefined && former?.domainId === loser.id;
    const inherited = isTakeover ? await findInheritable(tx, domain.name, at) : null;
    replaceRoute(tx, domain, at);
    if (inherited !== null) inherit(tx, domain.name, inherited);
  }
  addMonitor(tx, domain.id, recheckAt);
  addLiveCheck(tx, domain, at);
  logChange(tx, 'route', domain.name);
  await beginRedirectsTo(tx, domain);
}

/** Adds the route of a domain that is not verified, and its row for a certificate. Nothing looks at it before it is verified, and redirects to it wait. */
export async function prepareRoute(tx: Transaction, domain: Domain, at: number): Promise<void> {
  replaceRoute(tx, domain, at);
  logChange(tx, 'route', domain.name);
}

/** Nothing of another domain's route is left. */
function replaceRoute(tx: Transaction, domain: Domain, at: number): void {
  const { id: domainId, name: hostname, workspaceId, environmentId } = domain;
  tx.write(deleteRoute, { hostname });
  tx.write(deleteCertificate, { hostname });
  deleteChallengesOf(tx, hostname);
  const wildcard = isWildcard(hostname) ? null : wildcardOf(hostname);
  tx.write(insertRoute, { hostname, domainId, environmentId, wildcard });
  beginUsage(tx, domain);
  tx.write(insertCertificate, { hostname, workspaceId, at });
}

/** Removes the route of a domain and the redirects to it, unless another domain serves the name by now. */
export async function removeRoute(tx: Transaction, domain: Domain, end: RouteEnd): Promise<void> {
  const route = await tx.one(selectRoute, { hostname: domain.name });
  if (route?.domainId !== domain.id) return;
  await endRedirectsTo(tx, domain, end);
  await withdrawRoute(tx, domain);
}

/** Removes the route of a domain with its certificate, if it has one. Another domain may be taking the name at the same time. */
export async function withdrawRoute(tx: Transaction, { id, name: hostname, workspaceId }: Domain): Promise<void> {
  if ((await tx.execute(deleteRouteOf, { domainId: id })) === 0) return;
  tx.write(deleteCertificateOf, { hostname, workspaceId });
  deleteChallengesOf(tx, hostname);
  logChange(tx, 'route', hostname);
}

function insertRoute(db: Tables, p: Schema['routes']) {
  return db.insertInto('routes').values(pick(p, ['hostname', 'domainId', 'environmentId', 'wildcard']));
}

function selectRoute(db: Tables, p: { hostname: string }) {
  return db.selectFrom('routes').where('hostname', '=', p.hostname).select('domainId');
}

/** Deletes its re-checks as well (`on delete cascade`). */
function deleteRoute(db: Tables, p: { hostname: string }) {
  return db.deleteFrom('routes').where('hostname', '=', p.hostname);
}

function deleteRouteOf(db: Tables, p: { domainId: string }) {
  return db.deleteFrom('routes').where('domainId', '=', p.domainId);
}

function insertCertificate(db: Tables, p: { hostname: string; workspaceId: string; at: number }) {
  return db.insertInto('certificates').values({
    hostname: p.hostname,
    workspaceId: p.workspaceId,
    state: 'wanted',
    nextTryAt: p.at,
    begun: 0,
    lease: 0,
    failures: 0,
    createdAt: p.at,
  });
}

/** Deletes the order, the certificate in use and an inherited one as well (`on delete cascade`). */
function deleteCertificate(db: Tables, p: { hostname: string }) {
  return db.deleteFrom('certificates').where('hostname', '=', p.hostname);
}

function deleteCertificateOf(db: Tables, p: { hostname: string; workspaceId: string }) {
  return deleteCertificate(db, p).where('workspaceId', '=', p.workspaceId);
}
