import type pg from 'pg';
import { type Clock, systemClock } from '../../clock.ts';
import { idMaker } from '../../ids.ts';
import { type Store, StoreUnavailable } from '../contract/store.ts';
import { certificateClaimer, isAnyDue } from '../sql/certificates/leases.ts';
import { isDurable } from '../sql/durability.ts';
import type { Reading, Writing } from '../sql/query.ts';
import { bind, reads, writes } from '../sql/use-cases.ts';
import { lockKey, locksOf } from './advisory-locks.ts';
import { claimer } from './claim-checks.ts';
import { prepareSchema } from './migrate-postgres.ts';
import { type Announcer, announcer, changesSince } from './notifications.ts';
import { type Connections, connections } from './pool.ts';
import { type PostgresAddress, reading, settingsFor, TIMEOUTS, type Timeouts } from './postgres-connection.ts';
import { asUnavailable } from './postgres-errors.ts';
import { createQueue } from './queue.ts';
import { addRequests } from './shared-counts.ts';
import { type Transaction, transact } from './transaction.ts';

export { isNew, migrate, pendingMigrations } from './migrate-postgres.ts';
export { listenForChanges } from './notifications.ts';
export { nameOf, type PostgresAddress, type Timeouts } from './postgres-connection.ts';

export interface PostgresOptions {
  address: PostgresAddress;
  /** For ids, and the age of what carries no time of its own. */
  clock?: Clock;
  timeouts?: Partial<Timeouts>;
  /** Connections for reads, and as many again for writes: so that no read waits behind writes that wait for each other. */
  poolSize?: number;
  /** Reads, and writes, that may wait for a connection; more are refused at once. */
  maxWaiting?: number;
  /** In [0, 1): spreads attempts that would meet again. */
  random?: () => number;
}

/** What a standby refuses, as does a database that may only be read. */
const WRITE_NOTHING = 'update changes set key = key where false';

/**
 * The store of several nodes: a PostgreSQL database. Rejects with `StoreUnavailable`, in one line that says what to do, when the database
 * cannot be used.
 */
export async function postgresStore(options: PostgresOptions): Promise<Store> {
  const { address, clock = systemClock, poolSize = 5, maxWaiting = 4096, random = Math.random } = options;
  await prepareSchema(address);
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const settings = settingsFor(address, timeouts);
  const readers = connections({ settings, size: poolSize, maxWaiting });
  const writers = connections({ settings, size: poolSize, maxWaiting });
  const queue = createQueue({ patienceMs: timeouts.connectMs, maxWaiting });
  const news: Announcer = announcer(writers);
  const newId = idMaker(clock);
  const claimDue = claimer();
  const claimCertificates = certificateClaimer(random);
  const underWay = new Set<Promise<unknown>>();
  let closed: Promise<void> | undefined;

  /** Whatever is asked of the database: refused once the store is closed, and waited for while it closes. */
  async function ask<T>(work: () => Promise<T>): Promise<T> {
    if (closed !== undefined) throw new StoreUnavailable('the store is closed');
    const asked = work();
    underWay.add(asked);
    try {
      return await asked;
    } catch (error) {
      throw asUnavailable(error);
    } finally {
      underWay.delete(asked);
    }
  }

  // Each statement on a connection of its own: a search of many leaves the others their turn in between.
  const statements: Reading = {
    one: (query, input) =>
      readers.lend(
        async (client) => reading(client).one(query, input),
        () => true,
      ),
    all: (query, input) =>
      readers.lend(
        async (client) => reading(client).all(query, input),
        () => true,
      ),
  };

  function read<T>(query: (run: Reading) => Promise<T>): Promise<T> {
    return ask(() => query(statements));
  }

  function write<T>(about: Pick<Transaction<T>, 'locks' | 'synced' | 'perform'>): Promise<T> {
    const transaction = { ...about, newId, askedAt: clock.now(), onAnnounced: news.announce };
    return queue(about.locks, () => transact(writers, transaction, random));
  }

  return {
    ...bind(reads, (name, args) => {
      const operation = reads[name] as (run: Reading, ...args: unknown[]) => Promise<unknown>;
      return read((run) => operation(run, ...args));
    }),
    ...bind(writes, (name, args) => {
      const operation = writes[name] as (run: Writing, ...args: unknown[]) => Promise<unknown>;
      const perform = (run: Writing) => operation(run, ...args);
      return ask(() => write({ locks: locksOf(name, args), synced: isDurable(name, args), perform }));
    }),
    changesSince: (seq) => read((run) => changesSince(run, seq)),
    claimDue(now, limit, checkIntervalMs, jitter, except = '') {
      const claim = { now, limit, checkIntervalMs, jitter, except };
      const perform = (run: Writing, client: pg.ClientBase) => claimDue(run, client, claim);
      return ask(() => write({ locks: [], synced: isDurable('claimDue', []), perform }));
    },
    async claimCertificates(claim) {
      if (!(await read((run) => isAnyDue(run, claim)))) return [];
      // One after the other, which for some milliseconds costs nothing beside an order: so that each finds its full share.
      const locks = [lockKey('claims of certificates')];
      const perform = (run: Writing) => claimCertificates(run, claim);
      return ask(() => write({ locks, synced: isDurable('claimCertificates', []), perform }));
    },
    addRequests(counts) {
      return ask(() =>
        writers.lend(
          (client) => addRequests(client, counts),
          () => false,
        ),
      );
    },
    async ping() {
      // Any row at all; not one of the checks, whose index can begin with many that are dead.
      await read((run) => reads.findWorkspace(run, ''));
      await ask(() =>
        writers.lend(
          (client) => client.query(WRITE_NOTHING),
          () => true,
        ),
      );
    },
    close() {
      closed ??= finish(underWay, news, [readers, writers]);
      return closed;
    },
  };
}

async function finish(underWay: Set<Promise<unknown>>, news: Announcer, pools: Connections[]): Promise<void> {
  await Promise.allSettled(underWay);
  await news.stop();
  await Promise.all(pools.map((pool) => pool.close()));
}
