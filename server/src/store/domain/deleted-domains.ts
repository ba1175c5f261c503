import type { Domain } from '../../domain/domain.ts';
import { logChange } from '../cache/change-log.ts';
import type { Reader, Tables, Transaction } from '../engine/statement.ts';
import type { DeletedDomain, IssuedCertificate, Redirect, WorkspaceSuspension } from '../store.ts';
import { domainIn } from './domain-rows.ts';

/** The redirect of a deleted domain, as its row has it. */
export type HeldRedirect = Pick<Redirect, 'destinationId' | 'status'>;

export interface HeldDomain extends DeletedDomain {
  redirect: HeldRedirect | null;
  suspension: WorkspaceSuspension | null;
  /** When another workspace was verified for the name. */
  supersededAt: number | null;
}

export async function findDeletedDomain(
  reader: Reader,
  workspaceId: string,
  idOrName: string,
  now: number,
): Promise<DeletedDomain | null> {
  const key = { workspaceId, key: idOrName, now };
  const row = (await reader.one(selectHeldByName, key)) ?? (await reader.one(selectHeldById, key));
  if (row === null) return null;
  const { domain, deletedAt, keptUntil, destinationId } = heldOf(row);
  return { domain, deletedAt, keptUntil, destinationId };
}

export async function listRestorable(reader: Reader, workspaceId: string, environmentId: string, now: number) {
  // `hold` writes the domain as this JSON.
  const pattern = `%"environmentId":"${environmentId}"%`;
  return (await reader.all(selectRestorable, { workspaceId, pattern, now })).map(({ name }) => name);
}

export async function findHeld(reader: Reader, workspaceId: string, id: string, now: number) {
  const row = await reader.one(selectHeldById, { workspaceId, key: id, now });
  return row && heldOf(row);
}

/** What the workspace has suspended of a domain that is about to be deleted. */
export async function findHeldSuspension(reader: Reader, domainId: string): Promise<WorkspaceSuspension | null> {
  return reader.one(selectSuspension, { domainId });
}

/** The certificate that a deleted domain had in use, with its key as it is stored; null: none, or it was deleted since. */
export async function findHeldCertificate(
  reader: Reader,
  domainId: string,
): Promise<(IssuedCertificate & { privateKey: Uint8Array }) | null> {
  const row = await reader.one(selectCertificate, { domainId });
  return row && { ...row, renewal: JSON.parse(row.renewal) };
}

/** Keeps a domain that is about to be deleted, with the certificate that it has in use. */
export async function hold(
  tx: Transaction,
  domain: Domain,
  {
    deletedAt,
    keptUntil,
    redirect,
    suspension,
  }: Pick<HeldDomain, 'deletedAt' | 'keptUntil' | 'redirect' | 'suspension'>,
): Promise<void> {
  const { id, workspaceId, name } = domain;
  const held = { id, workspaceId, name, deletedAt, keptUntil };
  const json = { redirect: redirect && JSON.stringify(redirect), suspension: suspension && JSON.stringify(suspension) };
  await tx.execute(insertHeld, { ...held, domain: JSON.stringify(domain), ...json });
  // The links go with the domain. The log tells it to those that have one cached, before the domain may be there again.
  for (const link of await tx.all(selectLinks, { domainId: id })) await logChange(tx, 'setup_link', link.id);
  if (domain.status === 'verified') await tx.execute(holdCertificate, { domainId: id, hostname: name });
}

/** The name is another workspace's now: what is kept for it cannot be restored, and its private keys go at once. */
export async function supersedeHeld(
  tx: Transaction,
  { workspaceId, name }: Pick<Domain, 'workspaceId' | 'name'>,
  at: number,
): Promise<void> {
  if ((await tx.execute(markSuperseded, { workspaceId, name, at })) === 0) return;
  await tx.execute(deleteSupersededCertificates, { name });
}

/** Deletes its certificate as well (`on delete cascade`). */
export function deleteHeld(db: Tables, p: { id: string }) {
  return db.deleteFrom('deleted_domains').where('id', '=', p.id);
}

export async function pruneDeletedDomains(tx: Transaction, now: number, limit: number): Promise<number> {
  return tx.execute(deleteExpired, { now, limit });
}

interface HeldRow {
  domain: string;
  redirect: string | null;
  suspension: string | null;
  deletedAt: number;
  keptUntil: number;
  supersededAt: number | null;
}

