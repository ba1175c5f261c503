import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundlePage } from '../../scripts/bundle-page.ts';
import { startBrowser } from '../support/browser.ts';
import { START_LIMIT_MS } from '../support/debian.ts';
import { type ScriptedSetup, startScriptedSetup } from './scripted-setup.ts';
import { STATES } from './states.ts';

// The languages of the page and the component, in Chromium.

const directory = mkdtempSync(join(tmpdir(), 'nameplate-languages-'));
const script = STATES.fix?.script;
let chromium: { browser: Browser; close(): Promise<void> };
let setup: ScriptedSetup;

beforeAll(async () => {
  if (script === undefined) throw new Error('There is no state with a mistake.');
  await bundlePage(join(import.meta.dirname, '../..'), directory);
  chromium = await startBrowser();
  setup = await startScriptedSetup(directory, script);
}, START_LIMIT_MS);
afterAll(async () => {
  await chromium?.close();
  await setup?.close();
  rmSync(directory, { recursive: true });
});

const GERMAN = 'Eine Änderung nötig';
const FRENCH = 'Une modification à faire';
const ENGLISH = 'One thing needs to change';
const NOT_LOADED = 'This could not be loaded.';

async function withPage(locale: string, look: (page: Page, scripts: string[]) => Promise<void>): Promise<void> {
  const context = await chromium.browser.newContext({ locale });
  const page = await context.newPage();
  page.setDefaultTimeout(10_000);
  const complaints: string[] = [];
  const scripts: string[] = [];
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted/i.test(message.text())) complaints.push(message.text());
  });
  page.on('request', (request) => {
    const [, name] = /assets\/(\w+)-[^/]*\.js$/.exec(request.url()) ?? [];
    if (name !== undefined && name !== 'page') scripts.push(name);
  });
  await look(page, scripts);
  await context.close();
  expect(complaints).toEqual([]);
}

const language = (page: Page) =>
  page.evaluate('[document.documentElement.lang, document.documentElement.dir].join(" ")');

describe('the page', () => {
  it('speaks the first language of the browser that there is, and loads no other', () =>
    withPage('de-CH', async (page, scripts) => {
      await page.goto(`${setup.url}/setup#nps_x`);
      await page.getByText(GERMAN).waitFor();
      expect(await language(page)).toBe('de ltr');
      expect(scripts).toEqual(['de']);
      const text = await page.locator('.current-step').innerText();
      for (const { message, fix } of script?.diagnosis?.findings ?? [])
        for (const sentence of `${message} ${fix}`.replaceAll('`', '').split('. '))
          expect(text).not.toContain(sentence);
    }));

  it('speaks English, and loads no other, where the browser has none of its languages', () =>
    withPage('pl', async (page, scripts) => {
      await page.goto(`${setup.url}/setup#nps_x`);
      await page.getByText(ENGLISH).waitFor();
      expect(await language(page)).toBe('en ltr');
      expect(scripts).toEqual(['en']);
    }));

  it('speaks English where the script of the language cannot be loaded', () =>
    withPage('de', async (page) => {
      await page.route('**/assets/de-*.js', (route) => route.abort());
      await page.goto(`${setup.url}/setup#nps_x`);
      await page.getByText(ENGLISH).waitFor();
      expect(await language(page)).toBe('en ltr');
    }));

  it('says so in English where no language can be loaded', () =>
    withPage('de', async (page) => {
      await page.route(/assets\/(de|en)-[^/]*\.js/, (route) => route.abort());
      await page.goto(`${setup.url}/setup#nps_x`);
      await page.getByRole('alert').getByText(NOT_LOADED).waitFor();
    }));

  it('speaks the language that the address asks for, and loads no other', () =>
    withPage('de', async (page, scripts) => {
      await page.goto(`${setup.url}/setup?lang=fr#nps_x`);
      await page.getByText(FRENCH).waitFor();
      expect(await language(page)).toBe('fr ltr');
      expect(scripts).toEqual(['fr']);
    }));

  it.each([
    ['de', 'Ihr Link wird geöffnet'],
    ['ja', 'リンクを開いています'],
    ['pl', 'Opening your link'],
  ])('speaks %s before its script runs', (locale, text) =>
    withPage(locale, async (page) => {
      await page.route('**/*.js', (route) => route.abort());
      await page.goto(`${setup.url}/setup#nps_x`);
      await page.getByText(text).waitFor();
      expect(await language(page)).toBe(`${locale === 'pl' ? 'en' : locale} ltr`);
    }),
  );

  it('changes to the language that is chosen, keeps it in the address, and asks the API for nothing', () =>
    withPage('de', async (page) => {
      await page.goto(`${setup.url}/setup#nps_x`);
      await page.getByText(GERMAN).waitFor();
      const before = setup.requests.length;
      await page.getByRole('button', { name: 'Français' }).click();
      await page.getByText(FRENCH).waitFor();
      expect(page.url()).toBe(`${setup.url}/setup?lang=fr#nps_x`);
      expect(await page.getByRole('button', { name: 'Français' }).getAttribute('aria-current')).toBe('true');
      expect(setup.requests.slice(before).filter((request) => request.includes('openSession'))).toEqual([]);
      await page.reload();
      await page.getByText(FRENCH).waitFor();
    }));
});

