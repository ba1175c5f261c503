import type { Migration } from 'kysely/migration';
import type { MigrateOptions } from './wait.ts';

/** The same, which say when they have run. */
export function timed(
  migrations: Record<string, Migration>,
  { onMigrated }: MigrateOptions,
): Record<string, Migration> {
  const time = (name: string, { up }: Migration): Migration => ({
    async up(db) {
      const begun = performance.now();
      await up(db);
      onMigrated?.(name, performance.now() - begun);
    },
  });
  return Object.fromEntries(Object.entries(migrations).map(([name, migration]) => [name, time(name, migration)]));
}
