import pg from 'pg';
import { type PoolUsage, StoreUnavailable } from '../../store.ts';
import { isBroken, isLost } from './postgres-errors.ts';

/** A bounded number of connections. */
export interface ConnectionPool {
  /**
   * Runs `use` with a connection of its own. Where that one broke while it was idle, runs `use` again with another, unless `mayRetry` says
   * that the first run may have had an effect.
   */
  withClient<T>(use: (client: pg.PoolClient) => Promise<T>, mayRetry?: () => boolean): Promise<T>;
  /** Takes a connection out of the pool until it is released. */
  acquire(): Promise<Connection>;
  usage(): Omit<PoolUsage, 'pool'>;
  close(): Promise<void>;
}

export interface Connection {
  client: pg.PoolClient;
  /** Nobody used it before. */
  isFresh: boolean;
  /** Puts it back, or closes it. */
  release(close: boolean): void;
}

export interface PoolOptions {
  settings: pg.ClientConfig;
  size: number;
  /** Callers that may wait for a connection; more are rejected at once, since an unbounded queue only hides that the database cannot keep up. */
  maxWaiting: number;
}

const IDLE_TIMEOUT_MS = 60_000;

export function connectionPool({ settings, size, maxWaiting }: PoolOptions): ConnectionPool {
  const pool = new pg.Pool({ ...settings, max: size, idleTimeoutMillis: IDLE_TIMEOUT_MS });
  const used = new WeakSet<pg.PoolClient>();
  /** Those that wait for a connection, the first one first. Since when, by a monotonic clock (ms). */
  const waits = new Set<{ since: number }>();
  // A connection that breaks emits an error, which also rejects what runs on it: without a listener it would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));

  async function connect(): Promise<pg.PoolClient> {
    const wait = { since: performance.now() };
    waits.add(wait);
    try {
      return await pool.connect();
    } finally {
      waits.delete(wait);
    }
  }

  async function acquire(): Promise<Connection> {
    const client = await connect();
    const isFresh = !used.has(client);
    used.add(client);
    return { client, isFresh, release: (close) => client.release(close) };
  }

  return {
    async withClient(use, mayRetry = () => true) {
      if (pool.waitingCount - pool.idleCount >= maxWaiting) throw tooManyWaiting(maxWaiting);
      for (;;) {
        const { client, isFresh, release } = await acquire();
        try {
          const result = await use(client);
          release(false);
          return result;
        } catch (error) {
          release(isLost(error) || client.getTransactionStatus() !== 'I');
          // The pool drops each broken connection, so this loop ends.
          if (isFresh || !isBroken(error) || !mayRetry()) throw error;
        }
      }
    },
    acquire,
    usage() {
      const [first] = waits;
      const longestWaitMs = first === undefined ? 0 : performance.now() - first.since;
      return { connections: pool.totalCount, idle: pool.idleCount, waiting: waits.size, longestWaitMs };
    },
    close: () => pool.end(),
  };
}

export function tooManyWaiting(maxWaiting: number): StoreUnavailable {
  return new StoreUnavailable(
    `the database is busy: ${maxWaiting} operations wait for a connection already; try again`,
  );
}
