import { sql } from 'kysely';
import type { Domain } from '../../domain/domain.ts';
import type { Deletion } from '../../domain/domain-event.ts';
import { isShared } from '../../domain/shared-target.ts';
import { changed, isReplaceable, retry, windowEndsAt } from '../../domain/status.ts';
import { type AuditTarget, ofDomain } from '../audit/entries.ts';
import { logChange } from '../cache/change-log.ts';
import { sealedBrought, stage } from '../certificate/staged-certificates.ts';
import { removeCheck, scheduleCheck } from '../check/schedules.ts';
import { defineChange, isOutcome } from '../engine/change.ts';
import { pick, type Reader, type Tables, type Transaction } from '../engine/statement.ts';
import { NO_DOMAINS, NO_SECRET } from '../engine/write.ts';
import type {
  BroughtCertificates,
  Creation,
  Environment,
  Moved,
  PairCreation,
  Replacing,
  WorkspaceLimits,
} from '../store.ts';
import { selectEnvironmentId } from '../tree/tree.ts';
import { endUsage } from '../usage/usage.ts';
import { findHeldSuspension, hold } from './deleted-domains.ts';
import { insertPairs, placeOf, updatePairs } from './domain-pairs.ts';
import { DOMAIN, domainColumns } from './domain-rows.ts';
import { recordEvent, wasVerified } from './events.ts';
import { addRedirect, endRedirectsTo, findRedirect } from './redirect-rows.ts';
import { removeRoute } from './routes.ts';
import { selectTarget } from './shared-targets.ts';
import { findSettings } from './site-settings-rows.ts';

export async function findDomainByName(reader: Reader, workspaceId: string, name: string) {
  return reader.one(selectDomainByName, { workspaceId, name });
}

export async function findDomainById(reader: Reader, workspaceId: string, id: string) {
  return reader.one(selectDomainById, { workspaceId, id });
}

export async function findReplaceable(reader: Reader, workspaceId: string, name: string): Promise<Domain | null> {
  const holder = await findDomainByName(reader, workspaceId, name);
  return holder !== null && isReplaceable(holder) && !(await wasVerified(reader, holder.id)) ? holder : null;
}

export async function findTargetOutside(reader: Reader, zone: string): Promise<string | null> {
  return (await reader.one(selectTargetOutside, { inZone: `%.${zone}` }))?.target ?? null;
}

async function createDomain(
  tx: Transaction,
  domain: Domain,
  windowEndsAt: number,
  replacing?: Replacing,
): Promise<Creation> {
  return (await createDomains(tx, [domain], windowEndsAt, replacing))[0] ?? { kind: 'environment_missing' };
}

async function createDomains(
  tx: Transaction,
  domains: readonly Domain[],
  windowEndsAt: number,
  replacing: Replacing = NOTHING,
  brought: BroughtCertificates = {},
): Promise<Creation[]> {
  const [first] = domains;
  const place = first === undefined ? null : await tx.one(selectPlace, first);
  if (place === null) return domains.map(() => ({ kind: 'environment_missing' }));
  const { domains: limit }: WorkspaceLimits = JSON.parse(place.limits);
  let room: number | undefined;
  const creations: Creation[] = [];
  for (const given of domains) {
    const domain = await withSharedTarget(tx, given);
    if (domain === null) {
      creations.push({ kind: 'target_missing' });
      continue;
    }
    const holder = await findDomainByName(tx, domain.workspaceId, domain.name);
    if (holder !== null && (await isStillReplaceable(tx, holder, replacing))) {
      const deletion = { reason: 'replaced', by: domain.id } as const;
      await removeDomain(tx, holder, domain.createdAt, replacing.keptUntil, { deletion });
      await insertNew(tx, domain, windowEndsAt, brought);
      creations.push({ kind: 'created', replaced: holder.id });
      continue;
    }
    if (holder !== null) {
      creations.push({ kind: 'held', domainId: holder.id, environmentId: holder.environmentId });
      continue;
    }
    if (limit !== null) {
      room ??= await countRoom(tx, domain.workspaceId, limit);
      if (room === 0) {
        creations.push({ kind: 'quota', limit });
        continue;
      }
      room -= 1;
    }
    await insertNew(tx, domain, windowEndsAt, brought);
    creations.push({ kind: 'created' });
  }
  return creations;
}

/** The domain with the addresses that its shared target has now; null: its workspace has no such target. */
export async function withSharedTarget(tx: Transaction, domain: Domain): Promise<Domain | null> {
  if (!isShared(domain)) return domain;
  const found = await tx.one(selectTarget, { host: domain.target });
  return found?.workspaceId === domain.workspaceId ? { ...domain, sharedAddresses: found.addresses } : null;
}