describe('the component', () => {
  async function onPlatform(
    html: string,
    look: (page: Page) => Promise<void>,
    prepare = (_page: Page): Promise<unknown> => Promise.resolve(),
  ): Promise<void> {
    const platform = createServer((_request, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(
        `<!doctype html>${html}<script type="module" src="${setup.url}/setup/nameplate-domain.js"></script>`,
      );
    }).listen(0, '127.0.0.1');
    await once(platform, 'listening');
    try {
      await withPage('de', async (page) => {
        await prepare(page);
        await page.goto(`http://127.0.0.1:${(platform.address() as AddressInfo).port}`);
        await look(page);
      });
    } finally {
      platform.closeAllConnections();
      platform.close();
    }
  }

  it.each([
    ['its own attribute', '<html lang="en"><nameplate-domain lang="fr" token="nps_x">', FRENCH],
    ['the element around it', '<html lang="en"><section lang="fr"><nameplate-domain token="nps_x">', FRENCH],
    ['the browser', '<html><nameplate-domain token="nps_x">', GERMAN],
  ])('has the language of %s, from the origin of its script', (_, html, text) =>
    onPlatform(html, (page) => page.getByText(text).waitFor()),
  );

  const ELEMENT = '<nameplate-domain token="nps_x"></nameplate-domain>';

  it('is shown as often as a page has it, in the language that the last one asks for', () =>
    onPlatform(`<html>${ELEMENT}${ELEMENT.replace(' ', ' lang="fr" ')}`, async (page) => {
      for (const at of [0, 1]) await page.locator('nameplate-domain').nth(at).getByText(FRENCH).waitFor();
      await page.evaluate("document.querySelector('nameplate-domain').lang = 'en'");
      for (const at of [0, 1]) await page.locator('nameplate-domain').nth(at).getByText(ENGLISH).waitFor();
    }));

  it('tells its state once, also when the language changes', () =>
    onPlatform(`<html>${ELEMENT}`, async (page) => {
      await page.getByText(GERMAN).waitFor();
      await page.evaluate(
        "window.told = []; document.addEventListener('nameplate-status', ({ detail }) => told.push(detail.domain))",
      );
      await page.evaluate("document.querySelector('nameplate-domain').lang = 'fr'");
      await page.getByText(FRENCH).waitFor();
      const looks = setup.requests.filter((request) => request.includes('diagnoseDomain')).length;
      await page.locator('nameplate-domain').getByRole('button', { name: 'Vérifier maintenant' }).click();
      await expect
        .poll(() => setup.requests.filter((request) => request.includes('diagnoseDomain')).length)
        .toBeGreaterThan(looks);
      await page.getByText(FRENCH).waitFor();
      expect(await page.evaluate('told')).toEqual([]);
    }));

  it('says so in English where no language can be loaded', () =>
    onPlatform(
      '<html><nameplate-domain token="nps_x">',
      (page) => page.getByRole('alert').getByText(NOT_LOADED).waitFor(),
      (page) => page.route(/assets\/(de|en)-[^/]*\.js/, (route) => route.abort()),
    ));
});

/** German with sentences about findings that are written from right to left. `original`: the script of German; `name`: its export. */
const rightToLeft = (original: string, name: string) => `
import { ${name} as german } from '${original}';
const findings = new Proxy({}, { get: () => (t) => 'אבג ' + t.at + ' דהו ' + t.expected + ' זחט.' });
const hebrew = { ...german, tag: 'he', dir: 'rtl', findings };
export { hebrew as ${name} };`;

const DIRECTIONS = "[...new Set([...document.querySelectorAll('.current-step p code')].map((each) => each.dir))]";

/** Left edges of the parts of the first paragraph with values, in the order of its text. */
const EDGES = `[...[...document.querySelectorAll('.current-step p')].find((each) => each.querySelector('code')).childNodes].slice(0, 5).map((node) => {
  const range = document.createRange();
  range.selectNodeContents(node);
  return range.getClientRects()[0].left;
})`;

it('in a language from right to left, sentences keep their order around names that run left to right', () =>
  withPage('de', async (page) => {
    await page.setViewportSize({ width: 1200, height: 900 });
    await page.route(/assets\/de-[^/]*\.js/, async (route) => {
      const url = new URL(route.request().url());
      if (url.search !== '') return route.fulfill({ response: await route.fetch({ url: url.origin + url.pathname }) });
      const [, name = ''] = /export\s*\{\s*\w+ as (\w+)/.exec(await (await route.fetch()).text()) ?? [];
      return route.fulfill({ contentType: 'text/javascript', body: rightToLeft(`${url.pathname}?original`, name) });
    });
    await page.goto(`${setup.url}/setup#nps_x`);
    await page.getByText('אבג').first().waitFor();
    expect(await language(page)).toBe('he rtl');
    expect(await page.evaluate(DIRECTIONS)).toEqual(['ltr']);
    const edges = (await page.evaluate(EDGES)) as number[];
    // Within the first line: each part is to the left of the one before.
    expect(edges.slice(0, 3)).toEqual(edges.slice(0, 3).toSorted((a, b) => b - a));
  }));
