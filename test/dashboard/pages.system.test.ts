import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, BrowserContext, Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createClient, type NameplateClient } from '../../client/client.ts';
import { seed } from '../../playground/seed.ts';
import { createLinkSecret } from '../../server/src/access/dashboard-secrets.ts';
import { systemClock } from '../../server/src/base/clock.ts';
import { idMaker } from '../../server/src/base/ids.ts';
import { createLog } from '../../server/src/base/log.ts';
import { readServerConfig } from '../../server/src/config/config.ts';
import { type RunningServer, startServer } from '../../server/src/main.ts';
import { PRESETS } from '../../words/presets.ts';
import { startBrowser } from '../support/browser.ts';
import { temporaryDirectory } from '../support/command.ts';
import { START_LIMIT_MS } from '../support/debian.ts';
import { ENCRYPTION_KEY } from '../support/encryption-key.ts';

// The pages of the dashboard that are not about domains, in Chromium, at a whole server on SQLite.

const HOSTILE = '<img src=x onerror="window.stolen=1"><script>window.stolen=1</script>\u202eelbaf';
/** As the API lets it into a name: without what reorders text. */
const HOSTILE_NAME = '"><img src=x onerror=window.stolen=1>';
const MINUTE = 60_000;

const directory = temporaryDirectory();
/** Statuses that the receiver of webhooks responds with, one after the other; then 200. */
const responses: number[] = [];
const receiver = createServer((request, response) => {
  if (request.url === '/frame') {
    return void response.setHeader('content-type', 'text/html').end(`<iframe src="${server.api}/dashboard"></iframe>`);
  }
  request.resume();
  response.writeHead(responses.shift() ?? 200).end(HOSTILE);
});
let receiverUrl: string;
let server: RunningServer;
let workspaceId: string;
let client: NameplateClient;
let chromium: { browser: Browser; close(): Promise<void> };
let context: BrowserContext;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  const config = readServerConfig({
    NAMEPLATE_LISTEN: '127.0.0.1:0',
    NAMEPLATE_ROLES: 'api,verifier',
    NAMEPLATE_API_THREADS: '0',
    NAMEPLATE_METRICS_LISTEN: 'off',
    NAMEPLATE_LOG_LEVEL: 'error',
    NAMEPLATE_CNAME_ZONE: 'cname.platform.test',
    NAMEPLATE_DNS_RESOLVERS: '127.0.0.1:9',
    NAMEPLATE_DNS_ALLOWED_NETWORKS: '127.0.0.0/8',
    NAMEPLATE_DATABASE_URL: `sqlite:${join(directory.path, 'nameplate.db')}`,
    NAMEPLATE_ENCRYPTION_KEY: ENCRYPTION_KEY,
    NAMEPLATE_WEBHOOK_SCHEMES: 'https,http',
    NAMEPLATE_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  });
  server = await startServer(config, { log: createLog('silent'), isPublicHere: true });
  const deps = { store: server.store, clock: systemClock, newId: idMaker(systemClock), randomBytes };
  const seeded = await seed(deps, undefined);
  workspaceId = seeded.workspaceId;
  client = createClient({ baseUrl: server.api ?? '', rootKey: seeded.rootKey });
  chromium = await startBrowser();
}, START_LIMIT_MS);
afterAll(async () => {
  await chromium?.close();
  await server?.stop();
  receiver.close();
  directory.remove();
});

beforeEach(async () => {
  complaints = [];
  ({ context, page } = await openBrowser());
});
afterEach(async () => {
  await context.close();
  expect(complaints).toEqual([]);
});

async function openBrowser(): Promise<{ context: BrowserContext; page: Page }> {
  const opened = await chromium.browser.newContext({ viewport: { width: 1280, height: 900 } });
  const first = await opened.newPage();
  first.setDefaultTimeout(15_000);
  first.on('pageerror', (error) => complaints.push(error.message));
  first.on('console', (message) => {
    if (/Content Security Policy|Trusted/i.test(message.text())) complaints.push(message.text());
  });
  return { context: opened, page: first };
}

