import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../server/src/base/clock.ts';
import { createLog } from '../../server/src/base/log.ts';
import { acmeIssuer } from '../../server/src/certificates/acme/acme.ts';
import { lifetimeWindow } from '../../server/src/certificates/policy/renewal.ts';
import { newPrivateKey } from '../../server/src/certificates/x509/private-key.ts';
import { type Database, databaseAt, keyringFor } from '../../server/src/store/database.ts';
import type { Store } from '../../server/src/store/store.ts';
import { type Site, startSite } from '../certificates/site.ts';
import { servedCertificate, verify } from '../support/certificates.ts';
import { run, runJson, temporaryDirectory } from '../support/command.ts';
import { START_LIMIT_MS } from '../support/debian.ts';
import { type Planted, plant } from '../support/entities.ts';
import { type Pebble, startPebble } from '../support/pebble.ts';

// `certificates revoke` against a real CA.

const directory = temporaryDirectory();
const data = ['--data', directory.path];
const env = { NAMEPLATE_ACME_CA_FILE: `${directory.path}/roots.pem` };
let store: Store;
let site: Site;
let pebble: Pebble;
let there: Planted;

beforeAll(async () => {
  const database: Database = await databaseAt({ engine: 'sqlite', path: `${directory.path}/nameplate.db` });
  store = await database.open({ keyring: keyringFor(database) });
  there = await plant(store);
  site = await startSite();
  pebble = await startPebble({ dns: site.dns, httpPort: site.port, env: { PEBBLE_VA_NOSLEEP: '1' } });
  writeFileSync(env.NAMEPLATE_ACME_CA_FILE, pebble.trustRoots);
}, START_LIMIT_MS);
afterAll(async () => {
  await pebble.close();
  await site.close();
  await store.close();
  directory.remove();
});

/** A verified name with a certificate in use; its serial number. */
async function certified(hostname: string, issuer = pebble.directoryUrl): Promise<string> {
  await verify(store, there.environment, { name: hostname });
  site.add(hostname);
  const privateKey = newPrivateKey();
  const about = { email: null, externalAccount: null, trustRoots: pebble.trustRoots, clock: systemClock };
  const ca = acmeIssuer({ ...about, directoryUrl: pebble.directoryUrl, store, log: createLog('silent'), pollMs: 50 });
  const { chain } = await ca.issue({
    hostname,
    privateKey,
    orderUrl: null,
    replaces: null,
    challenge: 'http-01',
    signal: new AbortController().signal,
    onOrder: async () => {},
    present: async ({ token, keyAuthorization }) => site.present(hostname, token, keyAuthorization),
    ensureLease: async () => {},
  });
  const { validFromDate, validToDate, serialNumber } = new X509Certificate(chain);
  const validity = { notBefore: validFromDate.getTime(), notAfter: validToDate.getTime() };
  const issuedAt = Date.now();
  const renewal = lifetimeWindow(validity, issuedAt, 0, true);
  await store.importCertificate(hostname, { issuer, chain, ...validity, issuedAt, renewal, privateKey }, issuedAt);
  return serialNumber.toLowerCase();
}

const revoke = (name: string, ...flags: string[]) => run(['certificates', 'revoke', name, ...flags, ...data], { env });

test('a certificate is revoked at its CA only after a yes; it is served until another one is there, which is due at once', async () => {
  const name = 'shop.example.com';
  const serial = await certified(name);
  const asked = await revoke(name);
  expect(asked).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/for good\. It is served until.*\n.*--yes/),
  });
  expect(await pebble.statusOf(serial)).toMatchObject({ Status: 'Valid' });

  const before = await servedCertificate(store, name);
  const done = await revoke(name, '--reason', 'superseded', '--yes');
  expect(done).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringContaining(`Revoked the certificate of ${name}`),
  });
  expect(await pebble.statusOf(serial)).toMatchObject({ Status: 'Revoked', Reason: 4 });
  expect(await servedCertificate(store, name)).toEqual(before);
  const found = await store.findCertificate(name);
  expect(found?.nextTryAt).toBeLessThanOrEqual(Date.now());
  expect(found?.issued?.renewal.renewAt).toBeLessThanOrEqual(Date.now());
  expect(await revoke(name, '--yes')).toMatchObject({ code: 0 });
  const { entries } = await runJson<{ entries: object[] }>(['audit', '--target', name, ...data]);
  expect(entries).toMatchObject([
    { action: 'certificates revoke', detail: {} },
    { action: 'certificates revoke', detail: { reason: 'superseded' } },
  ]);
});

test('a certificate whose key is compromised is not served from then on, and the key is deleted', async () => {
  const name = 'leaked.example.com';
  const serial = await certified(name);
  const { code, stdout } = await revoke(name, '--reason', 'keyCompromise', '--yes');
  expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('not served any more') });
  expect(await pebble.statusOf(serial)).toMatchObject({ Status: 'Revoked', Reason: 1 });
  expect(await servedCertificate(store, name)).toBeNull();
  expect(await store.findCertificate(name)).toMatchObject({ state: 'wanted', issued: null });
  expect(await revoke(name, '--yes')).toMatchObject({ code: 1, stderr: expect.stringContaining('none to revoke') });
});

test('a certificate that no CA can revoke for us is an error that says so, and nothing is changed', async () => {
  await certified('internal.example.com', 'internal');
  await certified('imported.example.com', 'imported');
  const said = async (name: string, ...flags: string[]) => (await revoke(name, ...flags)).stderr;
  expect(await said('internal.example.com', '--yes')).toContain('of the internal CA, which has no revocation');
  expect(await said('imported.example.com', '--yes')).toContain('was imported: revoke it where it was issued');
  expect(await said('nobody.example.com', '--yes')).toContain('There is no certificate');
  expect(await said('internal.example.com', '--reason', 'whim')).toContain('Allowed choices');
  const found = await store.findCertificate('internal.example.com');
  expect(found?.issued?.renewal.renewAt).toBeGreaterThan(Date.now());
});