function heldOf({ domain, redirect, suspension, ...times }: HeldRow): HeldDomain {
  const parsed: HeldRedirect | null = redirect && JSON.parse(redirect);
  return {
    ...times,
    domain: domainIn(domain),
    redirect: parsed,
    suspension: suspension && JSON.parse(suspension),
    destinationId: parsed?.destinationId ?? null,
  };
}

function selectHeld(db: Tables, p: { workspaceId: string; now: number }) {
  return db
    .selectFrom('deleted_domains')
    .where('workspace_id', '=', p.workspaceId)
    .where('kept_until', '>', p.now)
    .select([
      'domain',
      'redirect',
      'suspension',
      'deleted_at as deletedAt',
      'kept_until as keptUntil',
      'superseded_at as supersededAt',
    ]);
}

function selectRestorable(db: Tables, p: { workspaceId: string; pattern: string; now: number }) {
  return db
    .selectFrom('deleted_domains')
    .where('workspace_id', '=', p.workspaceId)
    .where('kept_until', '>', p.now)
    .where('superseded_at', 'is', null)
    .where('domain', 'like', p.pattern)
    .groupBy('name')
    .orderBy('name')
    .limit(1000)
    .select('name');
}

function selectHeldById(db: Tables, p: { workspaceId: string; key: string; now: number }) {
  return selectHeld(db, p).where('id', '=', p.key);
}

function selectHeldByName(db: Tables, p: { workspaceId: string; key: string; now: number }) {
  return selectHeld(db, p).where('name', '=', p.key).orderBy('deleted_at', 'desc').orderBy('id', 'desc').limit(1);
}

type NewHeld = Omit<HeldRow, 'supersededAt'> & { id: string; workspaceId: string; name: string };

function insertHeld(db: Tables, p: NewHeld) {
  return db.insertInto('deleted_domains').values({
    id: p.id,
    workspace_id: p.workspaceId,
    name: p.name,
    domain: p.domain,
    redirect: p.redirect,
    suspension: p.suspension,
    deleted_at: p.deletedAt,
    kept_until: p.keptUntil,
  });
}

const CERTIFICATE = [
  'hostname',
  'issuer',
  'chain',
  'private_key',
  'not_before',
  'not_after',
  'issued_at',
  'renewal',
] as const;

function holdCertificate(db: Tables, p: { domainId: string; hostname: string }) {
  return db
    .insertInto('deleted_certificates')
    .columns(['domain_id', ...CERTIFICATE])
    .expression((of) =>
      of
        .selectFrom('served_certificates')
        .innerJoin('routes', 'routes.hostname', 'served_certificates.hostname')
        .where('served_certificates.hostname', '=', p.hostname)
        .where('routes.domain_id', '=', p.domainId)
        .select('routes.domain_id')
        .select(CERTIFICATE.map((column) => `served_certificates.${column}` as const)),
    );
}

function selectLinks(db: Tables, p: { domainId: string }) {
  return db.selectFrom('setup_links').where('domain_id', '=', p.domainId).where('revoked_at', 'is', null).select('id');
}

function selectSuspension(db: Tables, p: { domainId: string }) {
  return db
    .selectFrom('suspensions')
    .where('domain_id', '=', p.domainId)
    .select(['status', 'suspended_at as suspendedAt']);
}

function selectCertificate(db: Tables, p: { domainId: string }) {
  return db
    .selectFrom('deleted_certificates')
    .where('domain_id', '=', p.domainId)
    .select([
      'issuer',
      'chain',
      'private_key as privateKey',
      'not_before as notBefore',
      'not_after as notAfter',
      'issued_at as issuedAt',
      'renewal',
    ]);
}

function markSuperseded(db: Tables, p: { workspaceId: string; name: string; at: number }) {
  return db
    .updateTable('deleted_domains')
    .where('name', '=', p.name)
    .where('workspace_id', '<>', p.workspaceId)
    .where('superseded_at', 'is', null)
    .set({ superseded_at: p.at });
}

function deleteSupersededCertificates(db: Tables, p: { name: string }) {
  return db
    .deleteFrom('deleted_certificates')
    .where('domain_id', 'in', (of) =>
      of.selectFrom('deleted_domains').where('name', '=', p.name).where('superseded_at', 'is not', null).select('id'),
    );
}

function deleteExpired(db: Tables, p: { now: number; limit: number }) {
  return db
    .deleteFrom('deleted_domains')
    .where('id', 'in', (of) =>
      of
        .selectFrom('deleted_domains')
        .where('kept_until', '<=', p.now)
        .orderBy('kept_until')
        .limit(p.limit)
        .select('id'),
    );
}
