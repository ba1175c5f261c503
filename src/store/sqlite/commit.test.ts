import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Answer, type Batch, type Call, committer } from './commit.ts';
import { migrate } from './migrate-sqlite.ts';
import { type Connection, connect } from './sqlite-connection.ts';

let directory: string;
let connection: Connection;
let commit: (batch: Batch) => Promise<Answer[]>;

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

const create = (id: string): Call => ({
  name: 'createWorkspace',
  args: [{ id, name: 'Acme', disabledAt: null, limits: { rates: {}, domains: null }, createdAt: 1 }],
  askedAt: 1,
});
const disable = (id: string, askedAt: number): Call => ({ name: 'setWorkspaceDisabled', args: [id, askedAt], askedAt });
const column = (sql: string) =>
  connection.db
    .prepare(sql)
    .all()
    .map((row) => Object.values(row)[0]);
const SYNCED = { normal: 1, full: 2 };

it('waits for the disk exactly when the batch asks for it', async () => {
  for (const [synced, level] of [
    [false, SYNCED.normal],
    [true, SYNCED.full],
    [false, SYNCED.normal],
  ] as const) {
    await commit({ calls: [create(`ws_${Math.random()}`)], synced });
    expect(column('pragma synchronous')).toEqual([level]);
  }
});

it('undoes only the call that throws, and answers in order', async () => {
  const calls = [create('ws_1'), create('ws_1'), disable('ws_1', 5), { ...create('ws_3'), args: [] }, create('ws_2')];
  const answers = await commit({ calls, synced: false });
  expect(answers.map((answer) => ('error' in answer ? 'error' : answer.outcome))).toEqual([
    undefined,
    'error',
    true,
    'error',
    undefined,
  ]);
  expect(column('select id from workspaces order by id')).toEqual(['ws_1', 'ws_2']);
  expect(connection.db.isTransaction).toBe(false);
});

it('dates what has no time of its own by when it was asked for', async () => {
  await commit({ calls: [create('ws_1'), disable('ws_1', 41), disable('ws_1', 42)], synced: false });
  expect(column('select created_at from changes order by seq')).toEqual([41, 42]);
});

it('tells every caller when the batch cannot be committed, and commits the next', async () => {
  const other = connect(join(directory, 'nameplate.db'), { busyTimeoutMs: 0 });
  other.db.exec('begin immediate');
  const answers = await commit({ calls: [create('ws_1'), create('ws_2')], synced: true });
  expect(answers.map((answer) => 'error' in answer && answer.error)).toEqual([
    expect.objectContaining({ errcode: 5 }),
    expect.objectContaining({ errcode: 5 }),
  ]);
  other.db.close();
  expect(await commit({ calls: [create('ws_1')], synced: true })).toEqual([{ outcome: undefined }]);
});

it('writes a page to see whether the file takes it', async () => {
  connection.db.exec('pragma wal_checkpoint(truncate)');
  await commit({ calls: [{ name: 'ping', args: [], askedAt: 0 }], synced: false });
  expect((await stat(join(directory, 'nameplate.db-wal'))).size).toBeGreaterThan(4096);
});
