import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { StoreUnavailable } from '../contract/store.ts';
import type { Batch } from './commit.ts';
import { startThread } from './commit-thread.ts';
import { migrate } from './migrate-sqlite.ts';

const batch: Batch = { calls: [{ name: 'ping', args: [], askedAt: 0 }], synced: false };

it('rejects what is under way and everything after when the thread dies, and still ends', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'nameplate-thread-'));
  const path = join(directory, 'nameplate.db');
  await migrate(path);
  const thread = await startThread({ path, busyTimeoutMs: 0 });
  expect(await thread.commit(batch)).toEqual([{ outcome: undefined }]);
  const fatal = { ...batch, calls: null } as unknown as Batch;
  const refused = await thread.commit(fatal).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(StoreUnavailable);
  expect(refused).toMatchObject({ message: expect.stringMatching(/restart/), cause: expect.any(TypeError) });
  await expect(thread.commit(batch)).rejects.toThrow(StoreUnavailable);
  await thread.end();
  await rm(directory, { recursive: true });
});

it('says why the thread cannot be started', async () => {
  const started = startThread({ path: '/proc/nameplate/nameplate.db', busyTimeoutMs: 0 });
  await expect(started).rejects.toThrow(/cannot open the database \/proc\/nameplate\/nameplate.db: unable to open/);
  await expect(started).rejects.toThrow(StoreUnavailable);
});
