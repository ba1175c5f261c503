import { StoreFull, StoreUnavailable } from '../../store.ts';

const FULL = 'the disk is full: nothing was written; free some space, and it can be written again';

/** The meaning of SQLite's result codes for the operator: extended codes that say more, and primary ones, which are the low byte of the others. */
const MEANINGS: Record<number, string> = {
  5: 'the database is busy: another process holds its write lock',
  6: 'the database is busy: another process holds its write lock',
  8: 'the database cannot be written: check that the file and its directory belong to this user, and that the disk is not read-only',
  10: 'the disk reported an error while the database was read or written; look at the system log',
  11: 'the database is damaged: restore a backup',
  13: FULL,
  14: 'the file cannot be opened: check that it and its directory belong to this user',
  // IOERR_SHMSIZE: the file of the WAL's index cannot grow when the database is opened.
  4874: FULL,
  26: 'the file is not a database: move it away, or name another one',
};

/** An error of the engine as `StoreUnavailable`, with `cause`. Other errors (bugs) are returned as they are. */
export function asUnavailable(error: unknown): unknown {
  const meaning = isClosed(error)
    ? 'the store is closed'
    : (MEANINGS[resultCode(error)] ?? MEANINGS[resultCode(error) & 0xff]);
  if (meaning === undefined) return error;
  return new (meaning === FULL ? StoreFull : StoreUnavailable)(meaning, { cause: error });
}

/** SQLITE_BUSY: another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return (resultCode(error) & 0xff) === 5;
}

/** Node's error for a closed connection. */
function isClosed(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_INVALID_STATE';
}

function resultCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode : 0;
}
