import type { AnsweredBy, Lookup, LookupOptions, RecordLookups } from '../dns/resolver.ts';
import type { Domain } from '../domain/domain.ts';
import { isProxy } from '../domain/proxy-zones.ts';
import type { OwnershipReading, Reading, RoutingReading, ServerAnswer } from '../domain/reading.ts';
import { ownershipName, ownershipValue } from '../domain/records.ts';
import { joinList, joinQuoted } from '../domain/text.ts';
import { reportsDisagreement } from '../domain/verification-error.ts';

/** Longest DNS name, in characters without the final dot (RFC 1035 section 2.3.4). */
const NAME_LIMIT = 253;

/** Most nameservers that are asked about one record. */
const MAX_ASKED = 3;

/**
 * Looks up the records of a domain, and those of its incumbent when they matter. Applies no rules: `domain/status.ts`
 * does. Never rejects; a lookup in flight when the signal aborts is `unreadable`.
 */
export async function observe(
  resolver: RecordLookups,
  domain: Domain,
  incumbent: Domain | null,
  signal: AbortSignal,
): Promise<Reading> {
  const [ownership, routing] = await observeRecords(resolver, domain, isMatch, signal);
  const observation = await findDoubled(resolver, domain, ownership, routing, signal);
  // The incumbent's records matter only against a proven claim.
  if (incumbent === null || ownership.seen.kind !== 'matched') return observation;
  const [incumbentOwnership, incumbentRouting] = await observeRecords(resolver, incumbent, isGone, signal);
  return { ...observation, incumbent: { ownership: incumbentOwnership.seen, routing: incumbentRouting.seen } };
}

type Seen = OwnershipReading | RoutingReading;

/** What must not rest on one nameserver alone: of a claimant that a record matches, of an incumbent that it is gone. */
const isMatch = (seen: Seen): boolean => seen.kind === 'matched';
const isGone = (seen: Seen): boolean => !isMatch(seen);

/** How one of the two records is looked up and read. */
interface RecordReader<Found, S extends Seen> {
  name: string;
  lookup(name: string, options: LookupOptions): Promise<Lookup<Found>>;
  read(lookup: Lookup<Found>): S;
  /** Its values as a short list, or `no record`. */
  describe(lookup: Lookup<Found>): string;
  /** Whether nameservers disagreed about it in the last check. */
  disputed: boolean;
}

/** `zone`: that of the record's name, where it could be read. */
interface Observed<S extends Seen> {
  seen: S;
  zone?: string;
}

type Disagreement = Extract<Seen, { kind: 'disagree' }>;

function observeRecords(
  resolver: RecordLookups,
  domain: Domain,
  decides: (seen: Seen) => boolean,
  signal: AbortSignal,
): Promise<[Observed<OwnershipReading>, Observed<RoutingReading>]> {
  return Promise.all([
    observeRecord(ownershipReader(resolver, domain), decides, signal),
    observeRecord(routingReader(resolver, domain), decides, signal),
  ]);
}

function ownershipReader(
  resolver: RecordLookups,
  domain: Domain,
): RecordReader<{ values: string[] }, OwnershipReading> {
  const expected = ownershipValue(domain);
  return {
    name: ownershipName(domain),
    lookup: (name, options) => resolver.lookupTxt(name, options),
    read(lookup) {
      if (lookup.kind !== 'found') return withoutRecord(lookup);
      // Compared byte for byte: DNS names fold case, TXT values do not.
      return lookup.values.includes(expected) ? { kind: 'matched' } : { kind: 'wrong', values: lookup.values };
    },
    describe: (lookup) => (lookup.kind === 'found' ? joinQuoted(lookup.values) : 'no record'),
    disputed: reportsDisagreement(domain, 'TXT'),
  };
}

function routingReader(resolver: RecordLookups, domain: Domain): RecordReader<{ addresses: string[] }, RoutingReading> {
  return {
    name: domain.name,
    lookup: (name, options) => resolver.lookupRoute(name, domain.target, options),
    read(lookup) {
      if (lookup.chain.includes(domain.target)) return { kind: 'matched', chain: lookup.chain };
      if (lookup.kind !== 'found') return withoutRecord(lookup);
      const { chain, addresses } = lookup;
      if (chain.length === 0 || chain.some(isProxy)) return { kind: 'hidden', addresses, chain };
      return { kind: 'elsewhere', chain };
    },
    describe(lookup) {
      if (lookup.chain.length > 0) return joinQuoted(lookup.chain);
      return lookup.kind === 'found' ? joinList(lookup.addresses) : 'no record';
    },
    disputed: reportsDisagreement(domain, 'CNAME'),
  };
}

