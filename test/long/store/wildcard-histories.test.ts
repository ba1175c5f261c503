import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { postgresStore } from '../../../server/src/store/engine/postgres/postgres.ts';
import { sqliteStore } from '../../../server/src/store/engine/sqlite/sqlite.ts';
import type { Store } from '../../../server/src/store/store.ts';
import { describeWildcardHistories } from '../../store/wildcard-histories.ts';
import { plant } from '../../support/entities.ts';
import { addressOf, startPostgres } from '../../support/postgres.ts';

const HISTORIES = 10_000;

async function openSqlite() {
  const directory = await mkdtemp(join(tmpdir(), 'nameplate-histories-'));
  const store = await sqliteStore({ path: join(directory, 'nameplate.db') });
  return { store, remove: () => rm(directory, { recursive: true }) };
}

async function openPostgres() {
  const server = await startPostgres('newest', { fsync: 'off' });
  const store = await postgresStore({ address: addressOf(await server.createDatabase()) });
  return { store, remove: () => server.close() };
}

describe.each([
  ['SQLite', openSqlite],
  ['PostgreSQL', openPostgres],
])('on %s', (_, open) => {
  describeWildcardHistories(async () => {
    const { store, remove } = await open();
    const subject: { store: Store; plant(): ReturnType<typeof plant> } = { store, plant: () => plant(store) };
    const close = async () => {
      await store.close();
      await remove();
    };
    return { ...subject, close };
  }, HISTORIES);
});
