import type { ZoneObservation } from '../domain/observation.ts';
import type { AnsweredResponse } from './ask-server.ts';
import type { LocateNameservers, LocateOptions } from './nameserver-addresses.ts';
import type { NameserverQueries } from './nameserver-queries.ts';
import { isBelow, parentOf } from './protocol/dns-name.ts';
import { cutIn, isSameSet, type NameserverSet, nameserverSet, type ZoneCut } from './referral.ts';
import type { QueryLimits } from './resolver.ts';
import type { TimedZone } from './zone-cache.ts';

/** Where zones end, and others begin. Never rejects. */
export interface ZoneCuts {
  /** Where a cut below `zone` holds the name; null: nowhere. A server that serves both zones answers as if there was none. */
  find(zone: ZoneObservation, name: string, options: QueryLimits): Promise<FoundCut | null>;
  /**
   * Whether every nameserver of the zone that answers names the same nameservers for the lower zone, at the same addresses: one that is hostile, or left
   * over from before, could otherwise lead to nameservers of its own.
   */
  isAgreed(zone: ZoneObservation, found: FoundCut, options: QueryLimits): Promise<boolean>;
  /** The lower zone by the referral of its parent's nameserver; by its own NS records where that nameserver serves it too. */
  read(parent: ZoneObservation, found: FoundCut, options: LocateOptions): Promise<TimedZone>;
}

export interface FoundCut {
  cut: ZoneCut;
  /** The answer of a nameserver of the upper zone. */
  answer: AnsweredResponse;
}

/** For the NS records of a lower zone, at one nameserver. */
const NS_MS = 1500;

export function zoneCuts(queries: NameserverQueries, locate: LocateNameservers): ZoneCuts {
  /** The nameservers of a lower zone; of one that is served too, by the server that has just answered from it. */
  async function readSet(
    parent: ZoneObservation,
    { cut, answer }: FoundCut,
    options: QueryLimits,
  ): Promise<NameserverSet> {
    const { apex, kind } = cut;
    if (kind === 'referral' || hasNs(answer, apex)) return nameserverSet(answer.message, apex, parent.apex);
    const own = await queries.ask({ name: apex, type: 'NS' }, answer.server, parent, { ...options, timeoutMs: NS_MS });
    return nameserverSet((own.kind === 'answer' ? own : answer).message, apex, parent.apex);
  }

  return {
    async find(zone, name, options) {
      for (let current = name; isBelow(current, zone.apex); current = parentOf(current)) {
        const answer = await queries.askZone(zone, { name: current, type: 'SOA' }, options);
        if (answer.kind === 'failed') return null;
        const { answers } = answer.message;
        const isApex = answers.some(({ type, name: owner }) => type === 'SOA' && owner === current);
        if (isApex) return { cut: { apex: current, kind: 'served' }, answer };
        // A CNAME hides the SOA record that would deny the type: the zone is that of the name above.
        if (answers.length > 0) continue;
        const cut = cutIn(answer.message, zone.apex, current);
        return cut === null ? null : { cut, answer };
      }
      return null;
    },

    async isAgreed(zone, found, options) {
      const { apex } = found.cut;
      const expected = await readSet(zone, found, options);
      const others = zone.nameservers.filter(({ name }) => name !== found.answer.server.name);
      const agreed = others.map(async ({ name, addresses }) => {
        const [address] = queries.inOrder(addresses);
        if (address === undefined) return true;
        const server = { name, address, port: queries.port };
        const asking = { ...options, timeoutMs: NS_MS };
        const other = await queries.ask({ name: apex, type: 'NS' }, server, zone, asking);
        return other.kind === 'failed' || isSameSet(nameserverSet(other.message, apex, zone.apex), expected);
      });
      return (await Promise.all(agreed)).every(Boolean);
    },

    async read(parent, found, options) {
      const { apex } = found.cut;
      const zone = { apex, source: 'parent', ownNameservers: null } as const;
      const set = await readSet(parent, found, options);
      // Some load balancers deny with an SOA record of the name itself, which is no zone: then it is served by the same servers.
      if (set.nameservers.length === 0)
        return { zone: { ...parent, ...zone, failure: null }, ttl: Number.POSITIVE_INFINITY };
      const { ttl, ...located } = await locate(set, options);
      return { zone: { ...zone, ...located }, ttl };
    },
  };
}

export function hasNs({ message }: AnsweredResponse, apex: string): boolean {
  return message.answers.some(({ type, name }) => type === 'NS' && name === apex);
}
