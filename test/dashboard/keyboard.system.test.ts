import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { START_LIMIT_MS } from '../support/debian.ts';
import { type DashboardLab, openPage, startDashboardLab } from './dashboard-lab.ts';

// Somebody without a mouse, in Chromium: nothing but keys are pressed after the sign-in link was opened.

const NAME = 'keys.example.com';
/** More stops than any page has before its main action. */
const MOST_STOPS = 60;

let lab: DashboardLab;
let context: BrowserContext;
let page: Page;
let complaints: string[];

beforeAll(async () => {
  lab = await startDashboardLab();
  context = await lab.browser.newContext();
  ({ page, complaints } = await openPage(context));
  await page.goto(await lab.signInLink());
  await page.getByRole('link', { name: 'Add names' }).waitFor();
}, START_LIMIT_MS);
afterAll(async () => {
  await lab?.close();
  expect(complaints).toEqual([]);
});

const shows = (text: string | RegExp) => page.getByText(text).first().waitFor();

/** Name, and whether a ring shows where the focus is. */
const FOCUSED = `(() => {
  const { activeElement: at } = document;
  const name = at.ariaLabel ?? at.labels?.[0]?.textContent ?? at.textContent;
  const { outlineStyle, boxShadow } = getComputedStyle(at);
  return { name: name.trim(), isSeen: at.matches(':focus-visible') && (outlineStyle !== 'none' || boxShadow !== 'none') };
})()`;

/** Goes on with Tab until the focus is on what has this name, which must be visible there. */
async function tabTo(name: string): Promise<void> {
  const passed: string[] = [];
  for (let stops = 0; stops < MOST_STOPS; stops += 1) {
    await page.keyboard.press('Tab');
    const focused = (await page.evaluate(FOCUSED)) as { name: string; isSeen: boolean };
    if (focused.name.startsWith(name)) return expect(focused).toMatchObject({ isSeen: true });
    passed.push(focused.name.slice(0, 30));
  }
  throw new Error(`"${name}" is not reached with Tab: ${passed.join(', ')}`);
}

async function press(name: string): Promise<void> {
  await tabTo(name);
  // A button is off while what it needs is loaded.
  await page.locator(':focus:not([aria-disabled="true"])').waitFor();
  await page.keyboard.press('Enter');
}

/** Opens a dialog, in whose first field the focus is then. */
async function open(name: string): Promise<void> {
  await press(name);
  await page.getByRole('dialog').waitFor();
}

async function putAway(): Promise<void> {
  await page.getByRole('button', { name: 'I have saved it' }).waitFor();
  await press('I have saved it');
}

/** Over "Go to…". */
async function goTo(title: string, heading = title): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Page or name' }).waitFor();
  await page.keyboard.type(title);
  await page.getByRole('option', { name: title }).first().waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: heading }).waitFor();
}

it('the first page leads to adding names, and the dialog closes with Escape', async () => {
  await open('Add names');
  await tabTo('Names, one in each line');
  await page.keyboard.type(NAME);
  await press('Add 1 name');
  await shows('1 name added');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

it('the list is searched, and a name is opened from it', async () => {
  await goTo('Domains');
  await tabTo('Search');
  await page.keyboard.type('keys.');
  await page.waitForURL(/search=keys/);
  await page.locator('.rows[aria-busy="false"]').filter({ hasText: NAME }).waitFor();
  await press(NAME);
  await page.getByRole('heading', { level: 1, name: NAME }).waitFor();
});

it('a name is suspended and resumed on its page', async () => {
  await goTo(NAME);
  await open('Suspend…');
  await press('Suspend');
  await shows('Visitors get a page in place of the site.');
  await press('Resume');
  await shows('The site is served again.');
});

it('the focus comes back to the button whose dialog was closed', async () => {
  await open('Settings…');
  await page.keyboard.press('Escape');
  await expect.poll(() => page.evaluate(FOCUSED)).toMatchObject({ name: 'Settings…' });
});

it('a project is made', async () => {
  await goTo('Environments');
  await open('Add a project');
  await page.keyboard.type('typed');
  await press('Add a project');
  await page.getByRole('button', { name: 'Add an app typed' }).waitFor();
});

it('a webhook is made, and its secret put away', async () => {
  await goTo('Webhooks');
  await open('Add a webhook');
  await page.keyboard.type('https://hooks.example.com/nameplate');
  await press('Add a webhook');
  await putAway();
  await page.getByRole('link', { name: 'https://hooks.example.com/nameplate' }).waitFor();
});

it('a key is made and revoked', async () => {
  await goTo('Keys');
  await open('Make a key');
  await page.keyboard.type('typed');
  await press('Make a key');
  await putAway();
  await open('Revoke typed');
  await press('Revoke');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

it('a brand is typed and saved', async () => {
  await goTo('Brand');
  await tabTo('Name');
  await page.keyboard.type('Typed Shops');
  await press('Save');
  await shows('Saved.');
});

it('the audit log is filtered', async () => {
  await goTo('Audit log');
  await tabTo('What');
  await page.keyboard.type('keys.createKey');
  await page.keyboard.press('Enter');
  await page.waitForURL(/action=keys\.createKey/);
});

it('the board of a move is chosen', async () => {
  await goTo('Moving in');
  await tabTo('Moved from');
  await page.keyboard.type('A CSV');
  await page.waitForURL(/from=csv/);
});

it('somebody signs out', async () => {
  await press('ada');
  await press('Sign out');
  await shows('Sign in to the dashboard');
});
