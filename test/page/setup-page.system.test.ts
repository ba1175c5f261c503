import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { encode } from 'uqr';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, test } from 'vitest';
import { contrast } from '../../page/colours.ts';
import { bundlePage } from '../../scripts/bundle-page.ts';
import { startBrowser } from '../support/browser.ts';
import { START_LIMIT_MS } from '../support/debian.ts';
import { error, PAGE_URL, type ScriptedSetup, startScriptedSetup } from './scripted-setup.ts';
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

it.each(['moving, offered', 'wildcard without the record for its certificate', 'apex with two addresses'])(
  '%s: no two buttons have the same name',
  async (name) => {
    await open(name);
    const names = await page.locator('button').allTextContents();
    expect(names.length).toBeGreaterThan(4);
    expect(names.toSorted()).toEqual([...new Set(names)].sort());
  },
);

describe('each language', () => {
  it.each(['de', 'fr', 'es', 'pt-BR', 'ja'])(
    '%s: axe finds nothing, and nothing is cut off at 320 px, as with a zoom of four times',
    async (language) => {
      await page.setViewportSize({ width: 320, height: 640 });
      for (const name of [
        'publish',
        'fix',
        'CAA record in the way',
        'moving, ready',
        'certificate refused',
        'live',
        'expired',
      ]) {
        setup.play(state(name));
        await page.goto('about:blank');
        await page.goto(`${setup.url}/setup?lang=${language}#nps_x`);
        await page.locator('.current-step, .end').first().waitFor();
        expect([await page.evaluate('document.documentElement.lang'), name]).toEqual([language, name]);
        expect(await violations()).toEqual([]);
        expect(await overflows()).toBe(false);
      }
    },
  );
});

describe('sending on', () => {
  const unfold = () => page.getByText('Does somebody else manage your DNS?').click();
  const link = `${PAGE_URL}#nps_x`;

  it('by e-mail: the message has the link and every record, and no address', async () => {
    await open('CAA record in the way');
    await unfold();
    const address = await page.getByRole('link', { name: 'E-mail these records' }).getAttribute('href');
    const { pathname, searchParams } = new URL(address ?? '');
    expect(pathname).toBe('');
    expect(searchParams.get('subject')).toBe('DNS records for shop.example.com');
    const lines = searchParams.get('body')?.split('\r\n');
    expect(lines).toEqual(
      expect.arrayContaining([
        'Type:      CNAME',
        'Type:      TXT',
        'Type:      CAA',
        'Value:     letsencrypt.org',
        link,
      ]),
    );
  });

  it('by copying: all of it is in the clipboard, and nothing was asked of the server', async () => {
    await open('publish');
    await unfold();
    setup.requests.length = 0;
    await page.getByRole('button', { name: 'Copy all records as text' }).click();
    const copied = () => page.evaluate('navigator.clipboard.readText()');
    await expect.poll(copied).toContain(link);
    for (const { name, value } of state('publish').domain.dnsRecords) {
      expect(await copied()).toContain(name);
      expect(await copied()).toContain(value);
    }
    expect(setup.requests).toEqual([]);
  });

  it.each(['light', 'dark'] as const)(
    'by a code for the phone, in %s: its modules spell the link, dark on light',
    async (colorScheme) => {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width: 320, height: 640 });
      await open('publish');
      await unfold();
      expect(await violations()).toEqual([]);
      expect(await overflows()).toBe(false);
      const code = page.getByRole('img', { name: /link to this page/ });
      const shown = await code.evaluate((svg) => {
        const paths = [...svg.querySelectorAll('path')];
        const { defaultView } = svg.ownerDocument;
        return {
          fills: paths.map((path) => defaultView.getComputedStyle(path).fill),
          path: paths[1]?.getAttribute('d'),
          box: svg.getAttribute('viewBox'),
        };
      });
      expect(shown.fills).toEqual(['rgb(255, 255, 255)', 'rgb(0, 0, 0)']);
      const { data, size } = encode(link, { ecc: 'M', border: 4 });
      expect(shown.box).toBe(`0 0 ${size} ${size}`);
      const modules = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`${x} ${y}`] : [])));
      expect([...(shown.path ?? '').matchAll(/M(\d+ \d+)h/g)].map(([, at]) => at)).toEqual(modules);
    },
  );

  it('without an address of the page there is neither link nor code, and it says so', async () => {
    setup.play({ ...state('publish'), pageUrl: null });
    await page.goto(`${setup.url}/setup#nps_x`);
    await shows('Add these two records at Cloudflare');
    await unfold();
    await shows('There is no link to this page here.');
    expect(await page.locator('a[href^="mailto:?"], svg.qr').count()).toBe(0);
    await page.getByRole('button', { name: 'Copy all records as text' }).click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toContain('_service.shop.example.com');
    expect(await page.evaluate('navigator.clipboard.readText()')).not.toContain('nps_x');
  });

  it.each(['live', 'certificate', 'confirming'])('%s: nothing is left to send', async (name) => {
    await open(name);
    expect(await page.locator('.send-on').count()).toBe(0);
  });
});

