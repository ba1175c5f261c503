import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type CommitBatch, committer, type WriteCall, type WriteResult } from './commit-batch.ts';
import { migrate } from './migrate-sqlite.ts';
import { connect, type SqliteConnection } from './sqlite-connection.ts';

let directory: string;
let connection: SqliteConnection;
let commit: (batch: CommitBatch) => Promise<WriteResult[]>;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'nameplate-commit-'));
  const path = join(directory, 'nameplate.db');
  await migrate(path);
  connection = connect(path, { busyTimeoutMs: 0 });
  commit = committer(connection);
});
afterEach(async () => {
  connection.db.close();
  await rm(directory, { recursive: true });
});

const call = { by: null };
const create = (id: string): WriteCall => ({
  name: 'createWorkspace',
  args: [call, { id, name: 'Acme', disabledAt: null, limits: { rates: {}, domains: null }, createdAt: 1 }],
  now: 1,
});
const disable = (id: string, now: number): WriteCall => ({ name: 'setWorkspaceDisabled', args: [call, id, now], now });
const column = (sql: string) =>
  connection.db
    .prepare(sql)
    .all()
    .map((row) => Object.values(row)[0]);
const outcomeOf = (value: unknown) => (value as { outcome: unknown }).outcome;
const SYNCED = { normal: 1, full: 2 };

it('a batch waits for fsync exactly when it is synced', async () => {
  for (const [synced, level] of [
    [false, SYNCED.normal],
    [true, SYNCED.full],
    [false, SYNCED.normal],
  ] as const) {
    await commit({ calls: [create(`ws_${Math.random()}`)], synced });
    expect(column('pragma synchronous')).toEqual([level]);
  }
});

it('only the call that throws is rolled back, and results are in order', async () => {
  const calls = [
    create('ws_1'),
    create('ws_1'),
    disable('ws_1', 5),
    { ...create('ws_3'), args: [call] },
    create('ws_2'),
  ];
  const results = await commit({ calls, synced: false });
  expect(results.map((result) => ('error' in result ? 'error' : outcomeOf(result.value)))).toEqual([
    undefined,
    'error',
    true,
    'error',
    undefined,
  ]);
  expect(column('select id from workspaces order by id')).toEqual(['ws_1', 'ws_2']);
  expect(connection.db.isTransaction).toBe(false);
});

it('a row whose time no caller gives has the time of the call', async () => {
  await commit({ calls: [create('ws_1'), disable('ws_1', 41), disable('ws_1', 42)], synced: false });
  expect(column('select created_at from changes order by seq')).toEqual([41, 42]);
});

it('when a batch cannot be committed, every call of it fails, and the next batch is committed', async () => {
  const other = connect(join(directory, 'nameplate.db'), { busyTimeoutMs: 0 });
  other.db.exec('begin immediate');
  const results = await commit({ calls: [create('ws_1'), create('ws_2')], synced: true });
  expect(results.map((result) => 'error' in result && result.error)).toEqual([
    expect.objectContaining({ errcode: 5 }),
    expect.objectContaining({ errcode: 5 }),
  ]);
  other.db.close();
  expect(await commit({ calls: [create('ws_1')], synced: true })).toEqual([{ value: { kind: 'first' } }]);
});

it('writePage writes a page, so that it fails where the file cannot be written', async () => {
  connection.db.exec('pragma wal_checkpoint(truncate)');
  await commit({ calls: [{ name: 'writePage', args: [], now: 0 }], synced: false });
  expect((await stat(join(directory, 'nameplate.db-wal'))).size).toBeGreaterThan(4096);
});
