import type { Clock } from '../../base/clock.ts';
import type { DnsServer } from '../../config/config.ts';
import { serverVariables } from '../../config/variables.ts';
import { authoritativeResolver } from '../../dns/authoritative.ts';
import type { DnsMessage } from '../../dns/protocol/wire.ts';
import { dnsClient } from '../../dns/transport/dns-client.ts';
import {
  readSignatureTimes,
  readValidationSupport,
  type SignatureTimes,
  type ValidationSupport,
} from '../../dns/validation.ts';
import type { Failure } from '../../domain/reading.ts';
import { isPublic } from '../../net/addresses.ts';
import { dateTime } from '../output/output.ts';
import { type DoctorResult, fail, ok, warn } from './doctor-result.ts';
import { addressesOf } from './examine-edge.ts';
import { SET_CLOCK } from './examine-host.ts';

/** A slower resolver slows every check down. */
const SLOW_MS = 500;

interface DnsSettings {
  resolvers: readonly DnsServer[];
  cnameZone: string;
  /** Whether our DNS servers have the zone. */
  isDelegated?: boolean;
  /** Networks of special addresses where nameservers may be queried. */
  allowedNetworks: readonly string[];
  /** Whether this process is an edge, to which names in the zone have to lead. */
  isEdge: boolean;
  /** 53, except in a playground. */
  nameserverPort: number;
  clock: Clock;
}

/** Examines each resolver, the CNAME zone, and whether the clock is about right. */
export async function examineResolvers({
  resolvers,
  cnameZone,
  isDelegated = false,
  allowedNetworks,
  isEdge,
  clock,
}: DnsSettings): Promise<DoctorResult[]> {
  const client = dnsClient();
  // The zone has a wildcard, so any name in it will do.
  const name = `doctor.${cnameZone}`;
  const question = { name, type: 'A' } as const;
  const results = await Promise.all(
    resolvers.map(async (resolver) => {
      const startedAt = performance.now();
      const response = await client.query(question, resolver, { recursion: true, signal: AbortSignal.timeout(5000) });
      const ms = Math.round(performance.now() - startedAt);
      const asking = { recursion: true, over: 'tcp', signal: AbortSignal.timeout(5000) } as const;
      const overTcp = typeof response === 'string' ? null : await client.query(question, resolver, asking);
      const support = await readValidationSupport(client, resolver, AbortSignal.timeout(5000));
      const signed =
        support === 'validates' ? await readSignatureTimes(client, resolver, AbortSignal.timeout(5000)) : null;
      return { resolver, response, overTcp, ms, support, signed };
    }),
  );
  client.close();
  const responses = results.map(({ response }) => response);
  const addresses = responses.every((response) => typeof response === 'string')
    ? null
    : await addressesOf(name, resolvers);
  return [
    ...results.flatMap(({ resolver, response, overTcp, ms, support }) => [
      judgeResolver(resolver, response, ms, allowedNetworks.length > 0),
      ...(typeof overTcp === 'string' ? [judgeTcp(resolver, overTcp)] : []),
      ...judgeValidation(resolver, support),
    ]),
    judgeZone(cnameZone, addresses, isEdge, isDelegated),
    ...results.flatMap(({ resolver, signed }) => (signed ? judgeClock(resolver, signed, clock.now()) : [])).slice(0, 1),
  ];
}

function judgeResolver(
  { address, port }: DnsServer,
  response: DnsMessage | Failure,
  ms: number,
  internalAllowed: boolean,
): DoctorResult {
  const name = nameOf({ address, port });
  if (typeof response === 'string') {
    const advice = 'Check that it is reachable over UDP and TCP, or name another in NAMEPLATE_DNS_RESOLVERS.';
    return fail('resolver', `${name} gave no usable response (${response})`, advice);
  }
  if (response.rcode !== 'noerror' && response.rcode !== 'nxdomain') {
    const advice = 'It may not serve this machine, or the CNAME zone is broken. Query it with dig, or name another.';
    return warn('resolver', `${name} responded with ${response.rcode.toUpperCase()}`, advice);
  }
  if (!internalAllowed && !isPublic(address)) {
    const advice =
      'It may resolve internal zones, which customers must not reach. Name a public resolver, unless you know that it resolves none.';
    return warn('resolver', `${name} responds in ${ms} ms, but has an internal address`, advice);
  }
  if (ms > SLOW_MS) return warn('resolver', `${name} took ${ms} ms to respond`, 'Use a resolver that is nearer.');
  return ok('resolver', `${name} responds in ${ms} ms`);
}