/** Opens a page of the dashboard as a person, by a link of the command. */
async function openAs(
  subject: string,
  path: string,
  { permissions = PRESETS.owner, in: where = page }: { permissions?: readonly string[]; in?: Page } = {},
): Promise<void> {
  const { text, hash } = createLinkSecret(randomBytes);
  const createdAt = Date.now();
  const times = { createdAt, openedAt: null, expiresAt: createdAt + 5 * MINUTE };
  const session = { id: idMaker(systemClock)('ses'), workspaceId, subject, permissions: [...permissions] };
  await server.store.createDashboardSession({ ...session, ...times }, hash);
  await where.goto(`${server.api}/dashboard#${text}`);
  await where.getByRole('navigation').waitFor();
  await where.goto(`${server.api}/dashboard/${path}`);
  await where.locator('h1').first().waitFor();
}

const button = (name: string | RegExp, within: Page = page) => within.getByRole('button', { name });
const inDialog = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true });
const shows = (text: string | RegExp) => page.getByText(text).first().waitFor();
/** Whether a key may call the API. */
const statusWith = async (key: string) =>
  (
    await fetch(`${server.api}/v2/domains.countDomains`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: '{}',
    })
  ).status;
const shownSecret = () => page.locator('.secret code').innerText();

describe('keys', () => {
  it('are made, shown once, used, rotated with an overlap and revoked', async () => {
    await openAs('ada', 'keys');
    await button('Make a key').click();
    await page.getByLabel('Name').fill('backend');
    await inDialog('Make a key').click();
    const first = await shownSecret();
    expect(await statusWith(first)).toBe(200);
    await button('I have saved it').click();
    expect(await page.content()).not.toContain(first);

    await button('Rotate backend').click();
    await inDialog('Rotate').click();
    await page.locator('.secret').waitFor();
    const second = await shownSecret();
    expect(second).not.toBe(first);
    expect([await statusWith(first), await statusWith(second)]).toEqual([200, 200]);

    for (const [revoked, key] of [first, second].entries()) {
      await expect.poll(() => button('Revoke backend').count(), { timeout: 15_000 }).toBe(2 - revoked);
      await button('Revoke backend').first().click();
      await page.getByRole('dialog', { name: 'Revoke the key “backend”?' }).waitFor();
      await inDialog('Revoke').click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await expect.poll(() => statusWith(key), { timeout: 15_000 }).toBe(401);
    }
  });

  it('keep what was typed when the API refuses, and say why in its words', async () => {
    await openAs('ada', 'keys');
    await button('Make a key').click();
    await page.getByLabel('Name').fill('no permissions');
    await page.getByLabel('Permissions', { exact: true }).selectOption('chosen');
    await inDialog('Make a key').click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    expect(await page.getByLabel('Name').inputValue()).toBe('no permissions');
  });

  it('offer nothing to somebody who may only look', async () => {
    await openAs('reader', 'keys', { permissions: PRESETS['read-only'] });
    await shows('Programs call the API');
    expect(await page.getByRole('button', { name: /Make|Rotate|Revoke/ }).count()).toBe(0);
  });
});

describe('webhooks', () => {
  it('show a delivery that failed, with what the receiver responded, and send it again', async () => {
    responses.push(500);
    await openAs('ada', 'webhooks');
    await button('Add a webhook').click();
    await page.getByLabel('URL').fill(`${receiverUrl}/hook`);
    await inDialog('Add a webhook').click();
    expect(await shownSecret()).toMatch(/^whsec_/);
    await page.getByRole('link', { name: `${receiverUrl}/hook` }).click();
    await button('Send a test').click();
    await page.locator('.badge.bad').waitFor();
    expect(await page.locator('pre.response').innerText()).toBe(HOSTILE);

    await page.getByRole('link', { name: 'All deliveries' }).click();
    await page.getByRole('link', { name: 'webhook.test' }).first().click();
    await button('Send again').click();
    await page.locator('.badge.good').waitFor();
    await page.getByRole('link', { name: 'All deliveries' }).click();
    const rows = page.locator('tbody tr');
    await rows.nth(1).waitFor();
    expect(await rows.locator('.badge').allInnerTexts()).toEqual(['Failed', 'Delivered']);
  });

  it('are disabled, enabled and deleted, each asked for once', async () => {
    const { webhookId } = await client.webhooks.createWebhook({ url: `${receiverUrl}/other` });
    await openAs('ada', `webhooks/${webhookId}`);
    await button('Disable').click();
    await inDialog('Disable').click();
    await button('Enable').click();
    await button('Disable').waitFor();
    await button('Delete').click();
    await page.getByRole('dialog', { name: `Delete the webhook ${receiverUrl}/other?` }).waitFor();
    await inDialog('Delete').click();
    await shows('The webhook is deleted.');
    expect((await client.webhooks.listWebhooks({})).items.map(({ id }) => id)).not.toContain(webhookId);
  });
});

