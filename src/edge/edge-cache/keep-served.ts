import { isDeepStrictEqual } from 'node:util';
import type { ChangeFeed } from '../../cache/change-feed.ts';
import type { Clock } from '../../clock.ts';
import type { Log } from '../../log.ts';
import {
  type Change,
  type EdgeStore,
  OPERATOR,
  type Origin,
  type ServedCertificate,
  type Site,
  StoreUnavailable,
} from '../../store/contract/store.ts';
import { SealingError } from '../../store/sealing/keyring.ts';
import type { ServedSealer } from './seal-served.ts';
import type { SealedCertificate, ServedSites } from './served-sites.ts';
import type { ServedWriter } from './write-served.ts';

export interface KeepOptions {
  served: ServedSites;
  sealer: ServedSealer;
  writer: ServedWriter;
  /** Resolves when the file that is there has been read. */
  loaded: Promise<unknown>;
  store: EdgeStore;
  changes: ChangeFeed;
  clock: Clock;
  log: Log;
}

/** Keeps what the edge reads from the store. */
export interface Keeper {
  /** The store, whose answers are kept. */
  store: EdgeStore;
  /** Writes the file, for a process that replaces this one. */
  save(): Promise<void>;
  /** The file is another process's from now on. */
  leave(): void;
  /** Writes the file once more, unless it is another process's. */
  stop(): Promise<void>;
}

/** What is read again, since it may have changed. */
interface Suspect {
  kind: 'site' | 'operator' | 'origin';
  /** Host name or environment. */
  key: string;
}

/** A read of the store in flight. */
interface Reading {
  hostname: string | null;
  startedAt: number;
  /** What it returns may be older than a change that was made meanwhile: it is not kept. */
  overtaken: boolean;
}

const TICK_MS = 200;
/** So many are read again in a tick: 100 a second. */
const REREADS = 20;
const MAX_SUSPECTS = 100_000;
/** Everything that may have changed is read again at most once in this time. */
const REVIEW_MS = 600_000;