/** Asks one nameserver, and others where one is not enough. */
async function observeRecord<Found, S extends Seen>(
  reader: RecordReader<Found, S>,
  decides: (seen: Seen) => boolean,
  signal: AbortSignal,
): Promise<Observed<S | Disagreement>> {
  const first = await reader.lookup(reader.name, { signal });
  const seen = reader.read(first);
  if (first.kind === 'unreadable') return { seen };
  const needsOthers = reader.disputed || decides(seen);
  return { seen: needsOthers ? await confirm(reader, first, decides, signal) : seen, zone: first.zone };
}

/**
 * A decisive answer needs a second nameserver. While nameservers disagree, up to three are asked in every check, so that
 * the result does not depend on which of them is asked first.
 */
async function confirm<Found, S extends Seen>(
  { name, lookup, read, describe, disputed }: RecordReader<Found, S>,
  first: Lookup<Found> & { by: AnsweredBy },
  decides: (seen: Seen) => boolean,
  signal: AbortSignal,
): Promise<S | Disagreement> {
  const lookups = [first];
  const agree = () => lookups.every((one) => decides(read(one)) === decides(read(first)));
  while (lookups.length < MAX_ASKED) {
    const next = await lookup(name, { signal, confirming: lookups.map(({ by }) => by) });
    if (next.kind === 'unreadable') return read(next);
    const isNew = lookups.every(({ by }) => by.server !== next.by.server && by.address !== next.by.address);
    // A single nameserver confirms itself.
    if (isNew || lookups.length === 1) lookups.push(next);
    if (!isNew || (agree() && !disputed)) break;
  }
  if (agree()) return read(first);
  const answers: ServerAnswer[] = lookups.map((one) => ({ server: one.by.server, saw: describe(one) }));
  return { kind: 'disagree', answers: answers.toSorted((a, b) => (a.server < b.server ? -1 : 1)) };
}

/**
 * Some DNS providers append the zone to every name that a customer enters: an absent record may be at `name.zone`. Where
 * that name of the domain does not exist (NXDOMAIN), nothing is below it either (RFC 8020), and one query is enough. That
 * is likely only where the name of the domain itself does not exist; otherwise neither probe waits for the other.
 */
async function findDoubled(
  resolver: RecordLookups,
  domain: Domain,
  ownership: Observed<OwnershipReading>,
  routing: Observed<RoutingReading>,
  signal: AbortSignal,
): Promise<Reading> {
  // The routing record of an apex decides nothing.
  const probesRouting = routing.seen.kind === 'absent' && domain.kind === 'subdomain';
  const routingProbe = probesRouting ? probe(routingReader(resolver, domain), routing.zone, signal) : null;
  const savesQuery = routing.seen.kind === 'absent' && routing.seen.reason === 'nxdomain';
  const nonexistent = savesQuery ? (await routingProbe)?.nonexistent : undefined;
  const ownershipProbe =
    ownership.seen.kind === 'absent'
      ? probe(ownershipReader(resolver, domain), ownership.zone, signal, nonexistent)
      : null;
  const [doubledRouting, doubledOwnership] = await Promise.all([routingProbe, ownershipProbe]);
  return {
    ownership: { ...ownership.seen, ...doubledOwnership?.hint },
    routing: { ...routing.seen, ...doubledRouting?.hint },
  };
}

/** `nonexistent`: the name, where it does not exist. */
interface Probe {
  hint?: { doubledAt: string };
  nonexistent?: string;
}

/** Looks for a record at its name with the zone appended; not below a name that does not exist. */
async function probe<Found, S extends Seen>(
  { name, lookup, read }: RecordReader<Found, S>,
  zone: string | undefined,
  signal: AbortSignal,
  nonexistent?: string,
): Promise<Probe> {
  const doubledAt = `${name}.${zone}`;
  if (doubledAt.length > NAME_LIMIT) return {};
  if (nonexistent !== undefined && doubledAt.endsWith(`.${nonexistent}`)) return {};
  const found = await lookup(doubledAt, { signal });
  if (read(found).kind === 'matched') return { hint: { doubledAt } };
  return found.kind === 'absent' && found.reason === 'nxdomain' ? { nonexistent: doubledAt } : {};
}

function withoutRecord(
  lookup: Exclude<Lookup<object>, { kind: 'found' }>,
): Extract<Seen, { kind: 'absent' | 'unreadable' }> {
  return lookup.kind === 'absent' ? { kind: 'absent', reason: lookup.reason } : lookup;
}
