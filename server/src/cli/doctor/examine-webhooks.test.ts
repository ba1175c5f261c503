import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../../test/support/command.ts';
import { createMigratedFile } from '../../../../test/support/engine.ts';
import { attach, NOW, plant } from '../../../../test/support/entities.ts';
import { aDeliveryResult, addWebhook, claimDue, saveResults } from '../../../../test/support/webhooks.ts';
import { type Database, databaseAt } from '../../store/database.ts';
import { type DatabaseUrl, parseDatabaseUrl } from '../../store/url.ts';
import { examineWebhooks } from './examine-store.ts';

const HOUR_MS = 3_600_000;

const directory = temporaryDirectory();
let databaseUrl: DatabaseUrl;
let database: Database;

beforeAll(async () => {
  const path = join(directory.path, 'nameplate.db');
  await createMigratedFile(path);
  databaseUrl = { engine: 'sqlite', path };
  database = await databaseAt(databaseUrl);
});
afterAll(() => directory.remove());

const examine = (now: number) => examineWebhooks({ roles: ['verifier'], databaseUrl }, database, now);

test('waiting events and failing webhooks are read from the store; from a day on they are a warning', async () => {
  expect(await examine(NOW)).toEqual([
    { about: 'webhooks', level: 'ok', found: '0 events wait to be delivered; failing webhooks: 0, disabled: 0' },
  ]);

  const store = await database.open();
  const { workspace, environment } = await plant(store);
  const disabled = await addWebhook(store, { workspaceId: workspace.id });
  await store.updateWebhook(workspace.id, disabled.id, { enabled: false }, NOW);
  await addWebhook(store, { workspaceId: workspace.id });
  await attach(store, environment);
  const [due] = await claimDue(store);
  if (due === undefined) throw new Error('no delivery was due');
  const outcome = { kind: 'retry', nextAttemptAt: NOW + HOUR_MS } as const;
  await saveResults(store, [aDeliveryResult(due, { outcome })], NOW);
  await store.close();

  expect(await examine(NOW + 23 * HOUR_MS)).toEqual([
    { about: 'webhooks', level: 'ok', found: '1 event waits to be delivered; failing webhooks: 1, disabled: 1' },
  ]);
  expect(await examine(NOW + 50 * HOUR_MS)).toEqual([
    {
      about: 'webhooks',
      level: 'warn',
      found: '1 event waits to be delivered, the longest for 2 d 2 h; failing webhooks: 1, disabled: 1',
      advice: expect.stringContaining('nameplate webhooks deliveries'),
    },
  ]);
});

test('a verifier that cannot unseal secrets is reported: it delivers nothing', async () => {
  const postgres = parseDatabaseUrl('postgres://nameplate@db.example/nameplate');
  const [result, ...others] = await examineWebhooks({ roles: ['verifier'], databaseUrl: postgres }, undefined, NOW);
  expect(others).toEqual([]);
  expect(result).toMatchObject({ level: 'warn', advice: expect.stringContaining('NAMEPLATE_ENCRYPTION_KEY') });
});

test('a process without the role reports nothing, nor does one whose database cannot be opened', async () => {
  expect(await examineWebhooks({ roles: ['api'], databaseUrl }, database, NOW)).toEqual([]);
  expect(await examineWebhooks({ roles: ['verifier'], databaseUrl }, undefined, NOW)).toEqual([]);
});
