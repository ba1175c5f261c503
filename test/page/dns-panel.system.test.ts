import { existsSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Control, startControl } from '../../playground/control.ts';
import { type Simulator, startSimulator } from '../../playground/dns/simulator.ts';
import { bundlePage } from '../../scripts/bundle-page.ts';
import { startBrowser } from '../support/browser.ts';
import { CLONE, startPlayground, temporaryDirectory } from '../support/command.ts';
import { START_LIMIT_MS } from '../support/debian.ts';

// The DNS panel of the playground, in Chromium.

let chromium: { browser: Browser; close(): Promise<void> };
let simulator: Simulator;
let control: Control;
let context: BrowserContext;
let page: Page;
/** Errors that the browser reports. */
let complaints: string[];

beforeAll(async () => {
  chromium = await startBrowser();
}, START_LIMIT_MS);
afterAll(() => chromium?.close());

beforeEach(async () => {
  simulator = await startSimulator({ port: 0 });
  control = await startControl(simulator, 'np_root', async () => {});
  complaints = [];
  context = await chromium.browser.newContext();
  page = await open(control.panel('acme.com'));
});
afterEach(async () => {
  await context.close();
  await control.close();
  await simulator.close();
  expect(complaints).toEqual([]);
});

async function open(url: string): Promise<Page> {
  const opened = await context.newPage();
  opened.setDefaultTimeout(10_000);
  opened.on('pageerror', (problem) => complaints.push(problem.message));
  opened.on('console', (message) => {
    if (/Content Security Policy|Trusted/i.test(message.text())) complaints.push(message.text());
  });
  await opened.goto(url);
  return opened;
}

async function add(panel: Page, type: string, name: string, value: string): Promise<void> {
  await panel.locator('#type').selectOption(type);
  await panel.locator('#name').fill(name);
  await panel.locator('#value').fill(value);
  await panel.getByRole('button', { name: 'Add record' }).click();
}

const row = (text: string) => page.locator('#records tbody tr', { hasText: text });

async function violations(): Promise<string[]> {
  await page.evaluate(axe.source);
  const options = { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] };
  const found = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as axe.AxeResults;
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

describe('a record', () => {
  it('is put where a provider would put it: the zone is appended to every name, and the page shows the resulting name', async () => {
    await page.locator('#name').fill('shop.acme.com');
    await page.getByText('The record will be at shop.acme.com.acme.com').waitFor();
    await add(page, 'CNAME', 'shop.acme.com', 'target.example.net');
    await row('shop.acme.com.acme.com').waitFor();
    await add(page, 'TXT', '@', ' "quoted" ');
    await page.getByRole('status').filter({ hasText: 'Added TXT acme.com.' }).waitFor();
    expect(simulator.list()).toEqual([
      { name: 'shop.acme.com.acme.com', type: 'CNAME', values: ['target.example.net'], ttl: 60 },
      { name: 'acme.com', type: 'TXT', values: [' "quoted" '], ttl: 60 },
    ]);
  });

  it('that is refused stays in the form, with the reason', async () => {
    await add(page, 'A', 'www', 'localhost');
    await page.getByRole('alert').filter({ hasText: '"localhost" is not an IPv4 address.' }).waitFor();
    expect(await page.locator('#value').inputValue()).toBe('localhost');
    await page.locator('#value').fill('192.0.2.1');
    await page.keyboard.press('Enter');
    await row('192.0.2.1').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('can be edited and removed by keyboard', async () => {
    simulator.set('shop.acme.com.acme.com', 'CNAME', ['target.example.net'], 300);
    await page.getByRole('button', { name: 'Edit CNAME shop.acme.com.acme.com' }).press('Enter');
    await page.keyboard.type('x');
    await page.locator('#name').fill('shop');
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: 'Saved CNAME shop.acme.com.' }).waitFor();
    expect(simulator.list()).toEqual([
      { name: 'shop.acme.com', type: 'CNAME', values: ['target.example.net'], ttl: 300 },
    ]);
    await page.getByRole('button', { name: 'Remove CNAME shop.acme.com' }).press('Enter');
    await page.getByText('This zone has no records yet.').waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('records-title');
    expect(simulator.list()).toEqual([]);
  });

  it('that a command sets is shown, and one of another zone is not', async () => {
    simulator.set('other.example.net', 'A', ['192.0.2.2']);
    simulator.set('www.acme.com', 'A', ['192.0.2.1']);
    await row('www.acme.com').waitFor();
    expect(await page.locator('#records tbody tr').count()).toBe(1);
    await page.locator('#zone').selectOption('example.net');
    await row('other.example.net').waitFor();
    expect(await page.locator('#records tbody tr').count()).toBe(1);
  });

  it('is shown as text, whatever its value: it creates no element and no script', async () => {
    simulator.set('x.acme.com', 'TXT', ['<img src=x onerror="globalThis.hacked=1"><script>hacked=1</script>']);
    await row('<img src=x').waitFor();
    expect(await page.locator('table img, table script').count()).toBe(0);
    expect(await page.evaluate('globalThis.hacked')).toBeUndefined();
  });
});

