import type pg from 'pg';
import { expect, it } from 'vitest';
import { transact } from './transaction.ts';

/** What a transaction sends over a connection that fails at its first statement. */
async function sentUpon(failure: Error): Promise<string[]> {
  const sent: string[] = [];
  const client = {
    async query(sql: string) {
      sent.push(sql);
      if (sent.length === 1) throw failure;
    },
  };
  const pool = {
    withClient: <T>(use: (client: pg.PoolClient) => Promise<T>) => use(client as unknown as pg.PoolClient),
  };
  const transaction = {
    locks: [],
    domains: [],
    synced: true,
    now: 0,
    newId: () => '',
    perform: async () => 0,
    onChange() {},
  };
  await expect(transact(pool, transaction, () => 0)).rejects.toBe(failure);
  return sent;
}

it('a transaction that failed is rolled back', async () => {
  const failure = Object.assign(new Error('canceling statement due to lock timeout'), {
    code: '55P03',
    severity: 'ERROR',
  });
  expect(await sentUpon(failure)).toEqual(['begin isolation level read committed', 'rollback']);
});

it('nothing more is sent over a connection that hangs, which would take as long again', async () => {
  expect(await sentUpon(new Error('Query read timeout'))).toEqual(['begin isolation level read committed']);
});
