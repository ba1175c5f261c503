import { withinTime } from '../../time-limit.ts';
import { StoreUnavailable } from '../contract/store.ts';

/** Runs `work` alone among work with any of the same keys, in the order of the calls. */
type LockQueue = <T>(keys: readonly bigint[], work: () => Promise<T>) => Promise<T>;

/**
 * Queues in this process what would only wait for an advisory lock, so that it holds no connection meanwhile: a burst of writes in one
 * workspace takes no connection from the others. Rejects work that waits for longer than `timeoutMs`, or behind `maxWaiting` others; nothing
 * was written then.
 */
export function lockQueue({ timeoutMs, maxWaiting }: { timeoutMs: number; maxWaiting: number }): LockQueue {
  const last = new Map<bigint, Promise<void>>();
  let waiting = 0;

  return async (keys, work) => {
    const before = keys.flatMap((key) => last.get(key) ?? []);
    if (before.length > 0 && waiting >= maxWaiting) throw busy(`${maxWaiting} operations wait for others already`);
    const { promise: done, resolve } = Promise.withResolvers<void>();
    for (const key of keys) last.set(key, done);
    const release = () => {
      resolve();
      for (const key of keys) if (last.get(key) === done) last.delete(key);
    };
    if (before.length > 0) {
      const turn = Promise.all(before);
      waiting += 1;
      const inTime = await withinTime<unknown>(timeoutMs, turn, () => null);
      waiting -= 1;
      if (inTime === null) {
        void turn.then(release);
        throw busy('the operations before this one were not done in time');
      }
    }
    try {
      return await work();
    } finally {
      release();
    }
  };
}

function busy(why: string): StoreUnavailable {
  return new StoreUnavailable(`the database is busy: ${why}; try again`);
}
