import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { bundlePage } from '../../scripts/bundle-page.ts';
import { startBrowser } from '../support/browser.ts';
import { START_LIMIT_MS } from '../support/debian.ts';
import { error, type ScriptedSetup, startScriptedSetup } from './scripted-setup.ts';
import { HOSTILE, OFFER, STATES } from './states.ts';

// The page of set-up links and the component, in Chromium: each state as the API describes it.

const directory = mkdtempSync(join(tmpdir(), 'nameplate-web-'));
let chromium: { browser: Browser; close(): Promise<void> };
let setup: ScriptedSetup;
let context: BrowserContext;
let page: Page;
/** Errors that the browser reports. */
let complaints: string[];

beforeAll(async () => {
  await bundlePage(join(import.meta.dirname, '../..'), directory);
  chromium = await startBrowser();
  setup = await startScriptedSetup(directory, state('loading'));
}, START_LIMIT_MS);
afterAll(async () => {
  await chromium?.close();
  await setup?.close();
  rmSync(directory, { recursive: true });
});

beforeEach(async () => {
  complaints = [];
  context = await chromium.browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  page = await context.newPage();
  page.setDefaultTimeout(10_000);
  page.on('pageerror', (problem) => complaints.push(problem.message));
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted/i.test(message.text())) complaints.push(message.text());
  });
});
afterEach(async () => {
  await context.close();
  expect(complaints).toEqual([]);
});

function state(name: string) {
  const found = STATES[name];
  if (found === undefined) throw new Error(`There is no state ${name}.`);
  return found.script;
}

async function open(name: string): Promise<void> {
  setup.play(state(name));
  // The same address again would load nothing.
  await page.goto('about:blank');
  await page.goto(`${setup.url}/setup#nps_x`);
  const found = STATES[name];
  await shows(found?.shows ?? '');
  const after = found?.after;
  if (after?.script !== undefined) setup.play(after.script);
  if (after?.end !== undefined) setup.end(after.end);
  if (after !== undefined) await shows(after.shows);
}

async function shows(text: string | RegExp): Promise<void> {
  await page.getByText(text).first().waitFor();
}

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** All that can differ in another colour scheme of the same page. */
const COLOUR_RULES: axe.RunOnly = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

async function violations(runOnly: axe.RunOptions['runOnly'] = RULES): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source);
  const found = (await page.evaluate(`axe.run(${JSON.stringify({ runOnly })})`)) as axe.AxeResults;
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

const isFocused = (button: Locator) => button.evaluate((element) => element.ownerDocument.activeElement === element);

const overflows = () =>
  page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth') as Promise<boolean>;

describe('every state', () => {
  it.each(Object.keys(STATES))(
    '%s: axe finds nothing, in light and dark, and nothing is cut off at 320 px',
    async (name) => {
      await page.setViewportSize({ width: 320, height: 640 });
      await open(name);
      expect(await violations()).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await violations(COLOUR_RULES)).toEqual([]);
      expect(await overflows()).toBe(false);
      await page.evaluate("document.documentElement.dir = 'rtl'");
      expect(await overflows()).toBe(false);
    },
  );
});

test('a live site has a link to it, and a live wildcard has none, because it is no address', async () => {
  const visits = () => page.locator('a[href^="https://"][href*="shop.example.com"]').count();
  await open('live');
  expect(await visits()).toBe(1);
  await open('live wildcard');
  expect(await visits()).toBe(0);
});

describe('the two records', () => {
  it('can be copied by keyboard, exactly, and a screen reader announces it', async () => {
    await open('publish');
    const buttons = page.locator('button.copy');
    const copied: unknown[] = [];
    for (const button of await buttons.all()) {
      await button.focus();
      await page.keyboard.press('Enter');
      await page
        .getByRole('button', { name: /^Copied/ })
        .first()
        .waitFor();
      copied.push(await page.evaluate('navigator.clipboard.readText()'));
      expect(await isFocused(button)).toBe(true);
    }
    await page.getByRole('status').filter({ hasText: 'Copied to the clipboard.' }).waitFor({ state: 'attached' });
    const [cname, txt] = state('publish').domain.dnsRecords;
    expect(copied).toEqual(['shop', cname?.value, '_service.shop', txt?.value]);
  });

  it('can be selected as they are, without the breaks of a narrow screen', async () => {
    await page.setViewportSize({ width: 320, height: 640 });
    await open('publish');
    const value = state('publish').domain.dnsRecords[1]?.value ?? '';
    const code = page.locator('code', { hasText: value });
    await code.click({ clickCount: 3 });
    expect(await page.evaluate('getSelection().toString().trim()')).toBe(value);
  });

  it('say where to click at the provider of the zone', async () => {
    await open('publish');
    await shows(/example\.com › DNS › Records › Add record/);
    expect(await page.getByRole('link', { name: /Open Cloudflare/ }).getAttribute('href')).toBe(
      'https://dash.cloudflare.com',
    );
  });
});

