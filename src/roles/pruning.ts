import { setImmediate } from 'node:timers/promises';
import type { Stoppable } from '../net/listen.ts';
import { IDEMPOTENCY_KEPT_MS } from '../store/contract/idempotency-store.ts';
import type { RoleDeps } from './roles.ts';

type PruningDeps = Pick<RoleDeps, 'clock'> & {
  config: Pick<RoleDeps['config'], 'eventsKeepMs' | 'webhookDeliveriesKeepMs'>;
  store: Pick<
    RoleDeps['store'],
    'pruneChanges' | 'pruneRequests' | 'pruneEvents' | 'pruneDeliveries' | 'pruneIdempotencyKeys' | 'pruneSetupLinks'
  >;
};

const EVERY_MS = 60_000;
/** No change feed is ever this far behind. */
const CHANGES_KEPT_MS = 10 * 60_000;
/** The clocks of nodes differ by less. */
const RATE_WINDOWS_KEPT_MS = 10 * 60_000;

/** How long set-up links are kept after they expired, so that their customers are told so. */
const EXPIRED_LINKS_KEPT_MS = 30 * 86_400_000;

/** Rows that one write deletes: a few milliseconds. */
export const ROWS_AT_ONCE = 500;
/** So many writes a minute at most, for each kind of rows: what is left over is deleted in the minutes after. */
export const STEPS = 40;

/** Deletes what is kept for a while: every process does it once a minute. `stop` resolves when nothing is in flight. */
export function startPruning(deps: PruningDeps & Pick<RoleDeps, 'log'>): Stoppable {
  let inFlight: Promise<void> | undefined;
  let stopped = false;

  function run(): void {
    inFlight ??= prune(deps, () => stopped)
      .catch((error: unknown) => {
        deps.log.warn(
          { err: error },
          'old events, deliveries, idempotency keys, set-up links, changes and rate limit windows could not be pruned; retrying in a minute',
        );
      })
      .finally(() => {
        inFlight = undefined;
      });
  }
  const timer = setInterval(run, EVERY_MS);

  return {
    async stop() {
      stopped = true;
      clearInterval(timer);
      await inFlight;
    },
  };
}

/** Prunes once. Between two steps other writes have their turn. */
export async function prune({ store, config, clock }: PruningDeps, isStopped = () => false): Promise<void> {
  const now = clock.now();
  await Promise.all([store.pruneChanges(now - CHANGES_KEPT_MS), store.pruneRequests(now - RATE_WINDOWS_KEPT_MS)]);
  await inSteps(() => store.pruneEvents(now - config.eventsKeepMs, ROWS_AT_ONCE), isStopped);
  await inSteps(() => store.pruneDeliveries(now - config.webhookDeliveriesKeepMs, ROWS_AT_ONCE), isStopped);
  await inSteps(() => store.pruneIdempotencyKeys(now - IDEMPOTENCY_KEPT_MS, ROWS_AT_ONCE), isStopped);
  await inSteps(() => store.pruneSetupLinks(now - EXPIRED_LINKS_KEPT_MS, ROWS_AT_ONCE), isStopped);
}

async function inSteps(deleteRows: () => Promise<number>, isStopped: () => boolean): Promise<void> {
  for (let step = 0; step < STEPS && !isStopped(); step++) {
    if ((await deleteRows()) < ROWS_AT_ONCE) return;
    await setImmediate();
  }
}
