import {
  announcedAt,
  type CertificateState,
  expiringAt,
  isBrought,
  LONGEST_WAIT_MS,
} from '../../domain/certificate-state.ts';
import type { CertificateAfter, DomainEventType } from '../../domain/domain-event.ts';
import { AFTER_CERTIFICATE_MS } from '../../domain/live.ts';
import type { AuditTarget } from '../audit/entries.ts';
import { logChange } from '../cache/change-log.ts';
import { lookSoon } from '../check/schedules.ts';
import { findDomainById } from '../domain/domains.ts';
import { recordEvent } from '../domain/events.ts';
import { defineChange, isOutcome } from '../engine/change.ts';
import { pick, type Reader, type Tables, type Transaction } from '../engine/statement.ts';
import { NO_DOMAINS, NO_LOCKS, NO_SECRET } from '../engine/write.ts';
import type { Schema } from '../schema/schema.ts';
import { type Certificate, type CertificateStore, type IssuedCertificate, OPERATOR } from '../store.ts';
import { findCertificate, toJson } from './certificate-rows.ts';
import { findFallback, keepFallback } from './fallback-certificates.ts';
import { dropInherited } from './inherited-certificates.ts';
import { whereHeld } from './leases.ts';
import { endOrder, isOrdered } from './orders.ts';
import { dropStaged, sealedIssued } from './staged-certificates.ts';

type Save = Parameters<CertificateStore['saveCertificate']>[0];
type Issued = IssuedCertificate & { privateKey: Uint8Array };

/** `domainId`: of the certificate, as far as the caller knows. One that has passed to another domain is not the one that was leased. */
export async function saveCertificate(tx: Transaction, save: Save, domainId?: string): Promise<'saved' | 'lost'> {
  const { hostname, state, problem, selfCheck, orderOutcome, issued, renewal, now } = save;
  const before = await findCertificate(tx, hostname);
  if (before === null || before.domainId !== domainId) return 'lost';
  const inUse = issued !== undefined || before.issued !== null;
  const begun = inUse || (orderOutcome === undefined && (await isOrdered(tx, hostname)));
  const json = { problem: toJson(problem), selfCheck: toJson(selfCheck) };
  const kept = {
    authorizationFailedAt: save.authorizationFailedAt ?? before.authorizationFailedAt,
    challenge: save.challenge ?? before.challenge,
  };
  if ((await tx.execute(updateLeased, { ...save, ...json, ...kept, begun: begun ? 1 : 0 })) === 0) return 'lost';
  if (orderOutcome !== undefined) await endOrder(tx, hostname, orderOutcome, now);
  if (issued !== undefined) await putInUse(tx, hostname, issued, now);
  else if (renewal !== undefined) await tx.execute(updateRenewal, { hostname, renewal: JSON.stringify(renewal) });
  await recordChange(tx, before, { ...before, state, problem, issued: issued ?? before.issued }, now);
  return 'saved';
}

export async function importCertificate(
  tx: Transaction,
  hostname: string,
  issued: Issued,
  now: number,
  domainId?: string,
) {
  const before = await findCertificate(tx, hostname);
  if (before === null || before.domainId !== domainId) return 'missing';
  if ((await tx.execute(updateImported, { hostname, nextTryAt: nextTryAt(issued, now) })) === 0) return 'missing';
  await endOrder(tx, hostname, null, now);
  await putInUse(tx, hostname, issued, now);
  await recordChange(tx, before, { ...before, issued }, now);
  return 'imported';
}

