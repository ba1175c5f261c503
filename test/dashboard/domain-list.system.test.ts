import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { START_LIMIT_MS } from '../support/debian.ts';
import { type DashboardLab, inspect, openPage, PLACE, startDashboardLab } from './dashboard-lab.ts';
import { MISTAKES, PASTED, readMistakes } from './pasted.ts';

// Somebody of the platform's team, in Chromium, at the first page and the list of domains.

let lab: DashboardLab;
let context: BrowserContext;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  lab = await startDashboardLab();
}, START_LIMIT_MS);
afterAll(() => lab?.close());

beforeEach(async () => {
  context = await lab.browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  ({ page, complaints } = await openPage(context));
  await page.goto(await lab.signInLink());
  await page.getByRole('heading', { name: 'Who needs me' }).waitFor();
});
afterEach(async () => {
  await context.close();
  expect(complaints).toEqual([]);
});

const shows = (text: string | RegExp) => page.getByText(text).first().waitFor();
const button = (name: string | RegExp) => page.getByRole('button', { name });
const rowOf = (name: string) => page.getByRole('row').filter({ hasText: name });
const addressOf = () => page.evaluate('location.pathname + location.search');

async function openList(query = ''): Promise<void> {
  await page.goto(`${lab.url}/dashboard/domains${query}`);
  await page.getByRole('heading', { name: 'Domains' }).waitFor();
}

it('a link signs in, and is not in the address afterwards', async () => {
  expect(page.url()).toBe(`${lab.url}/dashboard`);
});

