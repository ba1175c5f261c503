import { Socket } from 'node:net';
import { sql } from 'kysely';
import pg from 'pg';
import { changeLogAfter, selectChanges } from '../../cache/change-log.ts';
import type { Reader, Tables } from '../statement.ts';
import type { ConnectionPool } from './pool.ts';
import { type PostgresAddress, settingsFor, TIMEOUTS, type Timeouts } from './postgres-connection.ts';

/** The change log, and the transactions in flight, in one statement: both are of one snapshot. */
export async function changesSince(reader: Reader, seq: number) {
  const rows = await reader.all(selectChangesAndTransactions, { seq });
  return { ...changeLogAfter(seq, rows), inFlight: rows[0]?.inFlight ?? [] };
}

function selectChangesAndTransactions(db: Tables, p: { seq: number }) {
  const inFlight = sql<string[]>`array(select id::text from pg_snapshot_xip(pg_current_snapshot()) as id)`;
  return selectChanges(db, p).select(inFlight.as('inFlight'));
}

// NOTIFY only makes the next poll of the change log come early. Nothing depends on it: where it is not delivered, as behind a pooler in
// transaction mode, caches are invalidated by the next poll.

const CHANNEL = 'nameplate_changes';

interface Notifier {
  /** Sends NOTIFY. Never throws; calls while one is being sent are sent as one. */
  notify(): void;
  /** Resolves when nothing is being sent. */
  stop(): Promise<void>;
}

/**
 * Sends NOTIFY in a statement of its own after the commit: a transaction that notifies holds a lock of the whole server while it commits, and
 * would make all others wait for its fsync.
 */
export function notifier(pool: Pick<ConnectionPool, 'withClient'>): Notifier {
  let sending: Promise<void> | undefined;
  let again = false;

  async function send(): Promise<void> {
    do {
      again = false;
      await pool.withClient((client) => client.query(`notify ${CHANNEL}`)).catch(() => {});
    } while (again);
    sending = undefined;
  }

  return {
    notify() {
      again = true;
      sending ??= send();
    },
    async stop() {
      await sending;
    },
  };
}

/** The back-off before reconnecting: doubled after each attempt. */
const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 10_000;

/**
 * LISTENs: calls `onNotify` soon after changes, and once after each connect, since notifications may have been missed before; one call at a
 * time. Reconnects for as long as it takes.
 */
export function listenForChanges(
  address: PostgresAddress,
  onNotify: () => Promise<void>,
  timeouts: Partial<Timeouts> = {},
): { stop(): Promise<void> } {
  const settings = settingsFor(address, { ...TIMEOUTS, ...timeouts });
  let socket: Socket | undefined;
  let timer: NodeJS.Timeout | undefined;
  let backoffMs = FIRST_BACKOFF_MS;
  let stopped = false;
  let connecting: Promise<void> = Promise.resolve();
  let calling = false;
  let again = false;

  async function call(): Promise<void> {
    again = true;
    if (calling) return;
    calling = true;
    while (again && !stopped) {
      again = false;
      await onNotify();
    }
    calling = false;
  }

  async function connect(): Promise<void> {
    const connection = new Socket();
    socket = connection;
    const client = new pg.Client({ ...settings, stream: () => connection });
    client.on('error', () => {});
    client.on('notification', () => void call());
    client.once('end', () => {
      if (stopped) return;
      timer = setTimeout(reconnect, backoffMs * (0.5 + Math.random() / 2)).unref();
      backoffMs = Math.min(backoffMs * 2, MAX_BACKOFF_MS);
    });
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      backoffMs = FIRST_BACKOFF_MS;
      void call();
    } catch {
      // Never rejects.
      void client.end();
    }
  }

  function reconnect(): void {
    connecting = connect();
  }
  reconnect();

  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      // Not `client.end()`, which waits for the server for as long as that hangs.
      socket?.destroy();
      await connecting;
    },
  };
}