describe('looks', () => {
  it.each(['publish', 'fix', 'apex in Unicode, unknown provider'])(
    '%s: at 320 px no name breaks within a label that fits into a line',
    async (name) => {
      await page.setViewportSize({ width: 320, height: 640 });
      await open(name);
      // Each text node is a part up to a dot: a part that fits has one line.
      const broken = await page.evaluate(`[...document.querySelectorAll('code, bdi')].flatMap((element) =>
        [...element.childNodes].filter((node) => node.nodeType === 3 && !/[-\\s]/.test(node.textContent)).filter((node) => {
          const range = document.createRange();
          range.selectNodeContents(node);
          return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1;
        }).map((node) => node.textContent))`);
      expect(broken).toEqual([]);
    },
  );

  it('labels stand on the first line of their values', async () => {
    await open('publish');
    const shifts = await page.evaluate(`[...document.querySelectorAll('.record .field')].map((field) => {
      const bottomOf = (selector) => { const range = document.createRange(); range.selectNodeContents(field.querySelector(selector)); return range.getClientRects()[0].bottom; };
      return Math.abs(bottomOf('dt') - bottomOf('dd code'));
    })`);
    for (const shift of shifts as number[]) expect(shift).toBeLessThan(4);
  });

  it('a step that needs attention moves nothing', async () => {
    await page.setViewportSize({ width: 320, height: 640 });
    await open('publish');
    const heightOf = async () => (await page.locator('.steps').boundingBox())?.height;
    const before = await heightOf();
    setup.play(state('fix'));
    await shows('Needs attention');
    expect(await heightOf()).toBe(before);
  });

  it('the icon is the logo of the brand, and one of its own without', async () => {
    const icon = () => page.locator('link[rel=icon]').getAttribute('href');
    await open('apex in Unicode, unknown provider');
    expect(await icon()).toMatch(/^data:image\/svg/);
    await open('publish');
    await expect.poll(icon).toBe(state('publish').brand?.logo);
  });

  it.each(['light', 'dark'] as const)(
    'a white or black accent leaves the button visible in %s',
    async (colorScheme) => {
      await page.emulateMedia({ colorScheme });
      for (const accent of ['#ffffff', '#000000', '#f6f7f9', '#181b20']) {
        setup.play({ ...state('publish'), brand: { accent } });
        await page.goto('about:blank');
        await page.goto(`${setup.url}/setup#nps_x`);
        await shows('Add these two records at Cloudflare');
        const { ground, text, edge, around } = await coloursOf(
          page.getByRole('link', { name: /^Open Cloudflare/ }),
          '.card',
        );
        expect(contrast(text, ground)).toBeGreaterThanOrEqual(4.5);
        expect(Math.max(contrast(ground, around), contrast(edge, around))).toBeGreaterThanOrEqual(3);
      }
    },
  );

  it('a value that would reorder what is around it is written out', async () => {
    setup.play(HOSTILE);
    await page.goto(`${setup.url}/setup#nps_x`);
    await shows('\\u{202e}evil');
    expect(await page.evaluate('/[\\u202a-\\u202e\\u2066-\\u2069]/.test(document.body.innerText)')).toBe(false);
  });
});

