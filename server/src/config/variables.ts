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
      'Address and port of the API. Put a proxy that terminates TLS in front of it, or set `NAMEPLATE_API_HOSTNAME`. Port 0 means any free port.',
    default: '127.0.0.1:7070',
    example: '0.0.0.0:7070',
    parse: listenAddress,
  },
  apiThreads: {
    name: 'NAMEPLATE_API_THREADS',
    about:
      'Number of threads that answer API requests on one port. Checks, deliveries to webhooks and certificates run in a thread of their own beside them; with `0` they share one with the API. `auto`: one for each two cores, at most four; `0` on one core.',
    default: 'auto',
    example: '2',
    parse: countOrAuto(0, 64),
  },
  databaseUrl: {
    name: 'NAMEPLATE_DATABASE_URL',
    about:
      'The store. `sqlite:PATH` is one file; the first start creates it, and its directory must be writable. `postgres://USER:PASSWORD@HOST:PORT/DATABASE` (PostgreSQL 15 or newer) is for several nodes; add `?sslmode=` `require`, `verify-ca` or `verify-full` for TLS (and `&sslrootcert=FILE` for its CA), or `?host=DIRECTORY` for a Unix socket. The password is never printed.',
    default: 'sqlite:.nameplate/nameplate.db',
    example: 'sqlite:/var/lib/nameplate/nameplate.db',
    parse: databaseUrl,
  },
  cnameZone: {
    name: 'NAMEPLATE_CNAME_ZONE',
    about:
      'Your zone for CNAME targets: each domain gets a host in it, and customers publish a CNAME to that host. Publish a wildcard record (`*.cname.example.net`) with the address of your edge.',
    required: true,
    example: 'cname.example.net',
    parse: zone,
  },
  dnsResolvers: {
    name: 'NAMEPLATE_DNS_RESOLVERS',
    about:
      "Recursive resolvers, as IP addresses with an optional port, separated by commas. They say where the nameservers of public suffixes such as `com` are, look up addresses of nameservers, and validate DNSSEC. Records are read at the nameservers of each zone. Use public ones that filter nothing: your network's own resolver may resolve internal zones, which customers must not reach. A filtered name looks like a broken zone.",
    required: true,
    example: '1.1.1.1,8.8.8.8',
    parse: listOf(resolverAddress),
  },
  dnsMode: {
    name: 'NAMEPLATE_DNS_MODE',
    about:
      '`authoritative` queries the nameservers of each zone directly, so that new records are seen without waiting for caches. `recursive` queries only the resolvers; use it if outgoing DNS to other servers is blocked.',
    default: 'authoritative',
    example: 'recursive',
    parse: oneOf('authoritative', 'recursive'),
  },
  dnsAllowedNetworks: {
    name: 'NAMEPLATE_DNS_ALLOWED_NETWORKS',
    about:
      'Networks of private, loopback or other special addresses where nameservers may be queried, separated by commas. By default only public addresses are queried, because customers choose their nameservers.',
    example: '10.20.0.0/16,fd00:53::/32',
    parse: listOf(network),
  },
  monitoring: {
    name: 'NAMEPLATE_MONITORING',
    about:
      'Decides what happens to a verified domain whose DNS leads elsewhere, for example because its owner has left your platform or edited the wrong record. With `tell`, Nameplate reports that in `verificationError`, in the timeline and in the metrics. The domain stays `verified`, and visitors who still arrive are served: choose this if your own program or your staff decide what to do. `enforce` reports it too. After seven days during which nothing leads to your edge, the domain becomes `failed` and loses its route and its certificate. Choose this if domains that have left should be cleared away automatically. With `off`, verified domains are not checked again and stay `verified` wherever they lead: choose this if something else watches them. Set it alike on every node with the role `verifier`.',
    default: 'tell',
    example: 'enforce',
    parse: oneOf('off', 'tell', 'enforce'),
  },
  monitoringIntervalMs: {
    name: 'NAMEPLATE_MONITORING_INTERVAL',
    about:
      'How often a healthy verified domain is looked at, between `10m` and `30d`: once in each interval, the first time within an hour. After a loss it is looked at hourly for a week.',
    default: '24h',
    example: '6h',
    parse: lengthOfTime('10m', '30d'),
  },
  liveChecks: {
    name: 'NAMEPLATE_LIVE_CHECKS',
    about:
      '`on`: a few times a day Nameplate connects to each address of every verified domain as a visitor would. The API then says whether the site is live (docs/guides/live.md). With `off`, or with `NAMEPLATE_ACME_SELF_CHECK=off`, it does not. Set it alike on every node with the role `verifier`.',
    default: 'on',
    example: 'off',
    parse: oneOf('on', 'off'),
  },
  nodeName: {
    name: 'NAMEPLATE_NODE_NAME',
    about:
      "The name of this node in `live.from`, which says who looked at a site. At most 63 letters, digits, dots, hyphens and underscores. Every key that reads a site, and every receiver of its events, sees it: the machine's own name is not used by itself.",
    default: 'nameplate',
    example: 'fra-1',
    parse: nodeName,
  },
  eventsKeepMs: {
    name: 'NAMEPLATE_EVENTS_KEEP',
    about:
      'How long the events of domains are kept (`domains.listEvents`), between `1d` and `3650d`. Older ones are deleted, a few thousand a minute. Set it alike on every node.',
    default: '90d',
    example: '365d',
    parse: lengthOfTime('1d', '3650d'),
  },
  auditKeepMs: {
    name: 'NAMEPLATE_AUDIT_KEEP',
    about:
      'How long the audit log keeps who changed what (`nameplate audit`, `audit.listEntries`), between `1d` and `3650d`. Older entries are deleted, a few thousand a minute. Set it alike on every node.',
    default: '365d',
    example: '730d',
    parse: lengthOfTime('1d', '3650d'),
  },
  deletedKeepMs: {
    name: 'NAMEPLATE_DELETED_KEEP',
    about:
      'How long a deleted domain can be restored with `domains.restoreDomain`, between `1m` and `90d`; with `off`, not at all. Until then its records and its certificate, with the private key sealed as before, are kept. The certificate is deleted at once when another workspace is verified for the name. A change affects only domains that are deleted from then on. Set it alike on every node with the role `api`.',
    default: '7d',
    example: '30d',
    parse: lengthOfTimeOrOff('1m', '90d'),
  },
  service: {
    name: 'NAMEPLATE_SERVICE',
    about:
      'Your brand, as one DNS label. Customers see it in their records (`_service.`, `service-domain-verify=`) and in error codes. Existing domains keep the one they were created with.',
    default: 'service',
    example: 'acme',
    parse: serviceWord,
  },
  docsUrl: {
    name: 'NAMEPLATE_DOCS_URL',
    about:
      "Base URL of the error pages: the `type` of an error becomes this URL plus `/errors/…`. Nameplate serves those pages under `/docs`, so you can use the API's public address plus `/docs`. Without it, `type` is a short code.",
    example: 'https://api.example.net/docs',
    parse: webUrl,
  },
  apiHostname: {
    name: 'NAMEPLATE_API_HOSTNAME',
    about:
      "A host name for the API, for one machine without another proxy. A process with the roles `api` and `edge` serves the API under it, on the edge's ports and with a certificate of its own. The role `certificates` orders it like any other. Publish address records that lead to the edge. Customers cannot add the name, nor anything below it; `serve` does not start while a domain has it. Set it alike on every node. See [edge.md](../guides/edge.md#the-apis-own-name).",
    example: 'api.example.net',
    parse: publicHostName,
  },
  publicUrl: {
    name: 'NAMEPLATE_PUBLIC_URL',
    about:
      'Where browsers reach the API: `https`, a host, and a port if it is not 443; `http` on loopback only. Set-up links (`domains.createSetupLink`) lead to `/setup` there; without it, no link can be made. Set it on every node with the role `api`. By default it follows from `NAMEPLATE_API_HOSTNAME`, where that is set.',
    example: 'https://api.example.net',
    parse: publicOrigin,
  },
  domainConnectProvider: {
    name: 'NAMEPLATE_DOMAIN_CONNECT_PROVIDER',
    about:
      'A domain of yours, by which DNS providers know you (Domain Connect): the `providerId` of your templates. The public keys of links to them are published directly below it. With it, customers whose provider has your template connect with one click: see [domain-connect.md](../guides/domain-connect.md). Set it alike on every node with the role `api`.',
    example: 'example.net',
    parse: publicHostName,
  },
  domainConnectService: {
    name: 'NAMEPLATE_DOMAIN_CONNECT_SERVICE',
    about: 'The `serviceId` of your template for subdomains. Those for apex domains and wildcards begin with it.',
    default: 'custom-domains',
    example: 'shops',
    parse: serviceWord,
  },
  dashboardProxy: {
    name: 'NAMEPLATE_DASHBOARD_PROXY',
    about:
      'For single sign-on: the reverse proxy in front of the API that signs people in to the dashboard. The value is words separated by spaces. `networks`: from where it connects, separated by commas. `header`: the field in which it names the person; the proxy has to remove it from what visitors send. `workspace` and `preset` say what these people see and may do. A field from any other address counts for nothing.',
    example: 'networks=10.0.0.0/8 header=X-Forwarded-User workspace=ws_01kaghm5q6e8x9b2c3d4f5g6h7 preset=support',
    parse: dashboardProxy,
  },
  reservedNames: {
    name: 'NAMEPLATE_RESERVED_NAMES',
    about:
      'Additional names that customers cannot add, including everything below them, separated by commas. The CNAME zone and special-use names (`.local`, `.internal`, …) are always reserved.',
    example: 'example.net,example.org',
    parse: listOf(hostName),
  },
  rateLimits: {
    name: 'NAMEPLATE_RATE_LIMITS',
    about:
      'Request limits per workspace: `OPERATION=N/WINDOW`, separated by commas. The value `*` means every operation that is not named. A limit of 0 blocks an operation, for sessions of set-up links too; their other limits are separate. Only these have a default: 60 requests a minute to `webhooks.sendTest`, `webhooks.redeliver`, `usage.getUsage`, `usage.listUsage`, `keys.createKey`, `keys.rotateKey` and `workspaces.createWorkspace`, and 600 to `domains.uploadCertificate`. Each certificate of `domains.createDomains` counts against the latter. `*` does not change these defaults. `nameplate workspaces limits` sets limits for one workspace. Nodes on one PostgreSQL database share their counts four times a second; processes on one SQLite file count separately.',
    example: '*=6000/1m,domains.createDomain=60/1m',
    parse: rateLimits,
  },
  watchers: {
    name: 'NAMEPLATE_WATCHERS',
    about:
      'Maximum number of open streams of `domains.watchDomain` in a process; further ones get 429. `0` allows none. Each takes one connection (of 10,000 per process and 1,000 per client address) and about 30 KB of memory. These three limits are divided evenly among the threads of the API.',
    default: '5000',
    example: '500',
    parse: count(0, 9000),
  },
  watchersPerWorkspace: {
    name: 'NAMEPLATE_WATCHERS_PER_WORKSPACE',
    about: 'Maximum number of open streams of one workspace; its set-up links may have half of them.',
    default: '2500',
    example: '100',
    parse: count(0, 9000),
  },
  watchersPerKey: {
    name: 'NAMEPLATE_WATCHERS_PER_KEY',
    about: 'Maximum number of open streams of one root key, or of one user of a dashboard.',
    default: '1000',
    example: '50',
    parse: count(0, 9000),
  },
  cacheMb: {
    name: 'NAMEPLATE_CACHE_MB',
    about:
      'Memory of a process for cached domains, in MB (1,048,576 bytes), divided among the threads of the API. A domain takes about 2 KB: 64 MB hold about 27,000. Domains beyond that are read from the store each time.',
    default: '64',
    example: '256',
    parse: count(1, 65_536),
  },
  trustedProxies: {
    name: 'NAMEPLATE_TRUSTED_PROXIES',
    about:
      'Networks of the proxies in front of the API, separated by commas. `X-Forwarded-For` is trusted only from these, so that limits per address apply to clients instead of the proxy. Set it if there is a proxy, and include nothing else: an address in these networks can claim to be any client.',
    example: '127.0.0.1,10.0.0.0/8',
    parse: listOf(network),
  },
  roles: {
    name: 'NAMEPLATE_ROLES',
    about:
      "The roles of this process, separated by commas. `api` serves the API, and `verifier` checks DNS and delivers events to webhooks. `certificates` orders and renews certificates, `edge` serves the customers' domains, and `dns` answers DNS queries for [zones of your own](../guides/dns.md). A SQLite file can have one `verifier` process at a time; a PostgreSQL database can have any number.",
    default: DEFAULT_ROLES.join(','),
    example: 'api,verifier',
    parse: listOf(oneOf(...ROLES)),
  },
  drainMs: {
    name: 'NAMEPLATE_DRAIN_SECONDS',
    about:
      'How long connections may go on after the server was stopped, or replaced by `nameplate reload`: requests in flight, downloads and WebSockets. Clients receive a signal to open another connection, and idle ones are closed within a second. The process manager must wait longer than this before it kills the process (`TimeoutStopSec`, `stop_grace_period`, `terminationGracePeriodSeconds`).',
    default: '30',
    example: '300',
    parse: seconds(0, 3600),
  },
  control: {
    name: 'NAMEPLATE_CONTROL',
    about:
      'The socket on which `nameplate reload` reaches the server: the path of a file that only its own user may open, of 100 characters at most. `auto`: `control.sock` beside the SQLite file; with PostgreSQL in the directory `RUNTIME_DIRECTORY` that systemd names, if it does. `off`: none; SIGHUP reloads all the same. Set a different one for each of several servers on one SQLite file.',
    default: 'auto',
    example: '/run/nameplate/control.sock',
    parse: socketPath,
  },
  metricsListen: {
    name: 'NAMEPLATE_METRICS_LISTEN',
    about: 'Address and port of `GET /metrics` (Prometheus), separate from the API. `off` disables it.',
    default: '127.0.0.1:7071',
    example: 'off',
    parse: listenAddressOrOff,
  },
  logLevel: {
    name: 'NAMEPLATE_LOG_LEVEL',
    about:
      'Lowest level to log: `trace`, `debug`, `info`, `warn`, `error`, `fatal` or `silent`. With `debug`, commands also print the stack of an error.',
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
    about: 'The server whose API commands call, like `--url`. By default the playground of the data directory.',
    example: 'https://api.example.net',
    parse: webUrl,
  },
  rootKey: {
    name: 'NAMEPLATE_ROOT_KEY',
    about: 'The root key that commands send, like `--key-file`. By default that of the playground.',
    example: 'np_…',
    parse: secret,
    secret: true,
  },
  webhookSecret: {
    name: 'NAMEPLATE_WEBHOOK_SECRET',
    about:
      'The secret of a webhook that leads to this machine, by which `nameplate webhooks listen` verifies signatures, like `--secret-file`. By default that command makes a webhook of its own.',
    example: 'whsec_…',
    parse: secret,
    secret: true,
  },
  moveToken: {
    name: 'NAMEPLATE_MOVE_TOKEN',
    about:
      'The token of the service that `nameplate move from cloudflare` or `vercel` reads names from. It may only read, and is sent to that service alone.',
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
