import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { StoreUnavailable } from '../../store.ts';
import type { CommitBatch } from './commit-batch.ts';
import { migrate } from './migrate-sqlite.ts';
import { joinWriterThread, startWriterThread } from './writer-client.ts';

const batch: CommitBatch = { calls: [{ name: 'writePage', args: [], now: 0 }], synced: false };

it('when the thread dies, the commits of all threads in flight and later reject, its owner is told, and it still ends', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'nameplate-thread-'));
  const path = join(directory, 'nameplate.db');
  await migrate(path);
  const lost: unknown[] = [];
  const thread = await startWriterThread({ path, busyTimeoutMs: 0 }, { onWriterLost: (error) => lost.push(error) });
  const joined = joinWriterThread(thread.newPort());
  for (const one of [thread, joined]) expect(await one.commit(batch)).toEqual([{ value: undefined }]);
  const fatal = { ...batch, calls: null } as unknown as CommitBatch;
  const refused = await thread.commit(fatal).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(StoreUnavailable);
  expect(refused).toMatchObject({ message: expect.stringMatching(/restart/), cause: expect.any(TypeError) });
  for (const one of [thread, joined]) await expect(one.commit(batch)).rejects.toThrow(StoreUnavailable);
  expect(lost).toEqual([expect.any(TypeError)]);
  await joined.end();
  await thread.end();
  await rm(directory, { recursive: true });
});

it('commits of several threads that arrive together get each their own results, and share a commit', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'nameplate-thread-'));
  const path = join(directory, 'nameplate.db');
  await migrate(path);
  const thread = await startWriterThread({ path, busyTimeoutMs: 0 });
  const joined = [joinWriterThread(thread.newPort()), joinWriterThread(thread.newPort())];
  const unfit = { name: 'createWorkspace', args: [], now: 0 };
  const results = await Promise.all([
    thread.commit({ ...batch, calls: [...batch.calls, unfit] }),
    ...joined.map((one) => one.commit(batch)),
  ]);
  const done = { value: undefined };
  expect(results).toEqual([[done, { error: expect.any(TypeError) }], [done], [done]]);
  for (const one of joined) await one.end();
  await thread.end();
  await rm(directory, { recursive: true });
});

it('the error of a thread that cannot start gives the reason', async () => {
  const started = startWriterThread({ path: '/proc/nameplate/nameplate.db', busyTimeoutMs: 0 });
  await expect(started).rejects.toThrow(/cannot open the database \/proc\/nameplate\/nameplate.db: unable to open/);
  await expect(started).rejects.toThrow(StoreUnavailable);
});
