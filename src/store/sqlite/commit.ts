import { idMaker } from '../../ids.ts';
import { certificateClaimer } from '../sql/certificates/leases.ts';
import { claimDue } from '../sql/checks.ts';
import type { Writing } from '../sql/query.ts';
import { addRequests } from '../sql/request-counts.ts';
import { writes } from '../sql/use-cases.ts';
import type { Connection } from './sqlite-connection.ts';

/** One operation that was asked for. */
export interface Call {
  name: keyof ReturnType<typeof operationsOn>;
  args: unknown[];
  /** Unix ms. */
  askedAt: number;
}

/** Calls that are committed together. `synced`: the commit is on the disk before anyone is told. */
export interface Batch {
  calls: Call[];
  synced: boolean;
}

export type Answer = { outcome: unknown } | { error: unknown };

/** Commits batches: the calls of one in one transaction, each in a savepoint of its own, so that one that throws takes no other along. */
export function committer(connection: Connection): (batch: Batch) => Promise<Answer[]> {
  const { db } = connection;
  const operations = operationsOn(connection);
  const run: Writing = {
    one: connection.one,
    all: connection.all,
    change: connection.change,
    newId: idMaker({ now: () => run.askedAt }),
    askedAt: 0,
  };

  async function attempt({ name, args, askedAt }: Call): Promise<Answer> {
    const operation = operations[name] as (run: Writing, ...args: unknown[]) => Promise<unknown>;
    run.askedAt = askedAt;
    db.exec('savepoint call');
    try {
      const outcome = await operation(run, ...args);
      db.exec('release call');
      return { outcome };
    } catch (error) {
      // Some errors, such as a full disk, have ended the whole transaction by now: then no call of the batch was done.
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
      const answers: Answer[] = [];
      for (const call of batch.calls) answers.push(await attempt(call));
      db.exec('commit');
      return answers;
    } catch (error) {
      if (db.isTransaction) db.exec('rollback');
      return batch.calls.map(() => ({ error }));
    }
  };
}

/** The contract's writes, and what SQLite needs besides. */
function operationsOn({ db }: Connection) {
  return {
    ...writes,
    addRequests,
    claimCertificates: certificateClaimer(),
    claimDue,
    // Writes a page, though nothing changes: nothing less shows that the file takes writes.
    ping: async () => db.exec('pragma user_version = 0'),
  };
}
