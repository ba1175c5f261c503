import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../server/src/base/clock.ts';
import { createLog } from '../../server/src/base/log.ts';
import { examineOwnZones } from '../../server/src/cli/doctor/examine-own-zones.ts';
import { readServerConfig } from '../../server/src/config/config.ts';
import { type RunningServer, startServer } from '../../server/src/main.ts';
import { startCommand, temporaryDirectory } from '../support/command.ts';
import { findPrograms, type Programs, START_LIMIT_MS } from '../support/debian.ts';
import { type Internet, startInternet } from './internet.ts';
import type { Host } from './knot.ts';

// Our DNS servers among real ones: a registry that delegates to them, a validating resolver, three other clients.

const execute = promisify(execFile);
const LABEL = 'k7q2m9x4c1v8b3n6z5t0';
const TARGETS = 'platform.test';
const CHALLENGES = 'platform-acme.test';

const directory = temporaryDirectory();
let internet: Internet;
let hosts: [Host, Host];
let servers: [RunningServer, RunningServer];
let clients: Programs;

function start({ address }: Host): Promise<RunningServer> {
  const config = readServerConfig({
    NAMEPLATE_DATABASE_URL: `sqlite:${join(directory.path, 'nameplate.db')}`,
    NAMEPLATE_ROLES: 'dns',
    NAMEPLATE_CNAME_ZONE: TARGETS,
    NAMEPLATE_CNAME_ZONE_DELEGATED: 'on',
    NAMEPLATE_CHALLENGE_ZONE: CHALLENGES,
    NAMEPLATE_CAA_ISSUERS: 'ca.test',
    NAMEPLATE_HTTPS_RECORDS: 'on',
    NAMEPLATE_DNS_SERVERS: hosts.map(({ host }) => host).join(),
    NAMEPLATE_DNS_LISTEN: `${address}:${internet.port}`,
    NAMEPLATE_DNS_RESOLVERS: '127.0.0.1',
    NAMEPLATE_EDGE_ADDRESSES: '192.0.2.10,2001:db8::10',
    NAMEPLATE_METRICS_LISTEN: 'off',
    NAMEPLATE_LOG_LEVEL: 'silent',
  });
  return startServer(config, { log: createLog('silent') });
}

beforeAll(async () => {
  internet = await startInternet();
  clients = await findPrograms('dns-clients', ['bind9-dnsutils', 'knot-dnsutils', 'ldnsutils']);
  hosts = [internet.spareHost(), internet.spareHost()];
  for (const zone of ['platform', 'platform-acme']) await internet.register(zone, hosts);
  servers = [await start(hosts[0]), await start(hosts[1])];
  for (const value of ['one', 'two'])
    await servers[0].store.addDnsChallenge({ label: LABEL, value, expiresAt: Date.now() + 3_600_000 });
}, START_LIMIT_MS);
afterAll(async () => {
  await Promise.all((servers ?? []).map((server) => server.stop()));
  await internet?.close();
  directory.remove();
});

/** The records' data as a client prints them in short, sorted. */
async function ask(program: 'dig' | 'kdig', server: string, ...words: string[]): Promise<string[]> {
  const given = [`@${server}`, '-p', String(internet.port), '+short', '+time=5', ...words];
  const { stdout } = await execute(clients.path(program), given, { env: { ...process.env, ...clients.env } });
  return stdout.trim().split('\n').filter(Boolean).sort();
}

const resolved = (name: string, type: string) => ask('dig', internet.resolver.address, name, type);

describe.each(['dig', 'kdig'] as const)('%s', (program) => {
  test.each([
    [`${LABEL}.${CHALLENGES}`, 'TXT', ['"one"', '"two"']],
    [`${LABEL}.${TARGETS}`, 'TXT', ['"one"', '"two"']],
    [`${LABEL}.${TARGETS}`, 'A', ['192.0.2.10']],
    [`${LABEL}.${TARGETS}`, 'AAAA', ['2001:db8::10']],
    [`${LABEL}.${TARGETS}`, 'CAA', ['0 issue "ca.test"']],
    [`${LABEL}.${TARGETS}`, 'HTTPS', [expect.stringMatching(/^1 \. alpn="?h2,http\/1\.1"?$/)]],
    [`other.${TARGETS}`, 'A', []],
    [
      CHALLENGES,
      'SOA',
      [expect.stringMatching(/^ns\d+\.provider\.test\. hostmaster\.platform-acme\.test\. 1 86400 7200 3600000 5$/)],
    ],
  ])('reads %s %s as it is, over UDP and TCP, with and without EDNS', async (name, type, expected) => {
    for (const { address } of hosts)
      for (const words of [[], ['+tcp'], ['+noedns'], ['+cookie'], ['+dnssec']])
        await vi.waitFor(async () => expect(await ask(program, address, ...words, name, type)).toEqual(expected), 5000);
  });
});

test('drill, another library, reads header and sections alike', async () => {
  const words = ['-p', String(internet.port), `@${hosts[0].address}`, `nothing.${TARGETS}`, 'A'];
  const { stdout } = await execute(clients.path('drill'), words, { env: { ...process.env, ...clients.env } });
  expect(stdout).toMatch(/rcode: NXDOMAIN/);
  expect(stdout).toMatch(/flags: qr aa rd ;/);
  expect(stdout).toMatch(/platform\.test\.\s+5\s+IN\s+SOA/);
});

