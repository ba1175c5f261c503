import { certificateVariables } from './certificate-variables.ts';
import { edgeVariables } from './edge-variables.ts';
import {
  databaseUrl,
  hostName,
  listenAddress,
  listenAddressOrOff,
  listOf,
  logLevel,
  network,
  oneOf,
  ROLES,
  rateLimits,
  resolverAddress,
  secret,
  serviceWord,
  webUrl,
  zone,
} from './parse-values.ts';
import type { Values, Variable } from './variable.ts';

/** What the roles `api` and `verifier` read, and all of them. */
export const generalVariables = {
  listen: {
    name: 'NAMEPLATE_LISTEN',
    about: 'Address and port of the API. Put a proxy that speaks TLS in front of it. Port 0 takes any free port.',
    default: '127.0.0.1:7070',
    example: '0.0.0.0:7070',
    parse: listenAddress,
  },
  databaseUrl: {
    name: 'NAMEPLATE_DATABASE_URL',
    about:
      'Where the store is. `sqlite:` and the path of a file, which is made at the first start; its directory must be writable. Or `postgres://USER:PASSWORD@HOST:PORT/DATABASE` for several nodes (PostgreSQL 15 or newer), with `?sslmode=` `require`, `verify-ca` or `verify-full` (and `&sslrootcert=` a file) for TLS, or `?host=` the directory of a socket. The password is never shown.',
    default: 'sqlite:.nameplate/nameplate.db',
    example: 'sqlite:/var/lib/nameplate/nameplate.db',
    parse: databaseUrl,
  },
  cnameZone: {
    name: 'NAMEPLATE_CNAME_ZONE',
    about:
      "The zone under which targets are generated: customers' CNAME records name a host below it. Publish a wildcard there (`*.cname.example.net`) that leads to your edge.",
    required: true,
    example: 'cname.example.net',
    parse: zone,
  },
  dnsResolvers: {
    name: 'NAMEPLATE_DNS_RESOLVERS',
    about:
      "Recursive resolvers, IP addresses with or without a port, separated by commas. They find each zone's own nameservers. Name public ones: the machine's own resolver may see internal zones, which customers must not reach.",
    required: true,
    example: '9.9.9.9,1.1.1.1',
    parse: listOf(resolverAddress),
  },
  dnsMode: {
    name: 'NAMEPLATE_DNS_MODE',
    about:
      "`authoritative` reads records at the zone's own nameservers, so that no cache hides a fresh record. `recursive` asks the resolvers only; use it where outgoing DNS to other servers is blocked.",
    default: 'authoritative',
    example: 'recursive',
    parse: oneOf('authoritative', 'recursive'),
  },
  dnsAllowedNetworks: {
    name: 'NAMEPLATE_DNS_ALLOWED_NETWORKS',
    about:
      'Networks of private, loopback or otherwise special addresses where nameservers may be asked all the same, separated by commas. Without it no such address is ever asked, since customers choose the nameservers.',
    example: '10.20.0.0/16,fd00:53::/32',
    parse: listOf(network),
  },
  service: {
    name: 'NAMEPLATE_SERVICE',
    about:
      'Your brand, as one DNS label: the word in the records that customers see (`_service.`, `service-domain-verify=`) and in error codes. Domains keep the word they were created with.',
    default: 'service',
    example: 'acme',
    parse: serviceWord,
  },
  docsUrl: {
    name: 'NAMEPLATE_DOCS_URL',
    about:
      'Makes the `type` of an error the address of a page about it: this URL and `/errors/…`. Nameplate serves those pages itself under `/docs`, so its own public address plus `/docs` works. Without it `type` is a short word.',
    example: 'https://api.example.net/docs',
    parse: webUrl,
  },
  reservedNames: {
    name: 'NAMEPLATE_RESERVED_NAMES',
    about:
      'More names that nobody may add, with everything below them, separated by commas: your own, for example. The CNAME zone and special-use names (`.local`, `.internal`, …) are always reserved.',
    example: 'example.net,example.org',
    parse: listOf(hostName),
  },
  rateLimits: {
    name: 'NAMEPLATE_RATE_LIMITS',
    about:
      'Requests per workspace and operation: `OPERATION=N/WINDOW`, separated by commas; `*` is every operation that is not named, 0 blocks one. Without it nothing is limited. A workspace may have limits of its own (`nameplate workspaces limits`). Nodes on one PostgreSQL add up what they let through, four times a second; processes on one SQLite file each count their own.',
    example: '*=6000/1m,domains.createDomain=60/1m',
    parse: rateLimits,
  },
  trustedProxies: {
    name: 'NAMEPLATE_TRUSTED_PROXIES',
    about:
      'Networks of the proxies in front of the API, separated by commas. What they say in `X-Forwarded-For` is believed, so that limits per address (failed authentications, connections) meet the clients and not the proxy. Set it wherever there is a proxy, and name nothing else: whoever is named may claim any address.',
    example: '127.0.0.1,10.0.0.0/8',
    parse: listOf(network),
  },
  roles: {
    name: 'NAMEPLATE_ROLES',
    about:
      "What this process does, separated by commas: `api` answers requests, `verifier` checks DNS, `certificates` obtains and renews certificates, `edge` serves the customers' names. One process at a time may be the verifier of a SQLite file; of a PostgreSQL database any number.",
    default: ROLES.join(','),
    example: 'api,verifier',
    parse: listOf(oneOf(...ROLES)),
  },
  metricsListen: {
    name: 'NAMEPLATE_METRICS_LISTEN',
    about: 'Address and port of `GET /metrics` (Prometheus), apart from the API; `off` for none.',
    default: '127.0.0.1:7071',
    example: 'off',
    parse: listenAddressOrOff,
  },
  logLevel: {
    name: 'NAMEPLATE_LOG_LEVEL',
    about:
      '`trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`. With `debug` a failing command also shows its stack.',
    default: 'info',
    example: 'warn',
    parse: logLevel,
  },
} as const satisfies Record<string, Variable<unknown>>;

/** What `nameplate serve` reads. */
export const serverVariables = { ...generalVariables, ...certificateVariables, ...edgeVariables } as const;

export type ServerValues = Values<typeof serverVariables>;

/** What the commands that speak to a running server read. */
export const commandVariables = {
  url: {
    name: 'NAMEPLATE_URL',
    about: 'The server that commands speak to, like `--url`. Without it the playground of the data directory.',
    example: 'https://api.example.net',
    parse: webUrl,
  },
  rootKey: {
    name: 'NAMEPLATE_ROOT_KEY',
    about: 'The root key that commands send, like `--key-file`. Without it that of the playground.',
    example: 'np_…',
    parse: secret,
    secret: true,
  },
} as const satisfies Record<string, Variable<unknown>>;

/** What the playground takes from the environment; its addresses, store and DNS are its own. */
export const playgroundVariables = {
  cnameZone: { ...serverVariables.cnameZone, default: 'cname.nameplate.test' },
  service: serverVariables.service,
  docsUrl: serverVariables.docsUrl,
  reservedNames: serverVariables.reservedNames,
  rateLimits: serverVariables.rateLimits,
  metricsListen: { ...serverVariables.metricsListen, default: 'off' },
  logLevel: serverVariables.logLevel,
} as const satisfies Record<string, Variable<unknown>>;
