import type { InferResult } from 'kysely';
import { CONFIRM_MS, type LiveMemory, LOOK_INTERVAL_MS } from '../../domain/live.ts';
import { domainColumns, domainOf } from '../domain/domain-rows.ts';
import { findDomainById, isNotOf } from '../domain/domains.ts';
import { recordEvent } from '../domain/events.ts';
import type { Reader, Tables, Transaction } from '../engine/statement.ts';
import type { DueLook, LiveStore } from '../store.ts';
import { type DueRange, findDue } from './schedules.ts';

export async function findDueLooks(
  reader: Reader,
  { now, limit, except = '' }: Parameters<LiveStore['claimLooks']>[0],
): Promise<DueLook[]> {
  const due = { now, limit, periodMs: LOOK_INTERVAL_MS };
  const rows = await findDue(due, async (range) => reader.all(selectLiveChecks, { ...range, except }));
  return rows.map((row) => ({
    domain: domainOf(row),
    memory: memoryOf(row),
    dueAt: row.nextCheckAt,
    lease: now + CONFIRM_MS,
  }));
}

interface Lease {
  domainId: string;
  dueAt: number;
  lease: number;
}

/** The part of a due look that claims it. */
export function leaseOf({ domain, dueAt, lease }: DueLook): Lease {
  return { domainId: domain.id, dueAt, lease };
}

/** Ids of the domains whose looks were still due. */
export async function claimLooks(tx: Transaction, leases: Lease[]): Promise<string[]> {
  const claimed: string[] = [];
  // In one order, so that two claims that meet do not wait for each other.
  for (const lease of leases.toSorted((a, b) => (a.domainId < b.domainId ? -1 : 1)))
    if ((await tx.execute(giveLease, lease)) > 0) claimed.push(lease.domainId);
  return claimed;
}

export async function saveLook(tx: Transaction, save: Parameters<LiveStore['saveLook']>[0]) {
  const { domain, lease, memory, event, findings = [], nextAt, now } = save;
  const { live, isDoubted } = memory;
  const columns = { state: live?.state ?? null, seen: live && JSON.stringify(live), doubted: isDoubted ? 1 : 0 };
  const held = { domainId: domain.id, lease };
  if ((await tx.execute(updateLiveCheck, { ...held, ...columns, nextAt })) === 0) return 'stale';
  const current = event && (await findDomainById(tx, domain.workspaceId, domain.id));
  const seen = { ...(live && { live }), ...(findings.length > 0 && { findings }) };
  if (event !== null && current !== null && live !== null) await recordEvent(tx, event, current, now, seen);
  return 'saved';
}

type LiveRow = InferResult<ReturnType<typeof selectLiveChecks>>[number];

function memoryOf({ seen, doubted }: Pick<LiveRow, 'seen' | 'doubted'>): LiveMemory {
  return { live: seen === null ? null : JSON.parse(seen), isDoubted: doubted === 1 };
}

export function selectLiveChecks(db: Tables, p: DueRange & { except: string }) {
  return db
    .selectFrom('liveChecks')
    .innerJoin('domains', 'domains.id', 'liveChecks.domainId')
    .where('liveChecks.nextCheckAt', '>', p.from)
    .where('liveChecks.nextCheckAt', '<=', p.to)
    .where(isNotOf(p.except))
    .orderBy('liveChecks.nextCheckAt')
    .limit(p.limit)
    .select(domainColumns)
    .select(['liveChecks.nextCheckAt', 'liveChecks.state', 'liveChecks.seen', 'liveChecks.doubted']);
}

function giveLease(db: Tables, p: Lease) {
  return db
    .updateTable('liveChecks')
    .where('domainId', '=', p.domainId)
    .where('nextCheckAt', '=', p.dueAt)
    .set({ nextCheckAt: p.lease });
}

interface LiveUpdate {
  domainId: string;
  lease: number;
  state: LiveRow['state'];
  seen: string | null;
  doubted: number;
  nextAt: number;
}

function updateLiveCheck(db: Tables, p: LiveUpdate) {
  return db
    .updateTable('liveChecks')
    .where('domainId', '=', p.domainId)
    .where('nextCheckAt', '=', p.lease)
    .set({ state: p.state, seen: p.seen, doubted: p.doubted, nextCheckAt: p.nextAt });
}