export function keepServed(options: KeepOptions): Keeper {
  const { served, sealer, writer, loaded, store, changes, clock, log } = options;
  const { sites, origins } = served;
  /** By "<kind> <key>". */
  const suspects = new Map<string, Suspect>();
  const readings = new Set<Reading>();
  let reviewAt = Number.POSITIVE_INFINITY;
  let reviewedAt = Number.NEGATIVE_INFINITY;
  let working: Promise<unknown> | undefined;

  // What came out of the file is read again first of all.
  void loaded.then(() => {
    reviewAt = clock.now();
  });

  /** Reads the store, and keeps what it says. */
  async function read<T>(
    about: Suspect,
    ask: () => Promise<T>,
    keep: (found: T, confirmedAt: number | null) => void,
  ): Promise<T> {
    const hostname = about.kind === 'origin' ? null : about.key;
    const own: Reading = { hostname, startedAt: clock.now(), overtaken: false };
    readings.add(own);
    try {
      const found = await ask();
      const isFresh = changes.isFresh();
      if (isFresh) served.confirm(clock.now());
      if (!own.overtaken) keep(found, isFresh ? null : own.startedAt);
      if (found !== null && (own.overtaken || !isFresh)) suspect(about);
      return found;
    } finally {
      readings.delete(own);
    }
  }

  function readSite(kind: 'site' | 'operator', hostname: string): Promise<Site | null> {
    const ask = () => (kind === 'site' ? store.findSite(hostname) : store.findOperatorSite(hostname));
    return read({ kind, key: hostname }, ask, (found, confirmedAt) => keepSite(hostname, found, confirmedAt));
  }

  const kept: EdgeStore = {
    findSite: (hostname) => readSite('site', hostname),
    findOperatorSite: (hostname) => readSite('operator', hostname),
    findOrigin(environmentId) {
      const about = { kind: 'origin', key: environmentId } as const;
      const ask = () => store.findOrigin(environmentId);
      return read(about, ask, (origin, confirmedAt) => keepOrigin(environmentId, origin, confirmedAt));
    },
    findChallenge: (...about) => store.findChallenge(...about),
  };

  function keepSite(hostname: string, found: Site | null, confirmedAt: number | null): void {
    if (found === null) {
      forget(hostname);
      return;
    }
    const { origin, certificate, ...site } = found;
    keepOrigin(site.environmentId, origin, confirmedAt);
    // What was kept before may be better.
    if (certificate instanceof Error) return;
    const before = sites.find(hostname, clock.now())?.value;
    const isSame = before !== undefined && isSameCertificate(certificate, before.certificate);
    try {
      const sealed = isSame ? before.certificate : certificate && sealer.seal(hostname, certificate);
      sites.set(hostname, { site, certificate: sealed, confirmedAt });
      if (!isSame || !isDeepStrictEqual(site, before.site)) writer.changed();
    } catch (error) {
      // The store says so as well, wherever it matters.
      if (!(error instanceof SealingError)) throw error;
    }
  }

  function keepOrigin(environmentId: string, origin: Origin | null, confirmedAt: number | null): void {
    const before = origins.find(environmentId, clock.now())?.value;
    origins.set(environmentId, { origin, confirmedAt });
    if (!isDeepStrictEqual(origin, before?.origin)) writer.changed();
  }

  function forget(hostname: string): void {
    if (sites.delete(hostname)) writer.changed();
  }

  changes.subscribe((change) => {
    for (const reading of readings) if (overtakes(change, reading)) reading.overtaken = true;
    if (change === null) {
      served.suspectAll();
      reviewAt = Math.min(reviewAt, Math.max(clock.now(), reviewedAt + REVIEW_MS));
      return;
    }
    const { kind, key } = change;
    if (kind === 'certificate' || kind === 'route') suspectSite(key);
    // The route may lead elsewhere now: it is not served meanwhile.
    if (kind === 'route') forget(key);
    // All its sites may be suspended now, as a route may lead elsewhere.
    if (kind === 'workspace') {
      for (const [hostname, { site }] of sites.entries()) {
        if (site.workspaceId !== key) continue;
        suspectSite(hostname);
        forget(hostname);
      }
    }
    if (kind === 'environment' && origins.suspect(key) !== undefined) suspect({ kind: 'origin', key });
  });

  /** A review finds those for which there is no room. */
  function suspect(about: Suspect): void {
    if (suspects.size < MAX_SUSPECTS) suspects.set(`${about.kind} ${about.key}`, about);
  }

  function suspectSite(hostname: string): void {
    const entry = sites.suspect(hostname);
    if (entry !== undefined) suspect({ kind: entry.site.domainId === OPERATOR ? 'operator' : 'site', key: hostname });
  }

  function review(): void {
    reviewedAt = clock.now();
    reviewAt = Number.POSITIVE_INFINITY;
    for (const [hostname, { confirmedAt }] of sites.entries()) if (confirmedAt !== null) suspectSite(hostname);
    for (const [key, { confirmedAt }] of origins.entries()) if (confirmedAt !== null) suspect({ kind: 'origin', key });
  }

  async function reread(): Promise<void> {
    const some = [...suspects].slice(0, REREADS);
    for (const [id] of some) suspects.delete(id);
    await Promise.all(
      some.map(async ([id, { kind, key }]) => {
        try {
          await (kind === 'origin' ? kept.findOrigin(key) : readSite(kind, key));
        } catch (error) {
          if (!(error instanceof StoreUnavailable)) throw error;
          suspects.set(id, { kind, key });
        }
      }),
    );
  }

  /** Whatever is due. */
  async function work(): Promise<void> {
    if (!changes.isFresh()) return;
    served.confirm(clock.now());
    if (clock.now() >= reviewAt) review();
    if (suspects.size > 0) await reread();
    writer.writeIfDue();
  }

  const timer = setInterval(() => {
    working ??= work()
      .catch((error: unknown) => log.error({ err: error }, 'the edge cache could not be kept'))
      .finally(() => {
        working = undefined;
      });
  }, TICK_MS).unref();

  return {
    store: kept,
    save: writer.save,
    leave: writer.leave,
    async stop() {
      clearInterval(timer);
      await working;
      await writer.stop();
    },
  };
}

/** A certificate has one key. */
function isSameCertificate(one: ServedCertificate | null, other: SealedCertificate | null): boolean {
  return isDeepStrictEqual(one && { ...one, privateKey: null }, other && { ...other, privateKey: null });
}

/** Whether what is being read may be older than the change. */
function overtakes(change: Change | null, { hostname }: Reading): boolean {
  return change === null || change.kind === 'environment' || change.kind === 'workspace' || change.key === hostname;
}