it('a project, an app and an environment are made, deployed to, and deleted where they are empty', async () => {
  await openAs('ada', 'environments');
  await button('Add a project').click();
  await page.getByLabel('Slug').fill('fresh');
  await inDialog('Add a project').click();
  await button('Add an app fresh').click();
  await page.getByLabel('Slug').fill('site');
  await inDialog('Add an app').click();
  await button('Add an environment site').click();
  await page.getByLabel('Slug').fill('staging');
  await inDialog('Add an environment').click();
  await page.getByRole('link', { name: 'staging' }).click();
  for (const origin of ['http://10.0.0.5:8080', 'http://10.0.0.6:8080']) {
    await button('Deploy').click();
    await page.getByLabel('Origin', { exact: true }).fill(origin);
    await inDialog('Deploy').click();
    await page.getByRole('row', { name: `${origin} Gets the traffic` }).waitFor();
  }
  await button('Make a secret').click();
  await inDialog('Make a secret').click();
  expect(await shownSecret()).toMatch(/^npe_/);
  await page.getByRole('link', { name: 'Environments' }).last().click();

  await button('Delete fresh').click();
  await inDialog('Delete').click();
  await page.getByRole('dialog').getByRole('alert').waitFor();
  await inDialog('Cancel').click();
  for (const slug of ['staging', 'site', 'fresh']) {
    await button(`Delete ${slug}`).click();
    await inDialog('Delete').click();
    await shows(`${slug} is deleted.`);
  }
});

it('a brand is seen on the set-up page before it is saved, and kept when the API refuses a part of it', async () => {
  await openAs('ada', 'brand');
  await page.getByLabel('Name').fill('Acme Shops');
  await page.getByLabel('Colour', { exact: true }).fill('#0d7c66');
  const preview = page.locator('.preview.light');
  await preview.locator('.masthead', { hasText: 'Acme Shops' }).waitFor();
  const colour = () =>
    page.evaluate("document.querySelector('.preview.light .np').style.getPropertyValue('--brand-light')");
  expect(await colour()).toBe('#0d7c66');
  expect((await client.setup.getBrand({})).brand).toEqual({});

  await page.getByLabel('Help').fill('javascript:alert(1)');
  await button('Save').click();
  await page.locator('.control .problem').waitFor();
  expect(await page.getByLabel('Name').inputValue()).toBe('Acme Shops');
  await page.getByLabel('Help').fill('mailto:help@acme.test');
  await button('Save').click();
  await shows('Saved.');
  const brand = { name: 'Acme Shops', accent: '#0d7c66', support: 'mailto:help@acme.test' };
  expect(await client.setup.getBrand({})).toEqual({ brand, origins: [] });
});

it('the audit log names the person, and its filters are in the address', async () => {
  await openAs('grace', 'keys');
  await button('Make a key').click();
  await page.getByLabel('Name').fill('named');
  await inDialog('Make a key').click();
  await page.locator('.secret').waitFor();
  await page.goto(`${server.api}/dashboard/audit?action=keys.createKey`);
  const row = page.getByRole('row', { name: /grace.*keys\.createKey.*named/ });
  await row.waitFor();
  await row.getByRole('link', { name: 'grace' }).click();
  await page.waitForURL(/actor=grace/);
  await page.getByLabel('What').fill('dashboard sign-in');
  await button('Filter').click();
  await page.waitForURL(/action=dashboard\+sign-in/);
  await page.getByRole('row', { name: /dashboard sign-in/ }).waitFor();
});

