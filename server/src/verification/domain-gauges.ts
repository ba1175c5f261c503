import type { Log } from '../base/log.ts';
import { repeat } from '../base/repeat.ts';
import type { DomainStore, MonitorStore } from '../store/store.ts';
import type { CheckMetrics } from './check-metrics.ts';

interface DomainGaugesOptions {
  store: Pick<DomainStore, 'countDomains'> & Pick<MonitorStore, 'countDrifted'>;
  log: Log;
  metrics: Pick<CheckMetrics, 'domains' | 'domainsDrifted'>;
}

/** Counting a million domains takes half a second of CPU time or more (docs/internals/decisions/0052-gauges.md). */
const EVERY_MS = 300_000;

/** Every five minutes: counts the domains by status, and those that have drifted. `stop` resolves when nothing is in flight. */
export function startDomainGauges({ store, log, metrics }: DomainGaugesOptions): { stop(): Promise<void> } {
  async function count(): Promise<void> {
    for (const [status, domains] of Object.entries(await store.countDomains()))
      metrics.domains.set({ status }, domains);
    metrics.domainsDrifted.set(await store.countDrifted());
  }
  const message = 'the domains could not be counted; trying again in five minutes';
  return repeat(count, { everyMs: EVERY_MS, message, log });
}
