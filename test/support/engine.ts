import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { Clock } from '../../src/clock.ts';
import type { Store } from '../../src/store/contract/store.ts';
import { postgresStore } from '../../src/store/postgres/postgres.ts';
import { migrate, sqliteStore } from '../../src/store/sqlite/sqlite.ts';
import { addressOf, createMigratedDatabase } from './postgres.ts';

/** A new store on the engine of the test project (vitest.config.ts): SQLite, or PostgreSQL where the project has a server. */
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

let migrated: Promise<string> | undefined;

/** Makes a SQLite store without rows, without migrating anew. */
export async function createMigratedFile(path: string): Promise<void> {
  migrated ??= migrateOnce();
  copyFileSync(await migrated, path);
}

async function migrateOnce(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'nameplate-migrated-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, 'nameplate.db');
  await migrate(path);
  return path;
}
