import type { Migration } from 'kysely/migration';
import type { WaitOptions } from './wait.ts';

export interface MigrateOptions extends WaitOptions {
  /** Called when a migration has run, before all are committed, with its name and how long it took, in ms. */
  onMigrated?: (name: string, ms: number) => void;
}

export function timed(
  migrations: Record<string, Migration>,
  { onMigrated = () => {} }: MigrateOptions,
): Record<string, Migration> {
  const time = (name: string, { up }: Migration): Migration => ({
    async up(db) {
      const begun = performance.now();
      await up(db);
      onMigrated(name, performance.now() - begun);
    },
  });
  return Object.fromEntries(Object.entries(migrations).map(([name, migration]) => [name, time(name, migration)]));
}