describe('a provider that adds the records itself', () => {
  const BACK = 'provider that adds the records';

  /** The provider sends the browser back at once. */
  async function connect(query: string): Promise<string[]> {
    const asked: string[] = [];
    await page.route('https://connect.provider.test/**', (route, request) => {
      asked.push(request.url(), JSON.stringify(request.headers()));
      const location = `${setup.url}/setup?${query}`;
      return route.fulfill({
        contentType: 'text/html',
        body: `<meta http-equiv="refresh" content="0;url=${location}">`,
      });
    });
    await open(BACK);
    await page.getByRole('link', { name: 'Connect at Provider' }).click();
    await page.waitForURL(`${setup.url}/setup**`);
    return asked;
  }

  it('gets the link that was signed, and never the token of the page', async () => {
    const asked = await connect('state=s1');
    expect(asked[0]).toBe(OFFER.url);
    expect(asked.join(' ')).not.toContain('nps_x');
    expect(asked.join(' ')).not.toMatch(/referer/i);
  });

  it('is named with the host that the link leads to', async () => {
    await open(BACK);
    await shows(`You log in at ${OFFER.host}`);
  });

  it('sends the browser back to the page of the same link, which has the records checked', async () => {
    await connect('state=s1');
    await shows('Your provider has sent you back.');
    expect(page.url()).toBe(`${setup.url}/setup#nps_x`);
    await expect.poll(() => setup.requests.some((request) => request.startsWith('domains.verifyDomain'))).toBe(true);
    await page.reload();
    await shows('Add these two records at Cloudflare');
  });

  it('that the customer refuses: the page says so calmly, and has the records to add by hand', async () => {
    await connect('error=access_denied&error_description=user_cancel&state=s1');
    await shows('Your provider did not add the records.');
    await shows('Add these two records at Cloudflare');
    await page.getByRole('link', { name: 'Connect at Provider' }).waitFor();
    expect(page.url()).toBe(`${setup.url}/setup#nps_x`);
  });

  it('that comes back for another page opens nothing', async () => {
    await connect('state=s2');
    await expect.poll(() => setup.requests.at(-1)).not.toContain('nps_x');
    expect(page.url()).toBe(`${setup.url}/setup?state=s2`);
  });

  it('is not offered by a link that is no https, and its name is shown as text', async () => {
    const offer = { ...OFFER, provider: '<img src=x onerror=alert(1)>' };
    setup.play({ ...state(BACK), offer });
    await page.goto(`${setup.url}/setup#nps_x`);
    await shows('Connect at <img src=x onerror=alert(1)>');
    setup.play({ ...state(BACK), offer: { ...OFFER, url: 'javascript:alert(1)' } });
    await page.goto('about:blank');
    await page.goto(`${setup.url}/setup#nps_x`);
    await shows('Add these two records at Cloudflare');
    await expect.poll(() => setup.requests.some((request) => request.startsWith('setup.getDomainConnect'))).toBe(true);
    expect(await page.getByText('Connect at').count()).toBe(0);
  });

  it('that offers nothing leaves the page as it is', async () => {
    await open('publish');
    await expect.poll(() => setup.requests.some((request) => request.startsWith('setup.getDomainConnect'))).toBe(true);
    expect(await page.getByText('Connect at').count()).toBe(0);
  });
});

