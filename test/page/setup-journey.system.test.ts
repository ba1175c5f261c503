import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { get } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createClient, type NameplateClient } from '../../client/client.ts';
import { type Simulator, startSimulator } from '../../playground/dns/simulator.ts';
import { seed } from '../../playground/seed.ts';
import { systemClock } from '../../server/src/base/clock.ts';
import { idMaker } from '../../server/src/base/ids.ts';
import { createLog } from '../../server/src/base/log.ts';
import { readServerConfig } from '../../server/src/config/config.ts';
import { type RunningServer, startServer } from '../../server/src/main.ts';
import { startBrowser } from '../support/browser.ts';
import { temporaryDirectory } from '../support/command.ts';
import { START_LIMIT_MS } from '../support/debian.ts';
import { ENCRYPTION_KEY } from '../support/encryption-key.ts';
import { freePort } from '../support/free-port.ts';
import { type Pebble, startPebble } from '../support/pebble.ts';

// A customer, in Chromium, at the whole server: its files, its sessions, real DNS, a real ACME server, and the name
// over HTTPS.

const NAME = 'shop.acme.com';
const GREETING = 'hello from the origin';
const PLACE = { project: 'demo', app: 'web', environment: 'production' };

const directory = temporaryDirectory();
const origin = createServer((_, response) => response.end(GREETING));
let dns: Simulator;
let pebble: Pebble;
let server: RunningServer;
let client: NameplateClient;
let httpsPort: number;
let chromium: { browser: Browser; close(): Promise<void> };
let page: Page;
let complaints: string[];

beforeAll(async () => {
  dns = await startSimulator({ port: 0 });
  origin.listen(0, '127.0.0.1');
  await once(origin, 'listening');
  const httpPort = await freePort();
  httpsPort = await freePort();
  pebble = await startPebble({
    dns: { address: '127.0.0.1', port: dns.port },
    httpPort,
    env: { PEBBLE_VA_NOSLEEP: '1' },
  });
  const trusted = join(directory.path, 'ca.pem');
  writeFileSync(trusted, pebble.trustRoots);
  const config = readServerConfig({
    NAMEPLATE_LISTEN: '127.0.0.1:0',
    NAMEPLATE_METRICS_LISTEN: 'off',
    NAMEPLATE_LOG_LEVEL: 'error',
    NAMEPLATE_CNAME_ZONE: 'cname.platform.test',
    NAMEPLATE_DNS_RESOLVERS: `127.0.0.1:${dns.port}`,
    NAMEPLATE_DNS_ALLOWED_NETWORKS: '127.0.0.0/8',
    NAMEPLATE_DATABASE_URL: `sqlite:${directory.path}/nameplate.db`,
    NAMEPLATE_ENCRYPTION_KEY: ENCRYPTION_KEY,
    NAMEPLATE_ISSUER: 'acme',
    NAMEPLATE_ACME_DIRECTORY: pebble.directoryUrl,
    NAMEPLATE_ACME_CA_FILE: trusted,
    NAMEPLATE_ACME_ALLOWED_NETWORKS: '127.0.0.0/8',
    NAMEPLATE_EDGE_HTTP_LISTEN: `127.0.0.1:${httpPort}`,
    NAMEPLATE_EDGE_HTTPS_LISTEN: `127.0.0.1:${httpsPort}`,
    NAMEPLATE_EDGE_ALLOWED_NETWORKS: '127.0.0.0/8',
  });
  const log = createLog('silent');
  const timing = { checkIntervalMs: 1000, nameserverPort: dns.port, challengePort: httpPort };
  server = await startServer(config, { log, isPublicHere: true, ...timing });
  const deps = { store: server.store, clock: systemClock, newId: idMaker(systemClock), randomBytes };
  const { rootKey } = await seed(deps, undefined);
  client = createClient({ baseUrl: server.api ?? '', rootKey });
  const { port } = origin.address() as AddressInfo;
  await client.deployments.createDeployment({ ...PLACE, origin: `http://127.0.0.1:${port}` });
  await client.setup.setBrand({ brand: { name: 'Acme Shops', accent: '#0d7c66', support: 'mailto:help@acme.com' } });
  chromium = await startBrowser({ resolve: `MAP ${NAME}:443 127.0.0.1:${httpsPort}` });
}, START_LIMIT_MS);
afterAll(async () => {
  await chromium?.close();
  await server?.stop();
  await pebble?.close();
  await dns?.close();
  origin.close();
  directory.remove();
});

