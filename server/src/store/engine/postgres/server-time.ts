import { sql } from 'kysely';
import pg from 'pg';
import type { Reader, Tables } from '../statement.ts';
import { type PostgresAddress, settingsFor, TIMEOUTS } from './postgres-connection.ts';
import { asUnavailable } from './postgres-errors.ts';

export async function serverTime(reader: Reader): Promise<number> {
  return (await reader.one(selectTime, {}))?.ms ?? Number.NaN;
}

function selectTime(db: Tables) {
  return db.selectNoFrom(sql<number>`(extract(epoch from clock_timestamp()) * 1000)::float8`.as('ms'));
}

/** The server's clock in Unix milliseconds. Rejects with `StoreUnavailable`. */
export async function timeOf(address: PostgresAddress): Promise<number> {
  const client = new pg.Client(settingsFor(address, TIMEOUTS));
  try {
    await client.connect();
    const { rows } = await client.query<{ ms: number }>(
      'select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms',
    );
    return rows[0]?.ms ?? Number.NaN;
  } catch (error) {
    throw asUnavailable(error);
  } finally {
    await client.end().catch(() => {});
  }
}
