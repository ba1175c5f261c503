import type { AuditTarget } from '../audit/entries.ts';
import { logChange } from '../cache/change-log.ts';
import { defineChange, isFound, isOutcome, isTrue } from '../engine/change.ts';
import { pick, type Reader, type Tables, type Transaction } from '../engine/statement.ts';
import { NO_DOMAINS, NO_LOCKS, NO_SECRET } from '../engine/write.ts';
import type { DashboardSession } from '../store.ts';

async function createDashboardSession(tx: Transaction, session: DashboardSession, linkHash: Uint8Array) {
  if ((await tx.one(selectWorkspace, { id: session.workspaceId })) === null) return 'workspace_missing';
  await tx.execute(insertSession, { ...session, permissions: JSON.stringify(session.permissions), hash: linkHash });
  return 'created';
}

export async function findDashboardSession(reader: Reader, sessionId: string): Promise<DashboardSession | null> {
  return toSession(await reader.one(selectById, { id: sessionId }));
}

export async function findDashboardSessionByHash(reader: Reader, hash: Uint8Array): Promise<DashboardSession | null> {
  return toSession(await reader.one(selectByHash, { hash }));
}

async function openDashboardSession(
  tx: Transaction,
  linkHash: Uint8Array,
  opened: { secretHash: Uint8Array; openedAt: number; expiresAt: number },
): Promise<DashboardSession | null> {
  const isOpened = (await tx.execute(openLink, { linkHash, ...opened })) > 0;
  return isOpened ? findDashboardSessionByHash(tx, opened.secretHash) : null;
}

async function endDashboardSession(tx: Transaction, sessionId: string): Promise<boolean> {
  const isFound = (await tx.execute(deleteSession, { id: sessionId })) > 0;
  if (isFound) logChange(tx, 'dashboard_session', sessionId);
  return isFound;
}

export async function endDashboardSessions(tx: Transaction, workspaceId: string, subject: string | null) {
  const found =
    subject === null
      ? await tx.all(selectOfWorkspace, { workspaceId })
      : await tx.all(selectOfSubject, { workspaceId, subject });
  for (const { id } of found) await endDashboardSession(tx, id);
  return found.length;
}

export async function pruneDashboardSessions(tx: Transaction, before: number, limit: number): Promise<number> {
  return tx.execute(deleteExpired, { before, limit });
}

/** The entry of a session names its person, never its secret. */
function ofSession({ id, workspaceId, subject }: DashboardSession): AuditTarget {
  return { workspaceId, target: id, targetName: subject };
}

export const dashboardChanges = {
  createDashboardSession: defineChange({
    perform: createDashboardSession,
    locks: NO_LOCKS,
    audit: {
      targets: (_, session) => [{ ...ofSession(session), detail: { permissions: session.permissions } }],
      isMade: isOutcome('created'),
    },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
  openDashboardSession: defineChange({
    perform: openDashboardSession,
    locks: NO_LOCKS,
    audit: {
      async targets(tx, hash) {
        const session = await findDashboardSessionByHash(tx, hash);
        return session === null ? [] : [ofSession(session)];
      },
      isMade: isFound,
    },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
  endDashboardSession: defineChange({
    perform: endDashboardSession,
    locks: NO_LOCKS,
    audit: {
      async targets(tx, id) {
        const session = await findDashboardSession(tx, id);
        return session === null ? [] : [ofSession(session)];
      },
      isMade: isTrue,
    },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
  endDashboardSessions: defineChange({
    perform: endDashboardSessions,
    locks: NO_LOCKS,
    audit: {
      targets: (_, workspaceId, subject) => [{ workspaceId, target: workspaceId, detail: { subject } }],
      isMade: (ended: number) => ended > 0,
    },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
};

const SESSION = ['id', 'workspaceId', 'subject', 'permissions', 'createdAt', 'openedAt', 'expiresAt'] as const;

type Row = Omit<DashboardSession, 'permissions'> & { permissions: string };

function toSession(row: Row | null): DashboardSession | null {
  return row && { ...row, permissions: JSON.parse(row.permissions) };
}

function selectWorkspace(db: Tables, p: { id: string }) {
  return db.selectFrom('workspaces').where('id', '=', p.id).select('id');
}

function insertSession(db: Tables, p: Row & { hash: Uint8Array }) {
  return db.insertInto('dashboardSessions').values(pick(p, [...SESSION, 'hash']));
}

function selectById(db: Tables, p: { id: string }) {
  return db.selectFrom('dashboardSessions').where('id', '=', p.id).select(SESSION);
}

function selectByHash(db: Tables, p: { hash: Uint8Array }) {
  return db.selectFrom('dashboardSessions').where('hash', '=', p.hash).select(SESSION);
}

function selectOfWorkspace(db: Tables, p: { workspaceId: string }) {
  return db.selectFrom('dashboardSessions').where('workspaceId', '=', p.workspaceId).select('id');
}

function selectOfSubject(db: Tables, p: { workspaceId: string; subject: string }) {
  return selectOfWorkspace(db, p).where('subject', '=', p.subject);
}

function openLink(
  db: Tables,
  p: { linkHash: Uint8Array; secretHash: Uint8Array; openedAt: number; expiresAt: number },
) {
  return db
    .updateTable('dashboardSessions')
    .where('hash', '=', p.linkHash)
    .where('openedAt', 'is', null)
    .where('expiresAt', '>', p.openedAt)
    .set({ hash: p.secretHash, openedAt: p.openedAt, expiresAt: p.expiresAt });
}

function deleteSession(db: Tables, p: { id: string }) {
  return db.deleteFrom('dashboardSessions').where('id', '=', p.id);
}

function deleteExpired(db: Tables, p: { before: number; limit: number }) {
  return db
    .deleteFrom('dashboardSessions')
    .where('id', 'in', (of) =>
      of
        .selectFrom('dashboardSessions')
        .where('expiresAt', '<', p.before)
        .orderBy('expiresAt')
        .limit(p.limit)
        .select('id'),
    );
}
