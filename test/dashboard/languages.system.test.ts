import { afterAll, beforeAll, expect, it } from 'vitest';
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

const PAGES = ['', '/domains', '/environments', '/moving', '/webhooks', '/keys', '/brand', '/audit'];

it.each([
  ['de-AT', 'de', 'Zu erledigen'],
  ['ja-JP', 'ja', '要対応'],
])(
  'a browser in %s has each page in its language, without violations of axe, and not cut off on a phone',
  async (locale, lang, title) => {
    const context = await lab.browser.newContext({ locale });
    const { page, complaints } = await openPage(context);
    await page.goto(await lab.signInLink());
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe(lang);
    for (const path of [...PAGES, `/domains/${domainId}`]) {
      await page.goto(`${lab.url}/dashboard${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.locator('#content [aria-busy=true]').first().waitFor({ state: 'detached' });
      expect([path, ...(await inspect(page))]).toEqual([path]);
    }
    await context.close();
    expect(complaints).toEqual([]);
  },
);

it('the language that somebody chooses stays, here and at the next visit', async () => {
  const context = await lab.browser.newContext({ locale: 'sv-SE' });
  const { page } = await openPage(context);
  await page.goto(await lab.signInLink());
  await page.getByRole('heading', { level: 1, name: 'Who needs me' }).waitFor();
  await page.goto(`${lab.url}/dashboard/keys`);
  await page.getByText('ada', { exact: true }).click();
  await page.getByLabel('Language').selectOption('Français');
  await page.getByRole('heading', { level: 1, name: 'Clés API' }).waitFor();
  await page.goto(`${lab.url}/dashboard`);
  await page.getByRole('heading', { level: 1, name: 'À traiter' }).waitFor();
  await context.close();
});

it('an error of the API is marked as English, with its code', async () => {
  const context = await lab.browser.newContext({ locale: 'de' });
  const { page } = await openPage(context);
  await page.goto(await lab.signInLink());
  await page.goto(`${lab.url}/dashboard/environments/env_none`);
  const why = page.getByRole('alert').locator('[lang=en]');
  await why.locator('code').waitFor();
  expect(await why.locator('code').textContent()).toMatch(/^[a-z_]+\/[a-z_]+$/);
  await context.close();
});