const NOTHING: Replacing = { holders: [], keptUntil: 0 };

/** Whether a domain is one of those that may be replaced: it may have been verified, moved or deleted since they were found. */
async function isStillReplaceable(tx: Transaction, { id, environmentId }: Domain, { holders }: Replacing) {
  const found = holders.find((holder) => holder.id === id && holder.environmentId === environmentId);
  return found !== undefined && (await findReplaceable(tx, found.workspaceId, found.name))?.id === id;
}

/** The domains that are about to be replaced. */
async function replacedTargets(
  tx: Transaction,
  domains: readonly Domain[],
  replacing = NOTHING,
): Promise<AuditTarget[]> {
  const targets: AuditTarget[] = [];
  for (const { id, workspaceId, name } of replacing.holders) {
    const by = domains.find((domain) => domain.name === name);
    const holder = by && (await findDomainById(tx, workspaceId, id));
    if (by && holder && (await isStillReplaceable(tx, holder, replacing))) {
      targets.push({ ...ofDomain(holder), detail: { replacedBy: by.id } });
    }
  }
  return targets;
}

const holderIds = (replacing?: Replacing) => (replacing?.holders ?? []).map(({ id }) => id);

/** Whether each of the new domains was created, and each of those that were to be replaced, was. */
function madeOf(creations: readonly Creation[]): boolean[] {
  const replaced = creations.filter((creation) => creation.kind === 'created' && creation.replaced !== undefined);
  return [...creations.map(isOutcome('created')), ...replaced.map(() => true)];
}

async function createDomainWithWww(
  tx: Transaction,
  domain: Domain,
  second: Domain,
  windowEndsAt: number,
): Promise<PairCreation> {
  const pair = await Promise.all([withSharedTarget(tx, domain), withSharedTarget(tx, second)]);
  const [first, other] = pair;
  if (!first || !other) return { kind: 'target_missing', name: domain.name };
  for (const each of [first, other]) {
    const refusal = await refuseCreation(tx, each, 2);
    if (refusal !== null) return { ...refusal, name: each.name };
  }
  await insertNew(tx, first, windowEndsAt);
  await insertNew(tx, other, windowEndsAt);
  const redirect = { domainId: second.id, destinationId: domain.id, to: domain.name, status: 308 } as const;
  await addRedirect(tx, second, { ...redirect, setAt: second.createdAt });
  return { kind: 'created', name: domain.name };
}

/** Why the workspace cannot have the domain, or so many more; null: it can. */
export async function refuseCreation(
  tx: Transaction,
  domain: Domain,
  count = 1,
): Promise<Exclude<Creation, { kind: 'created' }> | null> {
  const place = await tx.one(selectPlace, domain);
  if (place === null) return { kind: 'environment_missing' };
  const holder = await findDomainByName(tx, domain.workspaceId, domain.name);
  if (holder !== null) return { kind: 'held', domainId: holder.id, environmentId: holder.environmentId };
  const { domains: limit }: WorkspaceLimits = JSON.parse(place.limits);
  if (limit !== null && (await countRoom(tx, domain.workspaceId, limit)) < count) return { kind: 'quota', limit };
  return null;
}

/** Domains that the workspace may have beyond those it has. */
async function countRoom(tx: Transaction, workspaceId: string, limit: number): Promise<number> {
  const held = await tx.one(countDomains, { workspaceId, limit });
  return limit - (held?.count ?? 0);
}

async function insertNew(
  tx: Transaction,
  domain: Domain,
  windowEndsAt: number,
  brought: BroughtCertificates = {},
): Promise<void> {
  const { id: domainId, createdAt } = domain;
  tx.write(insertDomain, domain);
  const certificate = brought[domainId];
  if (certificate !== undefined) stage(tx, domain, certificate);
  insertPairs(tx, domain);
  scheduleCheck(tx, { domainId, at: createdAt, windowEndsAt });
  await recordEvent(tx, 'domain.created', domain, createdAt);
}

async function retryVerification(
  tx: Transaction,
  workspaceId: string,
  domainId: string,
  now: number,
  windowMs: number,
) {
  const domain = await findDomainById(tx, workspaceId, domainId);
  if (domain === null) return 'missing';
  const after = retry(domain, now);
  if (after === null) return 'verified';
  if (after !== domain) await changeDomain(tx, domain, after);
  scheduleCheck(tx, { domainId, at: now, windowEndsAt: windowEndsAt(after, windowMs) });
  if (after !== domain) await recordEvent(tx, 'domain.retried', after, now);
  return 'accepted';
}

