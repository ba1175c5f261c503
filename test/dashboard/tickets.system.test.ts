import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type SetupLab, startSetupLab } from '../page/setup-lab.ts';
import { START_LIMIT_MS } from '../support/debian.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { openPage } from './dashboard-lab.ts';
import { openTickets, TICKETS } from './tickets.ts';

// A drill for the support engineer: tickets whose faults are real, at the program with PostgreSQL, zones of Knot DNS, a
// real CA and an edge. Where does the dashboard name the cause, and how far is that from the first page?

let lab: SetupLab;
let tickets: Awaited<ReturnType<typeof openTickets>>;
let page: Page;
let complaints: string[];
/** Rows of the table in docs/guides/dashboard.md. */
const rows: string[] = [];

beforeAll(async () => {
  lab = await startSetupLab({ checkIntervalMs: 60_000, database: await createMigratedDatabase() });
  tickets = await openTickets(lab);
  const context = await lab.browser.newContext({ viewport: { width: 1280, height: 900 } });
  ({ page, complaints } = await openPage(context));
  await page.goto(await lab.signInLink());
  await page.getByRole('heading', { name: 'Who needs me' }).waitFor();
}, 2 * START_LIMIT_MS);
afterAll(async () => {
  tickets?.close();
  await lab?.close();
  console.log(rows.join('\n'));
});

it.each(TICKETS.map((ticket) => [ticket.fault, ticket] as const))(
  '%s: the cause is in words on the first page or one click from it',
  async (fault, { name, cause }) => {
    await page.goto(`${lab.server.url}/dashboard`);
    await page.locator('.needs').first().waitFor();
    for (const more of await page.getByRole('button', { name: /^Show .* more$/ }).all()) await more.click();
    const row = page.getByRole('listitem').filter({ hasText: name });
    const isListed = (await row.count()) > 0;
    const said = isListed ? await row.locator('.sentence').innerText() : '';

    // As somebody does who has the name from the ticket.
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Page or name' }).waitFor();
    await page.keyboard.type(name);
    const option = page.getByRole('option').filter({ hasText: name }).first();
    await option.waitFor();
    const found = await option.innerText();

    const began = performance.now();
    await option.click();
    await page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    const sentence = page.locator('#content').locator('p, dd').filter({ hasText: cause }).first();
    const isThere = await sentence.waitFor().then(
      () => true,
      () => false,
    );
    const ms = Math.round(performance.now() - began);
    const words = cause.test(said)
      ? said
      : cause.test(found)
        ? found.split('\n').at(-1)
        : isThere && (await sentence.innerText());
    const where = cause.test(said) ? 'Who needs me' : cause.test(found) ? 'Go to…' : 'the name’s page';
    rows.push(`| ${fault} | ${where} | ${cause.test(said + found) ? 0 : 1} | ${ms} | ${words} |`);
    expect(isThere).toBe(true);
    expect(complaints).toEqual([]);
  },
);
