import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { insertChange } from '../sql/change-log.ts';
import type { Writing } from '../sql/query.ts';
import type { Connections } from './pool.ts';
import { execute, reading } from './postgres-connection.ts';
import { isConflict, isLost } from './postgres-errors.ts';

/** A write, all of which happens or nothing. */
export interface Transaction<T> {
  /** Keys of the advisory locks that it takes, in order. */
  locks: bigint[];
  /** Whether it is on the disk before anyone is told. */
  synced: boolean;
  newId: Writing['newId'];
  /** Unix ms. */
  askedAt: number;
  /** Does it; called again when the first attempt was undone. */
  perform(run: Writing, client: pg.ClientBase): Promise<T>;
  /** Told after a commit that announced changes. */
  onAnnounced(): void;
}

/** How often a transaction is begun that the server undoes because of what others do. */
const ATTEMPTS = 8;
/** The first wait before another attempt, on average; each further one is twice as long. */
const FIRST_PAUSE_MS = 5;

/** Runs a transaction on one of the connections. Rejects with the engine's own error. */
export async function transact<T>(writers: Connections, transaction: Transaction<T>, random: () => number): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt(writers, transaction);
    } catch (error) {
      if (!isConflict(error) || attempts === ATTEMPTS) throw error;
      await delay(FIRST_PAUSE_MS * 2 ** attempts * random());
    }
  }
}

async function attempt<T>(writers: Connections, transaction: Transaction<T>): Promise<T> {
  let committing = false;
  return writers.lend(
    async (client) => {
      try {
        await client.query(beginning(transaction));
        const { run, hasAnnounced } = writing(client, transaction);
        const outcome = await transaction.perform(run, client);
        committing = true;
        await client.query('commit');
        if (hasAnnounced()) transaction.onAnnounced();
        return outcome;
      } catch (error) {
        // A connection that is lost will be closed, upon which the server undoes what was not committed. One that hangs would hang here again.
        if (!isLost(error)) await client.query('rollback').catch(() => {});
        throw error;
      }
    },
    () => !committing,
  );
}

/** One message to the server for all that comes before the first statement. Its locks are held when it is answered. */
function beginning({ locks, synced }: Transaction<unknown>): string {
  // At this level each statement sees what was committed before it, and so whatever was done by whoever held a lock before.
  const statements = ['begin isolation level read committed'];
  if (!synced) statements.push('set local synchronous_commit = off');
  for (const key of locks) statements.push(`select pg_advisory_xact_lock(${key})`);
  return statements.join('; ');
}

function writing(client: pg.ClientBase, { newId, askedAt }: Transaction<unknown>) {
  let announced = false;
  const run: Writing = {
    ...reading(client),
    async change(query, input) {
      if ((query as unknown) === insertChange) announced = true;
      return (await execute(client, query, input)).rowCount ?? 0;
    },
    newId,
    askedAt,
  };
  return { run, hasAnnounced: () => announced };
}
