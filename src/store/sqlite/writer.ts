import { StoreUnavailable } from '../contract/store.ts';
import type { Answer, Call } from './commit.ts';
import { type CommitThread, startThread } from './commit-thread.ts';
import type { ThreadOptions } from './commit-worker.ts';
import { asUnavailable } from './sqlite-errors.ts';

/** Most calls that are committed together. */
const GROUP = 256;

/** The one way to write to the file. What is asked for while a commit is under way waits, and is committed together. */
export interface Writer {
  /** Resolves with the operation's outcome once it is committed; on the disk, too, when `synced`. */
  ask(call: Call, options: { synced: boolean }): Promise<unknown>;
  /** Finishes what was asked for, then lets go of the file. */
  close(): Promise<void>;
}

interface Waiting {
  call: Call;
  synced: boolean;
  resolve(outcome: unknown): void;
  reject(error: unknown): void;
}

/** `maxWaiting`: calls that may wait; more are refused at once, since a queue without end only hides that the disk cannot keep up. */
export async function startWriter(options: ThreadOptions, maxWaiting: number): Promise<Writer> {
  const thread = await startThread(options);
  const waiting: Waiting[] = [];
  let committing: Promise<void> | undefined;
  let closed = false;

  async function commitWaiting(): Promise<void> {
    while (waiting.length > 0) await commitGroup(thread, waiting.splice(0, GROUP));
    committing = undefined;
  }

  return {
    ask(call, { synced }) {
      if (closed) return Promise.reject(new StoreUnavailable('the store is closed'));
      if (waiting.length >= maxWaiting) {
        return Promise.reject(
          new StoreUnavailable(`the database is busy: ${maxWaiting} writes are waiting already; try again`),
        );
      }
      return new Promise((resolve, reject) => {
        waiting.push({ call, synced, resolve, reject });
        // A moment later, so that what is asked for in one go is committed in one go.
        committing ??= Promise.resolve().then(commitWaiting);
      });
    },
    async close() {
      closed = true;
      await committing;
      await thread.end();
    },
  };
}

async function commitGroup(thread: CommitThread, group: Waiting[]): Promise<void> {
  const batch = { calls: group.map(({ call }) => call), synced: group.some(({ synced }) => synced) };
  const answers = await thread.commit(batch).catch((error: unknown): Answer[] => group.map(() => ({ error })));
  for (const [i, { resolve, reject }] of group.entries()) {
    const answer = answers[i] ?? { error: new Error('the writer gave too few answers') };
    if ('error' in answer) reject(asUnavailable(answer.error));
    else resolve(answer.outcome);
  }
}
