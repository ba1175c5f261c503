import { setTimeout as delay } from 'node:timers/promises';
import type { Migration } from 'kysely/migration';
import { StoreUnavailable } from '../store.ts';

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

/** The first migration of development builds, whose schema became `0001-schema`. */
const DEVELOPMENT = '0001-initial';

/** Throws unless the database is empty, or has no migrations but those of this version. `name` is for people. */
export function refuseForeign(name: string, tables: string[], applied: string[], migrations: readonly string[]): void {
  if (tables.length === 0) return;
  if (applied.includes(DEVELOPMENT)) {
    throw new StoreUnavailable(
      `${name} was made by a development build from before 0.1.0, and no release can read it: remove it, or name an empty one`,
    );
  }
  if (!applied.some((migration) => migrations.includes(migration))) {
    throw new StoreUnavailable(
      `${name} is the database of another program: name another one, or in PostgreSQL another schema (search_path)`,
    );
  }
  const unknown = applied.find((migration) => !migrations.includes(migration));
  if (unknown !== undefined) {
    throw new StoreUnavailable(
      `${name} was written by a newer nameplate (it has the migration "${unknown}", unknown here): upgrade nameplate, or restore the backup taken before the upgrade`,
    );
  }
}

/** An older schema is migrated only when the operator says so. */
export function olderSchema(name: string, pending: string): StoreUnavailable {
  return new StoreUnavailable(
    `${name} was written by an older nameplate (it lacks the migration "${pending}"): back it up, then run "nameplate migrate"`,
  );
}

export interface MigrateOptions {
  /** Ends the wait for another process that migrates, which rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Called once when the wait becomes long, with what the other process does ("which …"). */
  onLongWait?: (doing: string) => void;
  /** Called when a migration has run, before all are committed, with its name and how long it took, in ms. */
  onMigrated?: (name: string, ms: number) => void;
}

const TIMEOUT_MS = 30_000;
const RETRY_EVERY_MS = 50;
const LONG_WAIT_MS = 1000;

/** Calls `tryLock` until it returns true. `doing`: what another process that holds the lock does. */
export async function waitForLock(
  tryLock: () => boolean | Promise<boolean>,
  doing: string,
  { signal, onLongWait }: MigrateOptions,
): Promise<void> {
  for (let waitedMs = 0; ; waitedMs += RETRY_EVERY_MS) {
    signal?.throwIfAborted();
    if (await tryLock()) return;
    if (waitedMs === LONG_WAIT_MS) onLongWait?.(doing);
    if (waitedMs === TIMEOUT_MS) {
      throw new StoreUnavailable(
        `another process, ${doing}, is not done after ${TIMEOUT_MS / 1000} s: wait until it is`,
      );
    }
    await delay(RETRY_EVERY_MS);
  }
}
