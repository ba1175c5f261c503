import type pg from 'pg';
import { expect, it } from 'vitest';
import { logChange } from '../../cache/change-log.ts';
import type { Tables, Transaction } from '../statement.ts';
import { transact } from './transaction.ts';

/** The statements that a transaction sends over a connection that fails at its first statement. */
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

it('a transaction that changes a domain and does not log that is rolled back', async () => {
  const sent: unknown[] = [];
  const client = {
    async query(statement: string | { text: string }) {
      sent.push(typeof statement === 'string' ? statement : statement.text);
      return { rows: [], rowCount: 1 };
    },
  } as unknown as pg.PoolClient;
  const rename = (db: Tables, p: { id: string }) => db.updateTable('domains').where('id', '=', p.id).set({ name: 'a' });
  const perform = async (tx: Transaction, logged?: string) => {
    tx.write(rename, { id: 'dom_1' });
    if (logged !== undefined) logChange(tx, 'domain', logged);
  };
  const about = { locks: [], domains: ['dom_1', 'dom_2'], synced: true, now: 0, newId: () => '', onChange() {} };
  const run = (logged?: string) =>
    transact({ withClient: (use) => use(client) }, { ...about, perform: (tx) => perform(tx, logged) }, () => 0);
  for (const logged of [undefined, 'dom_2']) {
    await expect(run(logged)).rejects.toThrow('a write changes the domain dom_1, and does not log it');
    expect(sent.at(-1)).toBe('rollback');
  }
  await run('dom_1');
  expect(sent.at(-1)).toBe('commit');
});
