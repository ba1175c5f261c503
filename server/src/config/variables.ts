import { certificateVariables } from './certificate-variables.ts';
import { dnsVariables } from './dns-variables.ts';
import { edgeVariables } from './edge-variables.ts';
import {
  count,
  countOrAuto,
  DEFAULT_ROLES,
  dashboardProxy,
  databaseUrl,
  hostName,
  lengthOfTime,
  lengthOfTimeOrOff,
  listenAddress,
  listenAddressOrOff,
  listOf,
  logLevel,
  network,
  nodeName,
  oneOf,
  publicHostName,
  publicOrigin,
  ROLES,
  rateLimits,
  resolverAddress,
  seconds,
  secret,
  serviceWord,
  socketPath,
  webUrl,
  zone,
} from './parse-values.ts';
import type { Values, Variable } from './variable.ts';
import { webhookVariables } from './webhook-variables.ts';

/** Variables of the roles `api` and `verifier`, and of every process. */
export const generalVariables = {
  listen: {
    name: 'NAMEPLATE_LISTEN',
    about:
      'Address and port of the API. The API speaks plain HTTP there: put a proxy that terminates TLS in front of it, or set `NAMEPLATE_API_HOSTNAME`. Port 0 means any free port.',
    default: '127.0.0.1:7070',
    example: '0.0.0.0:7070',
    parse: listenAddress,
  },
  apiThreads: {
    name: 'NAMEPLATE_API_THREADS',
    about:
      'Number of threads that answer API requests, all on the same port. Checks, webhook deliveries and certificates then run in a separate thread; with `0`, they share one thread with the API. `auto`: one thread for every two cores, at most four, and `0` on a single core.',
    default: 'auto',
    example: '2',
    parse: countOrAuto(0, 64),
  },
  databaseUrl: {
    name: 'NAMEPLATE_DATABASE_URL',
    about:
      'The database. `sqlite:PATH` is a single file: the first start creates it, and its directory must be writable. `postgres://USER:PASSWORD@HOST:PORT/DATABASE` (PostgreSQL 15 or newer) is for several nodes. For TLS, append `?sslmode=require`, `?sslmode=verify-ca` or `?sslmode=verify-full`, and `&sslrootcert=FILE` for its CA. For a Unix socket, append `?host=DIRECTORY`. The password is never printed.',
    default: 'sqlite:.nameplate/nameplate.db',
    example: 'sqlite:/var/lib/nameplate/nameplate.db',
    parse: databaseUrl,
  },
  cnameZone: {
    name: 'NAMEPLATE_CNAME_ZONE',
    about:
      'Your zone for CNAME targets: each domain gets a host in it, and the customer publishes a CNAME to that host. Publish a wildcard record in the zone (`*.cname.example.net`) with the address of your edge.',
    required: true,
    example: 'cname.example.net',
    parse: zone,
  },
  dnsResolvers: {
    name: 'NAMEPLATE_DNS_RESOLVERS',
    about:
      "Recursive resolvers, as IP addresses with an optional port, separated by commas. Nameplate uses them to find the nameservers of public suffixes such as `com`, to look up the addresses of nameservers, and to validate DNSSEC. It reads records at the nameservers of each zone. Use public resolvers that do not filter: a filtered name looks like a broken zone. Do not use your network's own resolver if it resolves internal zones, which customers must not reach.",
    required: true,
    example: '1.1.1.1,8.8.8.8',
    parse: listOf(resolverAddress),
  },
  dnsMode: {
    name: 'NAMEPLATE_DNS_MODE',
    about:
      '`authoritative`: query the nameservers of each zone directly, to see new records without waiting for caches. `recursive`: query only the resolvers; use it if a firewall blocks DNS queries to other servers.',
    default: 'authoritative',
    example: 'recursive',
    parse: oneOf('authoritative', 'recursive'),
  },
  dnsAllowedNetworks: {
    name: 'NAMEPLATE_DNS_ALLOWED_NETWORKS',
    about:
      'Networks of private, loopback or other special addresses in which nameservers may be queried, separated by commas. By default, only public addresses are queried, because customers choose their nameservers.',
    example: '10.20.0.0/16,fd00:53::/32',
    parse: listOf(network),
  },
  monitoring: {
    name: 'NAMEPLATE_MONITORING',
    about:
      'How Nameplate treats a verified domain whose DNS leads elsewhere, for example because its owner left your platform or edited the wrong record. `tell`: Nameplate reports it in `verificationError`, in the timeline and in the metrics. The domain stays `verified`, and visitors who still arrive are served. Choose this if your own program or your staff decide what to do. `enforce`: Nameplate reports it, too. If nothing leads to your edge for seven days, the domain becomes `failed` and loses its route and its certificate. Choose this to remove such domains automatically. `off`: verified domains are not checked again and stay `verified` wherever they lead. Choose this if something else monitors them. Use the same value on every node with the role `verifier`.',
    default: 'tell',
    example: 'enforce',
    parse: oneOf('off', 'tell', 'enforce'),
  },
  monitoringIntervalMs: {
    name: 'NAMEPLATE_MONITORING_INTERVAL',
    about:
      'How often a verified domain is checked again while it leads here, between `10m` and `30d`. The first check comes within an hour. Once a domain leads elsewhere, it is checked hourly for a week.',
    default: '24h',
    example: '6h',
    parse: lengthOfTime('10m', '30d'),
  },
  liveChecks: {
    name: 'NAMEPLATE_LIVE_CHECKS',
    about:
      '`on`: a few times a day, Nameplate connects to each address of every verified domain as a visitor would. The API shows whether the site is live: see [Is the site live?](../guides/live.md) `off`, or `NAMEPLATE_ACME_SELF_CHECK=off`: Nameplate does not connect. Use the same value on every node with the role `verifier`.',
    default: 'on',
    example: 'off',
    parse: oneOf('on', 'off'),
  },
  nodeName: {
    name: 'NAMEPLATE_NODE_NAME',
    about:
      'The name of this node in `live.from`, which shows which node looked at a site. At most 63 letters, digits, dots, hyphens and underscores. Everyone who can read a site or receives its events sees this name, so the default is not the name of the machine.',
    default: 'nameplate',
    example: 'fra-1',
    parse: nodeName,
  },
  eventsKeepMs: {
    name: 'NAMEPLATE_EVENTS_KEEP',
    about:
      'How long the events of domains are kept (`domains.listEvents`), between `1d` and `3650d`. Older events are deleted, a few thousand a minute. Use the same value on every node.',
    default: '90d',
    example: '365d',
    parse: lengthOfTime('1d', '3650d'),
  },
  auditKeepMs: {
    name: 'NAMEPLATE_AUDIT_KEEP',
    about:
      'How long entries of the audit log are kept (`nameplate audit`, `audit.listEntries`), between `1d` and `3650d`. Older entries are deleted, a few thousand a minute. Use the same value on every node.',
    default: '365d',
    example: '730d',
    parse: lengthOfTime('1d', '3650d'),
  },
  deletedKeepMs: {
    name: 'NAMEPLATE_DELETED_KEEP',
    about:
      'How long a deleted domain can be restored with `domains.restoreDomain`, between `1m` and `90d`; with `off`, not at all. For that time, its records and its certificate are kept, with the private key encrypted as before. If another workspace is verified for the name, the certificate is deleted at once. A new value applies only to domains that are deleted later. Use the same value on every node with the role `api`.',
    default: '7d',
    example: '30d',
    parse: lengthOfTimeOrOff('1m', '90d'),
  },
  service: {
    name: 'NAMEPLATE_SERVICE',
    about:
      'Your brand, as one DNS label. Customers see it in place of `service` in their records (`_service.`, `service-domain-verify=`), and developers in the URLs of errors. Existing domains keep the label that they were created with.',
    default: 'service',
    example: 'acme',
    parse: serviceWord,
  },
  docsUrl: {
    name: 'NAMEPLATE_DOCS_URL',
    about:
      'Base URL of the error pages: the `type` of an error becomes this URL plus `/errors/…`. The server has these pages at `/docs`, so you can set the public address of the API plus `/docs`. Without this variable, `type` is a short code.',
    example: 'https://api.example.net/docs',
    parse: webUrl,
  },
  apiHostname: {
    name: 'NAMEPLATE_API_HOSTNAME',
    about:
      'A host name for the API, for a machine without another proxy. A process with the roles `api` and `edge` serves the API at this name, on the ports of the edge. The role `certificates` orders the certificate of the name. Publish address records for the name that lead to the edge. Customers cannot add the name or any name below it, and `nameplate serve` does not start if a domain already has it. Use the same value on every node. See [The edge](../guides/edge.md#the-apis-own-name).',
    example: 'api.example.net',
    parse: publicHostName,
  },
  publicUrl: {
    name: 'NAMEPLATE_PUBLIC_URL',
    about:
      'Where browsers reach the API: `https`, a host, and a port if it is not 443. Plain `http` is allowed on loopback only. Set-up links (`domains.createSetupLink`) lead to `/setup` at this address; without it, no link can be created. Set it on every node with the role `api`. By default, it follows from `NAMEPLATE_API_HOSTNAME` and `NAMEPLATE_EDGE_HTTPS_PORT`, if the former is set.',
    example: 'https://api.example.net',
    parse: publicOrigin,
  },
  domainConnectProvider: {
    name: 'NAMEPLATE_DOMAIN_CONNECT_PROVIDER',
    about:
      'A domain of yours that identifies you to DNS providers (Domain Connect): the `providerId` of your templates. With it, customers whose provider has your template can connect with one click. The public keys for links to providers are published directly below this domain. Use the same value on every node with the role `api`. See [Connect at the DNS provider](../guides/domain-connect.md).',
    example: 'example.net',
    parse: publicHostName,
  },
  domainConnectService: {
    name: 'NAMEPLATE_DOMAIN_CONNECT_SERVICE',
    about:
      'The `serviceId` of your Domain Connect template for subdomains. The ids of the templates for apex domains and wildcards begin with it.',
    default: 'custom-domains',
    example: 'shops',
    parse: serviceWord,
  },
  dashboardProxy: {
    name: 'NAMEPLATE_DASHBOARD_PROXY',
    about:
      'For single sign-on: the reverse proxy in front of the API that signs people in to the dashboard. The value has four parts, separated by spaces. `networks`: the networks that the proxy connects from, separated by commas. `header`: the header in which it names the person. The proxy must remove this header from requests of visitors; from any other address, Nameplate ignores it. `workspace`: the workspace that these people see. `preset`: what they can do there.',
    example: 'networks=10.0.0.0/8 header=X-Forwarded-User workspace=ws_01kaghm5q6e8x9b2c3d4f5g6h7 preset=support',
    parse: dashboardProxy,
  },
  reservedNames: {
    name: 'NAMEPLATE_RESERVED_NAMES',
    about:
      'Additional names that customers cannot add, separated by commas. Every name below them is reserved, too. The CNAME zone and special-use names (`.local`, `.internal`, …) are always reserved.',
    example: 'example.net,example.org',
    parse: listOf(hostName),
  },
  rateLimits: {
    name: 'NAMEPLATE_RATE_LIMITS',
    about:
      'Request limits of each workspace: `OPERATION=N/WINDOW`, separated by commas. `*` as the operation means every operation that is not named and has no [default limit](limits.md#requests-of-a-workspace). A limit of 0 blocks an operation, also for sessions of set-up links, whose other limits are separate. Each certificate in `domains.createDomains` counts against the limit of `domains.uploadCertificate`. `nameplate workspaces limits` sets limits for one workspace. Nodes on one PostgreSQL database share their counts four times a second; processes on one SQLite file count separately.',
    example: '*=6000/1m,domains.createDomain=60/1m',
    parse: rateLimits,
  },
  watchers: {
    name: 'NAMEPLATE_WATCHERS',
    about:
      'Maximum number of open streams of `domains.watchDomain` in a process; further requests get 429. `0` allows none. Each stream takes about 30 KB of memory and one connection. A process accepts 10,000 connections, and 1,000 per client address. Each thread of the API applies an equal share of this limit and of the two below.',
    default: '5000',
    example: '500',
    parse: count(0, 9000),
  },
  watchersPerWorkspace: {
    name: 'NAMEPLATE_WATCHERS_PER_WORKSPACE',
    about: 'Maximum number of open streams of one workspace in a process. Its set-up links can use half of them.',
    default: '2500',
    example: '100',
    parse: count(0, 9000),
  },
  watchersPerKey: {
    name: 'NAMEPLATE_WATCHERS_PER_KEY',
    about: 'Maximum number of open streams of one root key, or of one dashboard user, in a process.',
    default: '1000',
    example: '50',
    parse: count(0, 9000),
  },
  cacheMb: {
    name: 'NAMEPLATE_CACHE_MB',
    about:
      'Memory of a process for cached domains, in MB (1,048,576 bytes), divided among the threads of the API. A domain takes about 2.5 KB, so 64 MB hold about 27,000 domains. Domains beyond that are read from the database each time.',
    default: '64',
    example: '256',
    parse: count(1, 65_536),
  },
  trustedProxies: {
    name: 'NAMEPLATE_TRUSTED_PROXIES',
    about:
      'Networks of the proxies in front of the API, separated by commas. Nameplate trusts `X-Forwarded-For` only from these, and then applies limits per address to the client instead of the proxy. Set it if there is a proxy. Include no other networks: an address in them can claim to be any client.',
    example: '127.0.0.1,10.0.0.0/8',
    parse: listOf(network),
  },
  roles: {
    name: 'NAMEPLATE_ROLES',
    about:
      "The roles of this process, separated by commas. `api` serves the API. `verifier` checks DNS and delivers events to webhooks. `certificates` orders and renews certificates. `edge` serves the customers' domains. `dns` answers DNS queries for [your own zones](../guides/dns.md). A SQLite file can have one process with the role `verifier`, a PostgreSQL database any number.",
    default: DEFAULT_ROLES.join(','),
    example: 'api,verifier',
    parse: listOf(oneOf(...ROLES)),
  },
  drainMs: {
    name: 'NAMEPLATE_DRAIN_SECONDS',
    about:
      'How many seconds open connections can continue after the server is stopped or replaced by `nameplate reload`: requests in flight, downloads and WebSockets. Clients get a signal to open another connection, and idle connections are closed within a second. The process manager must wait longer than this before it kills the process (`TimeoutStopSec`, `stop_grace_period`, `terminationGracePeriodSeconds`).',
    default: '30',
    example: '300',
    parse: seconds(0, 3600),
  },
  control: {
    name: 'NAMEPLATE_CONTROL',
    about:
      'The socket on which `nameplate reload` reaches the server: a path of at most 100 characters. Only the user of the server can open the file. `auto`: `control.sock` next to the SQLite file. With PostgreSQL, it is in the directory that systemd gives in `RUNTIME_DIRECTORY`; without that variable, there is no socket. `off`: no socket; SIGHUP still reloads the server. If several servers use one SQLite file, give each its own path.',
    default: 'auto',
    example: '/run/nameplate/control.sock',
    parse: socketPath,
  },
  metricsListen: {
    name: 'NAMEPLATE_METRICS_LISTEN',
    about: 'Address and port of `GET /metrics` (Prometheus), separate from the API. `off` disables the metrics.',
    default: '127.0.0.1:7071',
    example: 'off',
    parse: listenAddressOrOff,
  },
  logLevel: {
    name: 'NAMEPLATE_LOG_LEVEL',
    about:
      'Lowest level to log: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`. With `debug`, commands also print the stack trace of an error.',
    default: 'info',
    example: 'warn',
    parse: logLevel,
  },
} as const satisfies Record<string, Variable<unknown>>;

