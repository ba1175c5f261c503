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

/**
 * Adds the route of a domain, its row for a certificate and its first re-check. Replaces the route of the domain that served the name before (a takeover),
 * whose certificate goes on serving until the domain has its own.
 */
export async function addRoute(tx: Transaction, domain: Domain, at: number, recheckAt: number): Promise<void> {
  const former = await tx.one(selectRoute, { hostname: domain.name });
  const inherited = former && (await findInheritable(tx, domain.name, at));
  withdraw(tx, domain.name);
  const wildcard = isWildcard(domain.name) ? null : wildcardOf(domain.name);
  tx.write(insertRoute, { hostname: domain.name, domainId: domain.id, environmentId: domain.environmentId, wildcard });
  beginUsage(tx, domain);
  addMonitor(tx, domain.id, recheckAt);
  addLiveCheck(tx, domain, at);
  tx.write(insertCertificate, { hostname: domain.name, workspaceId: domain.workspaceId, at });
  if (inherited !== null) inherit(tx, domain.name, inherited);
  logChange(tx, 'route', domain.name);
  await beginRedirectsTo(tx, domain);
}

/** Removes the route of a domain and the redirects to it, unless another domain serves the name by now. */
export async function removeRoute(tx: Transaction, domain: Domain, end: RouteEnd): Promise<void> {
  const route = await tx.one(selectRoute, { hostname: domain.name });
  if (route?.domainId !== domain.id) return;
  await endRedirectsTo(tx, domain, end);
  withdraw(tx, domain.name);
  logChange(tx, 'route', domain.name);
}

function withdraw(tx: Transaction, hostname: string): void {
  tx.write(deleteRoute, { hostname });
  tx.write(deleteCertificate, { hostname });
  deleteChallengesOf(tx, hostname);
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
