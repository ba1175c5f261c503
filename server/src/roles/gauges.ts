import { repeat } from '../base/repeat.ts';
import type { Stoppable } from '../net/listen.ts';
import type { PoolUsage, Store } from '../store/store.ts';
import type { StoreMetrics } from '../store/store-metrics.ts';
import type { RoleDeps } from './roles.ts';

type PoolGauges = Pick<StoreMetrics, 'databaseConnections' | 'databaseWaiting' | 'databaseWaitSeconds'>;

/** Reads the pools of a store whenever the metrics are read. A store that is not open, or is a file, has none. */
export function watchPools(store: Pick<Store, 'poolUsage'>, metrics: PoolGauges): void {
  const { databaseConnections, databaseWaiting, databaseWaitSeconds } = metrics;
  // The registry reads all gauges at once, so each asks for itself.
  const watch = (gauge: PoolGauges[keyof PoolGauges], show: (usage: PoolUsage) => void) =>
    Object.assign(gauge, {
      async collect() {
        for (const usage of await store.poolUsage().catch(() => [])) show(usage);
      },
    });
  watch(databaseConnections, ({ pool, connections, idle }) => {
    databaseConnections.set({ pool, state: 'in_use' }, connections - idle);
    databaseConnections.set({ pool, state: 'idle' }, idle);
  });
  watch(databaseWaiting, ({ pool, waiting }) => databaseWaiting.set({ pool }, waiting));
  watch(databaseWaitSeconds, ({ pool, longestWaitMs }) => databaseWaitSeconds.set({ pool }, longestWaitMs / 1000));
}

type BackupGaugeDeps = Pick<RoleDeps, 'log'> & {
  store: Pick<RoleDeps['store'], 'findLastBackup'>;
  metrics: Pick<RoleDeps['metrics'], 'lastBackup'>;
};

const EVERY_MS = 60_000;

/** Once a minute: reads the time of the last backup. `stop` resolves when nothing is in flight. */
export function startBackupGauge({ store, metrics, log }: BackupGaugeDeps): Stoppable {
  async function read(): Promise<void> {
    const at = await store.findLastBackup();
    if (at !== null) metrics.lastBackup.set(at / 1000);
  }
  const message = 'the time of the last backup could not be read; trying again in a minute';
  return repeat(read, { everyMs: EVERY_MS, message, log });
}
