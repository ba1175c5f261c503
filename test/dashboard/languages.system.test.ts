import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { START_LIMIT_MS } from '../support/debian.ts';
import { type DashboardLab, inspect, openPage, PLACE, startDashboardLab } from './dashboard-lab.ts';

// The languages of the dashboard, in Chromium.

let lab: DashboardLab;
let domainId: string;

beforeAll(async () => {
  lab = await startDashboardLab();
  domainId = (await lab.client.domains.createDomain({ ...PLACE, domain: 'shop.customer.example' })).domainId;
}, START_LIMIT_MS);
afterAll(() => lab?.close());

const PAGES = ['', '/domains', '/domains/:id', '/environments', '/moving', '/webhooks', '/keys', '/brand', '/audit'];

describe.each([
  ['de-AT', 'de', 'Zu erledigen'],
  ['ja-JP', 'ja', '要対応'],
])('a browser in %s', (locale, lang, title) => {
  it.each(PAGES)(
    'has /dashboard%s in its language, without violations of axe, and not cut off on a phone',
    async (path) => {
      const context = await lab.browser.newContext({ locale });
      const { page, complaints } = await openPage(context);
      await page.goto(await lab.signInLink());
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
      await page.goto(`${lab.url}/dashboard${path.replace(':id', domainId)}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(await page.evaluate('document.documentElement.lang')).toBe(lang);
      expect(await page.getByRole('navigation').first().innerText()).toContain(title);
      expect(await inspect(page)).toEqual([]);
      await context.close();
      expect(complaints).toEqual([]);
    },
  );
});

it('the language that somebody chooses stays, here and at the next visit', async () => {
  const context = await lab.browser.newContext({ locale: 'sv-SE' });
  const { page } = await openPage(context);
  await page.goto(await lab.signInLink());
  await page.getByRole('heading', { level: 1, name: 'Who needs me' }).waitFor();
  await page.goto(`${lab.url}/dashboard/keys`);
  await page.getByText('ada', { exact: true }).click();
  await page.getByLabel('Language').selectOption('Français');
  await page.getByRole('heading', { level: 1, name: 'Clés API' }).waitFor();
  const scripts: string[] = [];
  page.on('request', (request) => scripts.push(/assets\/([a-z]{2})-[^/]*\.js$/.exec(request.url())?.[1] ?? ''));
  await page.goto(`${lab.url}/dashboard`);
  await page.getByRole('heading', { level: 1, name: 'À traiter' }).waitFor();
  expect([...new Set(scripts.filter(Boolean))]).toEqual(['fr']);
  // Also until its script runs.
  await page.route('**/*.js', (route) => route.abort());
  await page.reload();
  await page.getByText('Ouverture du tableau de bord').waitFor();
  await context.close();
});

it('the filters of the list are in the language, also where its script loads last', async () => {
  const context = await lab.browser.newContext({ locale: 'de-AT' });
  const { page } = await openPage(context);
  await page.goto(await lab.signInLink());
  await page.getByRole('heading', { level: 1, name: 'Zu erledigen' }).waitFor();
  const listScript = page.waitForEvent('requestfinished', (request) => /domains-page-/.test(request.url()));
  await page.route(/\/assets\/de-/, async (route) => {
    await listScript;
    await route.continue();
  });
  await page.goto(`${lab.url}/dashboard/domains`);
  await page.getByRole('option', { name: 'Nicht erreichbar' }).waitFor({ state: 'attached' });
  await context.close();
});

it('where its own language cannot be loaded it speaks English, and where none can it says so', async () => {
  const context = await lab.browser.newContext({ locale: 'de-AT' });
  const { page, complaints } = await openPage(context);
  await page.route('**/assets/de-*.js', (route) => route.abort());
  await page.goto(`${lab.url}/dashboard`);
  await page.getByRole('heading', { name: 'Sign in to the dashboard' }).waitFor();
  expect(await page.evaluate('document.documentElement.lang')).toBe('en');
  await page.route('**/assets/en-*.js', (route) => route.abort());
  await page.reload();
  await page.getByRole('alert').getByText('This could not be loaded.').waitFor();
  await context.close();
  expect(complaints).toEqual([]);
});
