import { setImmediate } from 'node:timers/promises';
import { StoreUnavailable } from '../../store.ts';
import type { WriteCall, WriteResult } from './commit-batch.ts';
import { asUnavailable } from './sqlite-errors.ts';
import type { CommitThread } from './writer-client.ts';

/** Most calls in one commit. */
const MAX_GROUP = 256;

/** The only way to write to the file. Group commit: calls that arrive during a commit queue, and are committed together. */
export interface Writer {
  /** Resolves with the use case's result once it is committed; with `synced`, once it is on the disk. */
  write(call: WriteCall, options: { synced: boolean }): Promise<unknown>;
  /** Commits what is queued, then ends the way to the file. */
  close(): Promise<void>;
}

interface QueuedCall {
  call: WriteCall;
  synced: boolean;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** `maxWaiting`: calls that may queue; more are rejected at once, since an unbounded queue only hides that the disk cannot keep up. */
export function createWriter(thread: CommitThread, maxWaiting: number): Writer {
  const queue: QueuedCall[] = [];
  let committing: Promise<void> | undefined;
  let closed = false;

  async function commitQueue(): Promise<void> {
    while (queue.length > 0) await commitGroup(thread, queue.splice(0, MAX_GROUP));
    committing = undefined;
  }

  return {
    write(call, { synced }) {
      if (closed) return Promise.reject(new StoreUnavailable('the store is closed'));
      if (queue.length >= maxWaiting) {
        return Promise.reject(
          new StoreUnavailable(`the database is busy: ${maxWaiting} writes are waiting already; try again`),
        );
      }
      return new Promise((resolve, reject) => {
        queue.push({ call, synced, resolve, reject });
        // So that the calls of one turn of the event loop are committed together.
        committing ??= setImmediate().then(commitQueue);
      });
    },
    async close() {
      closed = true;
      await committing;
      await thread.end();
    },
  };
}

async function commitGroup(thread: CommitThread, group: QueuedCall[]): Promise<void> {
  const batch = { calls: group.map(({ call }) => call), synced: group.some(({ synced }) => synced) };
  const results = await thread.commit(batch).catch((error: unknown): WriteResult[] => group.map(() => ({ error })));
  for (const [i, { resolve, reject }] of group.entries()) {
    const result = results[i] ?? { error: new Error('the writer thread returned too few results') };
    if ('error' in result) reject(asUnavailable(result.error));
    else resolve(result.value);
  }
}
