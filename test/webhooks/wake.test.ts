import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { type Database, databaseAt } from '../../server/src/store/database.ts';
import type { DatabaseUrl } from '../../server/src/store/url.ts';
import { closingAfterEach } from '../support/closing.ts';
import { createMigratedFile } from '../support/engine.ts';
import { plant } from '../support/entities.ts';
import { addressOf, createMigratedDatabase } from '../support/postgres.ts';
import { subscribe } from './world.ts';

const closing = closingAfterEach();

async function database(): Promise<Database> {
  if (inject('postgres') !== undefined) return databaseAt(addressOf(await createMigratedDatabase()));
  const directory = await mkdtemp(join(tmpdir(), 'nameplate-wake-'));
  closing.push(() => rm(directory, { recursive: true }));
  const url: DatabaseUrl = { engine: 'sqlite', path: join(directory, 'nameplate.db') };
  await createMigratedFile(url.path);
  return databaseAt(url);
}

test('every listener is woken at once when a delivery is added, by any thread or process', async () => {
  const opened = await database();
  const { store } = await opened.openShared({ onWriterLost() {} });
  closing.push(() => store.close());
  const { workspaceId, webhookId } = await subscribe(
    { store, clock: { now: Date.now, advance() {} } },
    await plant(store),
    'https://hooks.example/',
  );
  let notified = Promise.withResolvers<void>();
  let changes = 0;
  const listening = opened.listen({
    onDelivery: () => notified.resolve(),
    async onChange() {
      changes += 1;
    },
  });
  closing.push(() => listening.stop());
  // PostgreSQL: changes may have been missed before the connection.
  if (opened.manyNodes) await notified.promise;
  notified = Promise.withResolvers();
  await store.addTestDelivery(workspaceId, webhookId, Date.now());
  await notified.promise;
  // A SQLite file has one process, so nobody has to read the change log for it.
  if (!opened.manyNodes) expect(changes).toBe(0);
});
