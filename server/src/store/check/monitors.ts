import type { InferResult } from 'kysely';
import type { MonitorMemory } from '../../domain/monitoring.ts';
import { followUpAt } from '../../domain/monitoring-schedule.ts';
import { domainColumns, domainOf } from '../domain/domain-rows.ts';
import { changeDomain, isNotOf } from '../domain/domains.ts';
import { recordEvent, recordFlags } from '../domain/events.ts';
import { removeRoute } from '../domain/routes.ts';
import type { Tables, Transaction } from '../engine/statement.ts';
import type { DueRecheck, MonitorClaim, MonitorStore } from '../store.ts';
import { findingsIn, type Packable, saveResult } from './check-results.ts';
import { claimIn, type DueRange, findDue, lookSoon } from './schedules.ts';

type Save = Packable<Parameters<MonitorStore['saveMonitoring']>[0]>;

/** A claim whose random numbers are drawn already: it claims at most as many re-checks as there are `jitters`. */
export type PostedClaim = Omit<MonitorClaim, 'jitter' | 'limit'> & { jitters: number[] };

/** For an engine with one writer. */
export async function claimMonitored(tx: Transaction, claim: PostedClaim): Promise<DueRecheck[]> {
  const { now, intervalMs, jitters, except = '' } = claim;
  const due: DueRecheck[] = [];
  const rows = await findDue({ now, limit: jitters.length, periodMs: intervalMs }, (range) =>
    tx.all(selectMonitors, { ...range, except }),
  );
  for (const [i, row] of rows.entries()) {
    await tx.execute(claimMonitor, { domainId: row.id, now, nextAt: nextAtOf(row, claim, jitters[i] ?? 0) });
    due.push(dueRecheckOf(row));
  }
  return due;
}

export type MonitorRow = InferResult<ReturnType<typeof selectMonitors>>[number];

export function dueRecheckOf(row: MonitorRow): DueRecheck {
  const { attempts, dueAt, resultDigest } = row;
  return { domain: domainOf(row), memory: memoryOf(row), resultDigest, attempts: attempts + 1, dueAt };
}

function memoryOf({ suspected, driftedSince, goneSince, goneUntil }: MonitorRow): MonitorMemory {
  return { suspected: suspected === null ? [] : JSON.parse(suspected), driftedSince, goneSince, goneUntil };
}

/** When a re-check is due again that was claimed: the memory is that of the re-check before. `random` is in [0, 1). */
export function nextAtOf(
  row: MonitorRow,
  { now, intervalMs }: Pick<MonitorClaim, 'now' | 'intervalMs'>,
  random: number,
) {
  const memory = memoryOf(row);
  return followUpAt(memory, memory, now, intervalMs, random);
}

export async function saveMonitoring(tx: Transaction, save: Save): Promise<'saved' | 'stale'> {
  const { before, after, memory, attempts, result, now } = save;
  const stored = await tx.one(selectMonitor, { domainId: before.id });
  if (stored?.revision !== before.revision || stored.attempts !== attempts) return 'stale';
  const { suspected, driftedSince, goneSince, goneUntil } = memory;
  await tx.execute(updateMonitor, {
    domainId: before.id,
    suspected: suspected.length === 0 ? null : JSON.stringify(suspected),
    driftedSince,
    goneSince,
    goneUntil,
    nextAt: save.nextCheckAt ?? stored.nextAt,
  });
  const findings = findingsIn(result);
  if (after.revision !== before.revision) await changeDomain(tx, before, after);
  if (after.status === 'failed') {
    await removeRoute(tx, after, { reason: 'destination_failed', at: now });
    await recordEvent(tx, 'domain.failed', after, now, { findings });
    await saveResult(tx, save, true);
    return 'saved';
  }
  await recordFlags(tx, { before, after, seen: save.seen, findings, at: now });
  const drifts = driftedSince !== null && stored.driftedSince === null;
  if (drifts || (driftedSince === null && stored.driftedSince !== null)) await lookSoon(tx, after.name, now);
  if (drifts) {
    await recordEvent(tx, 'domain.drifted', after, now, { findings });
  } else if (driftedSince === null && stored.driftedSince !== null) {
    await recordEvent(tx, 'domain.recovered', after, now);
  }
  await saveResult(tx, save, drifts);
  return 'saved';
}

export function selectMonitors(db: Tables, p: DueRange & { except: string }) {
  return db
    .selectFrom('monitors')
    .innerJoin('domains', 'domains.id', 'monitors.domainId')
    .leftJoin('checkResults as results', 'results.domainId', 'monitors.domainId')
    .where('monitors.nextCheckAt', '>', p.from)
    .where('monitors.nextCheckAt', '<=', p.to)
    .where(isNotOf(p.except))
    .orderBy('monitors.nextCheckAt')
    .limit(p.limit)
    .select(domainColumns)
    .select([
      'monitors.nextCheckAt as dueAt',
      'monitors.attempts',
      'monitors.suspected',
      'monitors.driftedSince',
      'monitors.goneSince',
      'monitors.goneUntil',
      'results.digest as resultDigest',
    ]);
}

const claimMonitor = claimIn('monitors');

function selectMonitor(db: Tables, p: { domainId: string }) {
  return db
    .selectFrom('monitors')
    .innerJoin('domains', 'domains.id', 'monitors.domainId')
    .where('monitors.domainId', '=', p.domainId)
    .select(['domains.revision', 'monitors.attempts', 'monitors.driftedSince', 'monitors.nextCheckAt as nextAt']);
}

type MonitorUpdate = Omit<MonitorMemory, 'suspected'> & { domainId: string; suspected: string | null; nextAt: number };

function updateMonitor(db: Tables, p: MonitorUpdate) {
  return db.updateTable('monitors').where('domainId', '=', p.domainId).set({
    suspected: p.suspected,
    driftedSince: p.driftedSince,
    goneSince: p.goneSince,
    goneUntil: p.goneUntil,
    nextCheckAt: p.nextAt,
  });
}
