import { sql } from 'kysely';
import { isSameAddress } from '../../domain/ip-address.ts';
import { areInLine } from '../../domain/shared-target.ts';
import { logChange } from '../cache/change-log.ts';
import { defineChange, isOutcome } from '../engine/change.ts';
import { pick, type Reader, type Tables, type Transaction } from '../engine/statement.ts';
import { NO_DOMAINS, NO_SECRET } from '../engine/write.ts';
import type { SharedTarget, TargetAddition, TargetRemoval } from '../store.ts';

export async function listSharedTargets(reader: Reader, workspaceId?: string): Promise<SharedTarget[]> {
  const rows =
    workspaceId === undefined ? reader.all(selectTargets, {}) : reader.all(selectOfWorkspace, { workspaceId });
  return (await rows).map(targetOf);
}

export async function findSharedTarget(
  reader: Reader,
  workspaceId: string,
  host: string,
): Promise<SharedTarget | null> {
  const row = await reader.one(selectTarget, { host });
  return row?.workspaceId === workspaceId ? targetOf(row) : null;
}

async function addSharedTarget(
  tx: Transaction,
  target: SharedTarget,
  domainIds: readonly string[] = [],
): Promise<TargetAddition> {
  const { host, workspaceId } = target;
  const row = { ...target, addresses: JSON.stringify(target.addresses) };
  if ((await tx.one(selectWorkspace, { workspaceId })) === null) return { kind: 'workspace_missing' };
  const holder = await findHolder(tx, target);
  if (holder !== null) return { kind: 'taken', ...holder };
  if ((await tx.one(selectTarget, { host })) === null) {
    await tx.execute(insertTarget, row);
    return { kind: 'added', domains: 0 };
  }
  const outdated = await tx.all(selectOutdated, row);
  const expected = new Set(domainIds);
  if (!outdated.every(({ id }) => expected.has(id))) return { kind: 'busy' };
  await tx.execute(updateTarget, row);
  for (const { id } of outdated) {
    await tx.execute(updateAddresses, { id, addresses: row.addresses });
    await logChange(tx, 'domain', id);
  }
  return { kind: 'added', domains: outdated.length };
}

/** Who has something that a new target must not be, and what. */
async function findHolder(tx: Transaction, target: SharedTarget): Promise<{ by: string; what: string } | null> {
  const { host, workspaceId, addresses } = target;
  for (const other of await listSharedTargets(tx)) {
    if (other.workspaceId === workspaceId) continue;
    const address = other.addresses.find((each) => addresses.some((own) => isSameAddress(own, each)));
    const what = areInLine(host, other.host) ? other.host : address;
    if (what !== undefined) return { by: other.workspaceId, what };
  }
  const near = { host, below: `%.${host}`, workspaceId };
  return (await tx.one(selectVerifiedNear, near)) ?? (await tx.one(selectOwnTargetNear, near));
}

async function removeSharedTarget(tx: Transaction, host: string, workspaceId: string): Promise<TargetRemoval> {
  const target = await tx.one(selectTarget, { host });
  if (target?.workspaceId !== workspaceId) return { kind: 'missing' };
  const domains = (await tx.one(countDomains, { host }))?.count ?? 0;
  if (domains > 0) return { kind: 'in_use', domains };
  await tx.execute(deleteTarget, { host });
  return { kind: 'removed' };
}

/** One operator changes them at a time. Domains are created with them under the lock of their workspace. */
const LOCK = 'shared_targets';

export const targetChanges = {
  addSharedTarget: defineChange({
    perform: addSharedTarget,
    async prepare(reader, target: SharedTarget): Promise<[SharedTarget, string[]]> {
      const row = { ...target, addresses: JSON.stringify(target.addresses) };
      return [target, (await reader.all(selectOutdated, row)).map(({ id }) => id)];
    },
    locks: ({ workspaceId }) => [LOCK, workspaceId],
    audit: {
      targets: (_, { host, workspaceId, addresses }) => [{ workspaceId, target: host, detail: { addresses } }],
      isMade: isOutcome('added'),
    },
    secret: NO_SECRET,
    invalidates: (_, domainIds = []) => [...domainIds],
  }),
  removeSharedTarget: defineChange({
    perform: removeSharedTarget,
    locks: (_, workspaceId) => [LOCK, workspaceId],
    audit: {
      targets: (_, host, workspaceId) => [{ workspaceId, target: host }],
      isMade: isOutcome('removed'),
    },
    secret: NO_SECRET,
    invalidates: NO_DOMAINS,
  }),
};

