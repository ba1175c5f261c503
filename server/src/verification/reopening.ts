import type { Log } from '../base/log.ts';
import { repeat } from '../base/repeat.ts';
import { CHECK_INTERVAL_MS, furthestDueAt } from '../domain/schedule.ts';
import type { CheckStore, DomainStore } from '../store/store.ts';
import type { GuardedClock } from './guarded-clock.ts';

interface ReopeningOptions {
  store: Pick<CheckStore, 'findFailedAfter'> & Pick<DomainStore, 'retryVerification'>;
  clock: GuardedClock;
  windowMs: number;
  log: Log;
}

const EVERY_MS = 60_000;
const AT_ONCE = 500;

/** Once a minute, gives a new window to domains that failed by a clock that was ahead. `stop` resolves when nothing is in flight. */
export function startReopening({ store, clock, windowMs, log }: ReopeningOptions): { stop(): Promise<void> } {
  async function reopen(): Promise<void> {
    if (!clock.isTrusted()) return;
    const now = clock.now();
    // A domain that another node has failed just now is nearer: the clocks of nodes differ by less.
    for (const { id, workspaceId } of await store.findFailedAfter(furthestDueAt(now, CHECK_INTERVAL_MS), AT_ONCE)) {
      await store.retryVerification(workspaceId, id, now, windowMs);
      log.info({ domainId: id }, 'a domain failed by a clock that was ahead; it is verified again');
    }
  }
  const message = 'domains that failed by a wrong clock could not be looked for; trying again in a minute';
  return repeat(reopen, { everyMs: EVERY_MS, message, log });
}
