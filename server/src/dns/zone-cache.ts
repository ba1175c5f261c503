import { LRUCache } from 'lru-cache';
import type { Clock } from '../base/clock.ts';
import { withTimeLimit } from '../base/time-limit.ts';
import type { ZoneNameserver, ZoneObservation } from '../domain/observation.ts';

/** A zone, and for how many seconds it may be cached. */
export interface TimedZone {
  zone: ZoneObservation;
  ttl: number;
}

/** Zones as they were read, a limited number of them, about 400 bytes each. */
export interface ZoneCache {
  /** Null where it has to be read again. */
  get(key: string): ZoneObservation | null;
  /** Keeps a zone for its TTL, a quarter of an hour at most; one without a nameserver to ask for five seconds. */
  keep(key: string, zone: TimedZone): ZoneObservation;
  /** Shortens the life of a zone whose nameservers all failed. */
  expireSoon(key: string): void;
}

/** A domain whose registrar names other nameservers now is asked there that soon, whatever the TTL. */
const MAX_TTL_MS = 15 * 60_000;
/** For a zone without a nameserver to ask, and for a domain that nobody registered. */
const EMPTY_TTL_MS = 5_000;
/** From the time of reading, for a zone whose nameservers all failed. */
const FAILING_TTL_MS = 30_000;

/** Nameservers that zones share: as many as a registry of a million zones has. */
const MAX_NAMESERVERS = 50_000;

interface CachedZone {
  zone: ZoneObservation;
  readAt: number;
  /** It is read again then. */
  expiresAt: number;
}

export function zoneCache(maxZones: number, clock: Clock): ZoneCache {
  // A limit by size, unlike one by count, allocates nothing in advance.
  const cache = new LRUCache<string, CachedZone>({ maxSize: maxZones, sizeCalculation: () => 1 });
  const nameservers = new LRUCache<string, ZoneNameserver>({ maxSize: MAX_NAMESERVERS, sizeCalculation: () => 1 });

  /** One object for a nameserver of many zones. */
  function share(nameserver: ZoneNameserver): ZoneNameserver {
    const { name, addresses, problem } = nameserver;
    const key = `${name} ${addresses.join(' ')} ${problem}`;
    const shared = nameservers.get(key);
    if (shared === undefined) nameservers.set(key, nameserver);
    return shared ?? nameserver;
  }

  return {
    get(key) {
      const entry = cache.get(key);
      return entry !== undefined && isCurrent(entry, clock.now()) ? entry.zone : null;
    },
    keep(key, { zone, ttl }) {
      const readAt = clock.now();
      const ttlMs = Math.min(zone.failure === null ? MAX_TTL_MS : EMPTY_TTL_MS, ttl * 1000);
      if (ttlMs <= 0) return zone;
      const kept = { ...zone, nameservers: zone.nameservers.map(share) };
      cache.set(key, { zone: kept, readAt, expiresAt: readAt + ttlMs });
      return kept;
    },
    expireSoon(key) {
      const entry = cache.peek(key);
      if (entry !== undefined) entry.expiresAt = Math.min(entry.expiresAt, entry.readAt + FAILING_TTL_MS);
    },
  };
}

/** A zone read in the future was read before the clock was set back: its age is unknown. */
function isCurrent({ readAt, expiresAt }: CachedZone, now: number): boolean {
  return readAt <= now && now < expiresAt;
}

/** Runs concurrent calls under one key only once. */
type SingleFlight<T> = (key: string, signal: AbortSignal, run: (signal: AbortSignal) => Promise<T>) => Promise<T>;

/**
 * Each caller stops waiting when its own signal aborts, and then gets `aborted`. The run has a time limit of its own, so
 * that the first caller cannot abort it for the others.
 */
export function singleFlight<T>(limitMs: number, aborted: T): SingleFlight<T> {
  const inFlight = new Map<string, Promise<T>>();
  return (key, signal, run) => {
    let promise = inFlight.get(key);
    if (promise === undefined) {
      promise = withTimeLimit(limitMs, null, run).finally(() => inFlight.delete(key));
      inFlight.set(key, promise);
    }
    return unlessAborted(promise, signal, aborted);
  };
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal, aborted: T): Promise<T> {
  if (signal.aborted) return Promise.resolve(aborted);
  return new Promise((resolve, reject) => {
    const abort = () => resolve(aborted);
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
