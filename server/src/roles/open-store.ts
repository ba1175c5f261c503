import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Supervisor } from '../base/threads/supervisor.ts';
import type { Config } from '../config/config.ts';
import type { EdgeCache } from '../edge/cache/edge-cache.ts';
import type { Database, SharedStore } from '../store/database.ts';
import { type LateStore, openLater } from '../store/late-store.ts';
import type { Keyring } from '../store/sealing/keyring.ts';
import { missingKeys, sealPlaintextSecrets } from '../store/sealing/rotation.ts';
import { type Store, StoreUnreachable } from '../store/store.ts';
import { claimApiHostname } from './api-hostname.ts';
import { takeRoleLocks } from './role-locks.ts';
import { deliversEvents } from './roles.ts';

/** The store of one process. */
export interface OpenedStore extends SharedStore {
  /** Gives up the roles that only one process may run. */
  unlock(): void;
}

interface OpenStoreDeps {
  config: Config;
  clock: Clock;
  log: Log;
  database: Database;
  keyring: Keyring;
  supervisor: Supervisor;
  /** Aborts a wait for another process. */
  signal?: AbortSignal | undefined;
  /** It replaces a process that is still serving: the schema is not migrated, and the roles are not locked yet. */
  isSuccessor: boolean;
}

type LateOpenDeps = OpenStoreDeps & { edgeCache: EdgeCache | null };

/** Locks the roles, migrates the schema, opens the store, and seals what is stored in plaintext. */
async function openStore(deps: OpenStoreDeps): Promise<OpenedStore> {
  const { config, database, keyring, supervisor, clock, isSuccessor } = deps;
  // Locked before the migration, so that a second process does not migrate under the first.
  const unlock = isSuccessor ? () => {} : await takeRoleLocks(database, config);
  const onWriterLost = (error: unknown) => supervisor.lost('writer', error);
  let shared: SharedStore | undefined;
  try {
    if (isSuccessor) await refuseMigrations(database);
    else await migrate(deps);
    shared = await database.openShared({ clock, keyring, onWriterLost });
    // A verifier that delivers nothing uses no secrets.
    if (config.roles.some((role) => role !== 'verifier') || deliversEvents(config))
      await sealAllSecrets(shared.store, keyring);
    if (config.apiHostname !== undefined) await claimApiHostname(shared.store, config.apiHostname, clock);
    return { ...shared, unlock };
  } catch (error) {
    await shared?.store.close();
    unlock();
    throw error;
  }
}

/**
 * Opens the store; or, where it cannot be reached and the process has something to serve without it, returns one that is
 * opened later: then `isLate`. Rejects with one line that says what to do.
 */
export async function openStoreOrLater(deps: LateOpenDeps): Promise<LateStore<OpenedStore> & { isLate: boolean }> {
  const { log, isSuccessor } = deps;
  try {
    const opened = await openStore(deps);
    return { store: opened.store, opened: Promise.resolve(opened), giveUp() {}, isLate: false };
  } catch (error) {
    const isAway = error instanceof StoreUnreachable;
    // The process that this one would replace serves better than a file.
    if (!isAway || isSuccessor || !(await servesWithout(deps))) throw error;
    log.error(
      { err: error },
      'the store cannot be reached: the edge serves what it has served before, DNS the addresses of the configuration; all else waits',
    );
  }
  const reasons = new Set<string>();
  const late = openLater<OpenedStore>({
    open: () => openStore(deps),
    close: async ({ store, unlock }) => {
      await store.close();
      unlock();
    },
    storeOf: ({ store }) => store,
    onFailure(error) {
      // Logs each reason once.
      if (!reasons.has(String(error)))
        log.error({ err: error }, 'the store cannot be opened; trying again until it can');
      reasons.add(String(error));
    },
  });
  late.opened.then(
    () => log.info('the store is open: everything else starts'),
    () => {},
  );
  return { ...late, isLate: true };
}

/** The edge serves from its file, and our DNS servers the addresses of the configuration. */
async function servesWithout({ edgeCache, config }: LateOpenDeps): Promise<boolean> {
  const { roles, cnameZoneDelegated, edgeAddresses = [] } = config;
  if (roles.includes('dns') && cnameZoneDelegated === 'on' && edgeAddresses.length > 0) return true;
  return edgeCache !== null && (await edgeCache.load()) > 0;
}

/** Logs in one line which migrations it applied to an existing schema, and how long each took. */
async function migrate({ database, log, signal }: OpenStoreDeps): Promise<void> {
  const onLongWait = (doing: string) => log.warn(`waiting for another process, ${doing}`);
  const tookMs: Record<string, number> = {};
  const onMigrated = (name: string, ms: number) => {
    tookMs[name] = Math.round(ms);
  };
  await database.migrate({ onLongWait, onMigrated, ...(signal && { signal }) });
  const isNew = Object.keys(tookMs).some((name) => name.startsWith('0001'));
  if (Object.keys(tookMs).length > 0 && !isNew) log.info({ tookMs }, 'the schema was migrated');
}

/** The process that this one replaces goes on using the store. */
async function refuseMigrations(database: Database): Promise<void> {
  const pending = await database.pendingMigrations();
  if (pending.length === 0) return;
  throw new Error(
    `This release changes the schema of ${database.name} (${pending.join(', ')}), which the running program may not be able to use. Restart the server instead; docs/guides/operations.md, "Upgrade", says how.`,
  );
}

/**
 * Seals secrets that are stored in plaintext. Rejects when some are sealed under a key that this process does not have.
 */
async function sealAllSecrets(store: Store, keyring: Keyring): Promise<void> {
  await sealPlaintextSecrets(store, keyring);
  const missing = await missingKeys(store, keyring);
  if (missing.length === 0) return;
  throw new Error(
    `Secrets in the store are sealed under ${missing.join(', ')}, which this process does not have. Add that key to NAMEPLATE_ENCRYPTION_KEY, or put the key file back beside the database. If the key is lost: "nameplate sealing forget".`,
  );
}
