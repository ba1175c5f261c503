import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLog } from '../../server/src/base/log.ts';
import { createAcmeClient } from '../../server/src/certificates/acme/acme-client.ts';
import { caTransport } from '../../server/src/certificates/acme/ca-transport.ts';
import { topIssuerOf } from '../../server/src/certificates/x509/certificate-chain.ts';
import { readPrivateKey } from '../../server/src/certificates/x509/private-key.ts';
import { START_LIMIT_MS } from '../support/debian.ts';
import { type Pebble, startPebble } from '../support/pebble.ts';
import { createIssuing, type Issuing, type Task } from './issuing.ts';
import { type Site, startSite } from './site.ts';

/** The client against a real CA over HTTPS, which validates the names over real DNS and HTTP. */

let world: Issuing;
let site: Site;
let usual: Pebble;
let quick: Pebble;
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  world = await createIssuing({ now: Date.now() });
  site = await startSite();
  const at = { dns: site.dns, httpPort: site.port };
  usual = await startPebble(at);
  // Every fifth nonce is rejected, and no authorization is reused.
  const env = { PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: '20', PEBBLE_AUTHZREUSE: '0' };
  quick = await startPebble({ ...at, env });
  closing.push(usual.close, quick.close, site.close, world.close);
}, START_LIMIT_MS);
afterAll(async () => {
  for (const close of closing) await close();
});

/** A name that points here, and the server of its challenge responses. */
function task(about: Partial<Task> = {}): Task {
  const made = world.task({
    present: async ({ token, keyAuthorization }) => site.present(made.hostname, token, keyAuthorization),
    ...about,
  });
  site.add(made.hostname);
  return made;
}

const issuer = (pebble: Pebble, about = {}) =>
  world.issuer(pebble, { trustRoots: pebble.trustRoots, pollMs: 50, pollBudgetMs: 60_000, ...about });

describe('pebble', () => {
  test('issues with the default settings: rejected nonces, slow validation', async () => {
    const node = issuer(usual);
    const tasks = Array.from({ length: 10 }, () => task());
    const chains = await Promise.all(tasks.map((one) => node.issue(one)));
    for (const [index, { chain }] of chains.entries()) {
      const { hostname, privateKey } = tasks[index] ?? task();
      await expectServed({ hostname, privateKey, chain }, usual.issuingRoots);
    }
  });

  test('binds external accounts', async () => {
    const hmacKey = Buffer.alloc(32, 1).toString('base64url');
    const at = { dns: site.dns, httpPort: site.port, env: { PEBBLE_VA_NOSLEEP: '1' } };
    const bound = await startPebble({ ...at, externalAccounts: { ours: hmacKey } });
    const externalAccount = { kid: 'ours', hmacKey };
    const { chain } = await issuer(bound, { externalAccount }).issue(task());
    expect(chain).toContain('BEGIN CERTIFICATE');
    await bound.close();
  });

  test('gives the chain that leads to the wanted root, and its default where it has none to that', async () => {
    const at = { dns: site.dns, httpPort: site.port };
    const env = { PEBBLE_VA_NOSLEEP: '1', PEBBLE_ALTERNATE_ROOTS: '2', PEBBLE_CHAIN_LENGTH: '2' };
    const rich = await startPebble({ ...at, env });
    const wanted = topIssuerOf(await rich.rootAt(2));
    const chosen = await issuer(rich, { chain: wanted }).issue(task());
    expect(topIssuerOf(chosen.chain)).toBe(wanted);
    expect(chosen.chain.match(/BEGIN/g)).toHaveLength(3);
    const usualRoot = topIssuerOf(rich.issuingRoots);
    expect(usualRoot).not.toBe(wanted);
    for (const chain of [null, usualRoot, 'No Such Root'])
      expect(topIssuerOf((await issuer(rich, { chain }).issue(task())).chain)).toBe(usualRoot);
    expect(world.logged.join('')).toMatch(/No Such Root.*its default is used/);
    await rich.close();
  });

  test('is authenticated by the root of its HTTPS', async () => {
    await expect(issuer(quick, { trustRoots: null }).issue(task())).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.stringMatching(/failed: \w*(CERT|SIGNATURE)\w*/),
    });
  });

  test('reports a missing challenge response', async () => {
    await expect(issuer(quick).issue(task({ present: async () => {} }))).rejects.toMatchObject({
      kind: 'authorization_failed',
      message: expect.stringContaining('404'),
    });
    const nowhere = world.task();
    await expect(issuer(quick).issue(nowhere)).rejects.toMatchObject({ kind: 'authorization_failed' });
    await expect(issuer(quick).issue(nowhere)).rejects.toMatchObject({ kind: 'authorization_failed' });
  });

  test('does not issue for an invalid name', async () => {
    await expect(issuer(quick).issue(world.task({ hostname: 'a_b.example.com' }))).rejects.toMatchObject({
      kind: 'refused',
    });
  });

  test('suggests no renewals', async () => {
    const { chain } = await issuer(quick).issue(task());
    expect(await issuer(quick).renewalInfo(chain)).toBe(null);
    expect(await issuer(quick).renewalId(chain)).toBe(null);
    expect(await issuer(quick).caaNames()).toEqual([]);
  });

  test('gets a new account when it deactivated the old one, or never had it; the orders are gone', async () => {
    const { url, privateKey } = await account();
    const client = createAcmeClient({
      directoryUrl: quick.directoryUrl,
      transport: caTransport({ trustRoots: quick.trustRoots, timeoutMs: 5_000 }),
      clock: world.clock,
      log: createLog('silent'),
    });
    const order = task();
    await issuer(quick).issue(order);
    await client.post({ key: readPrivateKey(privateKey), accountUrl: url }, url, { status: 'deactivated' });
    await expect(issuer(quick).issue(task())).rejects.toMatchObject({ kind: 'account' });
    world.clock.pass(24 * 3_600_000);
    await issuer(quick).issue(task());
    expect((await account()).url).not.toBe(url);
    await expect(issuer(quick).issue(order)).rejects.toMatchObject({ kind: 'order_gone' });

    const unknown = url.replace(/[^/]+$/, 'nobody');
    await world.store.updateCaAccount(quick.directoryUrl, { url: unknown });
    await expect(issuer(quick).issue(task())).rejects.toMatchObject({ kind: 'account' });
    world.clock.pass(24 * 3_600_000);
    await issuer(quick).issue(task());
    expect((await account()).url).not.toBe(unknown);
  });

  async function account() {
    await issuer(quick).issue(task());
    const kept = await world.store.findCaAccount(quick.directoryUrl);
    if (kept?.url == null) throw new Error('there is no account');
    return { url: kept.url, privateKey: kept.privateKey };
  }
});

/** Connects with a client that trusts this CA only. */
async function expectServed(
  { hostname, privateKey, chain }: { hostname: string; privateKey: Uint8Array; chain: string },
  ca: string,
): Promise<void> {
  const key = readPrivateKey(privateKey).export({ type: 'pkcs8', format: 'pem' });
  const server = createServer({ key, cert: chain });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const client = connect({ port, host: '127.0.0.1', servername: hostname, ca });
  await once(client, 'secureConnect');
  expect(client.authorized).toBe(true);
  client.destroy();
  server.close();
}