it('the board of a move says how many names are ready, why the others are not, and the next command', async () => {
  await openAs('ada', 'moving');
  await shows('No names yet');
  const { items } = await client.projects.listProjects({});
  expect(items[0]?.slug).toBe('demo');
  await client.domains.createDomains({
    ...{ project: 'demo', app: 'web', environment: 'production' },
    domains: [
      { domain: 'one.shop.test', metadata: { moved_from: 'csv' } },
      { domain: 'two.shop.test', metadata: { moved_from: 'csv' } },
    ],
  });
  await page.goto(`${server.api}/dashboard/moving?from=csv`);
  await shows('0 of 2 ready to switch');
  await page.getByRole('link', { name: 'one.shop.test' }).last().waitFor();
  await shows('nameplate move status --all --from csv');
});

it('who signs out everywhere sees it on each open page, also in another browser, where nobody does anything', async () => {
  const other = await openBrowser();
  const idle = await context.newPage();
  await openAs('leaving', 'keys');
  await openAs('leaving', 'brand', { in: idle });
  await openAs('leaving', 'keys', { in: other.page });
  await page.locator('.account summary').click();
  await button('Sign out everywhere').click();
  for (const each of [page, idle, other.page])
    await expect.poll(() => each.getByText('Sign in to the dashboard').count(), { timeout: 15_000 }).toBe(1);
  await other.context.close();
});

it('a response that takes longer than the pause between two is shown', async () => {
  await page.clock.install();
  const held: Route[] = [];
  await page.route('**/v2/webhooks.listWebhooks', (route) => void held.push(route));
  await openAs('patient', 'webhooks');
  await expect.poll(() => held.length).toBe(1);
  // Less than the client waits for, and more than the pause.
  await page.clock.runFor(20_000);
  await held[0]?.continue();
  await page.getByRole('row').first().or(page.getByText('No webhooks')).first().waitFor();
});

it('the timeline loses no event between its pages when another one happens', async () => {
  const place = { project: 'demo', app: 'web', environment: 'production' };
  const { domainId } = await client.domains.createDomain({ ...place, domain: 'timeline.shop.test' });
  const event = (id: number) => ({ id: `evt_${id}`, at: Date.now(), type: `event.${id}`, data: {} });
  // The newest first.
  const events = Array.from({ length: 20 }, (_, at) => event(20 - at));
  await page.route('**/v2/domains.listEvents', async (route) => {
    const { cursor, limit } = route.request().postDataJSON() as { cursor?: string; limit: number };
    const from = cursor === undefined ? 0 : events.findIndex(({ id }) => id === cursor);
    const next = events[from + limit]?.id;
    const pagination = { hasMore: next !== undefined, ...(next !== undefined && { cursor: next }) };
    await route.fulfill({ json: { meta: { requestId: 'req_1' }, data: events.slice(from, from + limit), pagination } });
  });
  await page.clock.install();
  await openAs('historian', `domains/${domainId}`);
  const shown = page.locator('.timeline > li');
  await expect.poll(() => shown.count()).toBe(15);
  await button('Older').click();
  await expect.poll(() => shown.count()).toBe(20);
  events.unshift(event(21));
  await page.clock.runFor(20_000);
  await shown.filter({ hasText: 'event.21' }).waitFor();
  expect(await shown.count()).toBe(21);
});

it('a sign-out that the server did not get is not shown as one', async () => {
  await openAs('staying', 'keys');
  await page.route('**/dashboard/sign-out', (route) => route.abort());
  await page.locator('.account summary').click();
  const signOut = page.getByRole('button', { name: 'Sign out', exact: true });
  await signOut.click();
  await page.locator('.account [role=alert]').waitFor();
  await page.unroute('**/dashboard/sign-out');
  await signOut.click();
  await shows('Sign in to the dashboard');
});

