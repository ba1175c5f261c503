import { setImmediate } from 'node:timers/promises';
import { repeat } from '../base/repeat.ts';
import type { Stoppable } from '../net/listen.ts';
import { IDEMPOTENCY_KEPT_MS } from '../store/audit/audit-store.ts';
import type { GuardedClock } from '../verification/guarded-clock.ts';
import type { RoleDeps } from './roles.ts';

interface PruningDeps {
  clock: GuardedClock;
  config: Pick<RoleDeps['config'], 'eventsKeepMs' | 'auditKeepMs' | 'webhookDeliveriesKeepMs'>;
  store: Pick<
    RoleDeps['store'],
    | 'pruneChanges'
    | 'pruneRequests'
    | 'pruneEvents'
    | 'pruneAuditEntries'
    | 'pruneDeliveries'
    | 'pruneIdempotencyKeys'
    | 'pruneSetupLinks'
    | 'pruneDashboardSessions'
    | 'pruneDeletedDomains'
    | 'pruneUsage'
  >;
}

const EVERY_MS = 60_000;
/** No change feed falls this far behind. */
const CHANGES_KEPT_MS = 10 * 60_000;
/** The clocks of nodes differ by less. */
const RATE_WINDOWS_KEPT_MS = 10 * 60_000;

/** How long usage is kept. */
export const USAGE_KEPT_MS = 90 * 86_400_000;

/** Set-up links are kept for this long after they expired, so that their customers learn it. */
const EXPIRED_LINKS_KEPT_MS = 30 * 86_400_000;

/** Rows that one write deletes: a few milliseconds. */
export const ROWS_AT_ONCE = 500;
/** Longest time of a run for rows of one kind: the next run deletes the rest. */
export const BUDGET_MS = 10_000;

/**
 * Deletes rows whose retention has ended, once a minute in every process. `stop` resolves when nothing is in flight.
 */
export function startPruning(deps: PruningDeps & Pick<RoleDeps, 'log'>): Stoppable {
  let stopped = false;
  const message =
    'old events, entries of the audit log, deliveries, idempotency keys, set-up links, sessions, deleted domains, usage, changes and rate limit windows could not be pruned; retrying in a minute';
  const pruning = repeat(() => prune(deps, { isStopped: () => stopped }), {
    everyMs: EVERY_MS,
    message,
    log: deps.log,
  });
  return {
    stop() {
      stopped = true;
      return pruning.stop();
    },
  };
}

interface PruningControl {
  isStopped(): boolean;
  /** A monotonic clock. */
  elapsedMs(): number;
}

/** Prunes once. Other writes run between two steps. */
export async function prune(
  { store, config, clock }: PruningDeps,
  { isStopped = () => false, elapsedMs = () => performance.now() }: Partial<PruningControl> = {},
): Promise<void> {
  const now = clock.now();
  const control = { isStopped, elapsedMs };
  await Promise.all([store.pruneChanges(now - CHANGES_KEPT_MS), store.pruneRequests(now - RATE_WINDOWS_KEPT_MS)]);
  if (!clock.isTrusted()) return;
  await inSteps(() => store.pruneEvents(now - config.eventsKeepMs, ROWS_AT_ONCE), control);
  await inSteps(() => store.pruneAuditEntries(now - config.auditKeepMs, ROWS_AT_ONCE), control);
  await inSteps(() => store.pruneDeliveries(now - config.webhookDeliveriesKeepMs, ROWS_AT_ONCE), control);
  await inSteps(() => store.pruneIdempotencyKeys(now - IDEMPOTENCY_KEPT_MS, ROWS_AT_ONCE), control);
  await inSteps(() => store.pruneSetupLinks(now - EXPIRED_LINKS_KEPT_MS, ROWS_AT_ONCE), control);
  await inSteps(() => store.pruneDashboardSessions(now, ROWS_AT_ONCE), control);
  await inSteps(() => store.pruneDeletedDomains(now, ROWS_AT_ONCE), control);
  await inSteps(() => store.pruneUsage(now - USAGE_KEPT_MS, ROWS_AT_ONCE), control, 1);
}

async function inSteps(
  deleteRows: () => Promise<number>,
  { isStopped, elapsedMs }: PruningControl,
  rowsAtOnce = ROWS_AT_ONCE,
): Promise<void> {
  const endsAt = elapsedMs() + BUDGET_MS;
  while (!isStopped() && elapsedMs() < endsAt) {
    if ((await deleteRows()) < rowsAtOnce) return;
    await setImmediate();
  }
}
