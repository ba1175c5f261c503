import pg from 'pg';
import { StoreUnavailable } from '../contract/store.ts';
import { isBroken, isLost } from './postgres-errors.ts';

/** A bounded number of connections that are used in turn. */
export interface Connections {
  /**
   * Lends a connection for as long as `use` takes. Where the one that was lent had broken while nobody used it, `use` is called again with
   * another, unless `mayRepeat` says that what was begun may have been done.
   */
  lend<T>(use: (client: pg.PoolClient) => Promise<T>, mayRepeat: () => boolean): Promise<T>;
  close(): Promise<void>;
}

export interface PoolOptions {
  settings: pg.ClientConfig;
  size: number;
  /** How many may wait for a connection; more are refused at once, since a queue without end only hides that the database cannot keep up. */
  maxWaiting: number;
}

/** Connections that nobody has used for as long are closed. */
const IDLE_MS = 60_000;

export function connections({ settings, size, maxWaiting }: PoolOptions): Connections {
  const pool = new pg.Pool({ ...settings, max: size, idleTimeoutMillis: IDLE_MS });
  const used = new WeakSet<pg.PoolClient>();
  // A connection that breaks says so here, and again to whoever uses it: without a listener it would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));

  return {
    async lend(use, mayRepeat) {
      if (pool.waitingCount - pool.idleCount >= maxWaiting) {
        throw new StoreUnavailable(
          `the database is busy: ${maxWaiting} operations wait for a connection already; try again`,
        );
      }
      for (;;) {
        const client = await pool.connect();
        const fresh = !used.has(client);
        used.add(client);
        try {
          const outcome = await use(client);
          client.release();
          return outcome;
        } catch (error) {
          client.release(isLost(error) || client.getTransactionStatus() !== 'I');
          // Each broken one is gone from the pool, so this comes to an end.
          if (fresh || !isBroken(error) || !mayRepeat()) throw error;
        }
      }
    },
    close: () => pool.end(),
  };
}