it('the link to the content leaves the session as it is', async () => {
  await openAs('skipping', 'keys');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.locator('.skip').focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(/#content$/);
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
  await expect.poll(() => asked).toContain('/v2/webhooks.listWebhooks');
  expect(asked).not.toContain('/dashboard/token');
});

it('“Go to…” offers the pages of the menu, and no other', async () => {
  await openAs('reader', '', { permissions: ['environment.*.read_domain'] });
  const inMenu = await page.getByRole('navigation').getByRole('link').allTextContents();
  await page.keyboard.press('Control+k');
  const options = page.getByRole('option');
  await options.first().waitFor();
  expect(inMenu).not.toContain('Keys');
  expect((await options.locator('bdi').allTextContents()).sort()).toEqual(inMenu.sort());
});

describe('attacks', () => {
  it('what others control is text on every page: names, responses and targets', async () => {
    await client.keys.createKey({ name: HOSTILE_NAME, permissions: ['environment.*.read_domain'] });
    const { items } = await client.webhooks.listWebhooks({});
    expect(items).toHaveLength(1);
    responses.push(500);
    const { deliveryId } = await client.webhooks.sendTest({ webhookId: items[0]?.id ?? '' });
    await openAs('<b>mallory</b>', 'keys');
    const pages = ['keys', 'audit', `webhooks/${items[0]?.id}/${deliveryId}`];
    const shown = [HOSTILE_NAME, HOSTILE_NAME, HOSTILE];
    for (const [at, path] of pages.entries()) {
      await page.goto(`${server.api}/dashboard/${path}`);
      // Isolated, so that it reorders nothing beside it.
      await page
        .locator('bdi, pre code', { hasText: shown[at] ?? '' })
        .first()
        .waitFor();
      expect(await page.locator('main img, main script, main b').count()).toBe(0);
    }
    expect(await page.evaluate("'stolen' in window")).toBe(false);
  });

  it('no page of another origin frames the dashboard', async () => {
    await openAs('ada', 'keys');
    await page.goto(`${receiverUrl}/frame`);
    await expect.poll(() => page.frames().map((frame) => frame.url())).toContain('chrome-error://chromewebdata/');
    expect(complaints.join()).toContain('frame-ancestors');
    complaints = [];
  });
});

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

async function violations(): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source);
  const found = (await page.evaluate(`axe.run(${JSON.stringify({ runOnly: RULES })})`)) as axe.AxeResults;
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

/** Where pictures of the pages go, for whoever looks at them. */
const PICTURES = process.env.NAMEPLATE_TEST_PICTURES;

describe('axe finds nothing, in light, dark, at 200 % and on a phone, and no page scrolls sideways', () => {
  it.each([
    'environments',
    'environments/*',
    'keys',
    'webhooks',
    'webhooks/*',
    'webhooks/*/*',
    'audit',
    'brand',
    'moving',
  ])('%s', async (pattern) => {
    const path = await pathOf(pattern);
    await openAs('ada', path);
    await expect.poll(() => page.locator('main [aria-busy="true"]').count(), { timeout: 30_000 }).toBe(0);
    await look(pattern);
  });

  it.each([
    ['keys', 'Make a key'],
    ['webhooks', 'Add a webhook'],
    ['environments', 'Delete demo'],
  ])('the dialog of %s: %s', async (path, name) => {
    await openAs('ada', path);
    await button(name).click();
    await page.getByRole('dialog').waitFor();
    await look(`${path} dialog`);
  });

  async function look(name: string): Promise<void> {
    for (const [scheme, width] of [
      ['light', 1280],
      ['dark', 1280],
      // A desk at 200 %.
      ['light', 640],
      ['light', 360],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: scheme });
      if (PICTURES)
        await page.screenshot({
          path: join(PICTURES, `${name.replaceAll(/\W+/g, '-')}-${scheme}-${width}.png`),
          fullPage: true,
        });
      expect(await violations(), `${scheme} ${width}`).toEqual([]);
      expect(
        await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth'),
        `${scheme} ${width}`,
      ).toBe(false);
    }
  }

  async function pathOf(pattern: string): Promise<string> {
    const [first = '', ...rest] = pattern.split('/');
    if (rest.length === 0) return first;
    if (first === 'environments') {
      const { items } = await client.environments.listEnvironments({ project: 'demo', app: 'web' });
      return `environments/${items[0]?.id}`;
    }
    const { items } = await client.webhooks.listWebhooks({});
    const webhookId = items[0]?.id ?? '';
    if (rest.length === 1) return `webhooks/${webhookId}`;
    const deliveries = await client.webhooks.listDeliveries({ webhookId, state: 'failed' });
    return `webhooks/${webhookId}/${deliveries.items[0]?.id}`;
  }
});
