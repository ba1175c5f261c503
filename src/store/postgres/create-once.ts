import type pg from 'pg';
import type { Transaction } from '../sql/statement.ts';
import { lockKey } from './advisory-locks.ts';

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
