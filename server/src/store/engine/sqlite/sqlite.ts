import type { MessagePort } from 'node:worker_threads';
import { type Clock, systemClock } from '../../../base/clock.ts';
import { changesSince } from '../../cache/change-log.ts';
import { isAnyDue } from '../../certificate/leases.ts';
import { countDue, earliestDueAt } from '../../check/schedules.ts';
import { type Store, StoreUnavailable } from '../../store.ts';
import { type ReadUseCase, sqlStore } from '../sql-store.ts';
import type { WriteUseCase } from '../write.ts';
import { sqliteWrites } from './commit-batch.ts';
import { prepareSchema } from './migrate-sqlite.ts';
import { connect, type SqliteConnection } from './sqlite-connection.ts';
import { asUnavailable } from './sqlite-errors.ts';
import { createWriter } from './writer.ts';
import { type CommitThread, joinWriterThread, startWriterThread, type WriterEvents } from './writer-client.ts';

export { migrate, pendingMigrations } from './migrate-sqlite.ts';
export { lockRoles } from './role-lock.ts';

export interface SqliteOptions {
  /** The database file; made, with its directory, where there is none. */
  path: string;
  /** For ids, and for rows whose time no caller gives. */
  clock?: Clock;
  /** How long a write waits while another process holds the write lock. */
  busyTimeoutMs?: number;
  /** Writes that may queue; more are rejected at once. */
  maxWaiting?: number;
  /** Most pages the file may have: a disk of that size, for tests. */
  maxPages?: number;
}

/** In WAL mode readers never wait. Should one wait all the same, it must not block the event loop for long. */
const READ_BUSY_TIMEOUT_MS = 100;

/** A store that other threads of the process join. */
export interface SharedSqliteStore {
  store: Store;
  /** For `joinSqliteStore` in another thread. */
  newWriterPort(): MessagePort;
}

/**
 * The embedded store: one SQLite file in WAL mode. Reads run in the calling thread, each a few microseconds; every write goes through the
 * writer thread, which waits for locks and for fsync. Rejects with `StoreUnavailable`, in one line that says what to do, when the file cannot
 * be used.
 */
export async function sqliteStore(options: SqliteOptions): Promise<Store> {
  return (await sharedSqliteStore(options)).store;
}

/**
 * The same, for a process of several threads. `onWriterLost` is called when the writer thread dies, with the error that ended it; `onDelivery` after a commit
 * of any thread that added a delivery.
 */
export async function sharedSqliteStore(options: SqliteOptions & WriterEvents): Promise<SharedSqliteStore> {
  const { path, busyTimeoutMs = 5000, maxPages } = options;
  await prepareSchema(path);
  const reader = connectReader(path);
  const thread = await startWriterThread({ path, busyTimeoutMs, maxPages }, options).catch((error: unknown) => {
    reader.db.close();
    throw error;
  });
  return { store: storeOn(reader, thread, options), newWriterPort: thread.newPort };
}

/** The store of a process that has opened it in another thread: with a connection for reads, and a port to the one writer. */
export async function joinSqliteStore(port: MessagePort, options: SqliteOptions): Promise<Store> {
  return storeOn(connectReader(options.path), joinWriterThread(port), options);
}

function connectReader(path: string): SqliteConnection {
  return connect(path, { readOnly: true, busyTimeoutMs: READ_BUSY_TIMEOUT_MS });
}

function storeOn(
  reader: SqliteConnection,
  thread: CommitThread,
  { clock = systemClock, maxWaiting = 4096 }: Pick<SqliteOptions, 'clock' | 'maxWaiting'>,
): Store {
  const writer = createWriter(thread, maxWaiting);
  let closed: Promise<void> | undefined;

  async function whileOpen<T>(value: T): Promise<T> {
    if (closed !== undefined) throw new StoreUnavailable('the store is closed');
    return value;
  }

  async function read<Args extends unknown[], T>(useCase: ReadUseCase<Args, T>, ...args: Args): Promise<T> {
    try {
      return await useCase(reader, ...args);
    } catch (error) {
      throw asUnavailable(error);
    }
  }

  async function write<Args extends unknown[], T>(useCase: WriteUseCase<Args, T>, ...args: Args): Promise<T> {
    const call = { name: useCase.name, args, now: clock.now() };
    return (await writer.write(call, { synced: useCase.synced(...args) })) as T;
  }

  return sqlStore({
    read,
    write,
    changesSince: (seq) => read(changesSince, seq),
    async claimDue(now, limit, checkIntervalMs, jitter, except) {
      // Counted before, so that a verifier with nothing to do writes nothing.
      const due = await read(countDue, 'checks', { now, limit, periodMs: checkIntervalMs });
      if (due === 0) return [];
      const jitters = Array.from({ length: due }, jitter);
      return write(sqliteWrites.claimDue, now, checkIntervalMs, jitters, except);
    },
    async claimMonitored({ limit, jitter, ...claim }) {
      const due = await read(countDue, 'monitors', { now: claim.now, limit, periodMs: claim.intervalMs });
      if (due === 0) return [];
      return write(sqliteWrites.claimMonitored, { ...claim, jitters: Array.from({ length: due }, jitter) });
    },
    async claimCertificates(claim) {
      return (await read(isAnyDue, claim)) ? write(sqliteWrites.claimCertificates, claim) : [];
    },
    addRequests: (counts) => write(sqliteWrites.addRequests, counts),
    async ping() {
      await read(earliestDueAt);
      await write(sqliteWrites.writePage);
    },
    poolUsage: () => whileOpen([]),
    serverTime: () => whileOpen(null),
    close() {
      if (closed === undefined) {
        // Before the writer's, so that the writer's connection is the last one to close: that one checkpoints the WAL.
        reader.db.close();
        closed = writer.close();
      }
      return closed;
    },
  });
}
