import { DatabaseSync } from 'node:sqlite';
import { StoreUnavailable } from '../../store.ts';
import { cannotOpen, prepareFile } from './database-file.ts';
import { isBusy } from './sqlite-errors.ts';

/**
 * Locks roles that only one process may run on the database `path`, until the returned function is called; the operating system releases the
 * locks when the process dies, however it dies. Rejects with `StoreUnavailable`, which names the owner, when any is locked; then none is held.
 */
export async function lockRoles(path: string, roles: readonly string[]): Promise<() => void> {
  const held: DatabaseSync[] = [];
  const release = () => {
    for (const lock of held.splice(0)) lock.close();
  };
  try {
    for (const role of roles) held.push(takeLock(path, role));
  } catch (error) {
    release();
    throw error;
  }
  return release;
}

/** A lock is a database of its own with a write transaction that never ends. Its table names the owner, which others can read. */
function takeLock(path: string, role: string): DatabaseSync {
  const file = `${path}.${role}.lock`;
  prepareFile(file);
  const db = new DatabaseSync(file, { timeout: 0 });
  try {
    db.exec('begin immediate');
    db.exec(`pragma busy_timeout = 1000;
      create table if not exists owner (pid integer) strict;
      delete from owner;
      insert into owner values (${process.pid});
      commit;
      begin immediate`);
    return db;
  } catch (error) {
    const refusal = isBusy(error) ? taken(path, role, ownerIn(db), error) : cannotOpen(file, error);
    db.close();
    throw refusal;
  }
}

function taken(path: string, role: string, owner: unknown, cause: unknown): StoreUnavailable {
  return new StoreUnavailable(
    `another process${owner === undefined ? '' : ` (${owner})`} already runs the ${role} of ${path}: stop it, or start this one without that role`,
    { cause },
  );
}

function ownerIn(db: DatabaseSync): unknown {
  try {
    return db.prepare('select pid from owner').get()?.pid;
  } catch {
    // The owner has not written its pid yet.
    return undefined;
  }
}
