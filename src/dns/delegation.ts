import type { Clock } from '../clock.ts';
import type { AddressRule } from './addresses.ts';
import { parentOf } from './name.ts';
import type { Recursion } from './recursion.ts';
import { type HeardFailure, shuffled } from './server.ts';
import type { Resource } from './wire.ts';

/** A zone and those of its nameservers that we ask. */
export interface Delegation {
  /** Canonical name of the apex. */
  zone: string;
  /** At most three, each with an address that may be asked. */
  nameservers: Nameserver[];
}

export interface Nameserver {
  name: string;
  addresses: string[];
}

export type Delegated = { kind: 'delegated'; delegation: Delegation } | HeardFailure;

/** Which nameservers speak for a name, as the recursive resolvers know it. Never rejects. */
export interface Delegations {
  /**
   * The closest zone above a name that is known. There may be a closer one, of which the nameservers of the zone tell with a referral; then `at`
   * finds it.
   */
  closest(name: string, options: ReadOptions): Promise<Delegated>;
  /** The zone of this apex. */
  at(zone: string, options: ReadOptions): Promise<Delegated>;
  /** None of the zone's nameservers answered: what is known about it is soon read again. */
  doubt(zone: string): void;
}

export interface ReadOptions {
  signal: AbortSignal;
  /** Reads anew what may be cached, from ports that nobody has seen yet. */
  fresh: boolean;
}

export interface DelegationsSetup {
  recursion: Recursion;
  mayAsk: AddressRule;
  clock: Clock;
  random: () => number;
}

/** Names of nameservers that are followed: a zone that names many must not make us ask them all (NXNSAttack). */
const MAX_NAMESERVERS = 3;
const MAX_ADDRESSES = 2;
const MAX_TTL_MS = 60 * 60 * 1000;
/** How long it is remembered that a zone has no nameserver to ask. */
const EMPTY_TTL_MS = 5_000;
const DOUBTED_TTL_MS = 30_000;
const MAX_CACHED = 100_000;
/** The end of a look-up that several wait for. */
const READ_TIMEOUT_MS = 10_000;

interface Cached {
  delegated: Delegated;
  readAt: number;
  expiresAt: number;
}

export function delegations({ recursion, mayAsk, clock, random }: DelegationsSetup): Delegations {
  /** In order of use, the least recent first. */
  const cache = new Map<string, Cached>();
  const share = sharing<Delegated>();

  function cached(zone: string): Delegated | null {
    const entry = cache.get(zone);
    if (entry === undefined) return null;
    cache.delete(zone);
    if (entry.expiresAt <= clock.now()) return null;
    cache.set(zone, entry);
    return entry.delegated;
  }

  function remember(zone: string, delegated: Delegated, ttlMs: number): void {
    cache.delete(zone);
    const readAt = clock.now();
    cache.set(zone, { delegated, readAt, expiresAt: readAt + ttlMs });
    const [oldest] = cache.keys();
    if (cache.size > MAX_CACHED && oldest !== undefined) cache.delete(oldest);
  }

  function at(zone: string, { signal, fresh }: ReadOptions): Promise<Delegated> {
    const known = fresh ? null : cached(zone);
    if (known !== null) return Promise.resolve(known);
    return share(`${fresh} ${zone}`, signal, async (shared) => {
      const { delegated, ttlMs } = await read(zone, { signal: shared, newPort: fresh });
      if (ttlMs > 0) remember(zone, delegated, ttlMs);
      return delegated;
    });
  }

  async function read(zone: string, options: { signal: AbortSignal; newPort: boolean }) {
    const heard = await recursion.ask({ name: zone, type: 'NS' }, options);
    if (heard.kind === 'failed') return { delegated: heard, ttlMs: 0 };
    const records = heard.answer.answers.filter(({ type, name }) => type === 'NS' && name === zone);
    const names = shuffled([...new Set(records.map(({ value }) => value))], random).slice(0, MAX_NAMESERVERS);
    const looked = await Promise.all(names.map((name) => findAddresses(name, options)));
    return judge(zone, records, looked);
  }

  async function findAddresses(name: string, options: { signal: AbortSignal; newPort: boolean }): Promise<Looked> {
    const both = await Promise.all((['A', 'AAAA'] as const).map((type) => recursion.ask({ name, type }, options)));
    const records: Resource[] = [];
    let failure: HeardFailure | null = null;
    for (const heard of both) {
      if (heard.kind === 'failed') failure = heard;
      else {
        const found = heard.answer.answers.filter(({ type }) => type === 'A' || type === 'AAAA');
        records.push(...shuffled(found, random).slice(0, MAX_ADDRESSES));
      }
    }
    return { name, records, failure };
  }

  function judge(zone: string, records: Resource[], looked: Looked[]): { delegated: Delegated; ttlMs: number } {
    const nameservers = looked
      .map(({ name, records }) => ({ name, addresses: records.map(({ value }) => value).filter(mayAsk) }))
      .filter(({ addresses }) => addresses.length > 0);
    if (nameservers.length > 0) {
      const ttls = [...records, ...looked.flatMap((one) => one.records)].map(({ ttl }) => ttl * 1000);
      return {
        delegated: { kind: 'delegated', delegation: { zone, nameservers } },
        ttlMs: Math.min(MAX_TTL_MS, ...ttls),
      };
    }
    const failure = looked.find((one) => one.failure !== null)?.failure;
    if (failure !== undefined && failure !== null) return { delegated: failure, ttlMs: 0 };
    const forbidden = looked.some((one) => one.records.length > 0);
    return {
      delegated: { kind: 'failed', reason: forbidden ? 'forbidden_address' : 'no_nameserver' },
      ttlMs: EMPTY_TTL_MS,
    };
  }

  return {
    at,
    async closest(name, options) {
      if (!options.fresh) {
        // Not from a top-level domain downwards: its nameservers are not there to tell us of every zone below.
        for (let zone = name; zone.includes('.') && zone !== '.'; zone = parentOf(zone)) {
          const known = cached(zone);
          if (known?.kind === 'delegated') return known;
        }
      }
      return share(`${options.fresh} apex of ${name}`, options.signal, async (signal) => {
        const found = await recursion.findApex(name, { signal, newPort: options.fresh });
        return found.kind === 'failed' ? found : at(found.apex, { signal, fresh: options.fresh });
      });
    },
    doubt(zone) {
      const entry = cache.get(zone);
      if (entry !== undefined) entry.expiresAt = Math.min(entry.expiresAt, entry.readAt + DOUBTED_TTL_MS);
    },
  };
}

/** What was found about one name of a nameserver. */
interface Looked {
  name: string;
  records: Resource[];
  failure: HeardFailure | null;
}

/**
 * Runs what is asked for under one key at the same time only once. Each who waits stops at the end of its own signal; the run itself goes on to
 * its own end.
 */
function sharing<T extends { kind: string }>() {
  const running = new Map<string, Promise<T>>();
  return (key: string, signal: AbortSignal, run: (signal: AbortSignal) => Promise<T>): Promise<T | HeardFailure> => {
    let promise = running.get(key);
    if (promise === undefined) {
      promise = run(AbortSignal.timeout(READ_TIMEOUT_MS)).finally(() => running.delete(key));
      running.set(key, promise);
    }
    return untilEnd(promise, signal);
  };
}

function untilEnd<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | HeardFailure> {
  if (signal.aborted) return Promise.resolve({ kind: 'failed', reason: 'timeout' });
  return new Promise((resolve, reject) => {
    const stop = () => resolve({ kind: 'failed', reason: 'timeout' });
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
