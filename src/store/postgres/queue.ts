import { setTimeout as delay } from 'node:timers/promises';
import { StoreUnavailable } from '../contract/store.ts';

/** Runs work that must have the things with these keys to itself: of two that name the same one, in the order in which they were asked for. */
export type Queue = <T>(keys: readonly bigint[], work: () => Promise<T>) => Promise<T>;

/**
 * Whoever would only wait for a lock waits here, and holds no connection meanwhile: a burst of writes in one workspace keeps none from the
 * others. Whoever waits for longer than `patienceMs`, or would wait behind `maxWaiting` others, is told so; nothing was written then.
 */
export function createQueue({ patienceMs, maxWaiting }: { patienceMs: number; maxWaiting: number }): Queue {
  const last = new Map<bigint, Promise<void>>();
  let waiting = 0;

  return async (keys, work) => {
    const before = keys.flatMap((key) => last.get(key) ?? []);
    if (before.length > 0 && waiting >= maxWaiting) throw busy(`${maxWaiting} operations wait for others already`);
    const { promise: mine, resolve } = Promise.withResolvers<void>();
    for (const key of keys) last.set(key, mine);
    const leave = () => {
      resolve();
      for (const key of keys) if (last.get(key) === mine) last.delete(key);
    };
    if (before.length > 0) {
      const turn = Promise.all(before);
      waiting += 1;
      const came = await comesWithin(turn, patienceMs);
      waiting -= 1;
      if (!came) {
        void turn.then(leave);
        throw busy('the operations before this one were not done in time');
      }
    }
    try {
      return await work();
    } finally {
      leave();
    }
  };
}

function busy(why: string): StoreUnavailable {
  return new StoreUnavailable(`the database is busy: ${why}; try again`);
}

async function comesWithin(turn: Promise<unknown>, ms: number): Promise<boolean> {
  const waiting = new AbortController();
  const late = delay(ms, false, { signal: waiting.signal }).catch(() => false);
  try {
    return await Promise.race([turn.then(() => true), late]);
  } finally {
    waiting.abort();
  }
}