function judgeTcp(resolver: DnsServer, failure: Failure): DoctorResult {
  const advice =
    'Allow outgoing TCP to port 53, to resolvers and nameservers. What decides about a domain is read over TCP; over UDP it is slower and easier to forge.';
  return warn('resolver', `${nameOf(resolver)} does not answer over TCP (${failure})`, advice);
}

function judgeValidation(resolver: DnsServer, support: ValidationSupport): DoctorResult[] {
  if (support === 'unknown') return [];
  if (support === 'validates') return [ok('DNSSEC', `${nameOf(resolver)} validates`)];
  const found = `${nameOf(resolver)} does not validate, so it cannot tell a record with an invalid signature from a valid one`;
  const advice =
    'Switch validation on there (Unbound: module-config "validator iterator", and a trust anchor), or name a resolver that validates.';
  return [warn('DNSSEC', found, advice)];
}

/** Signatures of the root zone are valid for about two weeks, so this finds only a clock that is wrong by days. */
function judgeClock(resolver: DnsServer, { validFrom, validUntil }: SignatureTimes, now: number): DoctorResult[] {
  if (now >= validFrom && now <= validUntil) return [];
  const [side, bound] = now < validFrom ? ['from', validFrom] : ['until', validUntil];
  const found = `it shows ${dateTime(now)}, but ${nameOf(resolver)} accepts a signature that is valid ${side} ${dateTime(bound)}`;
  return [fail('clock', found, SET_CLOCK)];
}

function nameOf({ address, port }: DnsServer): string {
  return `${address.includes(':') ? `[${address}]` : address}:${port}`;
}

/** `addresses`: of the wildcard; null: no resolver responded. */
function judgeZone(zone: string, addresses: string[] | null, isEdge: boolean, isDelegated: boolean): DoctorResult {
  const about = 'CNAME zone';
  if (addresses === null) return warn(about, `${zone} could not be looked up`, 'Fix the resolvers first.');
  const [address] = addresses;
  if (address !== undefined) return ok(about, `names in ${zone} resolve to ${address}`);
  const advice = isDelegated
    ? 'Our DNS servers answer with the addresses in NAMEPLATE_EDGE_ADDRESSES of each edge: set it there, and see what is said of the DNS servers.'
    : `Publish *.${zone} with the address of your edge. Without it, domains can be verified but not reached.`;
  return (isEdge ? fail : warn)(about, `names in ${zone} do not resolve`, advice);
}

const TIMEOUT_MS = 10_000;

/** Whether nameservers can be queried directly, as checks do. Tries those of the CNAME zone. */
export async function examineNameservers({ cnameZone, ...settings }: DnsSettings): Promise<DoctorResult> {
  const client = dnsClient();
  const resolver = authoritativeResolver({ ...settings, client, onAnswer: () => {} });
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const found = await resolver.lookupAddresses(`doctor.${cnameZone}`, { signal }).finally(() => client.close());
  if (found.kind !== 'unreadable' && found.by?.authoritative) {
    const { server, address } = found.by;
    const name = server === address ? address : `${server} (${address})`;
    return ok('nameserver', `${name} answers direct queries for ${cnameZone}`);
  }
  if (found.kind === 'unreadable' && found.reason === 'forbidden_address') {
    const advice = `If customers' zones are on internal nameservers too, list their networks in ${serverVariables.dnsAllowedNetworks.name}. Else let public nameservers serve ${cnameZone}.`;
    return warn('nameserver', `the nameservers of ${cnameZone} have internal addresses, which are not queried`, advice);
  }
  if (found.kind === 'unreadable' && found.reason === 'no_resolver')
    return warn('nameserver', `the nameservers of ${cnameZone} could not be found`, 'Fix the resolvers first.');
  const advice =
    'Allow outgoing DNS, UDP and TCP, to port 53 of any address: checks query the nameservers of each zone directly. If that is impossible, set NAMEPLATE_DNS_MODE to recursive.';
  const why = found.kind === 'unreadable' ? ` (${found.reason})` : '';
  return warn('nameserver', `no nameserver of ${cnameZone} answered a direct query${why}`, advice);
}
