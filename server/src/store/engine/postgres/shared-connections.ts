import type pg from 'pg';
import { type Connection, type ConnectionPool, connectionPool, type PoolOptions, tooManyWaiting } from './pool.ts';
import { isBroken, isLost, isMisprepared } from './postgres-errors.ts';

/** Connections for single statements that read. Once all are in use, statements share them. */
export interface SharedConnections {
  /** Runs one statement; runs it again where the connection broke that it was sent over. */
  run<T>(statement: (client: pg.ClientBase) => Promise<T>): Promise<T>;
  usage(): ReturnType<ConnectionPool['usage']>;
  close(): Promise<void>;
}

/** A statement that was sent while others of its name failed to be prepared may fail because none did, and then because another one did. */
const PREPARE_RETRIES = 2;

/** A connection for as long as statements use it. */
interface Shared {
  opening: Promise<Connection>;
  opened: Connection | null;
  /** Sent, or about to be. */
  statements: number;
  /** It was used before, or a statement was answered. */
  isProven: boolean;
  isLost: boolean;
}

/**
 * Statements are pipelined: sent at once, behind those that the server has not answered yet. Each ends with a Sync message of its own
 * (PostgreSQL manual, "Pipelining"), so that its error leaves the others alone. One that is not answered in time closes the connection, and the
 * others run again on another.
 */
export function sharedConnections({ settings, size, maxWaiting }: PoolOptions): SharedConnections {
  const pool = connectionPool({ settings: { ...settings, pipeline: true }, size, maxWaiting });
  const inUse = new Set<Shared>();
  let statements = 0;

  /** A connection for itself, or else the one with the fewest statements. */
  function join(): Shared {
    const [first, ...others] = inUse;
    if (first === undefined || inUse.size < size) {
      const made: Shared = { opening: pool.acquire(), opened: null, statements: 0, isProven: false, isLost: false };
      inUse.add(made);
      return made;
    }
    return others.reduce((least, next) => (next.statements < least.statements ? next : least), first);
  }

  async function runOn<T>(shared: Shared, statement: (client: pg.ClientBase) => Promise<T>): Promise<T> {
    shared.statements += 1;
    try {
      shared.opened ??= await shared.opening;
      shared.isProven ||= !shared.opened.isFresh;
      const result = await statement(shared.opened.client);
      shared.isProven = true;
      return result;
    } catch (error) {
      shared.isLost ||= isLost(error);
      throw error;
    } finally {
      shared.statements -= 1;
      // A lost connection takes no more statements; it is closed once those that it has have failed or were answered.
      if (shared.isLost || shared.statements === 0) inUse.delete(shared);
      if (shared.statements === 0) shared.opened?.release(shared.isLost);
    }
  }

  return {
    async run(statement) {
      if (statements - size >= maxWaiting) throw tooManyWaiting(maxWaiting);
      statements += 1;
      try {
        for (let retries = 0; ; retries++) {
          const shared = join();
          try {
            return await runOn(shared, statement);
          } catch (error) {
            if (isMisprepared(error) && retries < PREPARE_RETRIES) continue;
            // All connections may have broken while they were idle. A statement that breaks more than these is to blame itself.
            if (!isBroken(error) || !shared.isProven || retries >= size) throw error;
          }
        }
      } finally {
        statements -= 1;
      }
    },
    usage() {
      const usage = pool.usage();
      return { ...usage, waiting: usage.waiting + Math.max(0, statements - inUse.size) };
    },
    close: pool.close,
  };
}