const TARGET = ['host', 'workspaceId', 'addresses', 'createdAt'] as const;
type TargetRow = Omit<SharedTarget, 'addresses'> & { addresses: string };

function targetOf({ addresses, ...row }: TargetRow): SharedTarget {
  return { ...row, addresses: JSON.parse(addresses) };
}

function selectTargets(db: Tables, _: object) {
  return db.selectFrom('sharedTargets').orderBy('host').select(TARGET);
}

function selectOfWorkspace(db: Tables, p: { workspaceId: string }) {
  return selectTargets(db, p).where('workspaceId', '=', p.workspaceId);
}

interface Near {
  host: string;
  below: string;
}

/** A verified domain of another workspace at the host, above or below it. It scans the index of verified names. */
function selectVerifiedNear(db: Tables, p: Near & { workspaceId: string }) {
  return db
    .selectFrom('domains')
    .where('status', '=', sql.lit('verified'))
    .where('workspaceId', '<>', p.workspaceId)
    .where((of) =>
      of.or([
        of('name', '=', p.host),
        of('name', 'like', p.below),
        sql<boolean>`cast(${p.host} as text) like '%.' || name`,
        sql<boolean>`name like '*.%' and cast(${p.host} as text) like '%' || substr(name, 2)`,
      ]),
    )
    .select(['workspaceId as by', 'name as what'])
    .limit(1);
}

/** A domain whose own target the host is, or is above or below. */
function selectOwnTargetNear(db: Tables, p: Near) {
  return db
    .selectFrom('domains')
    .where('sharedAddresses', 'is', null)
    .where((of) =>
      of.or([
        of('target', '=', p.host),
        of('target', 'like', p.below),
        sql<boolean>`cast(${p.host} as text) like '%.' || target`,
      ]),
    )
    .select(['workspaceId as by', 'target as what'])
    .limit(1);
}

/** The target of this host, in any workspace. */
export function selectTarget(db: Tables, p: { host: string }) {
  return db.selectFrom('sharedTargets').where('host', '=', p.host).select(TARGET);
}

function selectWorkspace(db: Tables, p: { workspaceId: string }) {
  return db.selectFrom('workspaces').where('id', '=', p.workspaceId).select('id');
}

function insertTarget(db: Tables, p: TargetRow) {
  return db.insertInto('sharedTargets').values(pick(p, TARGET));
}

function updateTarget(db: Tables, p: TargetRow) {
  return db.updateTable('sharedTargets').where('host', '=', p.host).set({ addresses: p.addresses });
}

/** Domains that have other addresses of the target. */
function selectOutdated(db: Tables, p: TargetRow) {
  return db
    .selectFrom('domains')
    .where('target', '=', p.host)
    .where('sharedAddresses', 'is not', null)
    .where('sharedAddresses', '<>', p.addresses)
    .select('id');
}

/** The result of a check that read the former addresses is stale. */
function updateAddresses(db: Tables, p: { id: string; addresses: string }) {
  return db
    .updateTable('domains')
    .where('id', '=', p.id)
    .set((of) => ({ sharedAddresses: p.addresses, revision: of('revision', '+', 1) }));
}

function countDomains(db: Tables, p: { host: string }) {
  return db
    .selectFrom('domains')
    .where('target', '=', p.host)
    .where('sharedAddresses', 'is not', null)
    .select((of) => of.fn.countAll<number>().as('count'));
}

function deleteTarget(db: Tables, p: { host: string }) {
  return db.deleteFrom('sharedTargets').where('host', '=', p.host);
}

export function deleteTargetsOf(db: Tables, p: { workspaceId: string }) {
  return db.deleteFrom('sharedTargets').where('workspaceId', '=', p.workspaceId);
}
