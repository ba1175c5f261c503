import { sql } from 'kysely';
import { idMaker } from '../../../base/ids.ts';
import { type ChangeGuard, guardChanges } from '../../cache/change-log.ts';
import type { CertificateClaim } from '../../certificate/fairness.ts';
import { certificateClaimer } from '../../certificate/leases.ts';
import { claimDue } from '../../check/checks.ts';
import { claimMonitored } from '../../check/monitors.ts';
import { addRequests } from '../../request/requests.ts';
import { insertDelivery } from '../../webhook/outbox.ts';
import { changes } from '../changes.ts';
import type { Tables, Transaction } from '../statement.ts';
import { upkeep, type WriteUseCase } from '../write.ts';
import { writes } from '../writes.ts';
import { type SqliteConnection, sqliteTables } from './sqlite-connection.ts';

/** A write as it is posted to the writer thread. */
export interface WriteCall {
  /** The outcome of the use case. */
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

/** The writes that are SQLite's own. */
export const sqliteWrites = {
  addRequests: upkeep(addRequests),
  claimCertificates: upkeep(claimCertificates),
  claimDue: upkeep(claimDue),
  claimMonitored: upkeep(claimMonitored),
  writePage: upkeep(writePage),
};

const useCases = new Map<string, WriteUseCase<never[], unknown>>(
  [writes, changes, sqliteWrites]
    .flatMap((useCases) => Object.values(useCases))
    .map((useCase) => [useCase.name, useCase]),
);

/** Commits batches, each in one transaction. A call that throws rolls back no other. `onDelivery`: a commit may have added a delivery. */
export function committer(
  connection: SqliteConnection,
  onDelivery: () => void = () => {},
): (batch: CommitBatch) => Promise<WriteResult[]> {
  const { db } = connection;
  const begin = db.prepare('begin immediate');
  const commit = db.prepare('commit');
  let delivers = false;
  let guard: ChangeGuard;
  const tx: Transaction = {
    one: connection.one,
    all: connection.all,
    execute(statement, input) {
      if ((statement as unknown) === insertDelivery) delivers = true;
      const rows = connection.execute(statement, input);
      if (rows > 0) guard.note(statement, input);
      return rows;
    },
    write(statement, input) {
      tx.execute(statement, input);
    },
    newId: idMaker({ now: () => tx.now }),
    isLocal: true,
    now: 0,
    domains: [],
    actor: null,
  };

  async function perform({ name, args, now }: WriteCall): Promise<WriteResult> {
    const useCase = useCases.get(name);
    if (useCase === undefined) throw new Error(`there is no write ${name}`);
    tx.now = now;
    tx.domains = useCase.invalidates(...(args as never[]));
    guard = guardChanges(sqliteTables);
    const value = await useCase.perform(tx, ...(args as never[]));
    guard.check();
    return { value };
  }

  /** Null, and nothing is done, where a call throws. */
  async function performTogether(calls: WriteCall[]): Promise<WriteResult[] | null> {
    try {
      const results: WriteResult[] = [];
      for (const call of calls) results.push(await perform(call));
      return results;
    } catch {
      if (db.isTransaction) db.exec('rollback');
      begin.run();
      return null;
    }
  }

  /** Each in a savepoint, for which SQLite copies every page that the call changes: too dear for calls that do not throw. */
  async function performApart(calls: WriteCall[]): Promise<WriteResult[]> {
    const results: WriteResult[] = [];
    for (const call of calls) {
      db.exec('savepoint call');
      try {
        results.push(await perform(call));
      } catch (error) {
        // Some errors, such as a full disk, have rolled back the whole transaction by now: then no call of the batch was done.
        if (!db.isTransaction) throw error;
        db.exec('rollback to call');
        results.push({ error });
      }
      db.exec('release call');
    }
    return results;
  }

  let synced: boolean | undefined;
  return async (batch) => {
    try {
      if (batch.synced !== synced) db.exec(`pragma synchronous = ${batch.synced ? 'full' : 'normal'}`);
      synced = batch.synced;
      begin.run();
      const results = (await performTogether(batch.calls)) ?? (await performApart(batch.calls));
      commit.run();
      if (delivers) onDelivery();
      delivers = false;
      return results;
    } catch (error) {
      if (db.isTransaction) db.exec('rollback');
      return batch.calls.map(() => ({ error }));
    }
  };
}

/** All claims of this thread, which is the only writer. */
const claimer = certificateClaimer();

async function claimCertificates(tx: Transaction, claim: CertificateClaim) {
  return claimer(tx, claim);
}

/** Writes a page, though nothing changes: nothing less shows that the file can be written. */
async function writePage(tx: Transaction): Promise<void> {
  await tx.execute(setUserVersion, {});
}

function setUserVersion(db: Tables) {
  return { compile: () => sql`pragma user_version = 0`.compile(db) };
}
