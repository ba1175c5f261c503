import { writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:https';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import packet from 'dns-packet';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Playground, startPlayground } from '../../playground/playground.ts';
import { createLog } from '../../server/src/base/log.ts';
import { readPlaygroundConfig, readServerConfig } from '../../server/src/config/config.ts';
import { run, runJson, temporaryDirectory } from '../support/command.ts';
import { findPrograms, START_LIMIT_MS } from '../support/debian.ts';
import { sendUdp } from '../support/dns-query.ts';
import { freePort } from '../support/free-port.ts';
import { issueChain, keyPem } from '../support/issue-chain.ts';
import { type Pebble, startPebble } from '../support/pebble.ts';
import { startService } from '../support/service.ts';

const NAME = 'shop.customer.test';
const OLD = '127.0.0.2';
const CHALLENGES = 'acme.nameplate.test';
/** 50 requests a second. */
const EVERY_MS = 20;

const OUR_DNS = '127.0.0.3';
const closing: (() => unknown)[] = [];

const directory = temporaryDirectory();
const data = ['--data', directory.path];
const chain = issueChain(NAME);
const old = createServer({ key: keyPem(chain.key), cert: chain.leaf + chain.intermediate }, (_, response) =>
  response.end('the old server'),
);
let playground: Playground;
let pebble: Pebble;

/** Pebble, which asks Unbound, and it asks the simulator for all but the challenge zone, which our DNS server has. */
async function startAcme(dnsPort: number) {
  const resolver = { address: '127.0.0.1', port: await freePort() };
  const stub = (zone: string, address: string) =>
    `stub-zone:\n  name: "${zone}"\n  stub-addr: ${address}@${dnsPort}\n  stub-no-cache: yes\n`;
  const file = join(directory.path, 'unbound.conf');
  await writeFile(
    file,
    `server:\n  interface: 127.0.0.1@${resolver.port}\n  username: ""\n  chroot: ""\n  directory: ""\n  pidfile: ""\n  use-syslog: no\n` +
      `  do-not-query-localhost: no\n  local-zone: "test." nodefault\n  module-config: "iterator"\n  do-ip6: no\n  verbosity: 1\n` +
      ['customer.test', 'provider.test', 'nameplate.test', 'simulator.test']
        .map((zone) => stub(zone, '127.0.0.1'))
        .join('') +
      stub(CHALLENGES, OUR_DNS),
  );
  const programs = await findPrograms('dns', ['knot', 'unbound']);
  const command = { env: programs.env, ready: /start of service/ };
  const unbound = await startService(programs.path('unbound'), ['-d', '-c', file], command);
  closing.push(unbound.close);
  pebble = await startPebble({ dns: resolver, httpPort: 1, env: { PEBBLE_VA_NOSLEEP: '1', PEBBLE_AUTHZREUSE: '0' } });
  closing.push(pebble.close);
  const ca = join(directory.path, 'acme.pem');
  await writeFile(ca, pebble.trustRoots);
  const { issuer, acmeDirectory, acmeCaFile, challengeZone, dnsServers, dnsListen, dnsResolvers, dnsMode, roles } =
    readServerConfig({
      NAMEPLATE_ROLES: 'api,verifier,certificates,edge,dns',
      NAMEPLATE_DNS_RESOLVERS: `${resolver.address}:${resolver.port}`,
      NAMEPLATE_CNAME_ZONE: 'cname.nameplate.test',
      NAMEPLATE_CHALLENGE_ZONE: CHALLENGES,
      NAMEPLATE_DNS_SERVERS: `ns1.${CHALLENGES}=${OUR_DNS}`,
      NAMEPLATE_DNS_LISTEN: `${OUR_DNS}:${dnsPort}`,
      // The simulator has all zones, and would follow the challenge record itself.
      NAMEPLATE_DNS_MODE: 'recursive',
      NAMEPLATE_ISSUER: 'acme',
      NAMEPLATE_ACME_DIRECTORY: pebble.directoryUrl,
      NAMEPLATE_ACME_CA_FILE: ca,
    });
  return { issuer, acmeDirectory, acmeCaFile, challengeZone, dnsServers, dnsListen, dnsResolvers, dnsMode, roles };
}

beforeAll(async () => {
  const dnsPort = await freePort();
  const config = { ...readPlaygroundConfig({}), ...(await startAcme(dnsPort)) };
  const ports = { port: 0, dnsPort, edgeHttpPort: 0, edgeHttpsPort: 0 };
  playground = await startPlayground({
    ...{ dataDir: directory.path, config, ...ports, log: createLog('silent'), checkIntervalMs: 500 },
  });
  await new Promise<void>((resolve) => old.listen(portOf(playground), OLD, resolve));
}, START_LIMIT_MS);
afterAll(async () => {
  await playground.stop();
  old.close();
  for (const close of closing.reverse()) await close();
  directory.remove();
});

interface Site {
  domain: { status: string; dnsRecords: { type: string; name: string; value: string }[] };
  challengeRecord: { type: string; name: string; value: string; verified: boolean };
  certificate: { state: string };
  readyToSwitch?: true;
}

function portOf({ ready }: Playground): number {
  return Number(ready.edge.https.split(':')[1]);
}

const getSite = async (): Promise<Site> => {
  const headers = { authorization: `Bearer ${playground.ready.rootKey}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ domain: NAME });
  const response = await fetch(`${playground.ready.api}/v2/domains.getSite`, { method: 'POST', headers, body });
  return ((await response.json()) as { data: Site }).data;
};
interface Certificate {
  state: string;
  challenge?: string;
  issued?: { issuer: string; serialNumber: string };
}
const readCertificate = () => runJson<Certificate>(['domains', 'certificate', NAME, ...data]);
const serialOf = async () => (await readCertificate()).issued?.serialNumber;
const set = async (name: string, type: string, ...values: string[]) => {
  expect((await run(['dns', 'set', name, type, ...values, ...data])).stderr).toBe('');
};

/** One visit as a browser makes it: the name is resolved, and the certificate has to be right for it. */
async function visit(): Promise<string> {
  const query = packet.encode({
    ...{ type: 'query', id: 4711, flags: packet.RECURSION_DESIRED, questions: [{ name: NAME, type: 'A' }] },
  });
  const { answers = [] } = packet.decode(await sendUdp(playground.ready.dns, query));
  const address = answers.flatMap((answer) => (answer.type === 'A' ? [answer.data] : []))[0];
  const ca = [chain.root, pebble.issuingRoots];
  const options = {
    host: address,
    port: portOf(playground),
    servername: NAME,
    headers: { host: NAME },
    ca,
    agent: false,
  };
  if (address === undefined) throw new Error(`no address: ${JSON.stringify(answers)}`);
  return new Promise((resolve, reject) => {
    request(options, (response) => {
      response.resume().once('end', () => resolve(`${response.statusCode} from ${address}`));
    })
      .once('error', reject)
      .end();
  });
}

/** Visits at a fixed rate, whatever becomes of those before; resolves with how often each result came. */
function startVisitors() {
  const results = new Map<string, number>();
  const inFlight = new Set<Promise<void>>();
  const count = (result: string) => {
    results.set(result, (results.get(result) ?? 0) + 1);
  };
  const timer = setInterval(() => {
    const one = visit()
      .then(count, (error: Error) => count(error.message))
      .finally(() => inFlight.delete(one));
    inFlight.add(one);
  }, EVERY_MS);
  return {
    results,
    async stop() {
      clearInterval(timer);
      await Promise.all(inFlight);
      return results;
    },
  };
}

test('a site moves here without one failed visit: a certificate of a CA by DNS-01 first, then the record, and a renewal afterwards', {
  timeout: 240_000,
}, async () => {
  await set(NAME, 'CNAME', 'old.provider.test');
  await set('old.provider.test', 'A', OLD);
  await run(['domains', 'create', NAME, ...data]);
  const before = await getSite();
  const [routing, ownership] = before.domain.dnsRecords;
  if (routing === undefined || ownership === undefined) throw new Error('a domain has two records');
  expect(before.challengeRecord).toMatchObject({ name: `_acme-challenge.${NAME}`, verified: false });
  expect(before.challengeRecord.value).toBe(`${routing.value.split('.')[0]}.${CHALLENGES}`);

  await set(ownership.name, 'TXT', ownership.value);
  await set(before.challengeRecord.name, 'CNAME', before.challengeRecord.value);
  await expect.poll(async () => (await getSite()).readyToSwitch, { timeout: 60_000 }).toBe(true);
  expect(await getSite()).toMatchObject({
    ...{ domain: { status: 'verifying' }, certificate: { state: 'issued' }, challengeRecord: { verified: true } },
  });
  const { issued, ...first } = await readCertificate();
  expect([first.challenge, issued?.issuer]).toEqual(['dns-01', pebble.directoryUrl]);
  const serial = issued?.serialNumber;

  const visitors = startVisitors();
  const [here, there] = ['200 from 127.0.0.1', `200 from ${OLD}`];
  const reached = async (result: string, visits: number) => {
    while ((visitors.results.get(result) ?? 0) < visits) await pause(EVERY_MS);
  };
  await reached(there, 100);
  await set(NAME, 'CNAME', routing.value);
  await reached(here, 1);
  await expect.poll(async () => (await getSite()).domain.status, { timeout: 30_000 }).toBe('verified');
  await reached(here, 200);
  expect(await serialOf()).toBe(serial);
  await playground.store.renewCertificate(NAME, Date.now());
  await expect.poll(serialOf, { timeout: 30_000 }).not.toBe(serial);
  await reached(here, 250 + (visitors.results.get(here) ?? 0));
  expect(await readCertificate()).toMatchObject({ state: 'issued', challenge: 'dns-01' });
  const results = await visitors.stop();
  expect([...results.keys()].toSorted()).toEqual([here, there]);

  expect(await getSite()).not.toHaveProperty('readyToSwitch');
  const events = await runJson<{ type: string }[]>(['domains', 'events', NAME, ...data]);
  const types = events.map(({ type }) => type).filter((type) => /issued|ready|verified|renewed/.test(type));
  expect(types).toEqual(['certificate.issued', 'site.ready_to_switch', 'domain.verified', 'certificate.renewed']);
});