/** Variables of `nameplate serve`. */
export const serverVariables = {
  ...generalVariables,
  ...webhookVariables,
  ...certificateVariables,
  ...edgeVariables,
  ...dnsVariables,
} as const;

export type ServerValues = Values<typeof serverVariables>;

/** Variables of the commands that call the API. */
export const commandVariables = {
  url: {
    name: 'NAMEPLATE_URL',
    about:
      'Address of the server whose API the commands call, like `--url`. By default, that of the playground in the data directory.',
    example: 'https://api.example.net',
    parse: webUrl,
  },
  rootKey: {
    name: 'NAMEPLATE_ROOT_KEY',
    about: 'The root key that the commands send, like `--key`. By default, that of the playground.',
    example: 'np_…',
    parse: secret,
    secret: true,
  },
  webhookSecret: {
    name: 'NAMEPLATE_WEBHOOK_SECRET',
    about:
      'The secret of a webhook that leads to this machine. `nameplate webhooks listen` verifies signatures with it, as with `--secret-file`. By default, that command creates its own webhook.',
    example: 'whsec_…',
    parse: secret,
    secret: true,
  },
  moveToken: {
    name: 'NAMEPLATE_MOVE_TOKEN',
    about:
      'The API token for the service from which `nameplate move from cloudflare` or `nameplate move from vercel` reads names. Use a token that can only read. It is sent to that service alone.',
    example: 'v1.0-…',
    parse: secret,
    secret: true,
  },
} as const satisfies Record<string, Variable<unknown>>;

/** Variables of the playground, which chooses its own addresses, store and DNS. */
export const playgroundVariables = {
  cnameZone: { ...serverVariables.cnameZone, default: 'cname.nameplate.test' },
  service: serverVariables.service,
  docsUrl: serverVariables.docsUrl,
  reservedNames: serverVariables.reservedNames,
  rateLimits: serverVariables.rateLimits,
  metricsListen: { ...serverVariables.metricsListen, default: 'off' },
  logLevel: serverVariables.logLevel,
} as const satisfies Record<string, Variable<unknown>>;
