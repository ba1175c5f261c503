import type { Domain } from '../../server/src/domain/domain.ts';
import { HEALTHY } from '../../server/src/domain/monitoring.ts';
import { NO_MEMORY } from '../../server/src/domain/status.ts';
import type { Environment, Store } from '../../server/src/store/store.ts';
import { DAY_MS } from './certificates.ts';
import { attach, failedAt, verifiedAt } from './entities.ts';

/** Makes a domain verified, against whoever has the name verified. `stale`: it changed meanwhile. */
export async function prove(store: Store, before: Domain, now: number): Promise<'saved' | 'stale'> {
  const incumbent = await store.findIncumbent(before);
  const loser = incumbent === null ? undefined : { before: incumbent, after: failedAt(incumbent, now) };
  return store.saveTransition({ before, after: verifiedAt(before, now), loser, memory: NO_MEMORY, now });
}

/** Another workspace proves that the name is its own; returns its domain. */
export async function takeOver(store: Store, environment: Environment, name: string, now: number): Promise<Domain> {
  const before = await attach(store, environment, { name });
  if ((await prove(store, before, now)) !== 'saved') throw new Error('the fixture could not be taken over');
  return verifiedAt(before, now);
}

/** A re-check finds that nothing leads to the domain any more. */
export async function lose(store: Store, domain: Domain, now: number): Promise<'saved' | 'stale' | 'not due'> {
  const due = await store.claimMonitored({ now, limit: 1000, intervalMs: DAY_MS, jitter: () => 0 });
  const found = due.find((each) => each.domain.id === domain.id);
  if (found === undefined) return 'not due';
  const { domain: before, attempts } = found;
  return store.saveMonitoring({ before, after: failedAt(before, now), memory: HEALTHY, attempts, now });
}
