import type { Clock } from '../clock.ts';
import { registrableDomain } from '../domain/name.ts';
import type { AddressRule } from '../net/addresses.ts';
import { type HeardFailure, shuffled } from './ask-server.ts';
import { sharing } from './in-flight-sharing.ts';
import { parentOf } from './protocol/dns-name.ts';
import type { Resource } from './protocol/wire.ts';
import type { Recursion } from './recursors.ts';

/** A zone and those of its nameservers that we ask. */
export interface Delegation {
  /** Canonical name of the apex. */
  zone: string;
  /** One to three. */
  nameservers: Nameserver[];
}

export interface Nameserver {
  name: string;
  /** At least one; all of them may be asked. */
  addresses: string[];
}

export type Delegated = { kind: 'delegated'; delegation: Delegation } | HeardFailure;

/** Which nameservers speak for a name, as the recursive resolvers know it. Never rejects. */
export interface Delegations {
  /**
   * The closest zone above a name that is known. There may be a closer one, of which the nameservers of this one will
   * tell: then `at` reads it.
   */
  closest(name: string, options: ReadOptions): Promise<Delegated>;
  /** The zone with this apex. */
  at(zone: string, options: ReadOptions): Promise<Delegated>;
  /** None of the zone's nameservers would answer: what is known of it is soon read again. */
  doubt(zone: string): void;
}

export interface ReadOptions {
  signal: AbortSignal;
  /** Does without what is known from before, and replaces it. */
  fresh: boolean;
}

export interface DelegationsSetup {
  recursion: Recursion;
  mayAsk: AddressRule;
  clock: Clock;
  /** Yields numbers in [0, 1). */
  random: () => number;
  /** Zones that are remembered; beyond, those not asked for the longest are forgotten. */
  maxZones?: number;
}

/** Names of nameservers that are followed: a zone that names many must not make us ask them all (NXNSAttack). */
const MAX_NAMESERVERS = 3;
/** Of each nameserver and IP version. */
const MAX_ADDRESSES = 2;
const MAX_TTL_MS = 60 * 60 * 1000;
/** How long it is believed that a zone has no nameserver to ask. */
const EMPTY_TTL_MS = 5_000;
const DOUBTED_TTL_MS = 30_000;
const MAX_ZONES = 100_000;
/** The end of a read that several may wait for. */
const READ_LIMIT_MS = 10_000;

interface Known {
  delegated: Delegated;
  readAt: number;
  /** From then on it is read again; that there is such a zone goes on being believed. */
  expiresAt: number;
}

/** What was found about one name of a nameserver. */
interface Looked {
  name: string;
  records: Resource[];
  failure: HeardFailure | null;
}

export function delegations(setup: DelegationsSetup): Delegations {
  const { recursion, mayAsk, clock, random, maxZones = MAX_ZONES } = setup;
  /** By zone, in order of use, the least recent first. */
  const known = new Map<string, Known>();
  const share = sharing<Delegated>(READ_LIMIT_MS, { kind: 'failed', reason: 'timeout' });

  async function at(zone: string, { signal, fresh }: ReadOptions): Promise<Delegated> {
    const present = known.get(zone);
    if (!fresh && present !== undefined && isCurrent(present, clock.now())) {
      remember(zone, present);
      return present.delegated;
    }
    return share(`${fresh} ${zone}`, signal, (shared) => read(zone, shared));
  }

  async function read(zone: string, signal: AbortSignal): Promise<Delegated> {
    const heard = await recursion.ask({ name: zone, type: 'NS' }, { signal });
    if (heard.kind === 'failed') return heard;
    const records = heard.answer.answers.filter(({ type, name }) => type === 'NS' && name === zone);
    // The same ones every time: what is told of nameservers that do not agree would change with those that are heard.
    const names = [...new Set(records.map(({ value }) => value))].toSorted().slice(0, MAX_NAMESERVERS);
    const looked = await Promise.all(names.map((name) => findAddresses(name, signal)));
    const { delegated, ttlMs } = judge(zone, records, looked);
    const readAt = clock.now();
    if (ttlMs > 0) remember(zone, { delegated, readAt, expiresAt: readAt + ttlMs });
    return delegated;
  }

  async function findAddresses(name: string, signal: AbortSignal): Promise<Looked> {
    const looked: Looked = { name, records: [], failure: null };
    const types = ['A', 'AAAA'] as const;
    for (const heard of await Promise.all(types.map((type) => recursion.ask({ name, type }, { signal })))) {
      if (heard.kind === 'failed') {
        looked.failure = heard;
        continue;
      }
      const found = heard.answer.answers.filter(({ type }) => type === 'A' || type === 'AAAA');
      looked.records.push(...shuffled(found, random).slice(0, MAX_ADDRESSES));
    }
    return looked;
  }

  function judge(zone: string, records: Resource[], looked: Looked[]): { delegated: Delegated; ttlMs: number } {
    const addresses = looked.flatMap((one) => one.records);
    const nameservers = looked
      .map(({ name, records: own }) => ({ name, addresses: own.map(({ value }) => value).filter(mayAsk) }))
      .filter((nameserver) => nameserver.addresses.length > 0);
    if (nameservers.length > 0) {
      const ttlMs = Math.min(MAX_TTL_MS, ...[...records, ...addresses].map(({ ttl }) => ttl * 1000));
      return { delegated: { kind: 'delegated', delegation: { zone, nameservers } }, ttlMs };
    }
    const failure = looked.find((one) => one.failure !== null)?.failure ?? null;
    if (failure !== null) return { delegated: failure, ttlMs: 0 };
    const reason = addresses.length > 0 ? 'forbidden_address' : 'no_nameserver';
    return { delegated: { kind: 'failed', reason }, ttlMs: EMPTY_TTL_MS };
  }

  function remember(zone: string, entry: Known): void {
    known.delete(zone);
    known.set(zone, entry);
    const [leastRecent] = known.keys();
    if (known.size > maxZones && leastRecent !== undefined) known.delete(leastRecent);
  }

  /** Not from a top-level domain downwards: its nameservers are not there to tell us of every zone below. */
  function closestKnown(name: string): string | null {
    for (let zone = name; zone.includes('.') && zone !== '.'; zone = parentOf(zone)) {
      if (known.get(zone)?.delegated.kind === 'delegated') return zone;
    }
    return null;
  }

  return {
    at,
    async closest(name, options) {
      const zone = closestKnown(name);
      if (zone !== null) {
        const delegated = await at(zone, options);
        if (delegated.kind === 'delegated') return delegated;
      }
      // One question for all names that one owner has: what is slow for one of them is asked for once. A zone below it is referred to.
      const registered = registrableDomain(name) ?? name;
      return share(`${options.fresh} apex of ${registered}`, options.signal, async (signal) => {
        const found = await recursion.findApex(registered, { signal });
        return found.kind === 'failed' ? found : at(found.apex, { signal, fresh: options.fresh });
      });
    },
    doubt(zone) {
      const entry = known.get(zone);
      if (entry !== undefined) entry.expiresAt = Math.min(entry.expiresAt, entry.readAt + DOUBTED_TTL_MS);
    },
  };
}

/** Not read in the future either: the clock was set back since, and nobody knows how old it is. */
function isCurrent({ readAt, expiresAt }: Known, now: number): boolean {
  return readAt <= now && now < expiresAt;
}
