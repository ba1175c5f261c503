import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sqliteStore } from '../../server/src/store/engine/sqlite/sqlite.ts';
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
    async run(sql) {
      const db = new DatabaseSync(path, { timeout: 5000 });
      db.exec(sql);
      db.close();
    },
    async query(sql) {
      const db = new DatabaseSync(path, { timeout: 5000 });
      const rows = db.prepare(sql).all();
      db.close();
      return rows;
    },
    async contains(bytes) {
      const files = await Promise.all((await readdir(directory)).map((name) => readFile(join(directory, name))));
      return files.some((file) => file.includes(Buffer.from(bytes)));
    },
    async close() {
      await store.close();
      await rm(directory, { recursive: true });
    },
  };
});