describe('an apex', () => {
  const card = (type: string) => page.locator('article.record', { hasText: `${type} record` });

  it('whose address is right and whose TXT record is missing has one record to go', async () => {
    await open('apex that leads here, without its TXT record');
    expect(await card('ALIAS').locator('.chip').innerText()).toBe('Found');
    expect(await card('ALIAS').locator('.seen').innerText()).toContain('Leads here 203.0.113.80');
    expect(await card('TXT').locator('.chip').innerText()).toBe('Not seen yet');
  });

  it('at a provider without ALIAS records: says which addresses lead here, to be copied', async () => {
    await open('apex in Unicode, unknown provider');
    await shows(/Does your provider have none of these/);
    await page.getByRole('button', { name: 'Copy the value of the A record' }).click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('203.0.113.80');
  });

  it('that leads to a former server says so beside its record, while the TXT record is missing', async () => {
    await open('apex of a former server, without its TXT record');
    expect(await card('ALIAS').locator('.fix').innerText()).toContain('give xn--mller-kva.example these addresses');
  });
});

describe('a certificate that is blocked', () => {
  const copied = async (name: string) => {
    await page.getByRole('button', { name }).click();
    return page.evaluate('navigator.clipboard.readText()');
  };
  const caa = () => page.locator('article.record', { hasText: 'CAA record' });

  it.each(['CAA record in the way', 'certificate blocked'])(
    '%s: says at which name the CAA record belongs, and what to type into each field',
    async (name) => {
      await open(name);
      // There once the zone is known.
      expect(await caa().locator('.full').innerText()).toBe('Full name: example.com');
      const fields = await caa().locator('.field').allInnerTexts();
      expect(fields.map((field) => field.split(/\s*\n\s*/).slice(0, 2))).toEqual([
        ['Name', '@'],
        ['Flags', '0'],
        ['Tag', 'issue'],
        ['Value', 'letsencrypt.org'],
      ]);
      expect(await caa().locator('.seen').innerText()).toContain('0 issue "digicert.com"');
      expect(await copied('Copy the name of the CAA record')).toBe('@');
      expect(await copied('Copy the value of the CAA record')).toBe('letsencrypt.org');
    },
  );

  it('by a CAA record above the zone: has its full name, and says how providers want it', async () => {
    await open('certificate blocked, by a CAA record above the zone');
    expect(await caa().locator('.field').first().innerText()).toMatch(/Full name\s+example\.com\s+.*“@”/);
    expect(await copied('Copy the value of the CAA record')).toBe('letsencrypt.org');
  });

  it.each(['certificate blocked', 'certificate refused'])('%s: is looked at on demand', async (name) => {
    await open(name);
    await shows(/Next attempt in/);
    setup.requests.length = 0;
    await page.getByRole('button', { name: 'Check now' }).click();
    const { id } = state(name).domain;
    await expect
      .poll(() => setup.requests)
      .toEqual(
        expect.arrayContaining([
          `domains.getCertificate {"domain":"${id}"}`,
          `domains.diagnoseDomain {"domain":"${id}"}`,
        ]),
      );
    expect(setup.requests.some((request) => request.startsWith('domains.verifyDomain'))).toBe(false);
    await page.getByRole('button', { name: 'Check now' }).waitFor();
  });
});

describe('a change', () => {
  it('arrives by itself, and leaves the focus and what is in view where they are', async () => {
    await open('publish');
    const button = page.getByRole('button', { name: 'Copy the value of the TXT record' });
    await button.focus();
    await button.evaluate((element) => element.scrollIntoView({ block: 'center' }));
    const before = await button.boundingBox();
    setup.play(state('fix'));
    await shows('One thing needs to change');
    await shows('old-shop.example.net');
    const after = await button.boundingBox();
    expect(await isFocused(button)).toBe(true);
    expect(Math.abs((after?.y ?? 0) - (before?.y ?? 99))).toBeLessThan(3);
  });

  it('is read out: the headline is in a status region', async () => {
    await open('publish');
    setup.play(state('live'));
    await page.getByRole('status').filter({ hasText: 'Your site is live' }).waitFor();
    const link = page.getByRole('link', { name: /Open shop\.example\.com/ });
    expect(await link.getAttribute('href')).toBe('https://shop.example.com/');
    expect(await page.title()).toBe('shop.example.com is live · Acme Shops');
  });

  it('"Check now" asks for a check and looks anew', async () => {
    await open('publish');
    setup.requests.length = 0;
    await page.getByRole('button', { name: 'Check now' }).click();
    const { id } = state('publish').domain;
    await expect
      .poll(() => setup.requests)
      .toEqual([`domains.verifyDomain {"domain":"${id}"}`, `domains.diagnoseDomain {"domain":"${id}"}`]);
  });
});

