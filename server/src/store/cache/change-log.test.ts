import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { anEnvironment, attach, NOW, plant, verifiedAt } from '../../../../test/support/entities.ts';
import type { Domain } from '../../domain/domain.ts';
import { NO_MEMORY } from '../../domain/status.ts';
import { committer } from '../engine/sqlite/commit-batch.ts';
import { sqliteStore } from '../engine/sqlite/sqlite.ts';
import { connect, type SqliteConnection } from '../engine/sqlite/sqlite-connection.ts';
import type { Environment } from '../store.ts';
import { insertChange } from './change-log.ts';

let directory: string;
let connection: SqliteConnection;
let waiting: Domain;
let verified: Domain;
let other: Environment;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'nameplate-change-log-'));
  const path = join(directory, 'nameplate.db');
  const store = await sqliteStore({ path });
  const { app, environment } = await plant(store);
  other = anEnvironment(app);
  await store.createEnvironment(other);
  waiting = await attach(store, environment);
  const before = await attach(store, environment);
  verified = verifiedAt(before, NOW);
  await store.saveTransition({ before, after: verified, memory: NO_MEMORY, now: NOW });
  await store.close();
  connection = connect(path, { busyTimeoutMs: 0 });
});
afterAll(async () => {
  connection.db.close();
  await rm(directory, { recursive: true });
});

const rows = () => ['domains', 'routes'].map((table) => connection.db.prepare(`select * from ${table}`).all());
const call = { by: null };
const argsOf: Record<string, () => unknown[]> = {
  saveTransition: () => [{ before: waiting, after: verifiedAt(waiting, NOW), memory: NO_MEMORY, now: NOW }],
  moveDomain: () => [call, verified.id, other, NOW],
  deleteDomain: () => [call, verified.workspaceId, verified.id, NOW],
};

it.each([
  ['saveTransition', 'domain'],
  ['saveTransition', 'route'],
  ['moveDomain', 'domain'],
  ['moveDomain', 'route'],
  ['deleteDomain', 'domain'],
  ['deleteDomain', 'route'],
])('%s changes a %s: it fails, and changes nothing, where it does not log that', async (name, unlogged) => {
  const unlogging: SqliteConnection['execute'] = (statement, input) =>
    (statement as unknown) === insertChange && 'kind' in input && input.kind === unlogged
      ? 0
      : connection.execute(statement, input);
  const commit = committer({ ...connection, execute: unlogging });
  const before = rows();
  const [result] = await commit({ calls: [{ name, args: argsOf[name]?.() ?? [], now: NOW }], synced: false });
  expect(result).toMatchObject({ error: { message: expect.stringContaining(`changes the ${unlogged}`) } });
  expect(rows()).toEqual(before);
});
