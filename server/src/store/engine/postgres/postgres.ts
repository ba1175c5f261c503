import { type Clock, systemClock } from '../../../base/clock.ts';
import { idMaker } from '../../../base/ids.ts';
import { findWorkspace } from '../../access/access.ts';
import { certificateClaimer, isAnyDue } from '../../certificate/leases.ts';
import { type Store, StoreUnavailable } from '../../store.ts';
import { type ReadUseCase, sqlStore } from '../sql-store.ts';
import type { Reader, Transaction } from '../statement.ts';
import type { WriteUseCase } from '../write.ts';
import { batchedLookups, findDomainsByNames } from './batched-lookups.ts';
import { checkClaimer, monitorClaimer } from './due-claimer.ts';
import { alone, lockKeys, lockQueue } from './lock-queue.ts';
import { prepareSchema } from './migrate-postgres.ts';
import { changesSince, notifier } from './notifications.ts';
import { connectionPool } from './pool.ts';
import { clientReader, type PostgresAddress, settingsFor, TIMEOUTS, type Timeouts } from './postgres-connection.ts';
import { asUnavailable } from './postgres-errors.ts';
import { serverTime } from './server-time.ts';
import { sharedConnections } from './shared-connections.ts';
import { addRequests } from './shared-counts.ts';
import { type TransactionOptions, transact } from './transaction.ts';

export { isNew, migrate, pendingMigrations } from './migrate-postgres.ts';
export { listenForChanges } from './notifications.ts';
export { nameOf, type PostgresAddress, type Timeouts } from './postgres-connection.ts';

export interface PostgresOptions {
  address: PostgresAddress;
  /** For ids, and for rows whose time no caller gives. */
  clock?: Clock;
  timeouts?: Partial<Timeouts>;
  /** Connections for reads, and as many again for writes: so that no read waits behind writes that wait for each other. */
  poolSize?: number;
  /** Reads that may share connections, and writes that may wait for one; more are rejected at once. */
  maxWaiting?: number;
  /** In [0, 1): jitter of retries. */
  random?: () => number;
}

/** Fails on a standby and in a read-only database. */
const WRITE_NOTHING = 'update changes set key = key where false';

/** A claim may be lost, and changes no domain. */
const CLAIM = { synced: false, domains: [] };

/** The store of several nodes: a PostgreSQL database. Rejects with `StoreUnavailable`, in one line that says what to do, when it cannot be used. */
export async function postgresStore(options: PostgresOptions): Promise<Store> {
  const { address, clock = systemClock, poolSize = 5, maxWaiting = 4096, random = Math.random } = options;
  await prepareSchema(address);
  const timeouts = { ...TIMEOUTS, ...options.timeouts };
  const settings = settingsFor(address, timeouts);
  const readers = sharedConnections({ settings, size: poolSize, maxWaiting });
  const writers = connectionPool({ settings: { ...settings, pipeline: true }, size: poolSize, maxWaiting });
  const queue = lockQueue({ timeoutMs: timeouts.connectMs, maxWaiting });
  const notifications = notifier(writers);
  const newId = idMaker(clock);
  const claimDue = checkClaimer();
  const claimMonitored = monitorClaimer();
  const claimCertificates = certificateClaimer(random);
  const inFlight = new Set<Promise<unknown>>();
  let closed: Promise<void> | undefined;

  /** Rejects once the store is closed; `close` waits for `work`. */
  async function track<T>(work: () => Promise<T>): Promise<T> {
    if (closed !== undefined) throw new StoreUnavailable('the store is closed');
    const working = work();
    inFlight.add(working);
    try {
      return await working;
    } catch (error) {
      throw asUnavailable(error);
    } finally {
      inFlight.delete(working);
    }
  }

  // A connection for each statement, so that other reads come between the statements of a search.
  const reader: Reader = {
    one: (statement, input) => readers.run(async (client) => clientReader(client).one(statement, input)),
    all: (statement, input) => readers.run(async (client) => clientReader(client).all(statement, input)),
  };

  function read<Args extends unknown[], T>(useCase: ReadUseCase<Args, T>, ...args: Args): Promise<T> {
    return track(() => useCase(reader, ...args));
  }

  function transaction<T>(
    about: Pick<TransactionOptions<T>, 'locks' | 'synced' | 'domains' | 'perform'>,
    queueFor = about.locks,
  ): Promise<T> {
    const all = { ...about, newId, now: clock.now(), onChange: notifications.notify };
    return queue(queueFor, () => transact(writers, all, random));
  }

  function write<Args extends unknown[], T>(useCase: WriteUseCase<Args, T>, ...args: Args): Promise<T> {
    return track(() => {
      const locks = lockKeys(useCase.locks(...args));
      const about = { synced: useCase.synced(...args), domains: useCase.invalidates(...args) };
      const perform = (tx: Transaction) => useCase.perform(tx, ...args);
      const id = useCase.once?.(...args);
      if (id === undefined) return transaction({ ...about, locks, perform });
      // The use case says that its result may be this one.
      return transaction({ ...about, locks: [], perform: alone(id, locks, perform) }, locks) as Promise<T>;
    });
  }

  async function closeAll(): Promise<void> {
    await Promise.allSettled(inFlight);
    await notifications.stop();
    await Promise.all([readers.close(), writers.close()]);
  }

  const store = sqlStore({
    read,
    write,
    changesSince: (seq) => read(changesSince, seq),
    claimDue(now, limit, checkIntervalMs, jitter, except = '') {
      const claim = { now, limit, checkIntervalMs, jitter, except };
      return track(() => transaction({ ...CLAIM, locks: [], perform: (tx, client) => claimDue(tx, client, claim) }));
    },
    claimMonitored: (claim) =>
      track(() => transaction({ ...CLAIM, locks: [], perform: (tx, client) => claimMonitored(tx, client, claim) })),
    async claimCertificates(claim) {
      if (!(await read(isAnyDue, claim))) return [];
      // One claim at a time, which costs some milliseconds, nothing beside an order: so that each finds its full share.
      const locks = lockKeys(['claims of certificates']);
      return track(() => transaction({ ...CLAIM, locks, perform: (tx) => claimCertificates(tx, claim) }));
    },
    addRequests: (counts) =>
      track(() =>
        writers.withClient(
          (client) => addRequests(client, counts),
          () => false,
        ),
      ),
    async ping() {
      // Any row at all; not one of the checks, whose index can begin with many dead rows.
      await read(findWorkspace, '');
      await track(() => writers.withClient((client) => client.query(WRITE_NOTHING)));
    },
    serverTime: () => read(serverTime),
    poolUsage: () =>
      track(async () => [
        { pool: 'reads', ...readers.usage() },
        { pool: 'writes', ...writers.usage() },
      ]),
    close() {
      closed ??= closeAll();
      return closed;
    },
  });
  const findByName = batchedLookups((wanted: { workspaceId: string; name: string }[]) =>
    read(findDomainsByNames, wanted),
  );
  return { ...store, findDomainByName: (workspaceId, name) => findByName({ workspaceId, name }) };
}