async function deleteDomain(tx: Transaction, workspaceId: string, domainId: string, now: number, keptUntil = now) {
  const domain = await findDomainById(tx, workspaceId, domainId);
  if (domain === null) return 'missing';
  await removeDomain(tx, domain, now, keptUntil);
  return 'deleted';
}

async function removeDomain(
  tx: Transaction,
  domain: Domain,
  now: number,
  keptUntil: number,
  why: { deletion?: Deletion } = {},
): Promise<void> {
  const { id: domainId, workspaceId } = domain;
  if (keptUntil > now) {
    const suspension = await findHeldSuspension(tx, domainId);
    const settings = await findSettings(tx, domainId);
    const redirect = await findRedirect(tx, workspaceId, domainId);
    await hold(tx, domain, { deletedAt: now, keptUntil, redirect, suspension, settings });
  }
  const end = { reason: 'destination_deleted', at: now } as const;
  // Redirects may lead to a domain that has no route yet.
  await endRedirectsTo(tx, domain, end);
  await removeRoute(tx, domain, end);
  removeCheck(tx, domainId);
  tx.write(deleteDomainRow, { id: domainId });
  endUsage(tx, domain, now);
  logChange(tx, 'domain', domainId);
  await recordEvent(tx, 'domain.deleted', domain, now, why);
}

/** The domain, if the workspace has it. */
export async function domainTargets(
  tx: Transaction,
  workspaceId: string,
  domainId: string,
  detail: Record<string, unknown> = {},
): Promise<AuditTarget[]> {
  const found = await findDomainById(tx, workspaceId, domainId);
  return found === null ? [] : [{ ...ofDomain(found), detail }];
}

