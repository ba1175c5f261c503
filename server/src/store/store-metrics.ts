import { Gauge } from 'prom-client';
import type { MetricFactory } from '../base/metric-factory.ts';

export type StoreMetrics = ReturnType<typeof storeMetrics>;

export function storeMetrics({ registry, gauge }: MetricFactory) {
  const metrics = {
    storeOpen: gauge(
      'nameplate_store_open',
      'Whether this process has reached the store since it started. 0: its edge serves from the edge cache alone.',
    ),
    databaseConnections: gauge(
      'nameplate_database_connections',
      'Connections to PostgreSQL, by pool (reads, writes) and state (in_use, idle). The one that listens for changes is not counted.',
      ['pool', 'state'],
    ),
    databaseWaiting: gauge(
      'nameplate_database_waiting',
      'Work that waits for a connection to PostgreSQL, by pool. writes: transactions. reads: statements, including those that share a connection with others.',
      ['pool'],
    ),
    // The longest wait of several threads counts, not the sum.
    databaseWaitSeconds: new Gauge({
      name: 'nameplate_database_oldest_waiting_seconds',
      help: 'The longest current wait for a connection to PostgreSQL, by pool. 0: nothing waits.',
      labelNames: ['pool'],
      aggregator: 'max',
      registers: [registry],
    }),
    lastBackup: gauge(
      'nameplate_backup_last_success_timestamp_seconds',
      'Unix time of the latest backup that "nameplate backup" made of this store. Absent until there is one.',
    ),
  };
  // The value 0 would be a time in 1970.
  metrics.lastBackup.remove();
  return metrics;
}