async function removeCertificate(tx: Transaction, hostname: string, now: number, domainId?: string) {
  if (domainId !== undefined && (await dropStaged(tx, domainId))) return 'removed';
  const before = await findCertificate(tx, hostname);
  if (before === null || before.domainId !== domainId) return 'missing';
  if (before.issued === null || !isBrought(before.issued.issuer)) return 'none';
  const fallback = await findFallback(tx, hostname);
  if (fallback !== null && expiringAt(fallback) > now) {
    await importCertificate(tx, hostname, fallback, now, domainId);
    return 'removed';
  }
  const { renewal } = before.issued;
  if (renewal.renewAt > now) {
    await tx.execute(makeDueAnyway, { hostname, now });
    await tx.execute(updateRenewal, { hostname, renewal: JSON.stringify({ ...renewal, renewAt: now }) });
  }
  return 'ordered';
}

/** Puts the certificate of a restored domain in use again, sealed as it is. */
export async function restoreCertificate(tx: Transaction, hostname: string, issued: Issued, now: number) {
  await tx.execute(updateImported, { hostname, nextTryAt: nextTryAt(issued, now) });
  await putInUse(tx, hostname, issued, now);
}

function nextTryAt({ renewal: { renewAt, askAgainAt } }: Issued, now: number): number {
  return Math.min(renewAt, askAgainAt ?? renewAt, now + LONGEST_WAIT_MS);
}

async function renewCertificate(tx: Transaction, hostname: string, now: number) {
  if ((await tx.execute(makeDue, { hostname, now })) === 0) {
    return (await findCertificate(tx, hostname)) === null ? 'missing' : 'leased';
  }
  const renewal = (await findCertificate(tx, hostname))?.issued?.renewal;
  if (renewal !== undefined) {
    await tx.execute(updateRenewal, { hostname, renewal: JSON.stringify({ ...renewal, renewAt: now }) });
  }
  return 'accepted';
}

async function replaceRevoked(
  tx: Transaction,
  { hostname, chain, withdraw }: Parameters<CertificateStore['replaceRevoked']>[0],
  now: number,
) {
  // First, because it locks the row. If another certificate is in use by now, this costs it one look.
  await tx.execute(makeDueAnyway, { hostname, now });
  const issued = (await findCertificate(tx, hostname))?.issued;
  if (issued?.chain !== chain) return 'other';
  if (!withdraw) {
    await tx.execute(updateRenewal, { hostname, renewal: JSON.stringify({ ...issued.renewal, renewAt: now }) });
    return 'replaced';
  }
  const isBegun = await isOrdered(tx, hostname);
  await tx.execute(deleteServed, { hostname });
  await lookSoon(tx, hostname, now + AFTER_CERTIFICATE_MS);
  await tx.execute(updateWithdrawn, { hostname, state: isBegun ? 'ordering' : 'wanted', begun: isBegun ? 1 : 0 });
  logChange(tx, 'certificate', hostname);
  return 'replaced';
}

/** The domain of a certificate, which its events are about. */
export async function ownerOf(reader: Reader, hostname: string): Promise<string | undefined> {
  return (await findCertificate(reader, hostname))?.domainId;
}

/** A name of the operator belongs to no workspace. */
async function certificateTargets(
  tx: Transaction,
  name: string,
  detail: Record<string, unknown> = {},
): Promise<AuditTarget[]> {
  const found = await findCertificate(tx, name);
  if (found === null) return [];
  const workspaceId = found.workspaceId === OPERATOR ? null : found.workspaceId;
  return [{ workspaceId, target: name, targetName: name, detail }];
}

/** Another workspace may have the name. */
async function ownTargets(tx: Transaction, name: string, domainId?: string): Promise<AuditTarget[]> {
  const found = await certificateTargets(tx, name);
  const owner = domainId === undefined ? null : await tx.one(selectOwner, { domainId });
  return owner === null ? found : [{ workspaceId: owner.workspaceId, target: name, targetName: name, detail: {} }];
}

