import { createHash } from 'node:crypto';
import type pg from 'pg';
import { withinTime } from '../../../base/time-limit.ts';
import { StoreUnavailable } from '../../store.ts';
import type { Transaction } from '../statement.ts';

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

/** The keys of the advisory locks with these names, in the one order in which every transaction takes them, so that none deadlock. */
export function lockKeys(names: readonly string[]): bigint[] {
  return [...new Set(names.map(lockKey))].sort((a, b) => (a < b ? -1 : 1));
}

/** A hash, so that it is unlikely to be a key that another program uses in the same database. */
export function lockKey(name: string): bigint {
  return createHash('sha256').update(`nameplate ${name}`).digest().readBigInt64BE();
}

/**
 * Performs in a transaction what no other may perform under the same id at the same time: then the result is `in_flight` at once. The advisory locks `locks`
 * come afterwards, and are waited for. That order cannot deadlock, since nobody waits for an id.
 */
export function alone<T>(id: string, locks: readonly bigint[], perform: (tx: Transaction) => Promise<T>) {
  return async (tx: Transaction, client: pg.ClientBase): Promise<T | { kind: 'in_flight' }> => {
    const { rows } = await client.query(
      `select pg_try_advisory_xact_lock(${lockKey(`idempotency key ${id}`)}) as taken`,
    );
    if (!rows[0]?.taken) return { kind: 'in_flight' };
    const waits = locks.map((key) => `select pg_advisory_xact_lock(${key})`);
    if (waits.length > 0) await client.query(waits.join('; '));
    return perform(tx);
  };
}
