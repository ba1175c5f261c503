import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { repeat } from '../repeat.ts';
import type { MonitorStore } from '../store/contract/store.ts';

interface DriftedGaugeOptions {
  store: Pick<MonitorStore, 'countDrifted'>;
  log: Log;
  metrics: Pick<Metrics, 'domains'>;
}

const EVERY_MS = 60_000;

/** Once a minute: counts the verified domains that have drifted. `stop` resolves when nothing is in flight. */
export function startDriftedGauge({ store, log, metrics }: DriftedGaugeOptions): { stop(): Promise<void> } {
  const count = async () => metrics.domains.set({ state: 'drifted' }, await store.countDrifted());
  const message = 'the domains that have drifted could not be counted; trying again in a minute';
  return repeat(count, { everyMs: EVERY_MS, message, log });
}
