import {
  count,
  countOrAuto,
  filePathOrOff,
  fractionOrOff,
  listenAddressOrOff,
  listOf,
  loopbackAddressOrOff,
  network,
  oneOf,
  publishedAddresses,
} from './parse-values.ts';
import type { Variable } from './variable.ts';

/** Variables of the role `edge`. */
export const edgeVariables = {
  edgeHttpListen: {
    name: 'NAMEPLATE_EDGE_HTTP_LISTEN',
    about:
      "Address and port of the edge for HTTP. It answers the CA's challenges and redirects names that have a certificate to HTTPS. The Internet must reach it at port 80. `*` is every address of the machine, IPv4 and, where it has IPv6, IPv6. `off` disables it: names are then validated at port 443 or over DNS.",
    default: '*:80',
    example: '192.0.2.10:80',
    parse: listenAddressOrOff,
  },
  edgeHttpsListen: {
    name: 'NAMEPLATE_EDGE_HTTPS_LISTEN',
    about:
      "Address and port of the edge for HTTPS, where it serves the customers' domains. `off` if another server does, such as Caddy.",
    default: '*:443',
    example: '[2001:db8::10]:443',
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
      'The IPv4 and IPv6 addresses that lead to your edge, separated by commas, at most 16: those of the wildcard record, as a rule. Customers whose DNS provider has no ALIAS record publish them for an apex domain (the note of that record names the first six). Keep them for as long as anybody uses them. `nameplate doctor` checks each. Set it on every node.',
    example: '192.0.2.10,2001:db8::10',
    parse: publishedAddresses,
  },
  edgeFrontListen: {
    name: 'NAMEPLATE_EDGE_FRONT_LISTEN',
    about:
      'Address and port where a server in front, such as Caddy, asks about a name. It gets the certificate of the name and the address of its origin. Loopback only, because it returns private keys.',
    default: 'off',
    example: '127.0.0.1:7072',
    parse: loopbackAddressOrOff,
  },
  edgeHealthListen: {
    name: 'NAMEPLATE_EDGE_HEALTH_LISTEN',
    about:
      'Address and port where the edge answers load balancers and process managers over HTTP, apart from its sites. It has `GET /healthz` (it runs) and `GET /readyz` (it serves names; 503 once it stops). Neither depends on the store, since names in the cache are served without it. Allow only those that probe to reach it. `off` disables it.',
    default: 'off',
    example: '*:7073',
    parse: listenAddressOrOff,
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
  edgeProxyProtocol: {
    name: 'NAMEPLATE_EDGE_PROXY_PROTOCOL',
    about:
      'Networks of the load balancers that send the PROXY protocol, version 1 or 2, to the edge, separated by commas. Each connection from these, to the HTTP and the HTTPS port, has to begin with its header, or is closed within 5 s. The address in it counts as that of the connected client, for limits, for origins and for `NAMEPLATE_EDGE_TRUSTED_PROXIES`. In connections from elsewhere the header is never read. Include nothing else: an address in these networks can claim to be any client.',
    example: '10.0.0.0/24,fd00:1::/64',
    parse: listOf(network),
  },
  edgeAccessLog: {
    name: 'NAMEPLATE_EDGE_ACCESS_LOG',
    about:
      'Fraction of the requests to the edge that are logged, a JSON line each, on standard output. The value `1` logs all of them, `0.01` one of a hundred, chosen at random; `off` none. Lines have the addresses of visitors. They are written whatever the log level is.',
    default: 'off',
    example: '0.01',
    parse: fractionOrOff,
  },
  edgeAccessLogQuery: {
    name: 'NAMEPLATE_EDGE_ACCESS_LOG_QUERY',
    about:
      'Whether paths in the access log include the query, which often has tokens and personal data: `on` or `off`.',
    default: 'off',
    example: 'on',
    parse: oneOf('off', 'on'),
  },
  edgeTlsContexts: {
    name: 'NAMEPLATE_EDGE_TLS_CONTEXTS',
    about:
      'Number of certificates that each edge thread keeps in its LRU cache, ready for handshakes, at about 40 KB each. Others are loaded on demand.',
    default: '2000',
    example: '10000',
    parse: count(10, 1_000_000),
  },
  edgeCache: {
    name: 'NAMEPLATE_EDGE_CACHE',
    about:
      'File of the names, origins and certificates that this edge has served, at most 64 MB, sealed under the key of the store. A process that is started while the database cannot be reached serves them from it, for at most 72 hours ([edge.md](../guides/edge.md#start-without-the-database)). Each process needs a file of its own, on a disk that survives a restart. Default: `edge-cache` beside the SQLite file; with PostgreSQL `.nameplate/edge-cache` in the working directory. `off` disables it.',
    example: '/var/lib/nameplate/edge-cache',
    parse: filePathOrOff,
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
