import { sql } from 'kysely';
import { effectiveSuspension, type Suspension, type SuspensionStatus } from '../../domain/suspension.ts';
import { ofWorkspace } from '../audit/entries.ts';
import { logChange } from '../cache/change-log.ts';
import { defineChange, isOutcome, isTrue } from '../engine/change.ts';
import { pick, type Reader, type Tables, type Transaction } from '../engine/statement.ts';
import { NO_DOMAINS, NO_LOCKS, NO_SECRET } from '../engine/write.ts';
import type { SuspensionChange, WorkspaceSuspension } from '../store.ts';
import { domainTargets, findDomainById, findDomainByName } from './domains.ts';
import { recordEvent } from './events.ts';
import { logRedirect } from './redirect-rows.ts';

async function suspendDomain(
  tx: Transaction,
  workspaceId: string,
  domainId: string,
  status: SuspensionStatus,
  now: number,
): Promise<SuspensionChange> {
  const domain = await findDomainById(tx, workspaceId, domainId);
  if (domain === null) return { kind: 'missing' };
  const before = await findOwnSuspension(tx, workspaceId, domainId);
  const isChange = before?.status !== status;
  if (isChange) {
    await putSuspension(tx, domainId, { status, suspendedAt: now });
    await recordEvent(tx, 'domain.suspended', domain, now, { suspension: { status } });
    await logRedirect(tx, domain);
  }
  return { kind: isChange ? 'changed' : 'unchanged', suspension: await findSuspension(tx, workspaceId, domainId) };
}

async function resumeDomain(
  tx: Transaction,
  workspaceId: string,
  domainId: string,
  now: number,
): Promise<SuspensionChange> {
  const domain = await findDomainById(tx, workspaceId, domainId);
  if (domain === null) return { kind: 'missing' };
  const before = await findOwnSuspension(tx, workspaceId, domainId);
  const isChange = before !== null;
  if (isChange) {
    await tx.execute(deleteSuspension, { domainId });
    await recordEvent(tx, 'domain.resumed', domain, now, { suspension: { status: before.status } });
    await logRedirect(tx, domain);
  }
  return { kind: isChange ? 'changed' : 'unchanged', suspension: await findSuspension(tx, workspaceId, domainId) };
}

export async function putSuspension(tx: Transaction, domainId: string, suspension: WorkspaceSuspension): Promise<void> {
  await tx.execute(upsertSuspension, { domainId, ...suspension });
}

export async function findSuspension(
  reader: Reader,
  workspaceId: string,
  domainId: string,
): Promise<Suspension | null> {
  const row = await reader.one(selectSuspensions, { workspaceId, domainId });
  return row && suspensionOf(row);
}

/** The workspace's own suspension, whatever the operator has suspended. */
export async function findOwnSuspension(
  reader: Reader,
  workspaceId: string,
  domainId: string,
): Promise<Suspension | null> {
  const row = await reader.one(selectSuspensions, { workspaceId, domainId });
  return row && suspensionOf({ ...row, operatorStatus: null });
}

async function setWorkspaceSuspension(
  tx: Transaction,
  workspaceId: string,
  suspension: WorkspaceSuspension | null,
  name?: string,
): Promise<boolean> {
  if (name !== undefined) return setNameSuspension(tx, { workspaceId, name }, suspension);
  const { status = null, suspendedAt = null } = suspension ?? {};
  const isFound = (await tx.execute(updateWorkspace, { workspaceId, status, suspendedAt })) > 0;
  if (isFound) await logChange(tx, 'workspace', workspaceId);
  return isFound;
}

