import { count, dnsServers, hostName, listenAddress, listOf, oneOf, zone } from './parse-values.ts';
import type { Variable } from './variable.ts';

/** Variables of the role `dns`, and of those that it works for. */
export const dnsVariables = {
  challengeZone: {
    name: 'NAMEPLATE_CHALLENGE_ZONE',
    about:
      "A zone of yours that you delegate to the nodes with the role `dns`. They answer a CA's DNS-01 challenges in it, and nothing else. It must not be the CNAME zone, nor contain it. Set it alike on every node.",
    example: 'acme.example.net',
    parse: zone,
  },
  cnameZoneDelegated: {
    name: 'NAMEPLATE_CNAME_ZONE_DELEGATED',
    about:
      '`on`: you delegate the CNAME zone too. The nodes with the role `dns` answer with the addresses of the edges that are alive, and with challenges, at every target. Each node with the role `edge` reports its `NAMEPLATE_EDGE_ADDRESSES`. `off`: your own DNS has the zone, with a wildcard record. Set it alike on every node.',
    default: 'off',
    example: 'on',
    parse: oneOf('off', 'on'),
  },
  dnsServers: {
    name: 'NAMEPLATE_DNS_SERVERS',
    about:
      'The nameservers of these zones, separated by commas, the first one as the primary. Each is a host name, with `=` and an address where the name is in one of these zones. Repeat the name for a second address. The parent zone needs the same NS and address records. At least two, on different machines, keep names resolving when one is down. Required with the role `dns`.',
    example: 'ns1.acme.example.net=192.0.2.53,ns2.acme.example.net=198.51.100.53',
    parse: dnsServers,
  },
  dnsListen: {
    name: 'NAMEPLATE_DNS_LISTEN',
    about:
      "Addresses and port of the DNS server, UDP and TCP, separated by commas. The Internet must reach it at port 53. On a machine with several addresses, name those of `NAMEPLATE_DNS_SERVERS`: responses over UDP then come from the address that was asked. Where the machine's own resolver uses port 53 on loopback, `*:53` is refused.",
    default: '*:53',
    example: '192.0.2.53:53,[2001:db8::53]:53',
    parse: listOf(listenAddress),
  },
  dnsResponsesPerSecond: {
    name: 'NAMEPLATE_DNS_RESPONSES_PER_SECOND',
    about:
      'Maximum number of responses a second over UDP to one network (a /24 of IPv4, a /64 of IPv6), to prevent amplification with forged addresses. Beyond it, every other query gets a truncated response, to which resolvers repeat it over TCP; the others get none. Clients that send a valid DNS cookie are not limited. `0`: no limit.',
    default: '500',
    example: '2000',
    parse: count(0, 1_000_000),
  },
  caaIssuers: {
    name: 'NAMEPLATE_CAA_ISSUERS',
    about:
      "CAs that may issue certificates for names that lead to a target, separated by commas, as CAA records name them. The nodes with the role `dns` then answer with CAA records at each target. These also override a customer's own restriction above the name: see [dns.md](../guides/dns.md#caa). Only with `NAMEPLATE_CNAME_ZONE_DELEGATED`.",
    example: 'letsencrypt.org,pki.goog',
    parse: listOf(hostName),
  },
  httpsRecords: {
    name: 'NAMEPLATE_HTTPS_RECORDS',
    about:
      '`on`: the nodes with the role `dns` answer with an HTTPS record (RFC 9460) at each target, whether its name has a certificate or not. Browsers then never ask for these names over plain HTTP: until there is a certificate they show an error, and `redirectToHttps: false` has no effect. Only with `NAMEPLATE_CNAME_ZONE_DELEGATED`, and where `NAMEPLATE_EDGE_HTTPS_PORT` is 443.',
    default: 'off',
    example: 'on',
    parse: oneOf('off', 'on'),
  },
} as const satisfies Record<string, Variable<unknown>>;
