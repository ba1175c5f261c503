import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sqliteStore } from '../../src/store/sqlite.ts';
import { describeStore } from './store.ts';

describeStore('the embedded store', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'nameplate-store-'));
  const path = join(directory, 'nameplate.db');
  let store = await sqliteStore({ path });
  return {
    store,
    async reopen() {
      await store.close();
      store = await sqliteStore({ path });
      return store;
    },
    async close() {
      await store.close();
      await rm(directory, { recursive: true });
    },
  };
});
