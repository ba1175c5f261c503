import type pg from 'pg';
import { expect, it } from 'vitest';
import { transact } from './transaction.ts';

/** What is asked of a connection that fails at the first statement of a transaction. */
async function askedUpon(failure: Error): Promise<string[]> {
  const asked: string[] = [];
  const client = {
    async query(sql: string) {
      asked.push(sql);
      if (asked.length === 1) throw failure;
    },
  };
  const writers = {
    lend: <T>(use: (client: pg.PoolClient) => Promise<T>) => use(client as unknown as pg.PoolClient),
    close: async () => {},
  };
  const transaction = {
    locks: [],
    synced: true,
    askedAt: 0,
    newId: () => '',
    perform: async () => 0,
    onAnnounced() {},
  };
  await expect(transact(writers, transaction, () => 0)).rejects.toBe(failure);
  return asked;
}

it('is undone where it failed', async () => {
  const failure = Object.assign(new Error('canceling statement due to lock timeout'), {
    code: '55P03',
    severity: 'ERROR',
  });
  expect(await askedUpon(failure)).toEqual(['begin isolation level read committed', 'rollback']);
});

it('asks nothing more of a connection that hangs, which would take as long again', async () => {
  expect(await askedUpon(new Error('Query read timeout'))).toEqual(['begin isolation level read committed']);
});
