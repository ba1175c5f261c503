import type { Clock } from '../../base/clock.ts';
import type { Config, DnsServer } from '../../config/config.ts';
import { recursiveResolver } from '../../dns/recursive.ts';
import { dnsClient } from '../../dns/transport/dns-client.ts';
import { joinList } from '../../domain/text.ts';
import { selfCheckNameOf } from '../../edge/routing/challenges.ts';
import type { AddressRule } from '../../net/addresses.ts';
import type { Database } from '../../store/database.ts';
import type { CertificateStore } from '../../store/store.ts';
import { type CheckedAddress, createSelfChecker } from '../../verification/observation/self-check.ts';
import { type DoctorResult, fail, ok, warn } from './doctor-result.ts';

export interface EdgeToExamine {
  cnameZone: string;
  /** Those of `NAMEPLATE_EDGE_ADDRESSES`. */
  edgeAddresses: readonly string[];
  resolvers: readonly DnsServer[];
  /** The database of the edges. */
  database: Pick<Database, 'open'>;
  /** Which addresses the edge may have. */
  mayDial: AddressRule;
  /** Whether only edges may answer, and no server of the operator's own. */
  edgesOnly: boolean;
  clock: Clock;
  /** 80 and 443, except in a playground. */
  ports: { http: number; https: number };
}

const ABOUT = 'edge';
/** Limits of one self-check. */
const ADDRESSES_AT_ONCE = 8;
const MAX_ADDRESSES = 24;
const LOOKUP_MS = 10_000;
const ADDRESS_MS = 5000;

/**
 * Whether each address that customers' names lead to is an edge with this store: it has to answer a challenge that is
 * only there.
 */
export async function examineEdge(edge: EdgeToExamine): Promise<DoctorResult[]> {
  const name = selfCheckNameOf(edge.cnameZone);
  const inWildcard = await addressesOf(name, edge.resolvers);
  const all = [...new Set([...edge.edgeAddresses, ...inWildcard])].slice(0, MAX_ADDRESSES);
  if (all.length === 0) return [];
  const sourceOf = (address: string) =>
    joinList([
      ...(inWildcard.includes(address) ? [`*.${edge.cnameZone}`] : []),
      ...(edge.edgeAddresses.includes(address) ? ['NAMEPLATE_EDGE_ADDRESSES'] : []),
    ]);
  const answers = await fetchFromAll(name, all, edge);
  const isRunning = answers.some(({ outcome }) => outcome === 'ours');
  return answers.map((answer) => judge(answer, sourceOf(answer.address), isRunning, edge));
}

/** Without an address there is nothing to check; the finding about the CNAME zone says so. */
export async function addressesOf(name: string, resolvers: readonly DnsServer[]): Promise<string[]> {
  const client = dnsClient();
  const signal = AbortSignal.timeout(LOOKUP_MS);
  const found = await recursiveResolver({ client, resolvers }).lookupAddresses(name, { signal });
  client.close();
  return found.kind === 'found' ? found.addresses : [];
}

async function fetchFromAll(
  name: string,
  addresses: string[],
  { database, mayDial, clock, ports }: EdgeToExamine,
): Promise<CheckedAddress[]> {
  const store = await database.open();
  const answers: CheckedAddress[] = [];
  try {
    for (let at = 0; at < addresses.length; at += ADDRESSES_AT_ONCE) {
      const some = addresses.slice(at, at + ADDRESSES_AT_ONCE);
      const by = { server: '', address: '', authoritative: false };
      const resolver = {
        lookupAddresses: async () => ({ kind: 'found' as const, addresses: some, chain: [], by }),
      };
      const selfCheck = createSelfChecker({ store, resolver, mayDial, clock, ports, timeoutMs: ADDRESS_MS });
      // Each address has a timeout of its own.
      const checked = await selfCheck(name, new AbortController().signal);
      if (checked.kind === 'checked') answers.push(...checked.answers);
    }
  } finally {
    await store.close();
  }
  return answers;
}

