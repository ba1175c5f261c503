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
      "Address and port of the edge for HTTP. There it answers the CA's challenges, and redirects names that have a certificate to HTTPS. The Internet must reach it at port 80. `*` means every IPv4 and IPv6 address of the machine. `off` disables it: the CA then validates names at port 443 or over DNS.",
    default: '*:80',
    example: '192.0.2.10:80',
    parse: listenAddressOrOff,
  },
  edgeHttpsListen: {
    name: 'NAMEPLATE_EDGE_HTTPS_LISTEN',
    about:
      "Address and port of the edge for HTTPS, where it serves the customers' domains. Set `off` if another server does that, such as Caddy.",
    default: '*:443',
    example: '[2001:db8::10]:443',
    parse: listenAddressOrOff,
  },
  edgeHttpsPort: {
    name: 'NAMEPLATE_EDGE_HTTPS_PORT',
    about: 'Public port of HTTPS, which redirects use.',
    default: '443',
    example: '8443',
    parse: count(1, 65_535),
  },
  edgeAddresses: {
    name: 'NAMEPLATE_EDGE_ADDRESSES',
    about:
      'The IPv4 and IPv6 addresses that lead to your edge, separated by commas, at most 16. Usually, they are those of the wildcard record. Customers whose DNS provider has no ALIAS record publish these addresses for an apex domain: the note of the ALIAS record names the first six. Keep an address as long as any customer uses it. `nameplate doctor` checks each address. Set it on every node.',
    example: '192.0.2.10,2001:db8::10',
    parse: publishedAddresses,
  },
  edgeFrontListen: {
    name: 'NAMEPLATE_EDGE_FRONT_LISTEN',
    about:
      'Address and port for a server in front of the edge, such as Caddy. There it can request the certificate of a name and the address of its origin. It must be a loopback address, because the responses contain private keys.',
    default: 'off',
    example: '127.0.0.1:7072',
    parse: loopbackAddressOrOff,
  },
  edgeHealthListen: {
    name: 'NAMEPLATE_EDGE_HEALTH_LISTEN',
    about:
      'Address and port for health checks of the edge by load balancers and process managers, over HTTP. `GET /healthz` responds while the process runs. `GET /readyz` responds with 200 while the edge serves names, and with 503 once it stops. Neither depends on the database, because the edge serves names in its cache without it. Let only your load balancers and process managers reach this port. `off` disables it.',
    default: 'off',
    example: '*:7073',
    parse: listenAddressOrOff,
  },
  edgeAllowedNetworks: {
    name: 'NAMEPLATE_EDGE_ALLOWED_NETWORKS',
    about:
      'Networks of private, loopback or other special addresses in which origins may be, separated by commas. By default, requests are forwarded only to public addresses, because anyone who can create a deployment chooses its origin. List the networks of your origins. Leave out networks with services that accept requests from anyone.',
    example: '10.20.0.0/16,fd00:20::/32',
    parse: listOf(network),
  },
  edgeTrustedProxies: {
    name: 'NAMEPLATE_EDGE_TRUSTED_PROXIES',
    about:
      'Networks of the proxies in front of the edge, separated by commas. The edge accepts `X-Forwarded-For` and `X-Forwarded-Proto` only from these. It passes the headers on to origins, and applies limits per address to the client that they name. Those from any other address, it replaces with its own.',
    example: '127.0.0.1,10.0.0.0/8',
    parse: listOf(network),
  },
  edgeProxyProtocol: {
    name: 'NAMEPLATE_EDGE_PROXY_PROTOCOL',
    about:
      'Networks of the load balancers that use the PROXY protocol, version 1 or 2, towards the edge, separated by commas. Each connection from these networks to the HTTP or HTTPS port must begin with a PROXY header, or it is closed within 5 s. The edge treats the address in the header as that of the client: for limits, for origins and for `NAMEPLATE_EDGE_TRUSTED_PROXIES`. It never reads the header from other addresses. Include no other networks: an address in them can claim to be any client.',
    example: '10.0.0.0/24,fd00:1::/64',
    parse: listOf(network),
  },
  edgeAccessLog: {
    name: 'NAMEPLATE_EDGE_ACCESS_LOG',
    about:
      'Fraction of the requests to the edge that are logged, each as a line of JSON on standard output. The value `1` logs all requests, `0.01` one in a hundred, chosen at random, and `off` none. The lines contain the addresses of visitors. They do not depend on the log level.',
    default: 'off',
    example: '0.01',
    parse: fractionOrOff,
  },
  edgeAccessLogQuery: {
    name: 'NAMEPLATE_EDGE_ACCESS_LOG_QUERY',
    about:
      '`on`: paths in the access log include the query, which often contains tokens and personal data. `off`: they do not.',
    default: 'off',
    example: 'on',
    parse: oneOf('off', 'on'),
  },
  edgeTlsContexts: {
    name: 'NAMEPLATE_EDGE_TLS_CONTEXTS',
    about:
      'Number of certificates that each edge thread keeps in its LRU cache, ready for handshakes. Each takes about 40 KB. Other certificates are loaded on demand.',
    default: '2000',
    example: '10000',
    parse: count(10, 1_000_000),
  },
  edgeCache: {
    name: 'NAMEPLATE_EDGE_CACHE',
    about:
      'File in which this edge keeps the names, origins and certificates that it has served. If a process starts while the database is down, it serves them from this file, for at most 72 hours: see [Start without the database](../guides/edge.md#start-without-the-database). The file has at most 64 MB, and is encrypted with the key for the secrets in the database. Each process needs its own file, on a disk that survives a restart. By default it is `edge-cache` next to the SQLite file or, with PostgreSQL, `.nameplate/edge-cache` in the working directory. `off` disables it.',
    example: '/var/lib/nameplate/edge-cache',
    parse: filePathOrOff,
  },
  edgeThreads: {
    name: 'NAMEPLATE_EDGE_THREADS',
    about:
      'Number of edge threads, which share the client connections. Each thread has its own caches. `auto`: one thread per core, at most four.',
    default: 'auto',
    example: '8',
    parse: countOrAuto(1, 64),
  },
} as const satisfies Record<string, Variable<unknown>>;
