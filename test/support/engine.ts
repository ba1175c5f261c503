import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { Clock } from '../../server/src/base/clock.ts';
import { postgresStore } from '../../server/src/store/engine/postgres/postgres.ts';
import { migrate, sqliteStore } from '../../server/src/store/engine/sqlite/sqlite.ts';
import type { Store } from '../../server/src/store/store.ts';
import { addressOf, createMigratedDatabase } from './postgres.ts';

/**
 * A new store on the engine of the test project (vitest.config.ts): SQLite, or PostgreSQL where the project has a
 * server.
 */
export async function openEngine(options: { clock?: Clock } = {}): Promise<{ store: Store; remove(): Promise<void> }> {
  if (inject('postgres') !== undefined) {
    const store = await postgresStore({ ...options, address: addressOf(await createMigratedDatabase()) });
    return { store, remove: async () => {} };
  }
  const directory = await mkdtemp(join(tmpdir(), 'nameplate-engine-'));
  const path = join(directory, 'nameplate.db');
  await createMigratedFile(path);
  const store = await sqliteStore({ ...options, path });
  return { store, remove: () => rm(directory, { recursive: true }) };
}

/** Kept in memory: a run of tests ends without a chance to delete files. */
let migrated: Promise<Buffer> | undefined;

/** Makes a SQLite store without rows, without migrating anew. */
export async function createMigratedFile(path: string): Promise<void> {
  migrated ??= migrateOnce();
  await writeFile(path, await migrated);
}

async function migrateOnce(): Promise<Buffer> {
  const directory = await mkdtemp(join(tmpdir(), 'nameplate-migrated-'));
  try {
    const path = join(directory, 'nameplate.db');
    await migrate(path);
    return await readFile(path);
  } finally {
    await rm(directory, { recursive: true });
  }
}
