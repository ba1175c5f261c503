import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { guardChanges, insertChange } from '../../cache/change-log.ts';
import { insertDelivery } from '../../webhook/outbox.ts';
import type { Transaction } from '../statement.ts';
import type { ConnectionPool } from './pool.ts';
import { clientReader, execute, postgresTables } from './postgres-connection.ts';
import { isConflict, isLost } from './postgres-errors.ts';

export interface TransactionOptions<T> {
  /** Keys of the advisory locks that it takes, in this order. */
  locks: bigint[];
  /** Whether its commit waits for the disk. */
  synced: boolean;
  /** The `invalidates` of the write. */
  domains: readonly string[];
  newId: Transaction['newId'];
  /** When the store was called (Unix ms). */
  now: number;
  /** Called again when a conflict rolled back the first attempt. */
  perform(tx: Transaction, client: pg.ClientBase): Promise<T>;
  /** Called after a commit that wrote to the change log, or added a delivery. */
  onChange(): void;
}

/** Attempts at a transaction that the server rolls back because of a conflict with others. */
const MAX_ATTEMPTS = 8;
/** The first back-off on average; each later one is twice as long. */
const FIRST_BACKOFF_MS = 5;

/** Runs a transaction. Rejects with the engine's own error. */
export async function transact<T>(
  pool: Pick<ConnectionPool, 'withClient'>,
  options: TransactionOptions<T>,
  random: () => number,
): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt(pool, options);
    } catch (error) {
      if (!isConflict(error) || attempts === MAX_ATTEMPTS) throw error;
      await delay(FIRST_BACKOFF_MS * 2 ** attempts * random());
    }
  }
}

async function attempt<T>(pool: Pick<ConnectionPool, 'withClient'>, options: TransactionOptions<T>): Promise<T> {
  let committing = false;
  return pool.withClient(
    async (client) => {
      try {
        await client.query(begin(options));
        const { tx, written, hasChanges, check } = transactionOn(client, options);
        const performed = options.perform(tx, client).then((result) => {
          check();
          return result;
        });
        const result = await performed.catch(async (error) => {
          // After a write that failed, the server refuses all other statements of the transaction.
          await written();
          throw error;
        });
        committing = true;
        // Sent behind the writes: where one of them failed, it rolls back.
        const committed = client.query('commit');
        await Promise.all([written(), committed]);
        if (hasChanges()) options.onChange();
        return result;
      } catch (error) {
        // A lost connection is closed, upon which the server rolls back. One that hangs would hang here again.
        if (!isLost(error)) await client.query('rollback').catch(() => {});
        throw error;
      }
    },
    () => !committing,
  );
}

/** One message to the server; once it is answered, the locks are held. */
function begin({ locks, synced }: TransactionOptions<unknown>): string {
  // Each statement sees what was committed before it, and so everything that earlier holders of a lock wrote.
  const statements = ['begin isolation level read committed'];
  if (!synced) statements.push('set local synchronous_commit = off');
  for (const key of locks) statements.push(`select pg_advisory_xact_lock(${key})`);
  return statements.join('; ');
}

/** Statements whose effect somebody polls for. */
const NOTIFYING: unknown[] = [insertChange, insertDelivery];

function transactionOn(client: pg.ClientBase, { newId, now, domains }: TransactionOptions<unknown>) {
  let changed = false;
  const guard = guardChanges(postgresTables);
  const writes: Promise<unknown>[] = [];
  const note = (statement: unknown) => {
    if (NOTIFYING.includes(statement)) changed = true;
  };
  const tx: Transaction = {
    ...clientReader(client),
    async execute(statement, input) {
      note(statement);
      const { rowCount } = await execute(client, statement, input);
      if (rowCount) guard.note(statement, input);
      return rowCount ?? 0;
    },
    write(statement, input) {
      note(statement);
      guard.note(statement, input);
      const write = execute(client, statement, input);
      // `written` says so.
      write.catch(() => {});
      writes.push(write);
    },
    newId,
    isLocal: false,
    now,
    domains,
    actor: null,
  };
  return { tx, written: () => Promise.all(writes), hasChanges: () => changed, check: guard.check };
}
