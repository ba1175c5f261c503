import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { StoreUnavailable } from '../contract/store.ts';
import type { CommitBatch } from './commit-batch.ts';
import { migrate } from './migrate-sqlite.ts';
import { startThread } from './writer-client.ts';

const batch: CommitBatch = { calls: [{ name: 'writePage', args: [], now: 0 }], synced: false };

it('when the thread dies, the commit in flight and all later ones reject, and the thread still ends', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'nameplate-thread-'));
  const path = join(directory, 'nameplate.db');
  await migrate(path);
  const thread = await startThread({ path, busyTimeoutMs: 0 });
  expect(await thread.commit(batch)).toEqual([{ value: undefined }]);
  const fatal = { ...batch, calls: null } as unknown as CommitBatch;
  const refused = await thread.commit(fatal).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(StoreUnavailable);
  expect(refused).toMatchObject({ message: expect.stringMatching(/restart/), cause: expect.any(TypeError) });
  await expect(thread.commit(batch)).rejects.toThrow(StoreUnavailable);
  await thread.end();
  await rm(directory, { recursive: true });
});

it('the error of a thread that cannot start gives the reason', async () => {
  const started = startThread({ path: '/proc/nameplate/nameplate.db', busyTimeoutMs: 0 });
  await expect(started).rejects.toThrow(/cannot open the database \/proc\/nameplate\/nameplate.db: unable to open/);
  await expect(started).rejects.toThrow(StoreUnavailable);
});
