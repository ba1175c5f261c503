import type { Clock } from '../../clock.ts';
import type { DnsServer } from '../../config/config.ts';
import { authoritativeResolver } from '../../dns/authoritative.ts';
import { type DnsResponse, dnsClient } from '../../dns/transport/dns-client.ts';
import type { DnsFailure } from '../../dns/transport/query-attempt.ts';
import { isPublic } from '../../net/addresses.ts';
import type { Finding } from './finding.ts';

/** Slower than this, checks wait for the resolver more than for anything else. */
const SLOW_MS = 500;

/** Each resolver, and through them the CNAME zone. `internal`: special addresses are meant to be asked here. */
export async function examineDns(
  resolvers: readonly DnsServer[],
  cnameZone: string,
  internal: boolean,
): Promise<Finding[]> {
  const client = dnsClient();
  // Any name below the zone will do: they all lead to the edge.
  const question = { name: `doctor.${cnameZone}`, type: 'A' } as const;
  const asked = await Promise.all(
    resolvers.map(async (resolver) => {
      const began = performance.now();
      const response = await client.query(question, resolver, { recursion: true, signal: AbortSignal.timeout(5000) });
      return { resolver, response, ms: Math.round(performance.now() - began) };
    }),
  );
  client.close();
  const findings = asked.map(({ resolver, response, ms }) => judgeResolver(resolver, response, ms, internal));
  return [
    ...findings,
    judgeZone(
      cnameZone,
      asked.map(({ response }) => response),
    ),
  ];
}

function judgeResolver(
  { address, port }: DnsServer,
  response: DnsResponse | DnsFailure,
  ms: number,
  internal: boolean,
): Finding {
  const about = 'resolver';
  const name = `${address.includes(':') ? `[${address}]` : address}:${port}`;
  if (typeof response === 'string') {
    const advice = 'Check that it is reachable over UDP and TCP, or name another in NAMEPLATE_DNS_RESOLVERS.';
    return { about, level: 'fail', found: `${name} gave no answer (${response})`, advice };
  }
  if (response.rcode !== 'noerror' && response.rcode !== 'nxdomain') {
    const advice = 'It may not serve this machine, or the CNAME zone is broken. Ask it with dig, or name another.';
    return { about, level: 'warn', found: `${name} answered ${response.rcode.toUpperCase()}`, advice };
  }
  if (!internal && !isPublic(address)) {
    const advice =
      'It may see internal zones, which customers must not reach. Name a public resolver, unless you know that it sees none.';
    return { about, level: 'warn', found: `${name} answers in ${ms} ms, but its address is an internal one`, advice };
  }
  if (ms > SLOW_MS) {
    return { about, level: 'warn', found: `${name} took ${ms} ms`, advice: 'Name one that is nearer.' };
  }
  return { about, level: 'ok', found: `${name} answers in ${ms} ms` };
}

function judgeZone(zone: string, responses: (DnsResponse | DnsFailure)[]): Finding {
  const about = 'CNAME zone';
  const answers = responses.filter((response) => typeof response !== 'string');
  const address = answers.flatMap((response) => response.answers).find(({ type }) => type === 'A')?.value;
  if (address !== undefined) return { about, level: 'ok', found: `names below ${zone} lead to ${address}` };
  if (answers.length === 0)
    return { about, level: 'warn', found: `${zone} could not be looked up`, advice: 'Mend the resolvers first.' };
  const advice = `Publish *.${zone} with the address of your edge. Domains can be verified without it, but not be reached.`;
  return { about, level: 'warn', found: `names below ${zone} lead nowhere`, advice };
}

const ASKING_MS = 10_000;

export interface Asking {
  resolvers: readonly DnsServer[];
  cnameZone: string;
  allowedNetworks: readonly string[];
  /** 53, but in a playground. */
  nameserverPort: number;
  clock: Clock;
}

/** Whether nameservers can be asked directly, as checks do: those of the CNAME zone, which are ours to know. */
export async function examineNameservers({ cnameZone, ...asking }: Asking): Promise<Finding> {
  const about = 'nameserver';
  const client = dnsClient();
  const resolver = authoritativeResolver({ ...asking, client, onAnswer: () => {} });
  const signal = AbortSignal.timeout(ASKING_MS);
  const seen = await resolver.lookupAddresses(`doctor.${cnameZone}`, { signal }).finally(() => client.close());
  if (seen.kind !== 'unreadable' && seen.by.authoritative) {
    const { server, address } = seen.by;
    const name = server === address ? address : `${server} (${address})`;
    return { about, level: 'ok', found: `${name} answers for ${cnameZone} when it is asked directly` };
  }
  const advice =
    "Allow outgoing DNS, UDP and TCP, to port 53 of any address: checks read records at the zones' own nameservers. Where that cannot be, set NAMEPLATE_DNS_MODE to recursive.";
  const why = seen.kind === 'unreadable' ? ` (${seen.reason})` : '';
  return { about, level: 'warn', found: `no nameserver of ${cnameZone} could be asked directly${why}`, advice };
}
