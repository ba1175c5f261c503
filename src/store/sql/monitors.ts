import type { Domain } from '../../domain/domain.ts';
import type { MonitorMemory } from '../../domain/monitoring.ts';
import { followUpAt } from '../../domain/monitoring-schedule.ts';
import { furthestDueAt } from '../../domain/schedule.ts';
import type { DueRecheck, MonitorClaim, MonitorStore } from '../contract/store.ts';
import { saveResult } from './check-results.ts';
import { changeDomain, domainColumns, domainOf, isNotOf, selectRevision } from './domains.ts';
import { recordEvent, recordFlags } from './events.ts';
import { scheduleUnmonitored } from './monitor-schedule.ts';
import { removeRoute } from './routes.ts';
import type { Tables, Transaction } from './statement.ts';

type Save = Parameters<MonitorStore['saveMonitoring']>[0];

/** A claim whose random numbers are drawn already: it claims at most as many re-checks as there are `jitters`. */
export type PostedClaim = Omit<MonitorClaim, 'jitter' | 'limit'> & { jitters: number[] };

/** For an engine with one writer. */
export async function claimMonitored(tx: Transaction, claim: PostedClaim): Promise<DueRecheck[]> {
  const { now, intervalMs, jitters, except = '' } = claim;
  await scheduleUnmonitored(tx, now, intervalMs);
  if (jitters.length === 0) return [];
  const overdue = await tx.all(selectMonitors, { from: 0, to: now, limit: jitters.length, except });
  const tooFarAhead = await tx.all(selectMonitors, {
    from: furthestDueAt(now, intervalMs),
    to: Number.MAX_SAFE_INTEGER,
    limit: jitters.length - overdue.length,
    except,
  });
  const due: DueRecheck[] = [];
  for (const [i, row] of [...overdue, ...tooFarAhead].entries()) {
    await tx.execute(claimMonitor, { domainId: row.id, now, nextAt: nextAtOf(row, claim, jitters[i] ?? 0) });
    due.push(dueRecheckOf(row));
  }
  return due;
}

export type MonitorRow = Domain & {
  attempts: number;
  dueAt: number;
  suspected: string | null;
  driftedSince: number | null;
  goneSince: number | null;
  goneUntil: number | null;
  resultDigest: string | null;
};

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
  const stored = await tx.one(selectRevision, { id: before.id });
  if (stored?.revision !== before.revision) return 'stale';
  const monitor = await tx.one(selectMonitor, { domainId: before.id });
  if (monitor?.attempts !== attempts) return 'stale';
  const { suspected, driftedSince, goneSince, goneUntil } = memory;
  await tx.execute(updateMonitor, {
    domainId: before.id,
    suspected: suspected.length === 0 ? null : JSON.stringify(suspected),
    driftedSince,
    goneSince,
    goneUntil,
    nextAt: save.nextCheckAt ?? monitor.nextAt,
  });
  if (result !== undefined) await saveResult(tx, before.id, result, now);
  if (after.revision !== before.revision) await changeDomain(tx, after);
  if (after.status === 'failed') {
    await removeRoute(tx, after);
    await recordEvent(tx, 'domain.failed', after, now);
    return 'saved';
  }
  await recordFlags(tx, { before, after, seen: save.seen, at: now });
  if (driftedSince !== null && monitor.driftedSince === null) {
    await recordEvent(tx, 'domain.drifted', after, now);
  } else if (driftedSince === null && monitor.driftedSince !== null) {
    await recordEvent(tx, 'domain.recovered', after, now);
  }
  return 'saved';
}

/** Due after `from` and until `to`. */
export function selectMonitors(db: Tables, p: { from: number; to: number; limit: number; except: string }) {
  return db
    .selectFrom('monitors')
    .innerJoin('domains', 'domains.id', 'monitors.domain_id')
    .leftJoin('check_results as results', 'results.domain_id', 'monitors.domain_id')
    .where('monitors.next_check_at', '>', p.from)
    .where('monitors.next_check_at', '<=', p.to)
    .where(isNotOf(p.except))
    .orderBy('monitors.next_check_at')
    .limit(p.limit)
    .select(domainColumns)
    .select([
      'monitors.next_check_at as dueAt',
      'monitors.attempts',
      'monitors.suspected',
      'monitors.drifted_since as driftedSince',
      'monitors.gone_since as goneSince',
      'monitors.gone_until as goneUntil',
      'results.digest as resultDigest',
    ]);
}

function claimMonitor(db: Tables, p: { domainId: string; now: number; nextAt: number }) {
  return db
    .updateTable('monitors')
    .where('domain_id', '=', p.domainId)
    .set((of) => ({ next_check_at: p.nextAt, last_check_at: p.now, attempts: of('attempts', '+', 1) }));
}

function selectMonitor(db: Tables, p: { domainId: string }) {
  return db
    .selectFrom('monitors')
    .where('domain_id', '=', p.domainId)
    .select(['attempts', 'drifted_since as driftedSince', 'next_check_at as nextAt']);
}

type MonitorUpdate = Omit<MonitorMemory, 'suspected'> & { domainId: string; suspected: string | null; nextAt: number };

function updateMonitor(db: Tables, p: MonitorUpdate) {
  return db.updateTable('monitors').where('domain_id', '=', p.domainId).set({
    suspected: p.suspected,
    drifted_since: p.driftedSince,
    gone_since: p.goneSince,
    gone_until: p.goneUntil,
    next_check_at: p.nextAt,
  });
}
