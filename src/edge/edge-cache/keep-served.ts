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
import { type EdgeCacheLine, type FileOf, originLine, siteLine, writeEdgeCache } from './edge-cache-file.ts';
import type { WrittenFile } from './edge-cache-metrics.ts';
import type { ServedSealer } from './seal-served.ts';
import { isYoung, type SealedCertificate, type ServedSites } from './served-sites.ts';

export interface KeepOptions {
  served: ServedSites;
  sealer: ServedSealer;
  file: FileOf;
  /** Resolves when the file that is there has been read. */
  loaded: Promise<unknown>;
  store: EdgeStore;
  changes: ChangeFeed;
  /** Names in the caches of each thread, the most recently served first. */
  recentNames(): Promise<readonly (readonly string[])[]>;
  onWritten(file: WrittenFile): void;
  clock: Clock;
  log: Log;
}

/** Keeps what the edge reads from the store. */
export interface Keeper {
  /** The store, whose answers are kept. */
  store: EdgeStore;
  /** Writes the file once more. */
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
/** Between a change and the file, at least; and so long for each MB more, to spare the disk. */
const WRITE_MS = 5000;
const WRITE_MS_PER_MB = 2000;
/** When nothing has changed, so that the file grows no older. */
const REWRITE_MS = 3_600_000;
const RETRY_MS = 60_000;
const MB = 1024 * 1024;

export function keepServed(options: KeepOptions): Keeper {
  const { served, sealer, file, loaded, store, changes, recentNames, onWritten, clock, log } = options;
  const { sites, origins } = served;
  /** By "<kind> <key>". */
  const suspects = new Map<string, Suspect>();
  const readings = new Set<Reading>();
  let reviewAt = Number.POSITIVE_INFINITY;
  let reviewedAt = Number.NEGATIVE_INFINITY;
  let writtenAt = Number.NEGATIVE_INFINITY;
  let writeAt = clock.now() + WRITE_MS;
  let isDirty = false;
  let isFailing = false;
  let isStopped = false;
  let working: Promise<unknown> | undefined;
  let writing: Promise<void> | undefined;

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
      isDirty = sites.delete(hostname) || isDirty;
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
      isDirty ||= !isSame || !isDeepStrictEqual(site, before.site);
    } catch (error) {
      // The store says so as well, wherever it matters.
      if (!(error instanceof SealingError)) throw error;
    }
  }

  function keepOrigin(environmentId: string, origin: Origin | null, confirmedAt: number | null): void {
    const before = origins.find(environmentId, clock.now())?.value;
    origins.set(environmentId, { origin, confirmedAt });
    isDirty ||= !isDeepStrictEqual(origin, before?.origin);
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
    if (kind === 'route') isDirty = sites.delete(key) || isDirty;
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
    const isDue = isDirty || clock.now() - writtenAt >= REWRITE_MS;
    if (isDue && clock.now() >= writeAt) void write();
  }

  function write(): Promise<void> {
    writing ??= writeFile().finally(() => {
      writing = undefined;
    });
    return writing;
  }

  async function writeFile(): Promise<void> {
    // A file that was not read yet would be lost.
    await loaded;
    if (!isStopped) await touchRecent();
    isDirty = false;
    const confirmedAt = served.confirmedAt();
    try {
      const bytes = await writeEdgeCache(file, content(), confirmedAt);
      onWritten({ bytes, confirmedAt });
      writtenAt = confirmedAt;
      writeAt = clock.now() + WRITE_MS + (bytes / MB) * WRITE_MS_PER_MB;
      if (isFailing) log.info({ path: file.path }, 'the edge cache can be written again');
      isFailing = false;
    } catch (error) {
      isDirty = true;
      writeAt = clock.now() + RETRY_MS;
      const message = `the edge cache ${file.path} cannot be written; trying again every minute`;
      if (!isFailing) log.warn({ err: error }, message);
      isFailing = true;
    }
  }

  /** The least recent first. */
  async function touchRecent(): Promise<void> {
    const ranked = await recentNames().catch(() => []);
    const longest = Math.max(0, ...ranked.map(({ length }) => length));
    for (let rank = longest - 1; rank >= 0; rank -= 1)
      for (const { [rank]: name } of ranked) if (name !== undefined) sites.touch(name);
  }

  /** What may be served after a restart, the most recent first. */
  function* content(): Generator<EdgeCacheLine> {
    const now = clock.now();
    const entries = sites.entries();
    const environments = new Set(entries.map(([, { site }]) => site.environmentId));
    for (const [environment, origin] of origins.entries()) {
      const at = origins.confirmedAt(origin);
      if (environments.has(environment) && isYoung(at, now)) yield originLine(environment, origin, at);
    }
    // Under the first key: another one may be removed once the store has been rotated.
    const reseal = sealer.resealer();
    for (const [hostname, entry] of entries) {
      const at = sites.confirmedAt(entry);
      if (!isYoung(at, now)) continue;
      const { certificate } = entry;
      const sealed = certificate && reseal(hostname, certificate);
      if (certificate !== null && sealed === null) continue;
      entry.certificate = sealed;
      yield siteLine(entry, at);
    }
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
    async stop() {
      isStopped = true;
      clearInterval(timer);
      await working;
      await writing;
      // Where the store has confirmed nothing, the file knows more.
      if (isDirty && served.confirmedAt() > 0) await write();
    },
  };
}

/** A certificate has one key. */
function isSameCertificate(one: ServedCertificate | null, other: SealedCertificate | null): boolean {
  return isDeepStrictEqual(one && { ...one, privateKey: null }, other && { ...other, privateKey: null });
}

/** Whether what is being read may be older than the change. */
function overtakes(change: Change | null, { hostname }: Reading): boolean {
  return change === null || change.kind === 'environment' || change.key === hostname;
}