beforeEach(async () => {
  complaints = [];
  // The browser does not know pebble: whether the certificate is right is asked otherwise.
  page = await chromium.browser.newPage({ ignoreHTTPSErrors: true });
  page.setDefaultTimeout(30_000);
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted/i.test(message.text())) complaints.push(message.text());
  });
});
afterEach(async () => {
  await page.context().close();
  expect(complaints).toEqual([]);
});

const shows = (text: string | RegExp) => page.getByText(text).first().waitFor();

/** A domain with a set-up link. */
async function invite(name: string) {
  const { dnsRecords } = await client.domains.createDomain({ ...PLACE, domain: name });
  return { dnsRecords, ...(await client.domains.createSetupLink({ domain: name })) };
}

it('takes a customer from two records, over a mistake, to the name served over HTTPS, without a reload', async () => {
  const { dnsRecords, url } = await invite(NAME);
  const [cname, txt] = dnsRecords;
  dns.set('*.cname.platform.test', 'A', ['127.0.0.1']);
  await page.goto(url);
  await page.evaluate('globalThis.isSame = true');
  await shows('Add these two records to your DNS');
  await shows(cname?.value ?? '');
  await shows(txt?.value ?? '');
  await page.getByRole('link', { name: 'Contact Acme Shops' }).waitFor();

  dns.set(NAME, 'CNAME', ['old-shop.acme.com']);
  dns.set('old-shop.acme.com', 'A', ['127.0.0.9']);
  await shows('One thing needs to change');
  await shows(/Change the CNAME record/);

  dns.set(NAME, 'CNAME', [cname?.value ?? '']);
  await page.getByRole('button', { name: 'Check now' }).click();
  await shows('Your site is live');
  expect(await page.evaluate('globalThis.isSame')).toBe(true);

  const request = get({
    host: '127.0.0.1',
    port: httpsPort,
    servername: NAME,
    headers: { host: NAME },
    ca: pebble.issuingRoots,
  });
  const [response] = await once(request, 'response');
  expect(await text(response)).toBe(GREETING);
  const opened = page.context().waitForEvent('page');
  await page.getByRole('link', { name: `Open ${NAME}` }).click();
  expect(await (await opened).locator('body').textContent()).toBe(GREETING);
});

it('shows that an open link was revoked, and whom to ask', async () => {
  const { url, linkId } = await invite('revoked.acme.com');
  await page.goto(url);
  await shows('Add these two records to your DNS');
  await client.domains.revokeSetupLink({ linkId });
  await shows('This link was withdrawn');
  expect(await page.getByRole('link', { name: 'help@acme.com' }).getAttribute('href')).toBe('mailto:help@acme.com');
  await page.reload();
  await shows('This link was withdrawn');
});

it('ends when the domain is deleted', async () => {
  const { url } = await invite('deleted.acme.com');
  await page.goto(url);
  await shows('Add these two records to your DNS');
  await client.domains.deleteDomain({ domain: 'deleted.acme.com' });
  await shows('The domain was removed');
});

it('a link that is incomplete opens nothing', async () => {
  const { url } = await invite('half.acme.com');
  await page.goto(url.slice(0, -3));
  await shows('This link is incomplete');
});

it('it calls only its own server, puts the token into no address, and cannot be framed by another page', async () => {
  const { url } = await invite('framed.acme.com');
  const { headers } = await fetch(new URL('/setup', url));
  expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  const requests: string[] = [];
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(url);
  await shows('Add these two records to your DNS');
  const origins = requests.filter((each) => !each.startsWith('data:')).map((each) => new URL(each).origin);
  expect([...new Set(origins)]).toEqual([new URL(url).origin]);
  // Not even with the address of the page.
  expect(requests.filter((each) => each.includes('nps_'))).toEqual([]);
});
