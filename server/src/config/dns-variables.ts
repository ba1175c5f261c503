import { count, dnsServers, hostName, listenAddress, listOf, oneOf, zone } from './parse-values.ts';
import type { Variable } from './variable.ts';

/** Variables of the role `dns`, and of those that it works for. */
export const dnsVariables = {
  challengeZone: {
    name: 'NAMEPLATE_CHALLENGE_ZONE',
    about:
      "A zone of yours that you delegate to the nodes with the role `dns`. In this zone, they answer only a CA's DNS-01 challenges. It must not be or contain the CNAME zone. Use the same value on every node.",
    example: 'acme.example.net',
    parse: zone,
  },
  cnameZoneDelegated: {
    name: 'NAMEPLATE_CNAME_ZONE_DELEGATED',
    about:
      '`on`: you delegate the CNAME zone to the nodes with the role `dns`, too. At every target, they answer with challenges and with the addresses of the edges that are alive. Each node with the role `edge` reports its `NAMEPLATE_EDGE_ADDRESSES`. `off`: your DNS provider hosts the zone, with a wildcard record. Use the same value on every node.',
    default: 'off',
    example: 'on',
    parse: oneOf('off', 'on'),
  },
  dnsServers: {
    name: 'NAMEPLATE_DNS_SERVERS',
    about:
      'The nameservers of the delegated zones, separated by commas. The first is the primary. Each is a host name; if it is in one of these zones, append `=` and its address. Repeat the name for a second address. The parent zone needs the same NS and address records. Use at least two, on different machines, so that names still resolve when one is down. Required with the role `dns`.',
    example: 'ns1.acme.example.net=192.0.2.53,ns2.acme.example.net=198.51.100.53',
    parse: dnsServers,
  },
  dnsListen: {
    name: 'NAMEPLATE_DNS_LISTEN',
    about:
      "Addresses and ports of the DNS server, UDP and TCP, separated by commas. The Internet must reach it at port 53. On a machine with several addresses, list its addresses from `NAMEPLATE_DNS_SERVERS` here, so that each UDP response comes from the address that was queried. If the machine's own resolver uses port 53 on loopback, `*:53` does not work.",
    default: '*:53',
    example: '192.0.2.53:53,[2001:db8::53]:53',
    parse: listOf(listenAddress),
  },
  dnsResponsesPerSecond: {
    name: 'NAMEPLATE_DNS_RESPONSES_PER_SECOND',
    about:
      'Maximum number of UDP responses a second to one network (a /24 of IPv4, a /64 of IPv6), to prevent amplification attacks with forged addresses. Beyond it, one query in two gets a truncated response, which makes resolvers repeat the query over TCP. The others get no response. Clients that send a valid DNS cookie are not limited. `0`: no limit.',
    default: '500',
    example: '2000',
    parse: count(0, 1_000_000),
  },
  caaIssuers: {
    name: 'NAMEPLATE_CAA_ISSUERS',
    about:
      'CAs that may issue certificates for names that lead to a target, separated by commas, as CAA records name them. The nodes with the role `dns` then answer with CAA records at each target. These also override a restriction that the customer has set above the name: see [CAA](../guides/dns.md#caa). Needs `NAMEPLATE_CNAME_ZONE_DELEGATED=on`.',
    example: 'letsencrypt.org,pki.goog',
    parse: listOf(hostName),
  },
  httpsRecords: {
    name: 'NAMEPLATE_HTTPS_RECORDS',
    about:
      '`on`: the nodes with the role `dns` answer with an HTTPS record (RFC 9460) at each target, even before its name has a certificate. Browsers then never use plain HTTP for these names. Until there is a certificate they show an error, and `redirectToHttps: false` has no effect. Needs `NAMEPLATE_CNAME_ZONE_DELEGATED=on` and the `NAMEPLATE_EDGE_HTTPS_PORT` 443.',
    default: 'off',
    example: 'on',
    parse: oneOf('off', 'on'),
  },
} as const satisfies Record<string, Variable<unknown>>;
