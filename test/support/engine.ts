import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import type { Clock } from '../../src/clock.ts';
import type { Store } from '../../src/store/contract/store.ts';
import { postgresStore } from '../../src/store/postgres/postgres.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite.ts';
import { addressOf, databaseOn } from './postgres.ts';

/** A new store on the engine that the tests are run for (vitest.config.ts): the embedded one, or a database of the run's PostgreSQL. */
export async function openEngine(options: { clock?: Clock } = {}): Promise<{ store: Store; remove(): Promise<void> }> {
  const server = inject('postgres');
  if (server !== undefined) {
    const store = await postgresStore({ ...options, address: addressOf(await databaseOn(server)) });
    return { store, remove: async () => {} };
  }
  const directory = await mkdtemp(join(tmpdir(), 'nameplate-engine-'));
  const store = await sqliteStore({ ...options, path: join(directory, 'nameplate.db') });
  return { store, remove: () => rm(directory, { recursive: true }) };
}

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of the superuser of the PostgreSQL server that all test files of the run share, where they are run for it. */
    postgres?: string;
  }
}