describe('a connection', () => {
  it('that is lost is shown as lost, the page keeps its content, and connects again', async () => {
    await open('publish');
    setup.play({ ...state('publish'), isDown: true });
    await shows(/The connection was lost/);
    await shows('Add these two records at Cloudflare');
    setup.play(state('live'));
    await shows('Your site is live');
    await page.getByText(/The connection was lost/).waitFor({ state: 'detached' });
  });

  it('is made again when the server stops, and when a session has come to its end', async () => {
    await open('publish');
    for (const end of [{ reason: 'server_stopping' }, { reason: 'access_ended', ...error(401, 'unauthorized') }]) {
      setup.requests.length = 0;
      setup.end(end);
      await expect.poll(() => setup.requests.some((request) => request.startsWith('domains.watchDomain'))).toBe(true);
      await shows('Add these two records at Cloudflare');
    }
    expect(setup.requests[0]).toBe('setup.openSession {"token":"nps_x"}');
  });

  it('ends when the link is revoked, or the domain deleted, while the page is open', async () => {
    await open('publish');
    setup.play(state('revoked'));
    setup.end({ reason: 'access_ended', ...error(401, 'unauthorized') });
    await shows('This link was withdrawn');
    expect(await page.getByRole('button').count()).toBe(0);
    await page.reload();
    await shows('This link was withdrawn');

    await open('publish');
    setup.end({ reason: 'domain_gone', ...error(404, 'not-found') });
    await shows('The domain was removed');
  });

  it('that the limit of the link refuses is shown as such, and made again', async () => {
    await open('publish');
    setup.play({ ...state('publish'), streamRefusal: { status: 429, type: 'rate-limited' } });
    setup.end({ reason: 'server_stopping' });
    await shows(/in use on many pages/);
    setup.play(state('live'));
    await shows('Your site is live');
    await page.getByText(/in use on many pages/).waitFor({ state: 'detached' });
  });

  it('whose tokens are refused again and again is made after ever longer pauses', async () => {
    await page.addInitScript(
      'globalThis.pauses = []; const { setTimeout: own } = globalThis; globalThis.setTimeout = (run, ms) => { pauses.push(ms); return own(run, ms); };',
    );
    await open('publish');
    setup.play({ ...state('publish'), streamRefusal: { status: 401, type: 'unauthorized' } });
    setup.end({ reason: 'access_ended', ...error(401, 'unauthorized') });
    const within = (pauses: number[], ms: number) => pauses.some((each) => each >= ms && each <= ms * 1.25);
    for (const ms of [250, 500, 1000]) {
      await expect
        .poll(async () => within((await page.evaluate('pauses')) as number[], ms), { timeout: 10_000 })
        .toBe(true);
    }
  });

  it('another link in the address is opened in place of the first one', async () => {
    await open('publish');
    setup.requests.length = 0;
    await page.evaluate("location.hash = 'nps_y'");
    await expect.poll(() => setup.requests[0]).toBe('setup.openSession {"token":"nps_y"}');
  });
});

// Chromium without windows hides no page: pages are told what they would be told in one with windows.
const HIDING = `{
  let isVisible = true;
  Object.defineProperty(document, 'visibilityState', { get: () => (isVisible ? 'visible' : 'hidden') });
  globalThis.look = (now) => { isVisible = now; document.dispatchEvent(new Event('visibilitychange')); };
}`;