export const suspensionChanges = {
  suspendDomain: defineChange({
    perform: suspendDomain,
    locks: (_, domainId) => [domainId],
    audit: {
      targets: (tx, workspaceId, id, status) => domainTargets(tx, workspaceId, id, { status }),
      isMade: isOutcome('changed'),
    },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
  resumeDomain: defineChange({
    perform: resumeDomain,
    locks: (_, domainId) => [domainId],
    audit: { targets: (tx, workspaceId, id) => domainTargets(tx, workspaceId, id), isMade: isOutcome('changed') },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
  setWorkspaceSuspension: defineChange({
    perform: setWorkspaceSuspension,
    locks: NO_LOCKS,
    audit: {
      targets(_, id, suspension, name) {
        const target = ofWorkspace(id, { status: suspension?.status ?? null });
        return [name === undefined ? target : { ...target, target: name, targetName: name }];
      },
      isMade: isTrue,
    },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
};

async function setNameSuspension(
  tx: Transaction,
  of: { workspaceId: string; name: string },
  suspension: WorkspaceSuspension | null,
): Promise<boolean> {
  const domain = await findDomainByName(tx, of.workspaceId, of.name);
  if (suspension === null ? (await tx.execute(deleteName, of)) === 0 : domain === null) return false;
  if (suspension !== null) await tx.execute(upsertName, { ...of, ...suspension });
  if (domain !== null) await logRedirect(tx, domain);
  return true;
}

export async function findWorkspaceSuspension(
  reader: Reader,
  workspaceId: string,
): Promise<WorkspaceSuspension | null> {
  const { status = null, suspendedAt = null } = (await reader.one(selectWorkspace, { workspaceId })) ?? {};
  return status === null || suspendedAt === null ? null : { status, suspendedAt };
}

/** The operator's suspension: that of the workspace, or else that of the name in it. */
const ofOperator = <T>(column: 'status' | 'suspendedAt', ofWorkspace: 'suspendedStatus' | 'suspendedAt') =>
  sql<T | null>`coalesce(workspaces.${sql.ref(ofWorkspace)}, (
    select suspended.${sql.ref(column)} from suspended_names as suspended
    where suspended.workspace_id = domains.workspace_id and suspended.name = domains.name
  ))`;

/** To be joined as these: `domains`, `suspensions`, `workspaces`. */
export const suspensionColumns = [
  'suspensions.status as ownStatus',
  'suspensions.suspendedAt as ownSuspendedAt',
  ofOperator<SuspensionStatus>('status', 'suspendedStatus').as('operatorStatus'),
  ofOperator<number>('suspendedAt', 'suspendedAt').as('operatorSuspendedAt'),
] as const;

export interface SuspensionRow {
  ownStatus: SuspensionStatus | null;
  ownSuspendedAt: number | null;
  operatorStatus: SuspensionStatus | null;
  operatorSuspendedAt: number | null;
}

export function suspensionOf(row: SuspensionRow): Suspension | null {
  const { ownStatus, ownSuspendedAt, operatorStatus, operatorSuspendedAt } = row;
  return effectiveSuspension(
    operatorStatus === null ? null : { status: operatorStatus, by: 'operator', suspendedAt: operatorSuspendedAt ?? 0 },
    ownStatus === null ? null : { status: ownStatus, by: 'workspace', suspendedAt: ownSuspendedAt ?? 0 },
  );
}

function selectSuspensions(db: Tables, p: { workspaceId: string; domainId: string }) {
  return db
    .selectFrom('domains')
    .innerJoin('workspaces', 'workspaces.id', 'domains.workspaceId')
    .leftJoin('suspensions', 'suspensions.domainId', 'domains.id')
    .where('domains.id', '=', p.domainId)
    .where('domains.workspaceId', '=', p.workspaceId)
    .select(suspensionColumns);
}

function upsertSuspension(db: Tables, p: WorkspaceSuspension & { domainId: string }) {
  const suspension = pick(p, ['status', 'suspendedAt']);
  return db
    .insertInto('suspensions')
    .values({ domainId: p.domainId, ...suspension })
    .onConflict((on) => on.column('domainId').doUpdateSet(suspension));
}

function deleteSuspension(db: Tables, p: { domainId: string }) {
  return db.deleteFrom('suspensions').where('domainId', '=', p.domainId);
}

function upsertName(db: Tables, p: WorkspaceSuspension & { workspaceId: string; name: string }) {
  const suspension = pick(p, ['status', 'suspendedAt']);
  return db
    .insertInto('suspendedNames')
    .values({ workspaceId: p.workspaceId, name: p.name, ...suspension })
    .onConflict((on) => on.columns(['workspaceId', 'name']).doUpdateSet(suspension));
}

function deleteName(db: Tables, p: { workspaceId: string; name: string }) {
  return db.deleteFrom('suspendedNames').where('workspaceId', '=', p.workspaceId).where('name', '=', p.name);
}

function updateWorkspace(
  db: Tables,
  p: { workspaceId: string; status: SuspensionStatus | null; suspendedAt: number | null },
) {
  return db
    .updateTable('workspaces')
    .where('id', '=', p.workspaceId)
    .set({ suspendedStatus: p.status, suspendedAt: p.suspendedAt });
}

function selectWorkspace(db: Tables, p: { workspaceId: string }) {
  return db
    .selectFrom('workspaces')
    .where('id', '=', p.workspaceId)
    .select(['suspendedStatus as status', 'suspendedAt']);
}
