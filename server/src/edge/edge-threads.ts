import { randomBytes } from 'node:crypto';
import type { SupervisedThread, Supervisor } from '../base/threads/supervisor.ts';
import type { ThrottledWarn } from '../base/throttled-log.ts';
import type { AddressLookup } from '../net/dialer.ts';
import type { ChangeFeed } from '../store/cache/change-feed.ts';
import type { Change, EdgeStore, HourUsage } from '../store/store.ts';
import type { ServedLookup } from './cache/edge-cache.ts';
import type { EdgeServerSettings, EdgeSockets } from './edge-server.ts';

/** The values that an edge thread is started with. */
export interface EdgeThreadData {
  settings: EdgeServerSettings;
  ticketSecret: Uint8Array;
  /** Whether the main thread has an edge cache to ask. */
  hasEdgeCache: boolean;
}

/** The methods that the main thread calls in an edge thread. */
export interface EdgeThreadMethods {
  change(change: Change | null): void;
  setTicketSecret(secret: Uint8Array): void;
  /** Accepts connections on the sockets that the process was given. */
  accept(): Promise<void>;
  sockets(): Promise<EdgeSockets>;
  /** Another process answers health checks from now on. */
  leave(): Promise<void>;
  /** Cached host names, the most recently served first. */
  recentNames(): Promise<string[]>;
  /** The usage since the last call. */
  takeUsage(): Promise<HourUsage[]>;
}

/** The settings of thread `index`, when it starts first and when it replaces one that has died. */
export type EdgeSettingsOf = (index: number, start: 'first' | 'again') => EdgeServerSettings;

/** The methods that an edge thread calls in the main thread, which has the store and DNS. */
export interface EdgeThreadParent extends EdgeStore {
  findServedSite: ServedLookup['findSite'];
  findServedOrigin: ServedLookup['findOrigin'];
  lookUp(hostname: string): Promise<readonly string[]>;
  /** The usage that a thread has counted before its end. */
  addUsage(usage: HourUsage[]): void;
  warn(message: string, fields: Record<string, unknown>, key: string | undefined): void;
}

interface EdgeThreadsDeps {
  store: EdgeStore;
  served: ServedLookup | null;
  changes: Pick<ChangeFeed, 'subscribe'>;
  lookUp: AddressLookup;
  warn: ThrottledWarn;
  addUsage(usage: HourUsage[]): void;
  supervisor: Supervisor;
  /** False: the process ends when a thread dies, since its sockets cannot be opened again. */
  isReplaceable: boolean;
}

/** The edge in all of its threads. */
export interface EdgeThreads {
  accept(): Promise<void>;
  sockets(): Promise<EdgeSockets>;
  leave(): Promise<void>;
  /** The recent names of each thread; empty for a thread that is being replaced. */
  recentNames(): Promise<readonly (readonly string[])[]>;
  /** The usage of all threads since the last call. */
  takeUsage(): Promise<HourUsage[]>;
  stop(graceMs: number): Promise<void>;
}

const SCRIPT = new URL('./edge-thread.ts', import.meta.url);
const LOOK_UP_MS = 10_000;
/** Whoever learns a ticket secret can decrypt the TLS 1.2 connections that were resumed with it. */
const NEW_TICKET_SECRET_MS = 6 * 3_600_000;
const SECRET_BYTES = 32;
/**
 * A third of it is a semi-space: half of V8's own bound. It takes a third less memory with many names at the same CPU
 * time (decision 0028).
 */
const YOUNG_GENERATION_MB = 24;

/** Starts so many threads, which share the secret of session tickets. Rejects when one cannot listen. */
export async function startEdgeThreads(
  count: number,
  settingsOf: EdgeSettingsOf,
  { store, served, changes, lookUp, warn, addUsage, supervisor, isReplaceable }: EdgeThreadsDeps,
): Promise<EdgeThreads> {
  const threads: SupervisedThread<EdgeThreadMethods>[] = [];
  let ticketSecret = randomBytes(SECRET_BYTES);
  const renewing = setInterval(() => {
    ticketSecret = randomBytes(SECRET_BYTES);
    for (const thread of threads) thread.send('setTicketSecret', ticketSecret);
  }, NEW_TICKET_SECRET_MS).unref();
  changes.subscribe((change) => {
    for (const thread of threads) thread.send('change', change);
  });
  const own: EdgeThreadParent = {
    findSite: (hostname) => store.findSite(hostname),
    findOperatorSite: (hostname) => store.findOperatorSite(hostname),
    findOrigin: (environmentId) => store.findOrigin(environmentId),
    findBrand: (workspaceId) => store.findBrand(workspaceId),
    findChallenge: (hostname, token, now) => store.findChallenge(hostname, token, now),
    findServedSite: async (hostname) => served?.findSite(hostname),
    findServedOrigin: async (environmentId) => served?.findOrigin(environmentId),
    lookUp: (hostname) => lookUp(hostname, AbortSignal.timeout(LOOK_UP_MS)),
    addUsage,
    warn,
  };
  const beginOf = (index: number) => {
    let start: 'first' | 'again' = 'first';
    return () => {
      const settings = settingsOf(index, start);
      start = 'again';
      return {
        workerData: { settings, ticketSecret, hasEdgeCache: served !== null } satisfies EdgeThreadData,
        resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
      };
    };
  };
  const stop = async (graceMs: number) => {
    clearInterval(renewing);
    await Promise.all(threads.map((thread) => thread.stop(graceMs)));
  };
  try {
    while (threads.length < count)
      threads.push(
        await supervisor.start<EdgeThreadMethods>({
          kind: 'edge',
          script: SCRIPT,
          begin: beginOf(threads.length),
          own,
          isReplaceable,
        }),
      );
  } catch (error) {
    await stop(0);
    throw error;
  }
  return {
    async accept() {
      await Promise.all(threads.map((thread) => thread.call('accept')));
    },
    async sockets() {
      // A thread that is being replaced has none.
      const none: EdgeSockets = { http: [], https: [], health: [] };
      const all = await Promise.all(threads.map((thread) => thread.call('sockets').catch(() => none)));
      const of = (name: keyof EdgeSockets) => all.flatMap((sockets) => sockets[name]);
      return { http: of('http'), https: of('https'), health: of('health') };
    },
    async leave() {
      await Promise.allSettled(threads.map((thread) => thread.call('leave')));
    },
    recentNames: () => Promise.all(threads.map((thread) => thread.call('recentNames').catch(() => []))),
    async takeUsage() {
      return (await Promise.all(threads.map((thread) => thread.call('takeUsage').catch(() => [])))).flat();
    },
    stop,
  };
}