it('a name is broken and repaired', async () => {
  await page.locator('#fault-name').fill('shop');
  await page.locator('#fault').selectOption('refused');
  await page.getByRole('button', { name: 'Break' }).click();
  await page.getByText('Queries for shop.acme.com get REFUSED').waitFor();
  expect(simulator.faults()).toEqual([{ name: 'shop.acme.com', fault: 'refused', delayMs: 0 }]);
  await page.getByRole('button', { name: 'Repair shop.acme.com' }).click();
  await page.getByText('Queries for shop.acme.com get REFUSED').waitFor({ state: 'detached' });
  expect(simulator.faults()).toEqual([]);
});

it('a zone is added, and shown', async () => {
  await page.getByLabel('Another zone').fill('acme.co.uk');
  await page.getByRole('button', { name: 'Add zone' }).click();
  await page.getByRole('heading', { name: 'Records of acme.co.uk' }).waitFor();
  expect(simulator.zones()).toEqual(['acme.co.uk']);
});

it('without the whole link, the page asks for it', async () => {
  page = await open(control.url);
  await page.getByRole('alert').filter({ hasText: 'Open the panel with the whole link' }).waitFor();
});

it('axe finds nothing, in light and dark, and nothing is cut off at 320 px', async () => {
  await page.setViewportSize({ width: 320, height: 640 });
  simulator.fail('shop.acme.com', 'servfail');
  await add(page, 'TXT', '_service.shop', `service-domain-verify=${'x'.repeat(64)}`);
  await row('_service.shop').waitFor();
  await add(page, 'A', 'www', 'localhost');
  await page.getByRole('alert').first().waitFor();
  expect(await violations()).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await violations()).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
});

it('a newcomer plays the customer by clicking: a mistake, what the set-up page says, the two records, and the site is live', async () => {
  const web = join(CLONE, 'dist/page');
  if (!existsSync(join(web, 'index.html'))) await bundlePage(CLONE, web);
  const directory = temporaryDirectory();
  const playground = await startPlayground(directory.path, ['--check-interval', '1']);
  try {
    const setup = await open(playground.ready.setup ?? '');
    const panel = await open(playground.ready.dnsPanel);
    /** In the order of the page: names and values of CNAME and TXT. */
    const codes = setup.locator('article.record dd code');
    // Until the page knows the zone, it shows whole names.
    await expect.poll(() => codes.first().textContent(), { timeout: 30_000 }).toBe('shop');
    const [cname = '', target = '', txt = '', proof = ''] = await codes.allTextContents();
    expect(txt).toBe('_service.shop');

    await add(panel, 'CNAME', 'shop.customer.test', target);
    await setup.getByText('The CNAME record is at shop.customer.test.customer.test').waitFor({ timeout: 30_000 });

    await panel.getByRole('button', { name: 'Edit CNAME' }).click();
    await panel.locator('#name').fill(cname);
    await panel.getByRole('button', { name: 'Save' }).click();
    await add(panel, 'TXT', txt, proof);
    await setup.getByText('Your site is live').waitFor({ timeout: 30_000 });
  } finally {
    await playground.stop();
    directory.remove();
  }
}, 90_000);
