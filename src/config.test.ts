import { describe, expect, test } from 'vitest';
import { commandVariables, playgroundVariables, serverVariables, type Variable } from './config/variables.ts';
import {
  ConfigError,
  configuresServer,
  readCommandConfig,
  readDatabaseUrl,
  readPlaygroundConfig,
  readServerConfig,
  renderConfiguration,
} from './config.ts';
import { nearest } from './nearest.ts';

const REQUIRED = { NAMEPLATE_CNAME_ZONE: 'cname.example.net', NAMEPLATE_DNS_RESOLVERS: '9.9.9.9' };

function problemsOf(env: Record<string, string>): string[] {
  try {
    readServerConfig({ ...REQUIRED, ...env });
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

/** What a URL of PostgreSQL becomes. */
function postgres(about: object): object {
  return { engine: 'postgres', host: '', port: 5432, user: 'np', database: 'n', tls: 'disable', ...about };
}

describe('values', () => {
  test('the two required variables are enough', () => {
    expect(readServerConfig(REQUIRED)).toEqual({
      listen: { host: '127.0.0.1', port: 7070 },
      databaseUrl: { engine: 'sqlite', path: '.nameplate/nameplate.db' },
      cnameZone: 'cname.example.net',
      dnsResolvers: [{ address: '9.9.9.9', port: 53 }],
      dnsMode: 'authoritative',
      service: 'service',
      roles: ['api', 'verifier'],
      metricsListen: { host: '127.0.0.1', port: 7071 },
      logLevel: 'info',
    });
  });

  test.each<[variable: string, given: string, key: string, value: unknown]>([
    ['NAMEPLATE_LISTEN', '0.0.0.0:80', 'listen', { host: '0.0.0.0', port: 80 }],
    ['NAMEPLATE_LISTEN', '[::1]:0', 'listen', { host: '::1', port: 0 }],
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
    ['NAMEPLATE_CNAME_ZONE', 'CNAME.Example.net.', 'cnameZone', 'cname.example.net'],
    ['NAMEPLATE_DNS_MODE', 'recursive', 'dnsMode', 'recursive'],
    ['NAMEPLATE_DNS_ALLOWED_NETWORKS', '10.0.0.0/8, ::1', 'dnsAllowedNetworks', ['10.0.0.0/8', '::1/128']],
    ['NAMEPLATE_TRUSTED_PROXIES', '127.0.0.1,10.0.0.0/8', 'trustedProxies', ['127.0.0.1/32', '10.0.0.0/8']],
    ['NAMEPLATE_SERVICE', 'acme-1', 'service', 'acme-1'],
    ['NAMEPLATE_DOCS_URL', 'https://example.net/docs/', 'docsUrl', 'https://example.net/docs'],
    ['NAMEPLATE_RESERVED_NAMES', 'Example.net,example.org.', 'reservedNames', ['example.net', 'example.org']],
    ['NAMEPLATE_ROLES', 'verifier', 'roles', ['verifier']],
    ['NAMEPLATE_LOG_LEVEL', 'silent', 'logLevel', 'silent'],
    ['NAMEPLATE_RATE_LIMITS', '*=6000/1m', 'rateLimits', { '*': { limit: 6000, windowMs: 60_000 } }],
    ['NAMEPLATE_LISTEN', '', 'listen', { host: '127.0.0.1', port: 7070 }],
  ])('%s=%s is read', (variable, given, key, value) => {
    expect(readServerConfig({ ...REQUIRED, [variable]: given })).toHaveProperty(key, value);
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

describe('refusals', () => {
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
    ['NAMEPLATE_CNAME_ZONE', 'localhost', 'one label only'],
    ['NAMEPLATE_CNAME_ZONE', 'under_score.net', 'not a host name'],
    ['NAMEPLATE_CNAME_ZONE', `${'a.'.repeat(110)}net`, 'more than 200 characters'],
    ['NAMEPLATE_DNS_RESOLVERS', 'dns.example.net', 'not an IP address'],
    ['NAMEPLATE_DNS_RESOLVERS', '9.9.9.9,,1.1.1.1', 'an empty item'],
    ['NAMEPLATE_DNS_RESOLVERS', '9.9.9.9:0', 'port 0'],
    ['NAMEPLATE_DNS_MODE', 'both', 'none of authoritative, recursive'],
    ['NAMEPLATE_DNS_ALLOWED_NETWORKS', '10.0.0.0/33', 'not between 0 and 32'],
    ['NAMEPLATE_DNS_ALLOWED_NETWORKS', 'internal', 'not a network'],
    ['NAMEPLATE_SERVICE', 'Acme', 'not a DNS label'],
    ['NAMEPLATE_SERVICE', 'a'.repeat(63), 'not a DNS label'],
    ['NAMEPLATE_DOCS_URL', 'docs', 'not an http or https URL'],
    ['NAMEPLATE_DOCS_URL', 'https://example.net/?page=1', 'a query'],
    ['NAMEPLATE_RESERVED_NAMES', 'exa mple.net', 'not a host name'],
    ['NAMEPLATE_RATE_LIMITS', '6000', 'not a rate limit'],
    ['NAMEPLATE_ROLES', 'api,edge', 'none of api, verifier'],
    ['NAMEPLATE_LOG_LEVEL', 'loud', 'none of trace'],
  ])('%s=%s is refused with the reason, what was given and an example', (variable, given, because) => {
    const [problem, ...others] = problemsOf({ [variable]: given });
    expect(others).toEqual([]);
    expect(problem).toContain(`${variable} is ${JSON.stringify(given)}, `);
    expect(problem).toContain(because);
    expect(problem).toContain(`Example: ${variable}=`);
  });

  test('everything that is wrong is reported at once', () => {
    const env = { NAMEPLATE_LISTEN: 'x', NAMEPLATE_ROLES: 'y', NAMEPLATE_LISTNE: 'z' };
    expect(() => readServerConfig(env)).toThrow(ConfigError);
    expect(() => readServerConfig(env)).toThrow(
      /5 problems:\n.*LISTEN is "x".*\n.*CNAME_ZONE is not set.*\n.*DNS_RESOLVERS is not set.*\n.*ROLES is "y".*\n.*LISTNE is not a variable/,
    );
  });

  test('a rate limit on an operation that does not exist is wrong like anything else, and at once with it', () => {
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

  test('an unknown variable is refused, naming the nearest known one', () => {
    expect(problemsOf({ NAMEPLATE_CNAMEZONE: 'x' })).toEqual([
      'NAMEPLATE_CNAMEZONE is not a variable of Nameplate. Did you mean NAMEPLATE_CNAME_ZONE?',
    ]);
    for (const name of ['NAMEPLATE_QQQQQQQQQQQQQQQQQQQQ', 'NAMEPLATE_FOO']) {
      expect(problemsOf({ [name]: 'x' })).toEqual([
        `${name} is not a variable of Nameplate. docs/configuration.md lists all.`,
      ]);
    }
  });

  test('secrets are never shown', () => {
    expect(() => readCommandConfig({ NAMEPLATE_ROOT_KEY: 'np_secret with space' })).toThrow(/\(not shown\), which/);
    expect(() => readCommandConfig({ NAMEPLATE_ROOT_KEY: 'np_secret with space' })).not.toThrow(/np_secret/);
  });

  test.each([
    ['postgres://np@db', 'names no database'],
    ['postgres://np@db:x/n', 'not a URL'],
    ['postgres://n%p@db/n', 'write it as %25'],
    ['postgres://np@db/n?sslmode=prefer', 'whose sslmode is none of disable, require'],
    ['postgres://np@db/n?sslmod=require', 'whose parameter sslmod is none of host, sslmode'],
  ])('the database URL %s is refused with the reason', (url, because) => {
    expect(problemsOf({ NAMEPLATE_DATABASE_URL: url })).toEqual([expect.stringContaining(because)]);
  });

  test.each([
    'postgres://me:hunter/2@db/n',
    'postgres://me:hunter@2@db/n?sslmode=password',
    'postgres://me:hunter2@db',
    'postgres:me:hunter2@db',
    'me:hunter2@db',
    'postgres://db/n?sslpassword=hunter2&password=hunter2',
  ])('no password of the database URL %s is shown', (url) => {
    expect(problemsOf({ NAMEPLATE_DATABASE_URL: url })[0]).toMatch(/^NAMEPLATE_DATABASE_URL is "(?!.*hunter)/);
    expect(() => readDatabaseUrl(url)).toThrow(/^"(?!.*hunter)/);
  });
});

describe('who reads what', () => {
  test('serve knows the variables of the commands and ignores them', () => {
    expect(problemsOf({ NAMEPLATE_URL: 'not a url', NAMEPLATE_ROOT_KEY: 'np_x' })).toEqual([]);
  });

  test('commands ignore what only serve reads, but no unknown variable', () => {
    expect(readCommandConfig({ NAMEPLATE_LISTEN: 'x', NAMEPLATE_URL: 'http://127.0.0.1:1' })).toEqual({
      url: 'http://127.0.0.1:1',
      databaseUrl: { engine: 'sqlite', path: '.nameplate/nameplate.db' },
      logLevel: 'info',
    });
    expect(() => readCommandConfig({ NAMEPLATE_ROOTKEY: 'x' })).toThrow(/NAMEPLATE_ROOT_KEY/);
  });

  test('the playground needs nothing and has defaults of its own', () => {
    expect(readPlaygroundConfig({})).toMatchObject({ cnameZone: 'cname.nameplate.test', metricsListen: null });
    expect(readPlaygroundConfig({ NAMEPLATE_SERVICE: 'acme', NAMEPLATE_LISTEN: 'x' })).toMatchObject({
      service: 'acme',
    });
  });

  test('an environment configures a server when it says what only a server needs', () => {
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

  test.each(variables)('the default and the example of $name are values it takes', (variable) => {
    expect(() => variable.parse(variable.example)).not.toThrow();
    if (variable.default !== undefined) expect(() => variable.parse(variable.default ?? '')).not.toThrow();
  });

  test('docs/configuration.md names every variable', () => {
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
