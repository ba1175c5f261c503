import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { buildSite } from '../../scripts/site.ts';
import { type Harness, startApi } from '../support/api-harness.ts';
import { startBrowser } from '../support/browser.ts';
import { temporaryDirectory } from '../support/command.ts';
import { START_LIMIT_MS } from '../support/debian.ts';

// The documents in Chromium, as a server serves them.

const directory = temporaryDirectory();
let api: Harness;
let chromium: { browser: Browser; close(): Promise<void> };
let context: BrowserContext;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  const site = join(directory.path, 'docs');
  await buildSite(join(import.meta.dirname, '../..'), site);
  api = await startApi({ docsDirectory: site });
  chromium = await startBrowser();
}, START_LIMIT_MS);
afterAll(async () => {
  await chromium?.close();
  await api?.close();
  directory.remove();
});
beforeEach(async () => {
  context = await chromium.browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
  page = await context.newPage();
  complaints = [];
  page.on('console', (message) => void complaints.push(message.text()));
  page.on('pageerror', (error) => void complaints.push(String(error)));
  page.on('request', (request) => {
    if (!request.url().startsWith(api.url) && !request.url().startsWith('data:')) complaints.push(request.url());
  });
});
afterEach(async () => {
  expect(complaints).toEqual([]);
  await context.close();
});

const open = (path: string) => page.goto(`${api.url}${path}`);
const search = () => page.getByRole('searchbox', { name: 'Search the documents' });

it('the search finds an operation, a setting and an error, and leads to its section', async () => {
  await open('/docs');
  for (const [text, url] of [
    ['createSetupLink', '/docs/reference/operations/domains#domainscreatesetuplink'],
    ['NAMEPLATE_CNAME_ZONE', '/docs/reference/configuration#nameplate_cname_zone'],
    ['key_not_found', '/docs/errors/authentication/key_not_found'],
  ] as const) {
    await page.keyboard.press('/');
    await search().fill(text);
    await page.locator(`#found a[href="${url}"]`).click();
    await page.waitForURL(`${api.url}${url}`);
  }
});

it('the search says that it found nothing, and is closed by Escape', async () => {
  await open('/docs');
  await search().fill('xyzzyqqq');
  await page.getByText('Nothing found.').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('#found').waitFor({ state: 'hidden' });
});

it('a button copies the whole code, and says so', async () => {
  await open('/docs/reference/operations/projects');
  const box = page.locator('.code').first();
  const code = await box.locator('code').innerText();
  await box.getByRole('button', { name: 'Copy' }).click();
  await box.getByRole('button', { name: 'Copied' }).waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(code.trimEnd());
});

it('a button says that it copied nothing where scripts have no clipboard, as over plain HTTP', async () => {
  await page.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
  await open('/docs/reference/operations/projects');
  const box = page.locator('.code').first();
  await box.getByRole('button', { name: 'Copy' }).click();
  await box.getByRole('button', { name: 'Not copied' }).waitFor({ timeout: 5000 });
});

describe.each([
  '/docs',
  '/docs/guides/webhooks',
  '/docs/reference/operations/domains',
  '/docs/reference/configuration',
  '/docs/errors/limits/custom_domain_limit_exceeded',
  '/docs/findings/cname_at_apex',
  '/docs/internals/architecture',
  '/docs/nothing',
])('%s', (path) => {
  it.each([320, 390, 1280])('is not wider than a screen of %i px', async (width) => {
    await page.setViewportSize({ width, height: 800 });
    await open(path);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    complaints = complaints.filter((text) => !text.includes('404'));
  });

  it.each(['light', 'dark'] as const)('gives axe nothing to report, in %s', async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    await open(path);
    await page.evaluate(axe.source);
    const found = (await page.evaluate('axe.run()')) as axe.AxeResults;
    expect(found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).slice(0, 3)}`)).toEqual([]);
    complaints = complaints.filter((text) => !text.includes('404'));
  });
});

it('on a phone, a button opens the pages, and one of them opens', async () => {
  await page.setViewportSize({ width: 390, height: 800 });
  await open('/docs');
  await page.getByRole('button', { name: 'Pages' }).click();
  await page.locator('#pages').getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
});

it('the title of an error breaks between its words', async () => {
  await page.setViewportSize({ width: 320, height: 800 });
  await open('/docs/errors/limits/custom_domain_limit_exceeded');
  expect(await page.locator('h1').innerHTML()).toBe('limits/<wbr>custom_<wbr>domain_<wbr>limit_<wbr>exceeded');
  expect(await page.locator('h1').evaluate((title) => title.scrollWidth <= title.clientWidth)).toBe(true);
});
