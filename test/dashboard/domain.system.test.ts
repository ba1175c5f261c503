import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createClient, type NameplateClient } from '../../client/client.ts';
import { type Simulator, startSimulator } from '../../playground/dns/simulator.ts';
import { createSignInLink, seed } from '../../playground/seed.ts';
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
import { issueChain, keyPem } from '../support/issue-chain.ts';

// One name in the dashboard, in Chromium, at the whole server with real DNS and an edge.

const NAME = 'shop.acme.com';
const PLACE = { project: 'demo', app: 'web', environment: 'production' };
const ATTACKS = '<img src=x onerror="globalThis.isHacked=1"><script>globalThis.isHacked=1</script>\u202etxet';

const directory = temporaryDirectory();
const origin = createServer((_, response) => response.end('hello'));
let dns: Simulator;
let server: RunningServer;
let client: NameplateClient;
let signInLink: () => Promise<string>;
let chromium: { browser: Browser; close(): Promise<void> };
let page: Page;
let complaints: string[];
/** Lead of the server's clock, ms. */
let ahead = 0;

beforeAll(async () => {
  dns = await startSimulator({ port: 0 });
  origin.listen(0, '127.0.0.1');
  await once(origin, 'listening');
  const httpPort = await freePort();
  const config = readServerConfig({
    NAMEPLATE_LISTEN: '127.0.0.1:0',
    NAMEPLATE_METRICS_LISTEN: 'off',
    NAMEPLATE_LOG_LEVEL: 'error',
    NAMEPLATE_CNAME_ZONE: 'cname.platform.test',
    NAMEPLATE_DNS_RESOLVERS: `127.0.0.1:${dns.port}`,
    NAMEPLATE_DNS_ALLOWED_NETWORKS: '127.0.0.0/8',
    NAMEPLATE_DATABASE_URL: `sqlite:${directory.path}/nameplate.db`,
    NAMEPLATE_ENCRYPTION_KEY: ENCRYPTION_KEY,
    NAMEPLATE_ISSUER: 'internal',
    NAMEPLATE_EDGE_HTTP_LISTEN: `127.0.0.1:${httpPort}`,
    NAMEPLATE_EDGE_HTTPS_LISTEN: `127.0.0.1:${await freePort()}`,
    NAMEPLATE_EDGE_ALLOWED_NETWORKS: '127.0.0.0/8',
  });
  const timing = {
    clock: { ...systemClock, now: () => Date.now() + ahead },
    checkIntervalMs: 1000,
    nameserverPort: dns.port,
    challengePort: httpPort,
  };
  server = await startServer(config, { log: createLog('silent'), isPublicHere: true, ...timing });
  const { clock } = timing;
  const deps = { store: server.store, clock, newId: idMaker(clock), randomBytes };
  const { rootKey, workspaceId } = await seed(deps, undefined);
  signInLink = async () => `${server.api}/dashboard#${await createSignInLink(deps, workspaceId)}`;
  client = createClient({ baseUrl: server.api ?? '', rootKey });
  const { port } = origin.address() as AddressInfo;
  await client.deployments.createDeployment({ ...PLACE, origin: `http://127.0.0.1:${port}` });
  await client.environments.createEnvironment({ project: 'demo', app: 'web', slug: 'staging' });
  chromium = await startBrowser();
}, START_LIMIT_MS);
afterAll(async () => {
  await chromium?.close();
  await server?.stop();
  await dns?.close();
  origin.close();
  directory.remove();
});

beforeEach(async () => {
  complaints = [];
  page = await newPage();
});
afterEach(async () => {
  await page.context().close();
  expect(complaints).toEqual([]);
});

/** A page of a context of its own: no cookie of another one. */
async function newPage(): Promise<Page> {
  const opened = await chromium.browser.newPage({ viewport: { width: 1280, height: 900 } });
  opened.setDefaultTimeout(20_000);
  opened.on('pageerror', (error) => complaints.push(error.message));
  opened.on('console', (message) => {
    if (/Content Security Policy|Trusted/i.test(message.text())) complaints.push(message.text());
  });
  return opened;
}

const shows = (text: string | RegExp, on = page) => on.getByText(text).first().waitFor();
const press = (name: string | RegExp, on = page) => on.getByRole('button', { name, exact: true }).click();
const inDialog = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click();