/** `isRunning`: an edge has answered at another address, or this one. */
function judge(
  { address, outcome, seen, noRoute }: CheckedAddress,
  source: string,
  isRunning: boolean,
  { edgesOnly, ports }: EdgeToExamine,
): DoctorResult {
  const where = `${address} (${source})`;
  const because = seen === null ? '' : `: ${seen}`;
  const remove = `Point it to an edge, or remove it from ${source}`;
  switch (outcome) {
    case 'ours':
      return ok(ABOUT, `${where} leads to the edge`);
    case 'not_public': {
      const advice = `${remove}. In a closed network, list its network in NAMEPLATE_ACME_ALLOWED_NETWORKS.`;
      return fail(
        ABOUT,
        `${where} is a special address, which no certificate authority on the Internet reaches`,
        advice,
      );
    }
    case 'unreachable': {
      if (noRoute) {
        const advice = 'Run doctor on a machine that has one (for an IPv6 address: IPv6).';
        return warn(ABOUT, `this machine has no route to ${where}, and cannot check it`, advice);
      }
      const found = `nothing answers at ${where}, port ${ports.http}${because}`;
      if (isRunning) return fail(ABOUT, found, `${remove}. Customers' names lead there too.`);
      const advice =
        'If no edge runs yet, run doctor again when one does. If one runs, check the firewall; if only this machine cannot reach it (a router without hairpin NAT), set NAMEPLATE_ACME_SELF_CHECK to off.';
      return warn(ABOUT, found, advice);
    }
    case 'another': {
      const found = `${where} does not lead to an edge with this store${because}`;
      if (edgesOnly) return fail(ABOUT, found, `${remove}.`);
      return warn(ABOUT, found, `If servers of your own answer the names, that is right. Otherwise: ${remove}.`);
    }
    default:
      return outcome satisfies never;
  }
}

/** Tells how to test what this machine cannot: whether the Internet reaches the edge. */
export function describeReach({ roles, edgeHttpListen, issuer }: Partial<Config>, cnameZone: string): DoctorResult[] {
  if (!roles?.includes('edge') || !edgeHttpListen || issuer !== 'acme') return [];
  const test = `run "curl -i http://${selfCheckNameOf(cnameZone)}/" on another machine; the response must have "proxy-status: nameplate"`;
  return [ok('reach', `this machine cannot test whether the Internet reaches the edge: ${test}`)];
}

interface ApiHostname {
  hostname: string;
  /** Those of `NAMEPLATE_EDGE_ADDRESSES`. */
  edgeAddresses: readonly string[];
  resolvers: readonly DnsServer[];
  /** Null: it cannot be opened. */
  store: Pick<CertificateStore, 'findCertificate'> | null;
}

const API_NAME = 'api name';

/** Whether the API's own name (`NAMEPLATE_API_HOSTNAME`) leads to the edge, and has a certificate. */
export async function examineApiHostname({
  hostname,
  edgeAddresses,
  resolvers,
  store,
}: ApiHostname): Promise<DoctorResult[]> {
  const addresses = await addressesOf(hostname, resolvers);
  return [
    judgeAddresses(hostname, addresses, edgeAddresses),
    ...(store === null ? [] : [await examineItsCertificate(store, hostname)]),
  ];
}

function judgeAddresses(
  hostname: string,
  addresses: readonly string[],
  edgeAddresses: readonly string[],
): DoctorResult {
  if (addresses.length === 0) {
    const advice = 'Publish A and AAAA records for it that lead to this edge, or remove NAMEPLATE_API_HOSTNAME.';
    return fail(API_NAME, `${hostname} has no address`, advice);
  }
  const others = edgeAddresses.length === 0 ? [] : addresses.filter((address) => !edgeAddresses.includes(address));
  if (others.length === 0) return ok(API_NAME, `${hostname} leads to ${joinList([...addresses])}`);
  const advice = 'Let it lead to this edge, or add these addresses there.';
  return warn(
    API_NAME,
    `${hostname} leads to ${joinList(others)}, which NAMEPLATE_EDGE_ADDRESSES does not list`,
    advice,
  );
}

async function examineItsCertificate(
  store: Pick<CertificateStore, 'findCertificate'>,
  hostname: string,
): Promise<DoctorResult> {
  const found = await store.findCertificate(hostname);
  if (found === null) return ok(API_NAME, `the certificate of ${hostname} is ordered at the first start`);
  if (found.issued !== null) return ok(API_NAME, `${hostname} has a certificate`);
  const because = found.problem === null ? '' : `: ${found.problem.message}`;
  const advice = `Fix that, then run "nameplate certificates renew ${hostname}".`;
  return warn(API_NAME, `${hostname} has no certificate yet (${found.state})${because}`, advice);
}