/** Colours of a button, as `#rrggbb`, and of what it stands on. */
async function coloursOf(button: Locator, around: string) {
  const shown = await button.evaluate((element, selector) => {
    const { defaultView } = element.ownerDocument;
    const { backgroundColor, color, borderTopColor } = defaultView.getComputedStyle(element);
    const ground = defaultView.getComputedStyle(element.closest(selector)).backgroundColor;
    // As pixels, whatever the colour space.
    const canvas = element.ownerDocument.createElement('canvas').getContext('2d');
    return [backgroundColor, color, borderTopColor, ground].map((colour) => {
      canvas.fillStyle = colour;
      canvas.fillRect(0, 0, 1, 1);
      return [...canvas.getImageData(0, 0, 1, 1).data.slice(0, 3)]
        .map((part: number) => part.toString(16).padStart(2, '0'))
        .join('');
    });
  }, around);
  const [ground = '', text = '', edge = '', below = ''] = shown.map((each) => `#${each}`);
  return { ground, text, edge, around: below };
}

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

  it('are the task: the main button opens the provider, and "Check now" comes second', async () => {
    await open('publish');
    await shows(/example\.com › DNS › Records/);
    expect(await page.locator('.task > li > p:first-child').allInnerTexts()).toEqual([
      'Log in to Cloudflare.',
      'Add these records. Copy each name and value as it is.',
      'Come back. This page changes by itself.',
    ]);
    expect(await page.locator('.button:not(.quiet)').allInnerTexts()).toEqual([
      expect.stringContaining('Open Cloudflare'),
    ]);
    expect(await page.getByRole('link', { name: /Open Cloudflare/ }).getAttribute('href')).toBe(
      'https://dash.cloudflare.com',
    );
  });
});

const copied = async (name: string) => {
  await page.getByRole('button', { name }).click();
  return page.evaluate('navigator.clipboard.readText()');
};

it('before the zone is known, no name can be copied: the whole name would be typed where a part is wanted', async () => {
  await open('before the first look');
  const names = await page.locator('button.copy').allInnerTexts();
  expect(names).toHaveLength(2);
  expect(names.filter((name) => /the name/.test(name))).toEqual([]);
  await shows(/we look up how your provider wants it/);
});