async function signIn(): Promise<void> {
  await page.goto(await signInLink());
  await page.getByRole('navigation').waitFor();
}

async function open(domain: string): Promise<string> {
  const { domain: found } = await client.domains.getSite({ domain });
  await page.goto(`${server.api}/dashboard/domains/${found.id}`);
  await page.getByRole('heading', { level: 1, name: domain }).waitFor();
  return found.id;
}

async function add(domain: string) {
  return (await client.domains.createDomain({ ...PLACE, domain })).dnsRecords;
}

/** Publishes the records, and waits until the domain is verified and has a certificate. */
async function verified(domain: string): Promise<void> {
  const [routing, ownership] = await add(domain);
  dns.set('*.cname.platform.test', 'A', ['127.0.0.1']);
  dns.set(domain, 'CNAME', [routing?.value ?? '']);
  dns.set(ownership?.name ?? '', 'TXT', [ownership?.value ?? '']);
  await client.domains.verifyDomain({ domain });
  await client.domains.waitUntilVerified({ domain });
  await expect
    .poll(async () => (await client.domains.getSite({ domain })).certificate.state, { timeout: 20_000 })
    .toBe('issued');
}

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

async function violations(on = page): Promise<string[]> {
  if (!(await on.evaluate("'axe' in window"))) await on.evaluate(axe.source);
  const found = (await on.evaluate(`axe.run(${JSON.stringify({ runOnly: RULES })})`)) as axe.AxeResults;
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** Light, dark, and on a phone, where nothing may be cut off. */
async function expectAccessible(on = page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await on.emulateMedia({ colorScheme });
    expect(await violations(on)).toEqual([]);
  }
  await on.setViewportSize({ width: 360, height: 780 });
  expect(await violations(on)).toEqual([]);
  expect(await on.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0);
  await on.setViewportSize({ width: 1280, height: 900 });
  await on.emulateMedia({ colorScheme: 'light' });
}

it('shows one name from nothing, over a mistake character by character, to verified with a certificate', async () => {
  const [routing, ownership] = await add(NAME);
  dns.set('*.cname.platform.test', 'A', ['127.0.0.1']);
  await signIn();
  await open(NAME);
  await shows('Waiting for DNS records');
  await shows(routing?.value ?? '');
  await expectAccessible();

  const wrong = `${routing?.value.replace('.cname', 'x.cname')}`;
  dns.set(NAME, 'CNAME', [wrong]);
  dns.set('*.cname.platform.test', 'A', ['127.0.0.1']);
  await press('Look now');
  await page.locator('.difference del').first().waitFor();
  expect(await page.locator('.difference del').first().textContent()).toBe('x');
  await shows('another value');
  await expectAccessible();

  dns.set(NAME, 'CNAME', [routing?.value ?? '']);
  dns.set(ownership?.name ?? '', 'TXT', [ownership?.value ?? '']);
  await press('Check now');
  await shows('The check has begun.');
  await shows('Record seen: routing');
  await shows('Certificate issued');
  await page.getByRole('heading', { name: 'In the store' }).waitFor();
  await expectAccessible();
});

it('redirects, moves, suspends and resumes, and shows the call of each', async () => {
  await verified('www.acme.com');
  const other = 'to.acme.com';
  await verified(other);
  await signIn();
  await open('www.acme.com');

  await press('Redirect…');
  await page.getByRole('textbox', { name: 'Redirect to' }).fill('nobody.acme.com');
  await page.getByText('As a call').last().click();
  await shows('nameplate domains redirect www.acme.com --to nobody.acme.com --status 308');
  await expectAccessible();
  await inDialog('Set the redirect');
  await page.getByRole('dialog').getByRole('alert').waitFor();
  expect(await page.getByRole('textbox', { name: 'Redirect to' }).inputValue()).toBe('nobody.acme.com');
  await page.getByRole('textbox', { name: 'Redirect to' }).fill(other);
  await inDialog('Set the redirect');
  await shows(`It redirects to ${other}.`);
  await press('Remove the redirect');
  await shows('The redirect is gone.');

  await press('Move…');
  await page.getByRole('combobox', { name: 'Environment' }).selectOption({ label: 'demo / web / staging' });
  await inDialog('Move');
  await shows(/^It is in env_/);
  expect((await client.domains.listDomains({ ...PLACE, environment: 'staging' })).items).toHaveLength(1);

  await press('Suspend…');
  await inDialog('Suspend');
  await shows('Visitors get a page in place of the site.');
  await press('Resume');
  await shows('The site is served again.');
  expect((await client.domains.getSite({ domain: 'www.acme.com' })).suspension).toBeUndefined();
});

