import { sql } from 'kysely';
import pg from 'pg';
import { logAfter, selectChanges } from '../sql/change-log.ts';
import type { Reading, Tables } from '../sql/query.ts';
import type { Connections } from './pool.ts';
import { type PostgresAddress, settingsFor, TIMEOUTS, type Timeouts } from './postgres-connection.ts';

/** The log, and the transactions of the server that have written and not ended, in one statement: both are of one moment. */
export async function changesSince(run: Reading, seq: number) {
  const rows = await run.all(selectChangesAndWrites, { seq });
  return { ...logAfter(seq, rows), underWay: rows[0]?.underWay ?? [] };
}

export function selectChangesAndWrites(db: Tables, p: { seq: number }) {
  const underWay = sql<string[]>`array(select id::text from pg_snapshot_xip(pg_current_snapshot()) as id)`;
  return selectChanges(db, p).select(underWay.as('underWay'));
}

// NOTIFY only wakes the poll of the log of changes early. Nothing depends on it: where it does not come through, as behind a pooler in
// transaction mode, caches hear a change with the next poll.

const CHANNEL = 'nameplate_changes';

/** Wakes whoever listens for changes. */
export interface Announcer {
  /** Says that there is news. It never throws, and what is said in one go is said once. */
  announce(): void;
  /** Resolves when nothing is being said. */
  stop(): Promise<void>;
}

/**
 * Notifies in a statement of its own, after the commit: a transaction that notifies commits alone in the whole server, and would hold up
 * all others for as long as its disk takes.
 */
export function announcer(writers: Connections): Announcer {
  let saying: Promise<void> | undefined;
  let more = false;

  async function say(): Promise<void> {
    do {
      more = false;
      await writers
        .lend(
          (client) => client.query(`notify ${CHANNEL}`),
          () => true,
        )
        .catch(() => {});
    } while (more);
    saying = undefined;
  }

  return {
    announce() {
      more = true;
      saying ??= say();
    },
    async stop() {
      await saying;
    },
  };
}

/** The wait before a connection that broke is made again: twice as long after each attempt. */
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;

/**
 * Calls `onNews` soon after changes were announced, and once after each connection, since what was announced before is unknown; again only
 * when it has resolved. A connection that breaks is made again, for as long as it takes.
 */
export function listenForChanges(
  address: PostgresAddress,
  onNews: () => Promise<void>,
  timeouts: Partial<Timeouts> = {},
): { stop(): Promise<void> } {
  const settings = settingsFor(address, { ...TIMEOUTS, ...timeouts });
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let pauseMs = FIRST_PAUSE_MS;
  let stopped = false;
  let listening: Promise<void> = Promise.resolve();
  let telling = false;
  let more = false;

  async function tell(): Promise<void> {
    more = true;
    if (telling) return;
    telling = true;
    while (more && !stopped) {
      more = false;
      await onNews();
    }
    telling = false;
  }

  async function listen(): Promise<void> {
    client = new pg.Client(settings);
    client.on('error', () => {});
    client.on('notification', () => void tell());
    client.once('end', () => {
      if (stopped) return;
      timer = setTimeout(again, pauseMs * (0.5 + Math.random() / 2)).unref();
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    });
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
      pauseMs = FIRST_PAUSE_MS;
      void tell();
    } catch {
      void client.end();
    }
  }

  function again(): void {
    listening = listen();
  }
  again();

  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await listening;
      await client?.end();
    },
  };
}