describe('a mistake', () => {
  const hint = () => page.locator('.task > li:nth-child(2) > p').first().innerText();

  it.each([
    ['fix', 'Change the CNAME record: replace its value.'],
    ['both names doubled', 'Change these records: replace what is crossed out.'],
    ['live, but its record is gone', 'Add this CNAME record. Copy its name and value as they are.'],
    ['certificate blocked', 'Add this CAA record. Leave the CAA records that are there.'],
    [
      'apex of a former server, without its TXT record',
      'Delete the A and AAAA records at this name. At once, add this ALIAS record. Add the TXT record, too.',
    ],
  ])('%s: the hint is that of its action', async (name, text) => {
    await open(name);
    expect(await hint()).toBe(text);
  });

  it('is told once, with one table: what is there, and what to put in its place', async () => {
    await open('fix');
    expect(await page.getByText('old-shop.example.net').count()).toBe(2);
    expect(await page.locator('.was code').allInnerTexts()).toEqual(['old-shop.example.net']);
    expect(await page.locator('.seen').count()).toBe(0);
  });

  it('of a doubled name: each record has the part to type, to be copied', async () => {
    await open('both names doubled');
    expect(await copied('Copy the name of the CNAME record')).toBe('shop');
    expect(await copied('Copy the name of the TXT record')).toBe('_service.shop');
    expect(await page.locator('.chip').allInnerTexts()).toEqual(['At the wrong name', 'At the wrong name']);
  });

  it('where the provider appends the zone to the value: the value is copied with the dot, and no text has two', async () => {
    await open('value with the zone appended');
    expect(await copied('Copy the value of the CNAME record')).toMatch(/[^.]\.$/);
    expect(await page.locator('body').innerText()).not.toContain('..');
  });

  it('that nobody can fix at the provider has no task', async () => {
    for (const name of ['resolvers down', 'certificate', 'certificate refused', 'live']) {
      await open(name);
      expect(await page.locator('.task').count()).toBe(0);
    }
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
    const opened = () => setup.requests.filter((request) => request.startsWith('setup.openSession'));
    // It comes back without the token that it left with.
    await expect.poll(opened).toEqual(['setup.openSession {"token":"nps_x"}', 'setup.openSession {"token":""}']);
    expect(page.url()).toBe(`${setup.url}/setup?state=s2`);
  });

  it('that cannot send the browser back opens in a new tab, so that the page stays', async () => {
    const { state: _, ...offer } = OFFER;
    setup.play({ ...state(BACK), offer });
    await page.goto(`${setup.url}/setup#nps_x`);
    const link = page.getByRole('link', { name: 'Connect at Provider' });
    await link.waitFor();
    expect(await link.getAttribute('target')).toBe('_blank');
  });

  it('is not offered by a link that is no https, and its name is shown as text', async () => {
    const offer = { ...OFFER, provider: '<img src=x onerror=alert(1)>\u202e' };
    setup.play({ ...state(BACK), offer });
    await page.goto(`${setup.url}/setup#nps_x`);
    await shows('Connect at <img src=x onerror=alert(1)>\\u{202e}');
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

  it('says that its www is set up separately', async () => {
    await open('apex in Unicode, unknown provider');
    await shows('This page sets up müller.example only: www.müller.example is set up separately.');
  });

  it('that leads to a former server needs a change, in header and card, while the TXT record is missing', async () => {
    await open('apex of a former server, without its TXT record');
    expect(await page.locator('.steps [aria-current]').innerText()).toMatch(/DNS records\s+Needs attention/);
    await shows('One thing needs to change, one to add');
    expect(await card('ALIAS').locator('.was').innerText()).toContain('198.51.100.7');
    expect(await card('ALIAS').locator('.instead').innerText()).toContain('203.0.113.80');
  });
});

describe('a proxy of the provider', () => {
  const HINT = 'Set “Proxy status” to “DNS only”.';

  it('is to be off for a record that routes', async () => {
    await open('publish');
    await shows(HINT);
  });

  it('is no matter where only the TXT record is missing', async () => {
    await open('proxied, without its TXT record');
    await shows('Open Cloudflare');
    expect(await page.getByText(HINT).count()).toBe(0);
  });
});

describe('a certificate that is blocked', () => {
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

  it('by what the CA answered: is no task of the customer, who gets a contact, the answer folded, and no check', async () => {
    await open('certificate refused');
    expect(await page.getByText(/rejectedIdentifier/).isVisible()).toBe(false);
    await page.getByText('Answer of the certificate authority').click();
    expect(await page.getByText(/rejectedIdentifier/).isVisible()).toBe(true);
    expect(await page.locator('a.button').getAttribute('href')).toBe('mailto:help@acme.example');
    expect(await page.locator('.current-step').getByRole('button').count()).toBe(0);
  });

  it('by the DNS: is looked at on demand', async () => {
    const name = 'certificate blocked';
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
    await shows(/^Looked at/);
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

describe('a check that was asked for', () => {
  it('with nothing new: says so, with its time and zone, and the button counts down until it can be used again', async () => {
    await page.clock.install();
    await open('publish');
    await page.getByRole('button', { name: 'Check now' }).click();
    await shows(/^Looked at \d\d:\d\d:\d\d \S+: nothing new yet\.$/);
    await page.getByRole('button', { name: /^Check again in \d+ sec$/ }).waitFor();
    await page.clock.runFor(11_000);
    await page.getByRole('button', { name: 'Check now' }).waitFor();
    await shows(/nothing new yet/);
  });

  it('without a connection: says so, and can be asked for again at once', async () => {
    await open('publish');
    await page.route(`${setup.url}/v2/domains.verifyDomain`, (route) => route.abort());
    await page.getByRole('button', { name: 'Check now' }).click();
    await shows(/^Could not look at .*: no connection\. Try again\.$/);
    expect(await page.getByRole('button', { name: 'Check now' }).getAttribute('aria-disabled')).toBe('false');
  });
});

it('a certificate is shown a second after it was issued, though the DNS was looked at just before', async () => {
  await page.clock.install();
  await open('confirming');
  setup.play(state('certificate'));
  await shows('Records found. Now the certificate');
  await page.clock.pauseAt(Date.now() + 2_000);
  // Nothing tells the page that a certificate was issued.
  setup.playUntold(state('live'));
  await page.clock.runFor(1_000);
  await shows('Your site is live');
});

it('where motion is not wanted, nothing moves while a minute is waited', async () => {
  const motion = () => page.locator('.steps .current .dot').evaluate((dot) => dot.getAnimations().length);
  await open('certificate');
  expect(await motion()).toBe(1);
  await page.emulateMedia({ reducedMotion: 'reduce' });
  expect(await motion()).toBe(0);
});

it('a mistake that is mended does not come back from the last check, which is older than a look', async () => {
  const { diagnosis: before } = state('live, but drifted');
  if (before === undefined) throw new Error('a check has seen the mistake');
  const mended = { ...state('live'), lastCheck: { ...before, checkedAt: (before.checkedAt ?? 0) - 60_000 } };
  setup.play(mended);
  await page.goto(`${setup.url}/setup#nps_x`);
  await shows('Your site is live');
  await page.evaluate(`new MutationObserver(() => {
    if (document.body.textContent.includes('something has changed')) globalThis.cameBack = true;
  }).observe(document, { subtree: true, childList: true, characterData: true })`);
  // The page looks once more after each event: at the second look, it has shown the result of the first.
  for (const _ of ['first', 'second']) {
    setup.play(mended);
    await expect.poll(() => setup.requests.filter((request) => /diagnose.*cached/.test(request)).length).toBe(1);
  }
  expect(await page.evaluate('globalThis.cameBack')).toBeUndefined();
});

it('a record that is gone since the last check, which may be a day old, is told when the page is opened', async () => {
  const { diagnosis: lastCheck } = state('live');
  if (lastCheck === undefined) throw new Error('a check has seen the record');
  setup.play({ ...state('live, but its record is gone'), lastCheck });
  await page.goto('about:blank');
  await page.goto(`${setup.url}/setup#nps_x`);
  await shows('No longer there');
});

it('a check that got the result of a look before the change is made again by itself', async () => {
  await page.clock.install();
  await open('live, but its record is gone');
  await page.getByRole('button', { name: 'Check now' }).click();
  await shows(/nothing new yet/);
  setup.playUntold(state('live'));
  await page.clock.runFor(6_500);
  await shows('Your site is live');
});

it('a live site: says for how long to keep the records', async () => {
  await open('live');
  await shows(/Keep the records as they are: we look once a day/);
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
    expect(await page.locator('button:not(.languages button)').count()).toBe(0);
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

  /** Every property that is inherited, on every element. */
  const HOSTILE_RULES =
    '* { color: lime !important; font: italic 900 40px/3 fantasy !important; letter-spacing: 9px !important; word-spacing: 30px !important; text-transform: uppercase !important; direction: rtl !important; text-align: end !important; text-indent: 50px !important; visibility: hidden !important; white-space: pre !important; word-break: break-all !important; hyphens: auto !important; text-shadow: 2px 2px red !important; cursor: wait !important; user-select: none !important; list-style: square !important; font-variant: small-caps !important; quotes: none !important }';

  /** A page of a platform that forbids everything it does not need, and whose styles reach for every element. */
  const PAGE = (
    component: string,
    styles = '/style.css',
  ) => `<!doctype html><html lang="en" dir="rtl"><title>Settings</title>
    <link rel="stylesheet" href="${styles}"><script type="module" src="/script.js"></script>
    <script type="module" src="${setup.url}/setup/nameplate-domain.js"></script>
    <main><h1>Settings</h1><button class="copy" id="own">Own</button>${component}</main></html>`;
  const FILES: Record<string, [type: string, content: string]> = {
    '/style.css': [
      'text/css',
      '* { color: rgb(1, 2, 3) !important; font: 40px serif !important; letter-spacing: 9px !important; text-transform: uppercase !important } html { font-size: 62.5% } nameplate-domain { margin-top: 7px }',
    ],
    '/hostile.css': ['text/css', HOSTILE_RULES],
    '/narrow.css': ['text/css', 'main { display: flex; gap: 20px } nameplate-domain { width: 260px }'],
    '/as-wide-as-its-content.css': ['text/css', 'main { display: flex }'],
    '/white.css': ['text/css', 'nameplate-domain { --nameplate-accent: #ffffff }'],
    '/script.js': [
      'text/javascript',
      "globalThis.heard = []; for (const type of ['nameplate-status', 'nameplate-live']) addEventListener(type, ({ detail }) => heard.push([type, detail.status]));",
    ],
  };

  beforeAll(async () => {
    platform = createServer(({ url = '/' }, response) => {
      const component = url === '/without' ? '' : '<nameplate-domain token="nps_x"></nameplate-domain>';
      const styles = url.startsWith('/?') ? `/${url.slice(2)}.css` : undefined;
      const [type, content] = FILES[url] ?? ['text/html', PAGE(component, styles)];
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

  it('inherits nothing from a page whose rules set every inherited property on every element', async () => {
    /** Lists what each element inside inherits. */
    const inherited = () =>
      page.evaluate(`(() => {
        const root = document.querySelector('nameplate-domain')?.shadowRoot ?? document;
        const names = ['color', 'font-style', 'font-weight', 'font-size', 'font-family', 'font-variant', 'line-height', 'letter-spacing', 'word-spacing', 'text-transform', 'direction', 'text-align', 'text-indent', 'visibility', 'white-space', 'word-break', 'hyphens', 'text-shadow', 'cursor', 'user-select', 'list-style-type'];
        return [...root.querySelectorAll('.current-step, .current-step *, .records, .records *, .steps *')].map((element) => {
          const style = getComputedStyle(element);
          return [element.className?.baseVal ?? element.className, ...names.map((name) => name + ': ' + style.getPropertyValue(name))].join('; ');
        });
      })()`);
    setup.play(state('fix'));
    await page.goto(`${url}/?nothing`);
    await page.getByText('One thing needs to change').first().waitFor({ state: 'attached' });
    await page.getByText('Needs a change').first().waitFor({ state: 'attached' });
    const expected = (await inherited()) as string[];
    expect(expected.length).toBeGreaterThan(50);
    await page.goto(`${url}/?hostile`);
    await page.getByText('Needs a change').first().waitFor({ state: 'attached' });
    expect(await inherited()).toEqual(expected);
  });

  it('keeps the order of English sentences on a page that is written from right to left', async () => {
    setup.play(state('publish'));
    await page.goto(url);
    await shows('Add these two records at Cloudflare');
    const [first, last] = (await page.getByText('Copy each name and value as it is.').evaluate((paragraph) => {
      const text = paragraph.firstChild;
      const leftOf = (at: number) => {
        const range = paragraph.ownerDocument.createRange();
        range.setStart(text, at);
        range.setEnd(text, at + 1);
        return range.getBoundingClientRect().left;
      };
      return [leftOf(0), leftOf('Copy each name and value as it is'.length)];
    })) as [number, number];
    expect(first).toBeLessThan(last);
  });

  it.each(['narrow', 'as-wide-as-its-content'])(
    '%s on a wide screen: no line has one character, and nothing is cut off',
    async (styles) => {
      await page.setViewportSize({ width: 1280, height: 800 });
      setup.play(state('fix'));
      await page.goto(`${url}/?${styles}`);
      await shows('Needs a change');
      const { width = 0 } = (await page.locator('nameplate-domain').boundingBox()) ?? {};
      expect(width).toBeGreaterThanOrEqual(256);
      /** Texts of several lines, with less than eight characters in each. */
      const thin =
        await page.evaluate(`[...document.querySelector('nameplate-domain').shadowRoot.querySelectorAll('p, dd > code, h2, h3, h4')].filter((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      const lines = new Set([...range.getClientRects()].map(({ bottom }) => Math.round(bottom))).size;
      return lines > 1 && element.textContent.length / lines < 8;
    }).map((element) => element.textContent)`);
      expect(thin).toEqual([]);
      expect(
        await page.evaluate(
          `[...document.querySelector('nameplate-domain').shadowRoot.querySelectorAll('.card, code, p, .steps')].filter((element) => element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).display !== 'inline').map((element) => element.outerHTML)`,
        ),
      ).toEqual([]);
    },
  );

  it('a white accent of the platform leaves the button visible, and its text legible', async () => {
    setup.play(state('publish'));
    await page.goto(`${url}/?white`);
    await shows('Add these two records at Cloudflare');
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const { ground, text, edge, around } = await coloursOf(
        page.getByRole('link', { name: /^Open Cloudflare/ }),
        '.card',
      );
      expect(contrast(text, ground)).toBeGreaterThanOrEqual(4.5);
      expect(Math.max(contrast(ground, around), contrast(edge, around))).toBeGreaterThanOrEqual(3);
    }
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

it('with one language, the scripts of the page are under 39 KB and the component under 42 KB with its styles, compressed', () => {
  const size = (file: string) => readFileSync(join(directory, file)).length;
  const assets = readdirSync(join(directory, 'assets')).filter((name) => name.endsWith('.br'));
  const first = assets.filter((name) => name.startsWith('page-'));
  const languages = assets.filter((name) => !first.includes(name));
  expect(first).toHaveLength(2);
  expect([...new Set(languages.map((name) => name.slice(0, 2)))].sort()).toEqual(['de', 'en', 'es', 'fr', 'ja', 'pt']);
  const largest = Math.max(...languages.map((name) => size(join('assets', name))));
  const script = first.find((name) => name.endsWith('.js.br')) ?? '';
  expect(size(join('assets', script)) + largest).toBeLessThan(39_000);
  expect(size('nameplate-domain.js.br') + largest).toBeLessThan(42_000);
});