it('keeps all that was typed when a certificate is refused, and serves the right one', async () => {
  const name = 'own.acme.com';
  await verified(name);
  await signIn();
  await open(name);
  const [wrong, right] = [issueChain('other.acme.com'), issueChain(name)];
  await press('Upload a certificate…');
  await page.getByLabel('Certificates', { exact: true }).fill(wrong.leaf + wrong.intermediate);
  await page.getByLabel('Private key', { exact: true }).fill(keyPem(right.key));
  await inDialog('Upload');
  await page.getByRole('dialog').getByRole('alert').waitFor();
  expect(await page.getByLabel('Private key', { exact: true }).inputValue()).toBe(keyPem(right.key));
  expect(await page.locator('.command').last().textContent()).not.toContain('PRIVATE KEY');
  await page.getByLabel('Certificates', { exact: true }).fill(right.leaf + right.intermediate);
  await inDialog('Upload');
  await shows(/^Served\./);
  await shows('Uploaded; its owner renews it');
  await shows('Fallback');
  await press('Use the managed certificate again');
  await shows('Ordered by Nameplate');
});

it('deletes with an undo beside it, and later at the address of the domain', async () => {
  const name = 'gone.acme.com';
  await add(name);
  await signIn();
  await open(name);
  for (const undo of ['Undo', 'Restore it']) {
    await press('Delete…');
    await inDialog('Delete');
    await shows('There is no such domain');
    if (undo === 'Restore it') await page.reload();
    await press(undo);
    await page.getByRole('heading', { level: 1, name }).waitFor();
  }
});

it('opens a support link without a cookie, read-only, until it expires or is revoked', async () => {
  const name = 'help.acme.com';
  await verified(name);
  await client.domains.updateDomain({ domain: name, externalId: 'customer_42' });
  await signIn();
  await open(name);
  await press('Support link…');
  await inDialog('Make the link');
  const url = (await page.locator('.made code').textContent()) ?? '';
  expect(url).toContain('/dashboard/support#nps_');

  const guest = await newPage();
  await guest.goto(url);
  await guest.getByRole('heading', { level: 1, name }).waitFor();
  expect(await guest.context().cookies()).toEqual([]);
  await shows('Verified', guest);
  await shows('Added', guest);
  for (const hidden of ['Delete…', 'Check now', 'Redirect…', 'Support link…'])
    expect(await guest.getByRole('button', { name: hidden }).count()).toBe(0);
  expect(await guest.getByText('customer_42').count()).toBe(0);
  await expectAccessible(guest);

  await press('Revoke');
  await shows('This link was revoked', guest);
  await guest.reload();
  await shows('This link was revoked', guest);

  const short = await client.domains.createSetupLink({ domain: name, purpose: 'support', expiresInSeconds: 60 });
  await guest.goto('about:blank');
  await guest.goto(short.url);
  await guest.getByRole('heading', { level: 1, name }).waitFor();
  ahead += 61_000;
  await shows('This link has expired', guest);
  await guest.reload();
  await shows('This link has expired', guest);
  await expectAccessible(guest);
  await guest.context().close();
});

it('shows what a customer controls as text: names of records, values, events and metadata', async () => {
  const name = 'hostile.acme.com';
  const [, ownership] = await add(name);
  dns.set(name, 'CNAME', ['xn--80ak6aa92e.evil.example']);
  dns.set(ownership?.name ?? '', 'TXT', [ATTACKS]);
  await client.domains.updateDomain({
    domain: name,
    externalId: '<b>id</b>',
    metadata: { note: '<script>1</script>' },
  });
  await client.domains.verifyDomain({ domain: name });
  await signIn();
  await open(name);
  await press('Look now');
  await page.locator('.values del').first().waitFor();
  await shows('<b>id</b>');
  await shows('<script>1</script>');
  const content = page.locator('#content');
  expect(await content.locator('img, script, b').count()).toBe(0);
  expect(await content.textContent()).toContain('\\u{202e}');
  expect(await page.evaluate('globalThis.isHacked')).toBeUndefined();
  await expectAccessible();
});
