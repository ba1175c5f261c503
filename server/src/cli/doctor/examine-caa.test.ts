import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../../../playground/dns/simulator.ts';
import { recursiveResolver } from '../../dns/recursive.ts';
import { type DnsClient, dnsClient } from '../../dns/transport/dns-client.ts';
import { examineCaa } from './examine-caa.ts';

const cnameZone = 'cname.example.net';
const ONE = [['letsencrypt.org']];
const TWO = [['letsencrypt.org'], ['pki.goog', 'google.com']];

let server: Simulator;
let client: DnsClient;
beforeAll(async () => {
  server = await startSimulator({ port: 0 });
  client = dnsClient();
});
beforeEach(() => server.restore({ records: [], zones: [], faults: [] }));
afterAll(async () => {
  client.close();
  await server.close();
});

/** The results, in one line each; advice after an arrow. `issuers`: of our own DNS servers. */
async function examine(cas: string[][], issuers: string[] | null = null) {
  const dns = recursiveResolver({ client, resolvers: [{ address: server.address, port: server.port }] });
  const results = await examineCaa({ cnameZone, cas, issuers, dns });
  return results.map(({ level, found, advice }) => `${level}: ${found}${advice === undefined ? '' : ` → ${advice}`}`);
}

const publish = (...records: string[]) => server.set(`*.${cnameZone}`, 'CAA', records);
const NONE = 'No name with a CNAME to its target gets a certificate from there.';

test('without a record doctor says so, and that customers decide: that is no fault', async () => {
  server.set(`*.${cnameZone}`, 'A', ['192.0.2.1']);
  expect(await examine(ONE)).toEqual([
    "ok: no record at *.cname.example.net, so those of a customer's zone decide: docs/guides/dns.md says what one does",
  ]);
});

test('a record that names every configured CA is right, and shown', async () => {
  publish('0 issue "letsencrypt.org"', '0 issue "google.com"');
  expect(await examine(TWO)).toEqual([
    'ok: *.cname.example.net lets letsencrypt.org, pki.goog and google.com issue (issue "google.com" and issue "letsencrypt.org")',
  ]);
});

test('a record that names another CA alone fails: no certificate can be issued for any name', async () => {
  publish('0 issue "other.example"');
  expect(await examine(ONE)).toEqual([
    `fail: *.cname.example.net forbids letsencrypt.org (issue "other.example") → Publish *.cname.example.net CAA 0 issue "letsencrypt.org" beside them. ${NONE}`,
  ]);
});

test('a record that leaves out one of two CAs is a warning', async () => {
  publish('0 issue "letsencrypt.org"');
  expect(await examine(TWO)).toEqual([
    `warn: *.cname.example.net forbids pki.goog (issue "letsencrypt.org") → Publish *.cname.example.net CAA 0 issue "pki.goog" beside them. ${NONE}`,
  ]);
});

test('a record for an account is not judged: which one is ours is known where certificates are ordered', async () => {
  publish('0 issue "letsencrypt.org; accounturi=https://ca.example/acct/1"');
  expect((await examine(ONE))[0]).toMatch(/^ok: /);
});

test('records that cannot be read are a warning', async () => {
  server.fail(`doctor.${cnameZone}`, 'servfail');
  expect((await examine(ONE))[0]).toMatch(/^warn: those of \*\.cname\.example\.net could not be read \(servfail\)/);
});

test('where our DNS servers have the zone, NAMEPLATE_CAA_ISSUERS counts, and nothing is said without it', async () => {
  expect(await examine(TWO, [])).toEqual([]);
  expect((await examine(TWO, ['letsencrypt.org', 'pki.goog']))[0]).toMatch(/^ok: NAMEPLATE_CAA_ISSUERS lets /);
  expect(await examine(TWO, ['pki.goog'])).toEqual([
    `warn: NAMEPLATE_CAA_ISSUERS forbids letsencrypt.org (issue "pki.goog") → Add letsencrypt.org to it. ${NONE}`,
  ]);
});

test('a CA whose name in CAA records is not known is not judged', async () => {
  expect(await examine([])).toEqual([]);
});