it('an empty workspace begins with adding names: of 200 with 10 mistakes, 190 are added and each mistake is beside its line', async () => {
  await page.getByRole('link', { name: 'Add names' }).click();
  await page.getByLabel('Names, one in each line').fill(PASTED.join('\n'));
  await button('Add 200 names').click();
  await shows('190 names added · 10 names with a mistake');
  expect(await readMistakes(page)).toEqual(MISTAKES);
  expect(await inspect(page)).toEqual([]);
  await page.getByRole('textbox', { name: 'Line 27', exact: true }).fill('shop-027.example.com');
  await button('Try 1 name again').click();
  await shows('191 names added · 9 names with a mistake');

  // The names that were not added are still there after all else is gone.
  await page.reload();
  const kept = await page.getByLabel('Names, one in each line').inputValue();
  expect(kept.split('\n')).toEqual(MISTAKES.map(({ text }) => text).filter((text) => text !== '192.0.2.7'));
  expect(await inspect(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await shows('191 of 191 names loaded');
});

describe('the list', () => {
  it('finds a name, an external id and a pair of metadata, and keeps its filters in the address', async () => {
    const input = { ...PLACE, domain: 'bücher.example.com', metadata: { plan: 'pro plus' } };
    await lab.client.domains.createDomain(input);
    await openList();
    await page.getByLabel('Search').fill('shop-123');
    await rowOf('shop-123.example.com').waitFor();
    await rowOf('shop-122.example.com').waitFor({ state: 'detached' });
    expect(await addressOf()).toBe('/dashboard/domains?search=shop-123');
    await page.reload();
    await rowOf('shop-123.example.com').waitFor();
    await rowOf('shop-122.example.com').waitFor({ state: 'detached' });

    await page.getByLabel('Search').fill('customer_77');
    await button('Look for “customer_77” as an external id').click();
    await rowOf('shop-077.example.com').waitFor();
    await page.getByLabel('Search').fill('plan="pro plus"');
    await rowOf('bücher.example.com').waitFor();
    await rowOf('shop-077.example.com').waitFor({ state: 'detached' });

    await page.getByLabel('Search').fill('');
    await page.getByLabel('Status').selectOption('Verified');
    await shows('No name matches');
    await expect.poll(addressOf).toBe('/dashboard/domains?status=verified');
    await button('Take all filters away').click();
    await rowOf('shop-001.example.com').waitFor();
  });

  it('shows the only environment as a filter where the address has it, so that it can be taken away', async () => {
    const { items } = await lab.client.environments.listEnvironments({ project: PLACE.project, app: PLACE.app });
    expect(items).toHaveLength(1);
    await openList(`?environment=${items[0]?.id}`);
    await rowOf('shop-001.example.com').waitFor();
    await page.getByLabel('Environment').selectOption('');
    await expect.poll(addressOf).toBe('/dashboard/domains');
  });

  it('has no violations of axe, in light and dark, on a desk and a phone', async () => {
    await openList();
    await rowOf('shop-001.example.com').waitFor();
    expect(await inspect(page)).toEqual([]);
  });

  it('shows a name that is added elsewhere, without a reload', async () => {
    await openList('?search=elsewhere');
    await shows('No name matches');
    await lab.client.domains.createDomain({ ...PLACE, domain: 'elsewhere.example.com' });
    await rowOf('elsewhere.example.com').waitFor();
  });

  it('scrolls to its last name with few rows in the document', async () => {
    await openList();
    await rowOf('shop-001.example.com').waitFor();
    // The end moves away while pages are loaded.
    const pressEnd = async () => {
      await page.keyboard.press('End');
      return rowOf('bücher.example.com').isVisible();
    };
    await expect.poll(pressEnd, { timeout: 20_000 }).toBe(true);
    expect(await page.getByRole('row').count()).toBeLessThan(80);
  });

  it('makes set-up links for the names that are chosen, which open without an account', async () => {
    await openList('?search=shop-10');
    for (const name of ['shop-101.example.com', 'shop-102.example.com'])
      await page.getByRole('checkbox', { name: `Choose ${name}` }).check();
    await button('Make set-up links').click();
    await button('Make 2 links').click();
    await shows('2 links made.');
    expect(await inspect(page)).toEqual([]);
    await button(/^Copy all/).click();
    const copied = (await page.evaluate('navigator.clipboard.readText()')) as string;
    const lines = copied.split('\n').map((line) => line.split('\t'));
    expect(lines.map(([name]) => name).sort()).toEqual(['shop-101.example.com', 'shop-102.example.com']);
    const customer = await lab.browser.newContext();
    const opened = await customer.newPage();
    await opened.goto(lines[0]?.[1] ?? '');
    await opened.getByRole('heading', { name: lines[0]?.[0] ?? '' }).waitFor();
    await customer.close();
  });
});

it('Ctrl+K goes to a name by keyboard alone, and Escape gives the focus back', async () => {
  await page.keyboard.press('Control+k');
  await page.keyboard.type('shop-150');
  await page.getByRole('option', { name: /shop-150/ }).waitFor();
  expect(await inspect(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'shop-150.example.com' }).waitFor();
  await button(/^Go to/).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('combobox').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('combobox').waitFor({ state: 'detached' });
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toMatch(/^Go to/);
});

describe('the first page', () => {
  it('lists a name with a wrong record under its owner, with a set-up link to make', async () => {
    await lab.client.domains.createDomain({ ...PLACE, domain: 'wrong.example.com' });
    lab.dns.set('wrong.example.com', 'CNAME', ['old-shop.example.com']);
    await lab.client.domains.verifyDomain({ domain: 'wrong.example.com' });
    await page.getByRole('listitem').filter({ hasText: 'wrong.example.com' }).waitFor();
    await button(/^Make set-up link.*wrong/).click();
    await button(/^Copy set-up link/).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(`${lab.url}/setup#nps_`);
    expect(await inspect(page)).toEqual([]);
  });

  it('says that the server cannot be reached, and that it can again', async () => {
    await shows('Names by state');
    await context.setOffline(true);
    await shows('The server cannot be reached. What you see is as old as the last answer.');
    await context.setOffline(false);
    await page.getByText('The server cannot be reached.').first().waitFor({ state: 'detached' });
  });
});

describe('the script of a page', () => {
  const FAILED = 'This page could not be loaded.';

  it('that cannot be loaded says so, and a reload brings the page', async () => {
    const ofPage = /assets\/(?!page-|common-|en-).*\.js/;
    await page.route(ofPage, (route) => route.abort());
    await page.goto(`${lab.url}/dashboard/domains`);
    await page.getByRole('alert').filter({ hasText: FAILED }).waitFor();
    await page.unroute(ofPage);
    await button('Load the dashboard again').click();
    await page.getByRole('heading', { name: 'Domains' }).waitFor();
    expect(await addressOf()).toBe('/dashboard/domains');
  });
});
