import {
  count,
  countOrAuto,
  listenAddressOrOff,
  listOf,
  loopbackAddressOrOff,
  network,
  publishedAddresses,
} from './parse-values.ts';
import type { Variable } from './variable.ts';

/** Variables of the role `edge`. */
export const edgeVariables = {
  edgeHttpListen: {
    name: 'NAMEPLATE_EDGE_HTTP_LISTEN',
    about:
      "Address and port of the edge for HTTP. It answers the CA's challenges and redirects names that have a certificate to HTTPS. The Internet must reach it at port 80. `[::]:80` listens on IPv4 and IPv6; `off` disables it.",
    default: '0.0.0.0:80',
    example: '[::]:80',
    parse: listenAddressOrOff,
  },
  edgeHttpsListen: {
    name: 'NAMEPLATE_EDGE_HTTPS_LISTEN',
    about:
      "Address and port of the edge for HTTPS, where it serves the customers' domains. `off` if another server does, such as Caddy.",
    default: '0.0.0.0:443',
    example: '[::]:443',
    parse: listenAddressOrOff,
  },
  edgeHttpsPort: {
    name: 'NAMEPLATE_EDGE_HTTPS_PORT',
    about: 'Public port of HTTPS, used in redirects.',
    default: '443',
    example: '8443',
    parse: count(1, 65_535),
  },
  edgeAddresses: {
    name: 'NAMEPLATE_EDGE_ADDRESSES',
    about:
      'The IPv4 and IPv6 addresses that lead to your edge, separated by commas, at most 16: those of the wildcard record, as a rule. Customers whose DNS provider has no ALIAS record publish them for an apex domain (the note of that record names the first six), so keep them for as long as anybody uses them. `nameplate doctor` checks each. Set it on every node.',
    example: '192.0.2.10,2001:db8::10',
    parse: publishedAddresses,
  },
  edgeFrontListen: {
    name: 'NAMEPLATE_EDGE_FRONT_LISTEN',
    about:
      'Address and port where a server in front, such as Caddy, asks whether a name is served, and gets its certificate and the address of its origin. Loopback only, because it returns private keys.',
    default: 'off',
    example: '127.0.0.1:7072',
    parse: loopbackAddressOrOff,
  },
  edgeAllowedNetworks: {
    name: 'NAMEPLATE_EDGE_ALLOWED_NETWORKS',
    about:
      'Networks of private, loopback or other special addresses where origins may be, separated by commas. By default requests are forwarded only to public addresses, because everyone who can deploy chooses an origin. List the networks of your origins. Leave out networks with services that accept anyone without a password.',
    example: '10.20.0.0/16,fd00:20::/32',
    parse: listOf(network),
  },
  edgeTrustedProxies: {
    name: 'NAMEPLATE_EDGE_TRUSTED_PROXIES',
    about:
      'Networks of the proxies in front of the edge, separated by commas. `X-Forwarded-For` and `X-Forwarded-Proto` are passed on to origins, and used for limits per address, only if they come from these; otherwise they are removed.',
    example: '127.0.0.1,10.0.0.0/8',
    parse: listOf(network),
  },
  edgeTlsContexts: {
    name: 'NAMEPLATE_EDGE_TLS_CONTEXTS',
    about:
      'Number of certificates that each edge thread keeps in its LRU cache, ready for handshakes, at about 40 KB each. Others are loaded on demand.',
    default: '2000',
    example: '10000',
    parse: count(10, 1_000_000),
  },
  edgeThreads: {
    name: 'NAMEPLATE_EDGE_THREADS',
    about:
      'Number of edge threads, which share the client connections. Each has its own caches. `auto`: one per core, at most four.',
    default: 'auto',
    example: '8',
    parse: countOrAuto(1, 64),
  },
} as const satisfies Record<string, Variable<unknown>>;
