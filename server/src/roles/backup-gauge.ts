import { repeat } from '../base/repeat.ts';
import type { Stoppable } from '../net/listen.ts';
import type { RoleDeps } from './roles.ts';

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