export const certificateChanges = {
  importCertificate: defineChange({
    perform: importCertificate,
    prepare: async (reader, hostname, issued, now, domainId) => [
      hostname,
      issued,
      now,
      domainId ?? (await ownerOf(reader, hostname)),
    ],
    locks: (_hostname, _issued, _now, domainId) => (domainId === undefined ? [] : [domainId]),
    audit: {
      targets: (tx, name, { notAfter }) => certificateTargets(tx, name, { notAfter }),
      isMade: isOutcome('imported'),
    },
    secret: (seal, hostname, issued, ...rest) => [hostname, sealedIssued(seal, hostname, issued), ...rest],
    invalidates: NO_DOMAINS,
  }),
  removeCertificate: defineChange({
    perform: removeCertificate,
    prepare: async (reader, hostname, now, domainId) => [hostname, now, domainId ?? (await ownerOf(reader, hostname))],
    locks: (_hostname, _now, domainId) => (domainId === undefined ? [] : [domainId]),
    audit: {
      targets: (tx, name, _, domainId) => ownTargets(tx, name, domainId),
      isMade: (outcome) => outcome === 'removed' || outcome === 'ordered',
    },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
  renewCertificate: defineChange({
    perform: renewCertificate,
    locks: NO_LOCKS,
    audit: { targets: (tx, name) => certificateTargets(tx, name), isMade: isOutcome('accepted') },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
  replaceRevoked: defineChange({
    perform: replaceRevoked,
    locks: NO_LOCKS,
    audit: {
      targets: (tx, { hostname, reason }) => certificateTargets(tx, hostname, { reason }),
      // The CA has revoked it, also where another one is in use by now.
      isMade: () => true,
    },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
};

async function putInUse(tx: Transaction, hostname: string, issued: Issued, now: number): Promise<void> {
  const renewal = JSON.stringify(issued.renewal);
  await keepFallback(tx, hostname, issued);
  await tx.execute(upsertServed, { hostname, ...issued, renewal, expiringAt: announcedAt(issued) });
  dropInherited(tx, hostname);
  await lookSoon(tx, hostname, now + AFTER_CERTIFICATE_MS);
  logChange(tx, 'certificate', hostname);
}

/** Records an event if the certificate in use or the problem's reason has changed. */
async function recordChange(tx: Transaction, before: Certificate, after: Certificate, now: number): Promise<void> {
  const type = eventOf(before, after);
  const domain = type && (await findDomainById(tx, after.workspaceId, after.domainId));
  if (type === null || domain === null) return;
  const details = { certificate: certificateAfter(after) };
  await recordEvent(tx, type, domain, now, details);
  const isPrepared = domain.status !== 'verified';
  if (type === 'certificate.issued' && isPrepared) await recordEvent(tx, 'site.ready_to_switch', domain, now, details);
}

/** The certificate as an event shows it. */
export function certificateAfter({ state, problem, issued }: Certificate): CertificateAfter {
  return {
    state,
    reason: problem?.reason ?? null,
    message: problem?.message ?? null,
    issuer: issued?.issuer ?? null,
    notAfter: issued?.notAfter ?? null,
  };
}

function eventOf(before: Certificate, after: Certificate): DomainEventType | null {
  if (after.issued !== before.issued) return before.issued === null ? 'certificate.issued' : 'certificate.renewed';
  const isNew = after.problem !== null && after.problem.reason !== before.problem?.reason;
  return isNew ? 'certificate.failed' : null;
}

function selectOwner(db: Tables, p: { domainId: string }) {
  return db.selectFrom('domains').where('id', '=', p.domainId).select('workspaceId');
}

const SAVED = [
  ...(['state', 'problem', 'selfCheck', 'failures', 'authorizationFailedAt', 'challenge'] as const),
  ...(['nextTryAt', 'begun'] as const),
] as const;

function updateLeased(db: Tables, p: Pick<Schema['certificates'], 'hostname' | 'lease' | (typeof SAVED)[number]>) {
  return whereHeld(db, p).set({ ...pick(p, SAVED), leasedUntil: null });
}

/** Also revokes a lease. */
function updateImported(db: Tables, p: { hostname: string; nextTryAt: number }) {
  return db
    .updateTable('certificates')
    .where('hostname', '=', p.hostname)
    .set((of) => ({
      state: 'issued',
      problem: null,
      failures: 0,
      nextTryAt: p.nextTryAt,
      leasedUntil: null,
      lease: of('lease', '+', 1),
      begun: 1,
    }));
}

function makeDue(db: Tables, p: { hostname: string; now: number }) {
  return makeDueAnyway(db, p).where((of) => of.or([of('leasedUntil', 'is', null), of('leasedUntil', '<=', p.now)]));
}

/** Also revokes a lease. */
function makeDueAnyway(db: Tables, p: { hostname: string; now: number }) {
  return db
    .updateTable('certificates')
    .where('hostname', '=', p.hostname)
    .set((of) => ({ nextTryAt: p.now, leasedUntil: null, lease: of('lease', '+', 1) }));
}

function updateWithdrawn(db: Tables, p: { hostname: string; state: CertificateState; begun: number }) {
  return db
    .updateTable('certificates')
    .where('hostname', '=', p.hostname)
    .set({ state: p.state, problem: null, failures: 0, begun: p.begun });
}

function deleteServed(db: Tables, p: { hostname: string }) {
  return db.deleteFrom('servedCertificates').where('hostname', '=', p.hostname);
}

const ISSUED = ['issuer', 'chain', 'privateKey', 'notBefore', 'notAfter', 'issuedAt', 'renewal', 'expiringAt'] as const;

function upsertServed(db: Tables, p: Schema['servedCertificates']) {
  const served = pick(p, ISSUED);
  return db
    .insertInto('servedCertificates')
    .values({ hostname: p.hostname, ...served })
    .onConflict((on) => on.column('hostname').doUpdateSet(served));
}

function updateRenewal(db: Tables, p: { hostname: string; renewal: string }) {
  return db.updateTable('servedCertificates').where('hostname', '=', p.hostname).set({ renewal: p.renewal });
}

/** A certificate in use that expires soon. */
export interface ExpiringCertificate {
  hostname: string;
  domainId: string;
  notAfter: number;
  /** When `certificate.expiring` was due. */
  dueAt: number;
}

/** The certificates that expire soon, and of which nobody has been told; at most `limit`. */
export async function findExpiring(reader: Reader, now: number, limit: number): Promise<ExpiringCertificate[]> {
  return reader.all(selectExpiring, { now, limit });
}

/**
 * Adds the event of one, unless it was added, or the certificate renewed, since it was found. Its domain must be locked: where another domain has the name now, nothing is
 * done, and the next run finds that one.
 */
export async function recordExpiring(tx: Transaction, { domainId, ...expiring }: ExpiringCertificate, now: number) {
  const certificate = await findCertificate(tx, expiring.hostname);
  if (certificate !== null && certificate.domainId !== domainId) return;
  if ((await tx.execute(updateExpiring, { ...expiring, at: null })) === 0) return;
  const domain = certificate && (await findDomainById(tx, certificate.workspaceId, domainId));
  if (certificate === null || domain === null) return;
  await recordEvent(tx, 'certificate.expiring', domain, now, { certificate: certificateAfter(certificate) });
}

function selectExpiring(db: Tables, p: { now: number; limit: number }) {
  return db
    .selectFrom('servedCertificates as served')
    .innerJoin('routes', 'routes.hostname', 'served.hostname')
    .where('served.expiringAt', '<=', p.now)
    .orderBy('served.expiringAt')
    .limit(p.limit)
    .select(['served.hostname', 'routes.domainId', 'served.notAfter'])
    .select((of) => of.ref('served.expiringAt').$notNull().as('dueAt'));
}

function updateExpiring(db: Tables, p: { hostname: string; notAfter: number; dueAt: number; at: number | null }) {
  return db
    .updateTable('servedCertificates')
    .where('hostname', '=', p.hostname)
    .where('notAfter', '=', p.notAfter)
    .where('expiringAt', '=', p.dueAt)
    .set({ expiringAt: p.at });
}
