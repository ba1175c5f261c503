import { describe, expect, test } from 'vitest';
import { LETS_ENCRYPT_LIMITS } from '../certificates/policy/budget.ts';
import { nearest } from '../domain/nearest.ts';
import {
  ConfigError,
  configuresServer,
  configWarnings,
  readCommandConfig,
  readDatabaseUrl,
  readPlaygroundConfig,
  readServerConfig,
} from './config.ts';
import { anyAddress } from './parse-values.ts';
import { renderConfiguration } from './reference.ts';
import type { Variable } from './variable.ts';
import { commandVariables, playgroundVariables, serverVariables } from './variables.ts';

const KEY = Buffer.alloc(32, 1);
const OLDER = Buffer.alloc(32, 2);
const LETS_ENCRYPT = 'https://acme-v02.api.letsencrypt.org/directory';
const REQUIRED = { NAMEPLATE_CNAME_ZONE: 'cname.example.net', NAMEPLATE_DNS_RESOLVERS: '9.9.9.9' };

function base64(key: Buffer): string {
  return key.toString('base64');
}

function problemsOf(env: Record<string, string>): string[] {
  try {
    readServerConfig({ ...REQUIRED, ...env });
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

/** The configuration that a URL of PostgreSQL is read as. */
function postgres(about: object): object {
  return { engine: 'postgres', host: '', port: 5432, user: 'np', database: 'n', tls: 'disable', ...about };
}

describe('values', () => {
  test('the two required variables are enough', () => {
    expect(readServerConfig(REQUIRED)).toEqual({
      control: 'auto',
      domainConnectService: 'custom-domains',
      drainMs: 30_000,
      listen: { host: '127.0.0.1', port: 7070 },
      apiThreads: null,
      databaseUrl: { engine: 'sqlite', path: '.nameplate/nameplate.db' },
      cnameZone: 'cname.example.net',
      cnameZoneDelegated: 'off',
      dnsListen: [{ host: anyAddress(), port: 53 }],
      dnsResponsesPerSecond: 500,
      httpsRecords: 'off',
      dnsResolvers: [{ address: '9.9.9.9', port: 53 }],
      dnsMode: 'authoritative',
      deletedKeepMs: 7 * 86_400_000,
      watchers: 5000,
      watchersPerWorkspace: 2500,
      watchersPerKey: 1000,
      cacheMb: 64,
      service: 'service',
      roles: ['api', 'verifier', 'certificates', 'edge'],
      metricsListen: { host: '127.0.0.1', port: 7071 },
      liveChecks: 'on',
      logLevel: 'info',
      issuer: 'acme',
      acmeDirectory: LETS_ENCRYPT,
      monitoring: 'tell',
      monitoringIntervalMs: 86_400_000,
      nodeName: 'nameplate',
      acmeSelfCheck: 'on',
      acmeMultiAddress: 'any',
      acmeLimits: LETS_ENCRYPT_LIMITS,
      edgeHttpListen: { host: anyAddress(), port: 80 },
      edgeHttpsListen: { host: anyAddress(), port: 443 },
      edgeHttpsPort: 443,
      edgeFrontListen: null,
      edgeHealthListen: null,
      edgeAccessLog: 0,
      edgeAccessLogQuery: 'off',
      edgeTlsContexts: 2000,
      edgeThreads: null,
      eventsKeepMs: 90 * 86_400_000,
      auditKeepMs: 365 * 86_400_000,
      webhooksPerWorkspace: 10,
      webhookSchemes: ['https'],
      webhookDeliveriesKeepMs: 14 * 86_400_000,
    });
  });

  test.each<[variable: string, given: string, key: string, value: unknown]>([
    ['NAMEPLATE_LISTEN', '0.0.0.0:81', 'listen', { host: '0.0.0.0', port: 81 }],
    ['NAMEPLATE_LISTEN', '[::1]:0', 'listen', { host: '::1', port: 0 }],
    ['NAMEPLATE_LISTEN', '*:7070', 'listen', { host: anyAddress(), port: 7070 }],
    ['NAMEPLATE_EDGE_CACHE', 'off', 'edgeCache', null],
    ['NAMEPLATE_EDGE_CACHE', '/var/cache/edge', 'edgeCache', '/var/cache/edge'],
    ['NAMEPLATE_API_HOSTNAME', 'API.example.net.', 'apiHostname', 'api.example.net'],
    ['NAMEPLATE_LISTEN', 'localhost:7070', 'listen', { host: 'localhost', port: 7070 }],
    ['NAMEPLATE_METRICS_LISTEN', 'off', 'metricsListen', null],
    ['NAMEPLATE_DATABASE_URL', 'sqlite:/var/lib/n.db', 'databaseUrl', { engine: 'sqlite', path: '/var/lib/n.db' }],
    ['NAMEPLATE_DATABASE_URL', 'sqlite:///var/n.db', 'databaseUrl', { engine: 'sqlite', path: '/var/n.db' }],
    ['NAMEPLATE_DATABASE_URL', 'postgres://np@db/n', 'databaseUrl', postgres({ host: 'db' })],
    [
      'NAMEPLATE_DATABASE_URL',
      'postgresql://np:p%40ss:w@[::1]:6432/n?sslmode=verify-full&sslrootcert=/etc/ca.pem',
      'databaseUrl',
      postgres({ host: '::1', port: 6432, password: 'p@ss:w', tls: 'verify-full', rootCertificate: '/etc/ca.pem' }),
    ],
    [
      'NAMEPLATE_DATABASE_URL',
      'postgres://np@/n?host=/run/postgresql',
      'databaseUrl',
      postgres({ host: '/run/postgresql' }),
    ],
    ['NAMEPLATE_CHALLENGE_ZONE', 'ACME.Example.net.', 'challengeZone', 'acme.example.net'],
    [
      'NAMEPLATE_DNS_LISTEN',
      '192.0.2.53:53, [2001:db8::53]:53',
      'dnsListen',
      [
        { host: '192.0.2.53', port: 53 },
        { host: '2001:db8::53', port: 53 },
      ],
    ],
    [
      'NAMEPLATE_DNS_SERVERS',
      'NS1.example.net.=192.0.2.53, ns1.example.net=2001:DB8::0:53,ns2.example.org',
      'dnsServers',
      [
        { name: 'ns1.example.net', addresses: ['192.0.2.53', '2001:db8::53'] },
        { name: 'ns2.example.org', addresses: [] },
      ],
    ],
    ['NAMEPLATE_CNAME_ZONE', 'CNAME.Example.net.', 'cnameZone', 'cname.example.net'],
    ['NAMEPLATE_DNS_MODE', 'recursive', 'dnsMode', 'recursive'],
    ['NAMEPLATE_DNS_ALLOWED_NETWORKS', '10.0.0.0/8, ::1', 'dnsAllowedNetworks', ['10.0.0.0/8', '::1/128']],
    ['NAMEPLATE_CACHE_MB', '256', 'cacheMb', 256],
    ['NAMEPLATE_TRUSTED_PROXIES', '127.0.0.1,10.0.0.0/8', 'trustedProxies', ['127.0.0.1/32', '10.0.0.0/8']],
    ['NAMEPLATE_SERVICE', 'acme-1', 'service', 'acme-1'],
    ['NAMEPLATE_DOCS_URL', 'https://example.net/docs/', 'docsUrl', 'https://example.net/docs'],
    ['NAMEPLATE_PUBLIC_URL', 'https://API.example.net/', 'publicUrl', 'https://api.example.net'],
    ['NAMEPLATE_PUBLIC_URL', 'https://api.example.net:443', 'publicUrl', 'https://api.example.net'],
    ['NAMEPLATE_PUBLIC_URL', 'http://127.0.0.1:7070', 'publicUrl', 'http://127.0.0.1:7070'],
    ['NAMEPLATE_PUBLIC_URL', 'http://[::1]:7070', 'publicUrl', 'http://[::1]:7070'],
    ['NAMEPLATE_RESERVED_NAMES', 'Example.net,example.org.', 'reservedNames', ['example.net', 'example.org']],
    ['NAMEPLATE_ROLES', 'verifier', 'roles', ['verifier']],
    ['NAMEPLATE_LOG_LEVEL', 'silent', 'logLevel', 'silent'],
    ['NAMEPLATE_RATE_LIMITS', '*=6000/1m', 'rateLimits', { '*': { limit: 6000, windowMs: 60_000 } }],
    ['NAMEPLATE_LISTEN', '', 'listen', { host: '127.0.0.1', port: 7070 }],
    [
      'NAMEPLATE_ENCRYPTION_KEY',
      `${base64(KEY)}, ${base64(OLDER)}`,
      'encryptionKeys',
      [new Uint8Array(KEY), new Uint8Array(OLDER)],
    ],
    ['NAMEPLATE_ISSUER', 'internal', 'issuer', 'internal'],
    ['NAMEPLATE_ACME_DIRECTORY', 'https://ca.example.net/acme/', 'acmeDirectory', 'https://ca.example.net/acme/'],
    ['NAMEPLATE_ACME_DIRECTORY', 'http://127.0.0.1:14000/dir', 'acmeDirectory', 'http://127.0.0.1:14000/dir'],
    ['NAMEPLATE_ACME_EMAIL', 'me@example.net', 'acmeEmail', 'me@example.net'],
    ['NAMEPLATE_ACME_CA_FILE', '/etc/ca.pem', 'acmeCaFile', '/etc/ca.pem'],
    ['NAMEPLATE_ACME_ALLOWED_NETWORKS', '10.0.0.0/8', 'acmeAllowedNetworks', ['10.0.0.0/8']],
    ['NAMEPLATE_ACME_LIMITS', 'orders=9/1m', 'acmeLimits', [{ name: 'orders', limit: 9, windowMs: 60_000 }]],
    ['NAMEPLATE_EDGE_HTTP_LISTEN', '[::]:8080', 'edgeHttpListen', { host: '::', port: 8080 }],
    ['NAMEPLATE_EDGE_HTTPS_LISTEN', 'off', 'edgeHttpsListen', null],
    ['NAMEPLATE_EDGE_HTTPS_PORT', '8443', 'edgeHttpsPort', 8443],
    ['NAMEPLATE_EDGE_ADDRESSES', '192.0.2.7, 2001:DB8:0::7,2001:db8::7', 'edgeAddresses', ['192.0.2.7', '2001:db8::7']],
    ['NAMEPLATE_MONITORING', 'enforce', 'monitoring', 'enforce'],
    ['NAMEPLATE_MONITORING_INTERVAL', '6h', 'monitoringIntervalMs', 6 * 3_600_000],
    ['NAMEPLATE_EVENTS_KEEP', '365d', 'eventsKeepMs', 365 * 86_400_000],
    ['NAMEPLATE_AUDIT_KEEP', '730d', 'auditKeepMs', 730 * 86_400_000],
    ['NAMEPLATE_DELETED_KEEP', 'off', 'deletedKeepMs', 0],
    ['NAMEPLATE_EDGE_FRONT_LISTEN', '[::1]:7072', 'edgeFrontListen', { host: '::1', port: 7072 }],
    ['NAMEPLATE_EDGE_ALLOWED_NETWORKS', '10.0.0.0/8', 'edgeAllowedNetworks', ['10.0.0.0/8']],
    ['NAMEPLATE_EDGE_TRUSTED_PROXIES', '10.0.0.1', 'edgeTrustedProxies', ['10.0.0.1/32']],
    ['NAMEPLATE_EDGE_PROXY_PROTOCOL', '10.0.0.1,fd00:1::/64', 'edgeProxyProtocol', ['10.0.0.1/32', 'fd00:1::/64']],
    ['NAMEPLATE_EDGE_HEALTH_LISTEN', '10.0.0.1:7073', 'edgeHealthListen', { host: '10.0.0.1', port: 7073 }],
    ['NAMEPLATE_EDGE_ACCESS_LOG', '0.01', 'edgeAccessLog', 0.01],
    ['NAMEPLATE_EDGE_ACCESS_LOG', '1', 'edgeAccessLog', 1],
    ['NAMEPLATE_EDGE_ACCESS_LOG', 'off', 'edgeAccessLog', 0],
    ['NAMEPLATE_EDGE_ACCESS_LOG_QUERY', 'on', 'edgeAccessLogQuery', 'on'],
    ['NAMEPLATE_EDGE_THREADS', '4', 'edgeThreads', 4],
    ['NAMEPLATE_DRAIN_SECONDS', '90', 'drainMs', 90_000],
    ['NAMEPLATE_CONTROL', '/run/nameplate.sock', 'control', '/run/nameplate.sock'],
  ])('%s=%s is read', (variable, given, key, value) => {
    const sealing = { NAMEPLATE_ENCRYPTION_KEY: base64(KEY) };
    expect(readServerConfig({ ...REQUIRED, ...sealing, [variable]: given })).toHaveProperty(key, value);
  });

  test('resolvers are addresses of either family, with or without a port', () => {
    const config = readServerConfig({
      ...REQUIRED,
      NAMEPLATE_DNS_RESOLVERS: '9.9.9.9, 10.0.0.2:5353, 2620:00fe:0::FE, [2620:fe::9]:54',
    });
    expect(config.dnsResolvers).toEqual([
      { address: '9.9.9.9', port: 53 },
      { address: '10.0.0.2', port: 5353 },
      { address: '2620:fe::fe', port: 53 },
      { address: '2620:fe::9', port: 54 },
    ]);
  });
});

describe('invalid variables', () => {
  test.each<[variable: string, given: string, because: string]>([
    ['NAMEPLATE_LISTEN', '7070', 'not ADDRESS:PORT'],
    ['NAMEPLATE_LISTEN', '::1', '[ADDRESS]:PORT for IPv6'],
    ['NAMEPLATE_LISTEN', 'example.net:70', 'neither an IP address nor localhost'],
    ['NAMEPLATE_LISTEN', '127.0.0.1:99999', 'above 65535'],
    ['NAMEPLATE_LISTEN', '::1:x:7070', 'not an address'],
    ['NAMEPLATE_METRICS_LISTEN', 'on', 'not ADDRESS:PORT'],
    ['NAMEPLATE_DATABASE_URL', 'nameplate.db', 'neither sqlite:PATH nor postgres:'],
    ['NAMEPLATE_DATABASE_URL', 'sqlite:', 'neither sqlite:PATH nor postgres:'],
    ['NAMEPLATE_DATABASE_URL', 'postgres://db/nameplate', 'names no user'],
    ['NAMEPLATE_CNAME_ZONE', 'localhost', 'only one label'],
    ['NAMEPLATE_CNAME_ZONE', 'under_score.net', 'not a host name'],
    ['NAMEPLATE_CNAME_ZONE', `${'a.'.repeat(110)}net`, 'more than 200 characters'],
    ['NAMEPLATE_DNS_RESOLVERS', 'dns.example.net', 'not an IP address'],
    ['NAMEPLATE_DNS_RESOLVERS', '9.9.9.9,,1.1.1.1', 'an empty item'],
    ['NAMEPLATE_DNS_RESOLVERS', '9.9.9.9:0', 'port 0'],
    ['NAMEPLATE_DNS_MODE', 'both', 'not one of authoritative, recursive'],
    ['NAMEPLATE_DNS_ALLOWED_NETWORKS', '10.0.0.0/33', 'not between 0 and 32'],
    ['NAMEPLATE_DNS_ALLOWED_NETWORKS', 'internal', 'not a network'],
    ['NAMEPLATE_EVENTS_KEEP', '1h', 'not between 1d and 3650d'],
    ['NAMEPLATE_DELETED_KEEP', '91d', 'not between 1m and 90d'],
    ['NAMEPLATE_MONITORING', 'on', 'not one of off, tell, enforce'],
    ['NAMEPLATE_MONITORING_INTERVAL', '24', 'not a length of time such as'],
    ['NAMEPLATE_MONITORING_INTERVAL', '1m', 'not between 10m and 30d'],
    ['NAMEPLATE_MONITORING_INTERVAL', '31d', 'not between 10m and 30d'],
    ['NAMEPLATE_SERVICE', 'Acme', 'not a DNS label'],
    ['NAMEPLATE_SERVICE', 'a'.repeat(63), 'not a DNS label'],
    ['NAMEPLATE_DOCS_URL', 'docs', 'not an http or https URL'],
    ['NAMEPLATE_DOCS_URL', 'https://example.net/?page=1', 'a query'],
    ['NAMEPLATE_PUBLIC_URL', 'api.example.net', 'not an https URL'],
    ['NAMEPLATE_PUBLIC_URL', 'http://api.example.net', 'not this machine'],
    ['NAMEPLATE_PUBLIC_URL', 'http://127.0.0.1.example.net', 'not this machine'],
    ['NAMEPLATE_PUBLIC_URL', 'https://api.example.net/api', 'more than a host and a port'],
    ['NAMEPLATE_PUBLIC_URL', 'https://api.example.net/#x', 'more than a host and a port'],
    ['NAMEPLATE_RESERVED_NAMES', 'exa mple.net', 'not a host name'],
    ['NAMEPLATE_RATE_LIMITS', '6000', 'not a rate limit'],
    ['NAMEPLATE_CACHE_MB', '0', 'between 1 and 65536'],
    ['NAMEPLATE_CACHE_MB', '64MB', 'not a whole number'],
    ['NAMEPLATE_ROLES', 'api,proxy', 'not one of api, verifier, certificates, edge'],
    ['NAMEPLATE_LOG_LEVEL', 'loud', 'not one of trace'],
    ['NAMEPLATE_ISSUER', 'letsencrypt', 'not one of acme, internal'],
    ['NAMEPLATE_ACME_DIRECTORY', 'http://ca.example.net/directory', 'not an https URL'],
    ['NAMEPLATE_ACME_SECOND_DIRECTORY', 'ca.example.net', 'not an https URL'],
    ['NAMEPLATE_ACME_EMAIL', 'me', 'not an email address'],
    ['NAMEPLATE_ACME_CA_FILE', '/etc/ssl/', 'not a file path'],
    ['NAMEPLATE_ACME_LIMITS', 'order=300/3h', 'not a limit on orders, failures, certificates, duplicates'],
    ['NAMEPLATE_ACME_LIMITS', 'orders=300', 'such as orders=300/3h'],
    ['NAMEPLATE_ACME_LIMITS', 'orders=1/1h,orders=2/1h', 'appears twice'],
    ['NAMEPLATE_ACME_LIMITS', 'orders=900/31d', 'window of more than 30 days'],
    ['NAMEPLATE_ACME_LIMITS', 'failures=1/1h', 'too low to order anything'],
    ['NAMEPLATE_DRAIN_SECONDS', '1m', 'not a whole number between 0 and 3600'],
    ['NAMEPLATE_CONTROL', 'control.sock', 'an absolute path'],
    ['NAMEPLATE_CONTROL', `/${'x'.repeat(100)}`, 'at most 100 characters'],
    ['NAMEPLATE_EDGE_HTTP_LISTEN', '80', 'not ADDRESS:PORT'],
    ['NAMEPLATE_EDGE_HTTPS_PORT', '0', 'between 1 and 65535'],
    ['NAMEPLATE_EDGE_FRONT_LISTEN', '0.0.0.0:7072', 'returns private keys'],
    ['NAMEPLATE_EDGE_FRONT_LISTEN', '*:7072', 'returns private keys'],
    ['NAMEPLATE_EDGE_HEALTH_LISTEN', '**:7073', 'nor * for every address'],
    ['NAMEPLATE_EDGE_PROXY_PROTOCOL', 'balancer.internal', 'not a network'],
    ['NAMEPLATE_EDGE_ACCESS_LOG', '1.1', 'between 0 and 1'],
    ['NAMEPLATE_EDGE_ACCESS_LOG', '-0.1', 'between 0 and 1'],
    ['NAMEPLATE_EDGE_ACCESS_LOG', '1 %', 'between 0 and 1'],
    ['NAMEPLATE_EDGE_ACCESS_LOG_QUERY', 'yes', 'not one of off, on'],
    ['NAMEPLATE_EDGE_ADDRESSES', 'edge.example.net', 'not an IP address'],
    ['NAMEPLATE_EDGE_ADDRESSES', '192.0.2.7:443', 'not an IP address'],
    [
      'NAMEPLATE_EDGE_ADDRESSES',
      '192.0.2.7,0.0.0.0',
      'where "0.0.0.0" is not an address that a DNS record can lead to',
    ],
    ['NAMEPLATE_EDGE_ADDRESSES', '[::]', 'not an IP address'],
    ['NAMEPLATE_EDGE_ADDRESSES', '::', 'can lead to'],
    ['NAMEPLATE_EDGE_ADDRESSES', 'fe80::1', 'can lead to'],
    ['NAMEPLATE_EDGE_ADDRESSES', Array.from({ length: 17 }, (_, at) => `192.0.2.${at}`).join(), 'more than 16'],
    ['NAMEPLATE_EDGE_ALLOWED_NETWORKS', 'intranet', 'not a network'],
    ['NAMEPLATE_EDGE_TLS_CONTEXTS', 'many', 'not a whole number'],
    ['NAMEPLATE_EDGE_THREADS', '65', 'between 1 and 64'],
  ])('%s=%s is rejected with the reason, the value and an example', (variable, given, because) => {
    const [problem, ...others] = problemsOf({ [variable]: given });
    expect(others).toEqual([]);
    expect(problem).toContain(`${variable} is ${JSON.stringify(given)}, `);
    expect(problem).toContain(because);
    expect(problem).toContain(`Example: ${variable}=`);
  });

  test('all errors are reported at once', () => {
    const env = { NAMEPLATE_LISTEN: 'x', NAMEPLATE_ROLES: 'y', NAMEPLATE_LISTNE: 'z' };
    expect(() => readServerConfig(env)).toThrow(ConfigError);
    expect(() => readServerConfig(env)).toThrow(
      /5 problems:\n.*LISTEN is "x".*\n.*CNAME_ZONE is not set.*\n.*DNS_RESOLVERS is not set.*\n.*ROLES is "y".*\n.*LISTNE is not a variable/,
    );
  });

  test('a rate limit on an unknown operation is reported with the other errors', () => {
    const limits = 'domains.getDomian=1/1m,*=9/1m,no.such=1/1m';
    const env = { ...REQUIRED, NAMEPLATE_RATE_LIMITS: limits, NAMEPLATE_ROLES: 'y' };
    for (const readConfig of [readServerConfig, readPlaygroundConfig]) {
      expect(() => readConfig(env, ['domains.getDomain'])).toThrow(
        /RATE_LIMITS is .*, where "domains\.getDomian" is not an operation \(did you mean domains\.getDomain\?\), "no\.such" is not an operation\. Example: /,
      );
    }
    expect(() => readServerConfig(env, ['domains.getDomain'])).toThrow(/2 problems/);
    const { rateLimits } = readServerConfig({ ...REQUIRED, NAMEPLATE_RATE_LIMITS: limits }, [
      'domains.getDomian',
      'no.such',
    ]);
    expect(Object.keys(rateLimits ?? {})).toEqual(['domains.getDomian', '*', 'no.such']);
  });

  test('an unknown variable is rejected, with the most similar one', () => {
    expect(problemsOf({ NAMEPLATE_CNAMEZONE: 'x' })).toEqual([
      'NAMEPLATE_CNAMEZONE is not a variable of Nameplate. Did you mean NAMEPLATE_CNAME_ZONE?',
    ]);
    for (const name of ['NAMEPLATE_QQQQQQQQQQQQQQQQQQQQ', 'NAMEPLATE_FOO']) {
      expect(problemsOf({ [name]: 'x' })).toEqual([
        `${name} is not a variable of Nameplate. docs/reference/configuration.md lists all variables.`,
      ]);
    }
  });

  test('secrets are never printed', () => {
    expect(() => readCommandConfig({ NAMEPLATE_ROOT_KEY: 'np_secret with space' })).toThrow(/\(not shown\), which/);
    expect(() => readCommandConfig({ NAMEPLATE_ROOT_KEY: 'np_secret with space' })).not.toThrow(/np_secret/);
  });

  test.each([
    ['NAMEPLATE_ENCRYPTION_KEY', 'c2hvcnQ='],
    ['NAMEPLATE_ENCRYPTION_KEY', `${base64(KEY)},${base64(OLDER).slice(1)}`],
    ['NAMEPLATE_ENCRYPTION_KEY', KEY.toString('hex')],
    ['NAMEPLATE_ACME_EAB_HMAC_KEY', 'hunter2 hunter2 hunter2'],
    ['NAMEPLATE_ACME_SECOND_EAB_HMAC_KEY', 'hunter2'],
  ])('%s, a secret, is rejected without being printed', (variable, given) => {
    const problem = problemsOf({ [variable]: given }).find((each) => each.startsWith(`${variable} is (not shown), wh`));
    expect(problem).toBeDefined();
    expect(problem).not.toContain(given.slice(0, 7));
  });

  test.each([
    ['postgres://np@db', 'names no database'],
    ['postgres://np@db:x/n', 'not a URL'],
    ['postgres://n%p@db/n', 'write it as %25'],
    ['postgres://np@db/n?sslmode=prefer', 'whose sslmode is none of disable, require'],
    ['postgres://np@db/n?sslmod=require', 'whose parameter sslmod is none of host, sslmode'],
  ])('the database URL %s is rejected with the reason', (url, because) => {
    expect(problemsOf({ NAMEPLATE_DATABASE_URL: url })).toEqual([expect.stringContaining(because)]);
  });

  test.each([
    'postgres://me:hunter/2@db/n',
    'postgres://me:hunter@2@db/n?sslmode=password',
    'postgres://me:hunter2@db',
    'postgres:me:hunter2@db',
    'me:hunter2@db',
    'postgres://db/n?sslpassword=hunter2&password=hunter2',
  ])('no password of the database URL %s is printed', (url) => {
    expect(problemsOf({ NAMEPLATE_DATABASE_URL: url })[0]).toMatch(/^NAMEPLATE_DATABASE_URL is "(?!.*hunter)/);
    expect(() => readDatabaseUrl(url)).toThrow(/^The database is "(?!.*hunter)/);
  });
});

describe('combinations that are rejected', () => {
  const POSTGRES = { NAMEPLATE_DATABASE_URL: 'postgres://np@db/n' };
  const SERVERS = { NAMEPLATE_DNS_SERVERS: 'ns1.example.org,ns2.example.org' };
  const HMAC_KEY = 'bm90LWEtcmVhbC1rZXktYnV0LWFzLWxvbmctYXMtb25l';

  test.each<[what: string, env: Record<string, string>, says: RegExp]>([
    ['PostgreSQL without an encryption key', POSTGRES, /ENCRYPTION_KEY is not set.*"nameplate sealing key"/],
    ['half a binding', { NAMEPLATE_ACME_EAB_KID: 'k' }, /EAB_KID is set without NAMEPLATE_ACME_EAB_HMAC_KEY/],
    ['its other half', { NAMEPLATE_ACME_EAB_HMAC_KEY: HMAC_KEY }, /HMAC_KEY is set without NAMEPLATE_ACME_EAB_KID/],
    [
      'a binding at a second CA that is not configured',
      { NAMEPLATE_ACME_SECOND_EAB_KID: 'k', NAMEPLATE_ACME_SECOND_EAB_HMAC_KEY: HMAC_KEY },
      /name the second CA/,
    ],
    ['the same CA twice', { NAMEPLATE_ACME_SECOND_DIRECTORY: LETS_ENCRYPT }, /is the same as the first CA/],
    [
      'an ACME variable with the internal CA',
      { NAMEPLATE_ISSUER: 'internal', NAMEPLATE_ACME_EMAIL: 'me@example.net' },
      /remove NAMEPLATE_ACME_EMAIL/,
    ],
    [
      'an edge without listeners',
      { NAMEPLATE_EDGE_HTTP_LISTEN: 'off', NAMEPLATE_EDGE_HTTPS_LISTEN: 'off', NAMEPLATE_ISSUER: 'internal' },
      /all of its listeners are off/,
    ],
    [
      'certificates without a listener for challenges',
      { NAMEPLATE_EDGE_HTTP_LISTEN: 'off', NAMEPLATE_ACME_SELF_CHECK: 'off' },
      /cannot answer the CA's challenges/,
    ],
    [
      'a profile of a second CA that is not there',
      { NAMEPLATE_ACME_SECOND_PROFILE: 'tlsserver' },
      /SECOND_PROFILE is set without NAMEPLATE_ACME_SECOND_DIRECTORY/,
    ],
    [
      'two listeners at one address',
      { NAMEPLATE_EDGE_FRONT_LISTEN: '127.0.0.1:7071' },
      /FRONT_LISTEN is the same address as NAMEPLATE_METRICS_LISTEN/,
    ],
    [
      'the health of the edge at the address of a site',
      { NAMEPLATE_EDGE_HEALTH_LISTEN: '*:80' },
      /HEALTH_LISTEN is the same address as NAMEPLATE_EDGE_HTTP_LISTEN/,
    ],
    [
      "a name of the API's own among those of customers",
      { NAMEPLATE_API_HOSTNAME: 'api.cname.example.net' },
      /API_HOSTNAME is in NAMEPLATE_CNAME_ZONE/,
    ],
    [
      'a name for an API at any port',
      { NAMEPLATE_API_HOSTNAME: 'api.example.net', NAMEPLATE_LISTEN: '127.0.0.1:0' },
      /NAMEPLATE_LISTEN has port 0/,
    ],
    [
      'DNS without a zone',
      { NAMEPLATE_ROLES: 'dns', ...SERVERS },
      /NAMEPLATE_ROLES includes dns, but there is no zone.*CHALLENGE_ZONE or NAMEPLATE_CNAME_ZONE_DELEGATED/,
    ],
    [
      'DNS without nameservers',
      { NAMEPLATE_ROLES: 'dns', NAMEPLATE_CNAME_ZONE_DELEGATED: 'on' },
      /NAMEPLATE_DNS_SERVERS is not set/,
    ],
    [
      'challenges in the CNAME zone',
      { NAMEPLATE_CHALLENGE_ZONE: 'cname.example.net' },
      /is or contains NAMEPLATE_CNAME_ZONE/,
    ],
    ['challenges in a zone around the CNAME zone', { NAMEPLATE_CHALLENGE_ZONE: 'example.net' }, /is or contains/],
    [
      'a nameserver without an address in its own zone',
      { NAMEPLATE_CHALLENGE_ZONE: 'acme.example.net', NAMEPLATE_DNS_SERVERS: 'ns1.acme.example.net' },
      /has ns1\.acme\.example\.net without an address/,
    ],
    [
      'CAA records in a zone that is not ours',
      { NAMEPLATE_CAA_ISSUERS: 'letsencrypt.org' },
      /your own DNS has the CNAME zone: publish/,
    ],
    ['HTTPS records likewise', { NAMEPLATE_HTTPS_RECORDS: 'on' }, /HTTPS_RECORDS is on, but your own DNS has/],
    [
      'DNS at the address of the API',
      {
        NAMEPLATE_ROLES: 'api,dns',
        NAMEPLATE_CNAME_ZONE_DELEGATED: 'on',
        NAMEPLATE_DNS_LISTEN: '127.0.0.1:53,127.0.0.1:7070',
        ...SERVERS,
      },
      /DNS_LISTEN is the same address as NAMEPLATE_LISTEN/,
    ],
  ])('%s: one line with advice', (_, env, says) => {
    expect(problemsOf(env)).toEqual([expect.stringMatching(says)]);
  });

  test.each<[what: string, env: Record<string, string>]>([
    ['PostgreSQL with an encryption key', { ...POSTGRES, NAMEPLATE_ENCRYPTION_KEY: base64(KEY) }],
    ['PostgreSQL without a key for a verifier', { ...POSTGRES, NAMEPLATE_ROLES: 'verifier' }],
    ['challenges at the port of HTTPS alone', { NAMEPLATE_EDGE_HTTP_LISTEN: 'off' }],
    ['no listener of an edge elsewhere', { NAMEPLATE_EDGE_HTTP_LISTEN: 'off', NAMEPLATE_ROLES: 'certificates' }],
    ['two listeners at any port', { NAMEPLATE_LISTEN: '127.0.0.1:0', NAMEPLATE_METRICS_LISTEN: '127.0.0.1:0' }],
    [
      'a name for the API, in a process that only orders its certificate',
      { NAMEPLATE_API_HOSTNAME: 'api.example.net', NAMEPLATE_LISTEN: '127.0.0.1:0', NAMEPLATE_ROLES: 'certificates' },
    ],
    ['a listener of a role that is elsewhere', { NAMEPLATE_LISTEN: '0.0.0.0:80', NAMEPLATE_ROLES: 'edge' }],
  ])('%s is accepted', (_, env) => {
    expect(problemsOf(env)).toEqual([]);
  });

  test('are reported beside invalid variables', () => {
    const env = { NAMEPLATE_ACME_EAB_KID: 'k', NAMEPLATE_SERVICE: 'Acme' };
    expect(problemsOf(env)).toEqual([expect.stringContaining('SERVICE'), expect.stringContaining('EAB_KID')]);
  });
});

describe('warnings', () => {
  const warnings = (url: string) =>
    configWarnings({ databaseUrl: readDatabaseUrl(url) }, { NAMEPLATE_DATABASE_URL: url });

  test('a database on another machine without TLS', () => {
    expect(warnings('postgres://np:hunter2@db.internal/n')).toEqual([
      expect.stringMatching(/db\.internal, without sslmode.*\?sslmode=verify-full/),
    ]);
    expect(warnings('postgres://np:hunter2@db.internal/n').join()).not.toContain('hunter2');
  });

  test.each([
    'sqlite:n.db',
    'postgres://np@localhost/n',
    'postgres://np@127.0.0.1/n',
    'postgres://np@[::1]/n',
    'postgres://np@/n?host=/run/postgresql',
    'postgres://np@db.internal/n?sslmode=disable',
    'postgres://np@db.internal/n?sslmode=verify-full',
  ])('not %s', (url) => {
    expect(warnings(url)).toEqual([]);
  });
});

describe('the variables that are read', () => {
  test('serve accepts the variables of other commands, and ignores them', () => {
    expect(problemsOf({ NAMEPLATE_URL: 'not a url', NAMEPLATE_ROOT_KEY: 'np_x' })).toEqual([]);
  });

  test('commands ignore the variables of serve, but reject unknown ones', () => {
    expect(readCommandConfig({ NAMEPLATE_LISTEN: 'x', NAMEPLATE_URL: 'http://127.0.0.1:1' })).toEqual({
      url: 'http://127.0.0.1:1',
      control: 'auto',
      databaseUrl: { engine: 'sqlite', path: '.nameplate/nameplate.db' },
      logLevel: 'info',
    });
    expect(() => readCommandConfig({ NAMEPLATE_ROOTKEY: 'x' })).toThrow(/NAMEPLATE_ROOT_KEY/);
  });

  test('the playground requires no variable and has its own defaults', () => {
    expect(readPlaygroundConfig({})).toMatchObject({ cnameZone: 'cname.nameplate.test', metricsListen: null });
    expect(readPlaygroundConfig({ NAMEPLATE_SERVICE: 'acme', NAMEPLATE_LISTEN: 'x' })).toMatchObject({
      service: 'acme',
    });
  });

  test('an environment configures serve if it sets a variable that only serve needs', () => {
    expect(configuresServer({ NAMEPLATE_LOG_LEVEL: 'debug' })).toBe(false);
    expect(configuresServer({ NAMEPLATE_CNAME_ZONE: 'bad zone' })).toBe(true);
    expect(configuresServer({ NAMEPLATE_DATABASE_URL: 'sqlite:/srv/nameplate.db' })).toBe(true);
  });
});

describe('the table', () => {
  const variables = Object.values<Variable<unknown>>({
    ...serverVariables,
    ...commandVariables,
    ...playgroundVariables,
  });

  test.each(variables)('the default and the example of $name are valid', (variable) => {
    // The example of a secret is a command, so that nobody copies it.
    if (!variable.example.includes('$(')) expect(() => variable.parse(variable.example)).not.toThrow();
    if (variable.default !== undefined) expect(() => variable.parse(variable.default ?? '')).not.toThrow();
  });

  test('docs/reference/configuration.md names every variable', () => {
    const text = renderConfiguration();
    for (const { name, about } of variables) {
      expect(text).toContain(`\`${name}\``);
      expect(text).toContain(about);
    }
  });
});

test.each([
  ['lsit', ['list', 'limits', 'create'], 'list'],
  ['NAMEPLATE_DOCS', ['NAMEPLATE_DOCS_URL', 'NAMEPLATE_URL'], 'NAMEPLATE_DOCS_URL'],
  ['xyzzy', ['list', 'create'], undefined],
])('the nearest to %s among %j is %s', (word, candidates, expected) => {
  expect(nearest(word, candidates)).toBe(expected);
});

test('every address of a machine is that of IPv6 too where it has IPv6, and only there', () => {
  const ipv4 = [{ family: 'IPv4' }];
  const both = [...ipv4, { family: 'IPv6' }];
  expect(anyAddress({ lo: ipv4, eth0: both })).toBe('::');
  expect(anyAddress({ lo: ipv4, eth0: ipv4 })).toBe('0.0.0.0');
  expect(anyAddress({})).toBe('0.0.0.0');
});
