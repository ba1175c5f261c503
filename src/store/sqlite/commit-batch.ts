import { idMaker } from '../../ids.ts';
import type { Transaction } from '../sql/statement.ts';
import { type WriteUseCase, writes } from '../sql/writes.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { sqliteWrites } from './sqlite-writes.ts';

/** A write as it is posted to the writer thread. */
export interface WriteCall {
  /** Of the use case. */
  name: string;
  args: unknown[];
  /** When the store was called (Unix ms). */
  now: number;
}

/** Calls that are committed together. */
export interface CommitBatch {
  calls: WriteCall[];
  /** Whether the commit waits for the disk. */
  synced: boolean;
}

export type WriteResult = { value: unknown } | { error: unknown };

const useCases = new Map<string, WriteUseCase<never[], unknown>>(
  [...Object.values(writes), ...Object.values(sqliteWrites)].map((useCase) => [useCase.name, useCase]),
);

/** Commits batches: each in one transaction, each call in a savepoint, so that one that throws rolls back no other. */
export function committer(connection: SqliteConnection): (batch: CommitBatch) => Promise<WriteResult[]> {
  const { db } = connection;
  const tx: Transaction = {
    one: connection.one,
    all: connection.all,
    execute: connection.execute,
    newId: idMaker({ now: () => tx.now }),
    now: 0,
  };

  async function perform({ name, args, now }: WriteCall): Promise<WriteResult> {
    const useCase = useCases.get(name);
    if (useCase === undefined) throw new Error(`there is no write ${name}`);
    tx.now = now;
    db.exec('savepoint call');
    try {
      const value = await useCase.perform(tx, ...(args as never[]));
      db.exec('release call');
      return { value };
    } catch (error) {
      // Some errors, such as a full disk, have rolled back the whole transaction by now: then no call of the batch was done.
      if (!db.isTransaction) throw error;
      db.exec('rollback to call');
      db.exec('release call');
      return { error };
    }
  }

  let synced: boolean | undefined;
  return async (batch) => {
    try {
      if (batch.synced !== synced) db.exec(`pragma synchronous = ${batch.synced ? 'full' : 'normal'}`);
      synced = batch.synced;
      db.exec('begin immediate');
      const results: WriteResult[] = [];
      for (const call of batch.calls) results.push(await perform(call));
      db.exec('commit');
      return results;
    } catch (error) {
      if (db.isTransaction) db.exec('rollback');
      return batch.calls.map(() => ({ error }));
    }
  };
}