test('a validating resolver finds challenges by the CNAME of a challenge, and by a wildcard CNAME alone', async () => {
  const zone = await internet.register('customer');
  await zone.publish(
    [`*.shop CNAME ${LABEL}.${TARGETS}.`, `_acme-challenge.other CNAME ${LABEL}.${CHALLENGES}.`].join('\n'),
    undefined,
    { signed: true },
  );
  await zone.secure();
  const found = [`"one"`, `"two"`];
  expect(await resolved('_acme-challenge.shop.customer.test', 'TXT')).toEqual(
    [...found, `${LABEL}.${TARGETS}.`].sort(),
  );
  expect(await resolved('_acme-challenge.other.customer.test', 'TXT')).toEqual(
    [...found, `${LABEL}.${CHALLENGES}.`].sort(),
  );
  expect(await resolved('any.shop.customer.test', 'A')).toEqual(['192.0.2.10', `${LABEL}.${TARGETS}.`]);
});

describe('doctor', () => {
  const examine = (about: object = {}) =>
    examineOwnZones({
      challengeZone: CHALLENGES,
      cnameZone: TARGETS,
      dnsServers: hosts.map(({ host, address }) => ({ name: host, addresses: [address] })),
      isOrdering: true,
      resolvers: [{ address: internet.resolver.address, port: internet.port }],
      allowedNetworks: ['127.0.0.0/8'],
      port: internet.port,
      clock: systemClock,
      ...about,
    });

  test('finds nothing wrong where the parent delegates to servers that answer', async () => {
    const results = await examine();
    expect(results.map(({ level, found }) => `${level} ${found}`)).toEqual([
      expect.stringMatching(/^ok platform-acme\.test is delegated to /),
      expect.stringMatching(/^ok platform\.test is delegated to /),
      ...hosts.map(() => expect.stringMatching(/^ok ns.* answers for .* over UDP and TCP$/)),
      `ok orders use ${CHALLENGES} for each name whose _acme-challenge record leads there`,
    ]);
  });

  test('says where orders do not use the zones', async () => {
    const last = async (about: object) => (await examine(about)).map(({ level, found }) => `${level} ${found}`).at(-1);
    const unused = `nothing is ordered over ${CHALLENGES} or ${TARGETS}`;
    expect(await last({ isOrdering: false })).toBe(`ok ${unused}: the internal CA asks no challenges`);
    expect(await last({ dnsServers: [] })).toBe(`warn ${unused}: NAMEPLATE_DNS_SERVERS is not set`);
    expect(await last({ challengeZone: undefined, cnameZone: null })).toBeUndefined();
  });

  test('says which server does not answer, which is not delegated to, and which zone is not', async () => {
    const silent = internet.spareHost();
    const dnsServers = [hosts[0], silent].map(({ host, address }) => ({ name: host, addresses: [address] }));
    const results = await examine({ dnsServers, challengeZone: `acme.provider.test` });
    expect(results.map(({ level, found }) => `${level} ${found}`)).toEqual([
      'fail acme.provider.test is not delegated: it is a part of the zone provider.test',
      expect.stringMatching(/^fail platform\.test is delegated to .*, and NAMEPLATE_DNS_SERVERS differs$/),
      expect.stringMatching(/^fail ns.* does not answer for acme\.provider\.test over UDP \(refused\)$/),
      expect.stringMatching(/^fail ns.* does not answer for acme\.provider\.test over UDP/),
      expect.stringMatching(/^ok orders use acme\.provider\.test /),
    ]);
  });
});

test('of two nodes one goes silent: names go on resolving, and within 30 s lead to the other alone', async () => {
  const NODES = 'platform-nodes.test';
  const own: [Host, Host] = [internet.spareHost(), internet.spareHost()];
  await internet.register('platform-nodes', own);
  const nodes = own.map(({ address }, i) =>
    startCommand('./bin/nameplate', ['serve'], {
      env: {
        NAMEPLATE_DATABASE_URL: `sqlite:${join(directory.path, 'nodes.db')}`,
        NAMEPLATE_ROLES: 'edge,dns',
        NAMEPLATE_CNAME_ZONE: NODES,
        NAMEPLATE_CNAME_ZONE_DELEGATED: 'on',
        NAMEPLATE_DNS_SERVERS: own.map(({ host }) => host).join(),
        NAMEPLATE_DNS_LISTEN: `${address}:${internet.port}`,
        NAMEPLATE_DNS_RESOLVERS: '127.0.0.1',
        NAMEPLATE_EDGE_ADDRESSES: `192.0.2.2${i}`,
        NAMEPLATE_EDGE_HTTP_LISTEN: '127.0.0.1:0',
        NAMEPLATE_EDGE_HTTPS_LISTEN: 'off',
        NAMEPLATE_EDGE_CACHE: 'off',
        NAMEPLATE_METRICS_LISTEN: 'off',
      },
    }),
  );
  onTestFinished(() => {
    for (const { child } of nodes) child.kill('SIGKILL');
  });
  await Promise.all(nodes.map((node) => node.says(/"msg":"ready"/)));
  // Each look-up is of a name that the resolver does not know yet.
  let asked = 0;
  const fresh = () => resolved(`a${String(asked++).padStart(19, '0')}.${NODES}`, 'A');
  const KEPT = `b${'0'.repeat(19)}.${NODES}`;
  await vi.waitFor(async () => expect(await fresh()).toEqual(['192.0.2.20', '192.0.2.21']), 10_000);
  await resolved(KEPT, 'A');

  nodes[0]?.child.kill('SIGSTOP');
  const silentAt = performance.now();
  let isAlone = false;
  while (!isAlone) {
    const addresses = await fresh();
    expect(addresses).toContain('192.0.2.21');
    expect(performance.now() - silentAt).toBeLessThan(30_000);
    isAlone = addresses.length === 1 && (await resolved(KEPT, 'A')).length === 1;
  }
});
