import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { addressOf, sharedPostgres } from '../../../../../test/support/postgres.ts';
import type { Tables, Transaction } from '../statement.ts';
import { type ConnectionPool, connectionPool } from './pool.ts';
import { settingsFor, TIMEOUTS } from './postgres-connection.ts';
import { transact } from './transaction.ts';

let pool: ConnectionPool;
/** Somebody else's connection. */
let other: pg.Client;

beforeEach(async () => {
  const url = await sharedPostgres().createDatabase();
  other = new pg.Client({ connectionString: url });
  await other.connect();
  await other.query('create table numbers (number bigint primary key)');
  const settings = { ...settingsFor(addressOf(url), TIMEOUTS), pipeline: true };
  pool = connectionPool({ settings, size: 1, maxWaiting: 10 });
});
afterEach(async () => {
  await pool.close();
  await other.end();
});

let changes = 0;

function transaction<T>(perform: (tx: Transaction) => Promise<T>): Promise<T> {
  changes = 0;
  const onChange = () => {
    changes += 1;
  };
  return transact(pool, { locks: [], synced: true, domains: [], newId: () => '', now: 0, perform, onChange }, () => 0);
}

const insert = (db: Tables, p: { number: number }) => ({
  compile: () => sql`insert into numbers values (${p.number})`.compile(db),
});
const remove = (db: Tables, p: { number: number }) => ({
  compile: () => sql`delete from numbers where number = ${p.number}`.compile(db),
});
const select = (db: Tables, p: { number: number }) => ({
  compile: () => sql<{ number: number }>`select number from numbers where number = ${p.number}`.compile(db),
});
const stored = async () => (await other.query('select number from numbers')).rows.map(({ number }) => Number(number));

it('a statement sees the writes before it, which nobody waited for', async () => {
  const found = await transaction(async (tx) => {
    tx.write(insert, { number: 1 });
    return tx.one(select, { number: 1 });
  });
  expect(found).toEqual({ number: 1 });
  expect(await stored()).toEqual([1]);
});

it.each([
  ['as its last statement', async () => 'done'],
  ['before others', async (tx: Transaction) => tx.one(select, { number: 1 })],
  ['before one whose failure is thrown as another error', (tx: Transaction) => failOtherwise(tx)],
])('a write that fails fails its transaction with its own error, and nothing of it stays: %s', async (_, then) => {
  const failing = transaction(async (tx) => {
    tx.write(insert, { number: 1 });
    tx.write(insert, { number: 1 });
    tx.write(insert, { number: 2 });
    tx.write(remove, { number: 1 });
    return then(tx);
  });
  await expect(failing).rejects.toMatchObject({ code: '23505' });
  expect(await stored()).toEqual([]);
  expect(changes).toBe(0);
  // The connection can be used again, also for statements that it could not prepare.
  const found = await transaction(async (tx) => {
    tx.write(insert, { number: 3 });
    tx.write(remove, { number: 4 });
    return tx.one(select, { number: 3 });
  });
  expect(found).toEqual({ number: 3 });
});

async function failOtherwise(tx: Transaction): Promise<void> {
  await Promise.resolve(tx.one(select, { number: 1 })).catch(() => {
    throw new Error('there is no such number');
  });
}

it('what the caller throws after writes is what the transaction rejects with, and nothing of it stays', async () => {
  const failing = transaction(async (tx) => {
    tx.write(insert, { number: 1 });
    throw new RangeError('too many');
  });
  await expect(failing).rejects.toThrow(new RangeError('too many'));
  expect(await stored()).toEqual([]);
});
