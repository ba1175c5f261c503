import { defineChange, isOutcome } from '../engine/change.ts';
import type { Tables, Transaction } from '../engine/statement.ts';
import { NO_DOMAINS, NO_LOCKS, NO_SECRET } from '../engine/write.ts';
import type { MadeKey, MakerProblem, RootKey } from '../store.ts';
import { createRootKey, findRootKey, keyTargets, logChangeOfKey, ROOT_KEYS_LOCK } from './access.ts';

// Keys make other keys, and tokens.

interface Maker {
  workspaceId: string;
  name: string;
  expiresAt: number | null;
  /** The limits of its workspace, as JSON. */
  limits: string;
}

/** The key as long as it may make something at this time, and something that expires then. */
export async function findMaker(
  tx: Transaction,
  makerId: string,
  made: { at: number; expiresAt: number | null },
): Promise<Maker | MakerProblem> {
  const maker = await tx.one(isSession(makerId) ? selectSession : selectMaker, { id: makerId });
  if (maker === null || hasExpired(maker, made.at)) return 'maker_missing';
  if (maker.disabledAt !== null) return 'maker_disabled';
  if (maker.workspaceDisabledAt !== null) return 'workspace_disabled';
  if (isSession(makerId)) return { ...maker, expiresAt: null };
  return (made.expiresAt ?? Number.POSITIVE_INFINITY) > (maker.expiresAt ?? Number.POSITIVE_INFINITY)
    ? 'outlives_maker'
    : maker;
}

/** Keys that a session makes outlive it; in their lists the operator made them. */
function isSession(makerId: string): boolean {
  return makerId.startsWith('ses_');
}

function hasExpired({ expiresAt }: { expiresAt: number | null }, at: number): boolean {
  return expiresAt !== null && expiresAt <= at;
}

async function createKeyBy(tx: Transaction, makerId: string, key: MadeKey, keyHash: Uint8Array) {
  const maker = await findMaker(tx, makerId, { at: key.createdAt, expiresAt: key.expiresAt });
  if (typeof maker === 'string') return maker;
  const { workspaceId } = maker;
  await createRootKey(
    tx,
    { ...key, workspaceId, disabledAt: null, createdBy: isSession(makerId) ? null : makerId },
    keyHash,
  );
  return 'created';
}

async function rotateRootKey(
  tx: Transaction,
  makerId: string | null,
  keyId: string,
  successor: Pick<RootKey, 'id' | 'start' | 'createdAt'>,
  keyHash: Uint8Array,
  overlapEndsAt: number,
) {
  const key = await findRootKey(tx, keyId);
  if (key === null) return 'missing';
  const { workspaceId, name, permissions, expiresAt } = key;
  if (makerId !== null) {
    const maker = await findMaker(tx, makerId, { at: successor.createdAt, expiresAt });
    if (typeof maker === 'string') return maker;
    if (maker.workspaceId !== workspaceId) return 'missing';
  }
  if (key.replacedBy !== null || key.disabledAt !== null || hasExpired(key, successor.createdAt))
    return 'not_rotatable';
  const about = {
    workspaceId,
    name,
    permissions,
    expiresAt,
    disabledAt: null,
    createdBy: makerId === null || isSession(makerId) ? null : makerId,
  };
  await createRootKey(tx, { ...successor, ...about }, keyHash);
  const expires = Math.min(overlapEndsAt, expiresAt ?? overlapEndsAt);
  await tx.execute(replaceKey, { id: keyId, expiresAt: expires, replacedBy: successor.id });
  await logChangeOfKey(tx, keyId);
  return 'rotated';
}

async function recordToken(
  tx: Transaction,
  makerId: string,
  { createdAt }: { subject: string; permissions: string[]; expiresAt: number; createdAt: number },
) {
  const maker = await findMaker(tx, makerId, { at: createdAt, expiresAt: createdAt });
  return typeof maker === 'string' ? maker : 'recorded';
}

export const madeKeyChanges = {
  createKeyBy: defineChange({
    perform: createKeyBy,
    locks: ROOT_KEYS_LOCK,
    audit: {
      targets: async (tx, makerId, { id, name, permissions, expiresAt }) => {
        const about = { target: id, targetName: name || null, detail: { permissions, expiresAt } };
        if (!isSession(makerId)) return keyTargets(tx, makerId, about);
        const session = await tx.one(selectSession, { id: makerId });
        return session === null ? [] : [{ workspaceId: session.workspaceId, ...about }];
      },
      isMade: isOutcome('created'),
    },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
  rotateRootKey: defineChange({
    perform: rotateRootKey,
    locks: ROOT_KEYS_LOCK,
    audit: {
      targets: async (tx, _, keyId, { id }, __, overlapEndsAt) => [
        ...(await keyTargets(tx, keyId, { detail: { replacedBy: id, overlapEndsAt } })),
        ...(await keyTargets(tx, keyId, { target: id, detail: { replaces: keyId } })),
      ],
      isMade: isOutcome('rotated'),
    },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
  recordToken: defineChange({
    perform: recordToken,
    locks: NO_LOCKS,
    audit: {
      targets: (tx, makerId, { subject, permissions, expiresAt }) =>
        keyTargets(tx, makerId, { detail: { subject, permissions, expiresAt } }),
      isMade: isOutcome('recorded'),
    },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
};

function selectMaker(db: Tables, p: { id: string }) {
  return db
    .selectFrom('rootKeys')
    .innerJoin('workspaces', 'workspaces.id', 'rootKeys.workspaceId')
    .where('rootKeys.id', '=', p.id)
    .select(['rootKeys.workspaceId', 'rootKeys.name', 'rootKeys.expiresAt', 'rootKeys.disabledAt', 'workspaces.limits'])
    .select('workspaces.disabledAt as workspaceDisabledAt');
}

function selectSession(db: Tables, p: { id: string }) {
  return db
    .selectFrom('dashboardSessions as session')
    .innerJoin('workspaces', 'workspaces.id', 'session.workspaceId')
    .where('session.id', '=', p.id)
    .where('session.openedAt', 'is not', null)
    .select(['session.workspaceId', 'session.subject as name', 'session.expiresAt', 'workspaces.limits'])
    .select((of) => [of.lit(null).as('disabledAt'), 'workspaces.disabledAt as workspaceDisabledAt']);
}

function replaceKey(db: Tables, p: { id: string; expiresAt: number; replacedBy: string }) {
  return db.updateTable('rootKeys').where('id', '=', p.id).set({ expiresAt: p.expiresAt, replacedBy: p.replacedBy });
}
