import type { InferResult } from 'kysely';
import type { Domain } from '../../domain/domain.ts';
import type { SiteSettings } from '../../domain/site-settings.ts';
import { logChange } from '../cache/change-log.ts';
import { columnsOf, pick, type Reader, type Tables, type Transaction } from '../engine/statement.ts';
import type { Schema } from '../schema/schema.ts';
import type { DeletedDomain, IssuedCertificate, Redirect, WorkspaceSuspension } from '../store.ts';
import { domainIn } from './domain-rows.ts';

/** The redirect of a deleted domain, as its row has it. */
export type HeldRedirect = Pick<Redirect, 'destinationId' | 'status'>;

export interface HeldDomain extends DeletedDomain {
  redirect: HeldRedirect | null;
  suspension: WorkspaceSuspension | null;
  settings: SiteSettings | null;
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

/** The workspace's own suspension of a domain that is about to be deleted. */
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
    settings,
  }: Pick<HeldDomain, 'deletedAt' | 'keptUntil' | 'redirect' | 'suspension' | 'settings'>,
): Promise<void> {
  const { id, workspaceId, name } = domain;
  const held = { id, workspaceId, name, deletedAt, keptUntil };
  const json = {
    redirect: redirect && JSON.stringify(redirect),
    suspension: suspension && JSON.stringify(suspension),
    settings: settings && JSON.stringify(settings),
  };
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
  return db.deleteFrom('deletedDomains').where('id', '=', p.id);
}

export async function pruneDeletedDomains(tx: Transaction, now: number, limit: number): Promise<number> {
  return tx.execute(deleteExpired, { now, limit });
}

const HELD = ['domain', 'redirect', 'suspension', 'settings', 'deletedAt', 'keptUntil'] as const;

function heldOf({
  domain,
  redirect,
  suspension,
  settings,
  ...times
}: InferResult<ReturnType<typeof selectHeld>>[number]): HeldDomain {
  const parsed: HeldRedirect | null = redirect && JSON.parse(redirect);
  return {
    ...times,
    domain: domainIn(domain),
    redirect: parsed,
    suspension: suspension && JSON.parse(suspension),
    settings: settings && JSON.parse(settings),
    destinationId: parsed?.destinationId ?? null,
  };
}

function selectHeld(db: Tables, p: { workspaceId: string; now: number }) {
  return db
    .selectFrom('deletedDomains')
    .where('workspaceId', '=', p.workspaceId)
    .where('keptUntil', '>', p.now)
    .select([...HELD, 'supersededAt']);
}

function selectRestorable(db: Tables, p: { workspaceId: string; pattern: string; now: number }) {
  return db
    .selectFrom('deletedDomains')
    .where('workspaceId', '=', p.workspaceId)
    .where('keptUntil', '>', p.now)
    .where('supersededAt', 'is', null)
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
  return selectHeld(db, p).where('name', '=', p.key).orderBy('deletedAt', 'desc').orderBy('id', 'desc').limit(1);
}

type NewHeld = Omit<Schema['deletedDomains'], 'supersededAt'>;

function insertHeld(db: Tables, p: NewHeld) {
  return db.insertInto('deletedDomains').values(pick(p, ['id', 'workspaceId', 'name', ...HELD]));
}

const CERTIFICATE = [
  'hostname',
  'issuer',
  'chain',
  'privateKey',
  'notBefore',
  'notAfter',
  'issuedAt',
  'renewal',
] as const;

function holdCertificate(db: Tables, p: { domainId: string; hostname: string }) {
  return db
    .insertInto('deletedCertificates')
    .columns(['domainId', ...CERTIFICATE])
    .expression((of) =>
      of
        .selectFrom('servedCertificates')
        .innerJoin('routes', 'routes.hostname', 'servedCertificates.hostname')
        .where('servedCertificates.hostname', '=', p.hostname)
        .where('routes.domainId', '=', p.domainId)
        .select('routes.domainId')
        .select(columnsOf('servedCertificates', CERTIFICATE)),
    );
}

function selectLinks(db: Tables, p: { domainId: string }) {
  return db.selectFrom('setupLinks').where('domainId', '=', p.domainId).where('revokedAt', 'is', null).select('id');
}

function selectSuspension(db: Tables, p: { domainId: string }) {
  return db.selectFrom('suspensions').where('domainId', '=', p.domainId).select(['status', 'suspendedAt']);
}

function selectCertificate(db: Tables, p: { domainId: string }) {
  return db
    .selectFrom('deletedCertificates')
    .where('domainId', '=', p.domainId)
    .select(['issuer', 'chain', 'privateKey', 'notBefore', 'notAfter', 'issuedAt', 'renewal']);
}

function markSuperseded(db: Tables, p: { workspaceId: string; name: string; at: number }) {
  return db
    .updateTable('deletedDomains')
    .where('name', '=', p.name)
    .where('workspaceId', '<>', p.workspaceId)
    .where('supersededAt', 'is', null)
    .set({ supersededAt: p.at });
}

function deleteSupersededCertificates(db: Tables, p: { name: string }) {
  return db
    .deleteFrom('deletedCertificates')
    .where('domainId', 'in', (of) =>
      of.selectFrom('deletedDomains').where('name', '=', p.name).where('supersededAt', 'is not', null).select('id'),
    );
}

function deleteExpired(db: Tables, p: { now: number; limit: number }) {
  return db
    .deleteFrom('deletedDomains')
    .where('id', 'in', (of) =>
      of.selectFrom('deletedDomains').where('keptUntil', '<=', p.now).orderBy('keptUntil').limit(p.limit).select('id'),
    );
}