export const domainChanges = {
  createDomain: defineChange({
    perform: createDomain,
    // The workspace, for its names and its quota.
    locks: ({ workspaceId, environmentId }, _, replacing) => [workspaceId, environmentId, ...holderIds(replacing)],
    audit: {
      targets: async (tx, domain, _, replacing) => [
        ofDomain(domain),
        ...(await replacedTargets(tx, [domain], replacing)),
      ],
      isMade: (outcome) => madeOf([outcome]),
    },
    secret: NO_SECRET,
    invalidates: (_, __, replacing) => holderIds(replacing),
  }),
  createDomains: defineChange({
    perform: createDomains,
    locks: ([first], _, replacing) =>
      first === undefined ? [] : [first.workspaceId, first.environmentId, ...holderIds(replacing)],
    audit: {
      targets: async (tx, domains, _, replacing, brought = {}) => [
        ...domains.map((domain) => {
          const certificate = brought[domain.id];
          return { ...ofDomain(domain), ...(certificate && { detail: { notAfter: certificate.notAfter } }) };
        }),
        ...(await replacedTargets(tx, domains, replacing)),
      ],
      isMade: madeOf,
    },
    secret: (seal, domains, windowEndsAt, replacing, brought = {}) => [
      domains,
      windowEndsAt,
      replacing,
      sealedBrought(seal, domains, brought),
    ],
    invalidates: (_, __, replacing) => holderIds(replacing),
  }),
  createDomainWithWww: defineChange({
    perform: createDomainWithWww,
    locks: ({ workspaceId, environmentId }) => [workspaceId, environmentId],
    audit: { targets: (_, domain, second) => [domain, second].map(ofDomain), isMade: isOutcome('created') },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
  retryVerification: defineChange({
    perform: retryVerification,
    locks: (_, domainId) => [domainId],
    audit: { targets: (tx, workspaceId, id) => domainTargets(tx, workspaceId, id), isMade: isOutcome('accepted') },
    secret: NO_SECRET,
    invalidates: (_, domainId) => [domainId],
  }),
  deleteDomain: defineChange({
    perform: deleteDomain,
    locks: (_, domainId) => [domainId],
    audit: { targets: (tx, workspaceId, id) => domainTargets(tx, workspaceId, id), isMade: isOutcome('deleted') },
    secret: NO_SECRET,
    invalidates: (_, domainId) => [domainId],
  }),
};

/** Updates the columns that can change, and logs the change. False, and nothing is changed, where `before.revision` is no longer the domain's. */
export async function changeDomain(tx: Transaction, before: Pick<Domain, 'revision'>, after: Domain): Promise<boolean> {
  if ((await tx.execute(updateDomain, { ...after, readRevision: before.revision })) === 0) return false;
  logChange(tx, 'domain', after.id);
  return true;
}

const CHANGING = [
  'status',
  'routingVerifiedAt',
  'ownershipVerifiedAt',
  'challengeVerifiedAt',
  'verificationError',
  'updatedAt',
  'verifiedAt',
  'windowStartedAt',
  'revision',
] as const;

function updateDomain(db: Tables, p: Domain & { readRevision: number }) {
  return db.updateTable('domains').where('id', '=', p.id).where('revision', '=', p.readRevision).set(pick(p, CHANGING));
}

/**
 * That a domain is not of this workspace. Written as an expression, of which PostgreSQL knows no statistics: where one workspace has nearly all
 * domains, it would expect to find hardly any, and sort everything that is due instead of reading the first of it in order.
 */
export function isNotOf(workspaceId: string) {
  return sql<boolean>`(domains.workspace_id || '') <> ${workspaceId}`;
}

function selectDomainByName(db: Tables, p: { workspaceId: string; name: string }) {
  return db
    .selectFrom('domains')
    .where('workspaceId', '=', p.workspaceId)
    .where('name', '=', p.name)
    .select(domainColumns);
}

function selectDomainById(db: Tables, p: { workspaceId: string; id: string }) {
  return db.selectFrom('domains').where('id', '=', p.id).where('workspaceId', '=', p.workspaceId).select(domainColumns);
}

function selectTargetOutside(db: Tables, p: { inZone: string }) {
  return db
    .selectFrom('domains')
    .where('sharedAddresses', 'is', null)
    .where('target', 'not like', p.inZone)
    .select('target')
    .limit(1);
}

function selectPlace(db: Tables, p: { workspaceId: string; environmentId: string }) {
  return db
    .selectFrom('environments')
    .innerJoin('workspaces', 'workspaces.id', 'environments.workspaceId')
    .where('environments.id', '=', p.environmentId)
    .where('workspaces.id', '=', p.workspaceId)
    .select('workspaces.limits');
}

/** Counts up to the limit. */
function countDomains(db: Tables, p: { workspaceId: string; limit: number }) {
  return db
    .selectFrom((of) =>
      of.selectFrom('domains').where('workspaceId', '=', p.workspaceId).limit(p.limit).select('name').as('held'),
    )
    .select((of) => of.fn.countAll<number>().as('count'));
}

export function insertDomain(db: Tables, p: Domain) {
  return db.insertInto('domains').values(pick(p, DOMAIN));
}

/** Deletes what its last check found and its redirect as well (`on delete cascade`). */
function deleteDomainRow(db: Tables, p: { id: string }) {
  return db.deleteFrom('domains').where('id', '=', p.id);
}

async function moveDomain(
  tx: Transaction,
  domainId: string,
  target: Pick<Environment, 'id' | 'workspaceId' | 'projectId' | 'appId'>,
  now: number,
  mayDeploy = true,
): Promise<Moved> {
  const before = await findDomainById(tx, target.workspaceId, domainId);
  if (before === null) return { kind: 'missing' };
  if ((await tx.one(selectEnvironmentId, target)) === null) return { kind: 'environment_missing' };
  if (before.environmentId === target.id) return { kind: 'unchanged', domain: before };
  // It would get the secret of that environment.
  if (!mayDeploy && (await findSettings(tx, domainId))?.origin) return { kind: 'own_origin' };
  const { id: environmentId, projectId, appId } = target;
  const domain = changed({ ...before, environmentId, projectId, appId }, now);
  await tx.execute(updatePlace, domain);
  await tx.execute(updatePairs, { domainId, place: placeOf(domain) });
  if ((await tx.execute(updateRoute, { domainId, environmentId })) > 0) await logChange(tx, 'route', domain.name);
  await logChange(tx, 'domain', domainId);
  const move = { from: before.environmentId, to: environmentId };
  await recordEvent(tx, 'domain.moved', domain, now, { move });
  return { kind: 'moved', domain };
}

export const moveChanges = {
  moveDomain: defineChange({
    perform: moveDomain,
    // The environment, that it stays.
    locks: (domainId, { id }) => [domainId, id],
    audit: {
      targets: (tx, id, to) => domainTargets(tx, to.workspaceId, id, { environmentId: to.id }),
      isMade: isOutcome('moved'),
    },
    secret: NO_SECRET,
    invalidates: (domainId) => [domainId],
  }),
};

function updatePlace(db: Tables, p: Domain) {
  return db
    .updateTable('domains')
    .where('id', '=', p.id)
    .set(pick(p, ['environmentId', 'projectId', 'appId', 'updatedAt', 'revision']));
}

function updateRoute(db: Tables, p: { domainId: string; environmentId: string }) {
  return db.updateTable('routes').where('domainId', '=', p.domainId).set({ environmentId: p.environmentId });
}