/** That the page at this address closes its connection while it is hidden, and is current once it is seen. */
async function rests(address: string): Promise<void> {
  await page.clock.install();
  await page.addInitScript(HIDING);
  setup.play(state('publish'));
  await page.goto(address);
  await shows('Add these two records at Cloudflare');
  await expect.poll(() => setup.streams).toBe(1);
  await page.clock.pauseAt(Date.now() + 2_000);
  // Away twice, each time for less than 30 s. Then something is heard, as from a server that sends heartbeats.
  for (const [name, text] of [
    ['failed', 'Checks have stopped'],
    ['publish', 'Add these two records at Cloudflare'],
  ] as const) {
    await page.evaluate('look(false)');
    await page.clock.fastForward(29_000);
    expect(setup.streams).toBe(1);
    await page.evaluate('look(true)');
    setup.play(state(name));
    await shows(text);
  }
  await page.evaluate('look(false)');
  await page.clock.fastForward(30_000);
  await expect.poll(() => setup.streams).toBe(0);
  setup.play(state('live'));
  await page.clock.fastForward(600_000);
  expect(await page.getByText('Add these two records at Cloudflare').count()).toBe(1);
  expect(await page.getByText(/The connection was lost/).count()).toBe(0);
  expect(setup.requests).toEqual([]);
  await page.clock.resume();
  await page.evaluate('look(true)');
  await shows('Your site is live');
  await expect.poll(() => setup.streams).toBe(1);
}

describe('a hidden page', () => {
  it('closes its connection after 30 s, asks for nothing, and is current once it is seen', async () => {
    await rests(`${setup.url}/setup#nps_x`);
  });

  it('leaves its connection to others: a seventh tab opens beside six hidden ones', async () => {
    setup.play(state('publish'));
    for (let tab = 1; tab <= 6; tab += 1) {
      page = await context.newPage();
      await page.clock.install();
      await page.addInitScript(HIDING);
      await page.goto(`${setup.url}/setup#nps_x`);
      await shows('Add these two records at Cloudflare');
      await page.evaluate('look(false)');
      await page.clock.fastForward(30_000);
      await expect.poll(() => setup.streams).toBe(0);
    }
    page = await context.newPage();
    page.setDefaultTimeout(10_000);
    await page.goto(`${setup.url}/setup#nps_x`);
    await shows('Add these two records at Cloudflare');
    setup.play(state('live'));
    await shows('Your site is live');
  });
});

it('a link that was truncated within an escape is shown not to work', async () => {
  setup.play(state('unknown'));
  await page.goto(`${setup.url}/setup#nps_x%`);
  await shows('This link does not work');
  expect(setup.requests).toEqual(['setup.openSession {"token":"nps_x%"}']);
});

it('the page explains itself before its script runs', async () => {
  await page.route('**/*.js', (route) => route.abort());
  await page.goto(`${setup.url}/setup#nps_x`);
  await shows('Opening your link…');
});

it('all that a customer controls is shown as text: it creates no element, no script and no script address', async () => {
  setup.play(HOSTILE);
  await page.goto(`${setup.url}/setup#${encodeURIComponent('<img src=x onerror=hacked=1>')}`);
  await shows('Checks have stopped');
  await shows('<img src=x onerror="globalThis.hacked=1">');
  expect(await page.evaluate('globalThis.hacked')).toBeUndefined();
  expect(await page.locator('img, script:not([src^="setup/"]), b, [onerror]').count()).toBe(0);
  expect(await page.locator('[href^="javascript" i], [src^="javascript" i]').count()).toBe(0);
  expect(await page.evaluate('getComputedStyle(document.body).display')).toBe('block');
});

