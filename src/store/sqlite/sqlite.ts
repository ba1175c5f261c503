import { type Clock, systemClock } from '../../clock.ts';
import type { DueCertificate, DueCheck, Store } from '../contract/store.ts';
import { isAnyDue } from '../sql/certificates/leases.ts';
import { countDue } from '../sql/check-schedule.ts';
import { isDurable } from '../sql/durability.ts';
import type { Reading } from '../sql/query.ts';
import { bind, reads, writes } from '../sql/use-cases.ts';
import type { Call } from './commit.ts';
import { prepareSchema } from './migrate-sqlite.ts';
import { connect } from './sqlite-connection.ts';
import { asUnavailable } from './sqlite-errors.ts';
import { startWriter } from './writer.ts';

export { migrate, pendingMigrations } from './migrate-sqlite.ts';
export { lockRoles } from './role-lock.ts';

export interface SqliteOptions {
  /** The database file; made, with its directory, where there is none. */
  path: string;
  /** For the age of what carries no time of its own. */
  clock?: Clock;
  /** How long a write waits while another process holds the write lock. */
  busyTimeoutMs?: number;
  /** Writes that may wait; more are refused at once. */
  maxWaiting?: number;
  /** Most pages the file may have: a disk of that size, for tests. */
  maxPages?: number;
}

/** In WAL mode readers wait for nobody; should it happen all the same, the event loop must not stand still for long. */
const READ_PATIENCE_MS = 100;

/**
 * The embedded store: one SQLite file in WAL mode. Reads run in the calling thread, each a few microseconds; every write goes through a
 * thread of its own, which waits for locks and for the disk. Rejects with `StoreUnavailable`, in one line that says what to do, when the
 * file cannot be used.
 */
export async function sqliteStore(options: SqliteOptions): Promise<Store> {
  const { path, clock = systemClock, busyTimeoutMs = 5000, maxWaiting = 4096, maxPages } = options;
  await prepareSchema(path);
  const reader = connect(path, { readOnly: true, busyTimeoutMs: READ_PATIENCE_MS });
  const writer = await startWriter({ path, busyTimeoutMs, maxPages }, maxWaiting).catch((error: unknown) => {
    reader.db.close();
    throw error;
  });
  let closed: Promise<void> | undefined;

  async function read<T>(query: () => Promise<T>): Promise<T> {
    try {
      return await query();
    } catch (error) {
      throw asUnavailable(error);
    }
  }

  async function write(name: Call['name'], args: unknown[]): Promise<unknown> {
    return writer.ask({ name, args, askedAt: clock.now() }, { synced: isDurable(name, args) });
  }

  return {
    ...bind(reads, (name, args) => {
      const operation = reads[name] as (run: Reading, ...args: unknown[]) => Promise<unknown>;
      return read(() => operation(reader, ...args));
    }),
    ...bind(writes, write),
    async claimDue(now, limit, checkIntervalMs, jitter, except) {
      // The reader is asked first, so that a verifier with nothing to do writes nothing.
      const due = await read(() => countDue(reader, now, limit, checkIntervalMs));
      if (due === 0) return [];
      const jitters = Array.from({ length: due }, jitter);
      return (await write('claimDue', [now, checkIntervalMs, jitters, except])) as DueCheck[];
    },
    async claimCertificates(claim) {
      if (!(await read(() => isAnyDue(reader, claim)))) return [];
      return (await write('claimCertificates', [claim])) as DueCertificate[];
    },
    async addRequests(counts) {
      return (await write('addRequests', [counts])) as number[];
    },
    async ping() {
      await read(() => reads.earliestDueAt(reader));
      await write('ping', []);
    },
    close() {
      if (closed === undefined) {
        // Before the writer, so that the writer is the last to leave: that one folds the log into the file.
        reader.db.close();
        closed = writer.close();
      }
      return closed;
    },
  };
}
