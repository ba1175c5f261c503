import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { MonitorStore } from '../store/contract/store.ts';

interface DriftedGaugeOptions {
  store: Pick<MonitorStore, 'countDrifted'>;
  log: Log;
  metrics: Pick<Metrics, 'domains'>;
}

const EVERY_MS = 60_000;

/** Once a minute: counts the verified domains that have drifted. `stop` resolves when nothing is in flight. */
export function startDriftedGauge({ store, log, metrics }: DriftedGaugeOptions): { stop(): Promise<void> } {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  let inFlight = count();

  async function count(): Promise<void> {
    try {
      metrics.domains.set({ state: 'drifted' }, await store.countDrifted());
    } catch (error) {
      log.warn({ err: error }, 'the domains that have drifted could not be counted; trying again in a minute');
    }
    if (stopped) return;
    timer = setTimeout(() => {
      inFlight = count();
    }, EVERY_MS);
  }

  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await inFlight;
    },
  };
}