describe('<nameplate-domain>', () => {
  let platform: Server;
  let url: string;

  /** A page of a platform that forbids everything it does not need, and whose styles reach for every element. */
  const PAGE = (component: string) => `<!doctype html><html lang="en" dir="rtl"><title>Settings</title>
    <link rel="stylesheet" href="/style.css"><script type="module" src="/script.js"></script>
    <script type="module" src="${setup.url}/setup/nameplate-domain.js"></script>
    <main><h1>Settings</h1><button class="copy" id="own">Own</button>${component}</main></html>`;
  const FILES: Record<string, [type: string, content: string]> = {
    '/style.css': [
      'text/css',
      '* { color: rgb(1, 2, 3) !important; font: 40px serif !important; letter-spacing: 9px !important; text-transform: uppercase !important } html { font-size: 62.5% } nameplate-domain { margin-top: 7px }',
    ],
    '/script.js': [
      'text/javascript',
      "globalThis.heard = []; for (const type of ['nameplate-status', 'nameplate-live']) addEventListener(type, ({ detail }) => heard.push([type, detail.status]));",
    ],
  };

  beforeAll(async () => {
    platform = createServer(({ url = '/' }, response) => {
      const [type, content] = FILES[url] ?? ['text/html', PAGE(url === '/' ? '<nameplate-domain token="nps_x">' : '')];
      response.setHeader(
        'content-security-policy',
        `default-src 'none'; script-src 'self' ${setup.url}; connect-src ${setup.url}; style-src 'self'; require-trusted-types-for 'script'`,
      );
      response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(content);
    }).listen(0, '127.0.0.1');
    await once(platform, 'listening');
    url = `http://127.0.0.1:${(platform.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    platform.closeAllConnections();
    platform.close();
  });

  const styleOf = (selector: string) =>
    page
      .locator(selector)
      .first()
      .evaluate(
        (element, names) => {
          const style = element.ownerDocument.defaultView.getComputedStyle(element);
          return names.map((name) => [name, style.getPropertyValue(name)]);
        },
        ['color', 'font-size', 'letter-spacing', 'text-transform', 'border-radius', 'padding'],
      );

  it('shows the same inside a page with a strict policy, and neither takes styles from it nor gives it any', async () => {
    setup.play(state('publish'));
    await page.goto(`${url}/without`);
    const own = await styleOf('#own');
    await page.goto(url);
    await shows('Add these two records at Cloudflare');
    const inside = await styleOf('nameplate-domain .copy');
    expect(await styleOf('#own')).toEqual(own);
    await page.goto(`${setup.url}/setup#nps_x`);
    await shows('Add these two records at Cloudflare');
    expect(inside).toEqual(await styleOf('.copy'));
  });

  it('opens a provider in a tab of its own, without a way back to the page of the platform', async () => {
    setup.play(state('provider that adds the records'));
    await page.goto(url);
    const link = page.getByRole('link', { name: /^Connect at Provider/ });
    await link.waitFor();
    expect([await link.getAttribute('target'), await link.getAttribute('rel')]).toEqual(['_blank', 'noreferrer']);
    expect(setup.requests.filter((request) => request.startsWith('setup.getDomainConnect'))).toEqual([
      `setup.getDomainConnect {"domain":"${state('publish').domain.id}","return":false}`,
    ]);
  });

  it('tells the page of the platform each state, and that the domain is live', async () => {
    setup.play(state('publish'));
    await page.goto(url);
    await shows('Add these two records at Cloudflare');
    setup.play(state('live'));
    await shows('Your site is live');
    expect(await page.evaluate('heard')).toEqual(
      expect.arrayContaining([
        ['nameplate-status', 'verifying'],
        ['nameplate-status', 'verified'],
        ['nameplate-live', 'verified'],
      ]),
    );
  });

  it('closes its connection while the page is hidden, and is current once it is visible', async () => {
    await rests(url);
  });

  it('warns once in the console where the API cannot be reached: its origin may not be listed', async () => {
    const warnings: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'warning') warnings.push(message.text());
    });
    await page.route(`${setup.url}/v2/**`, (route) => route.abort());
    await page.goto(url);
    await shows(/cannot be reached/);
    expect(warnings).toEqual([expect.stringContaining(`Is ${url} in the workspace's list of origins`)]);
  });

  it('has no violation that axe would find, and stops asking when it is removed', async () => {
    setup.play(state('fix'));
    await page.goto(url);
    await shows('One thing needs to change');
    const found = await violations();
    // The styles of the platform are not ours to judge.
    expect(found.filter((violation) => !violation.startsWith('color-contrast'))).toEqual([]);
    await page.evaluate("document.querySelector('nameplate-domain').remove()");
    // Its stream has ended, and whatever was on its way has arrived.
    await page.waitForLoadState('networkidle');
    setup.requests.length = 0;
    setup.play(state('live'));
    await page.request.get(url);
    expect(setup.requests).toEqual([]);
  });
});

it('the first view is under 100 KB of script and styles, compressed, and the component under 40 KB', () => {
  const size = (file: string) => readFileSync(join(directory, file)).length;
  const assets = readdirSync(join(directory, 'assets')).filter((name) => name.endsWith('.gz'));
  expect(assets).toHaveLength(2);
  const firstView = assets.reduce((sum, name) => sum + size(join('assets', name)), size('index.html'));
  expect(firstView).toBeLessThan(100_000);
  expect(size('nameplate-domain.js.gz')).toBeLessThan(40_000);
});
