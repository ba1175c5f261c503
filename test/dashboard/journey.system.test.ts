import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createClient } from '../../client/client.ts';
import type { Zone } from '../interop/internet.ts';
import { GREETING, type SetupLab, startSetupLab } from '../page/setup-lab.ts';
import { START_LIMIT_MS } from '../support/debian.ts';
import { issueChain, keyPem } from '../support/issue-chain.ts';
import { createMigratedDatabase, sharedPostgres } from '../support/postgres.ts';
import { openPage } from './dashboard-lab.ts';
import { MISTAKES, PASTED, readMistakes } from './pasted.ts';

// One person of a platform's team, in Chromium, from the sign-in link to the sign-out, at the program in a process of
// its own with PostgreSQL, a zone of Knot DNS, a real CA and an edge. Each step begins where the one before ended.

const HOUR_MS = 3_600_000;
const NAME = 'shop.customer.test';
const OTHER = 'www.customer.test';

let database: string;
let lab: SetupLab;
let zone: Zone;
let context: BrowserContext;
let page: Page;
let complaints: string[];
/** Statuses that the receiver of webhooks responds with, one after the other; then 200. */
const responses: number[] = [];
const receiver = createServer((request, response) => {
  request.resume();
  response.writeHead(responses.shift() ?? 200).end('said by the receiver');
});
let receiverUrl: string;

beforeAll(async () => {
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const env = { NAMEPLATE_WEBHOOK_SCHEMES: 'https,http', NAMEPLATE_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' };
  database = await createMigratedDatabase();
  lab = await startSetupLab({ checkIntervalMs: 60_000, database, env });
  zone = await lab.internet.register('customer');
  await zone.publish('');
  await lab.client.environments.createEnvironment({ project: 'demo', app: 'web', slug: 'staging' });
  context = await lab.browser.newContext({ viewport: { width: 1280, height: 900 } });
  ({ page, complaints } = await openPage(context));
}, START_LIMIT_MS);
afterAll(async () => {
  await lab?.close();
  receiver.close();
});
afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') console.log(`The page says:\n${await page.locator('body').innerText()}`);
  expect(complaints).toEqual([]);
});

const shows = (text: string | RegExp, on = page) => on.getByText(text).first().waitFor();
const press = (name: string | RegExp, on = page) => on.getByRole('button', { name, exact: true }).click();
const inDialog = (name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
const isWord = (word: string | RegExp) => page.locator('.about-domain .badge', { hasText: word }).waitFor();
const statusOf = async (name: string) => (await lab.responseOverHttps(name)).resume().statusCode;

async function openDomain(domain: string): Promise<void> {
  const { domain: found } = await lab.client.domains.getSite({ domain });
  await page.goto(`${lab.server.url}/dashboard/domains/${found.id}`);
  await page.getByRole('heading', { level: 1, name: domain }).waitFor();
}

/** The records of the names as the dashboard's API hands them out, in the notation of zone files. */
async function recordsOf(...names: string[]): Promise<string> {
  const lines = await Promise.all(
    names.map(async (domain) => {
      const { dnsRecords } = await lab.client.domains.getDomain({ domain });
      return dnsRecords.map(({ type, name, value }) =>
        type === 'TXT' ? `${name}. TXT "${value}"` : `${name}. CNAME ${value}.`,
      );
    }),
  );
  return lines.flat().join('\n');
}

async function publish(records: string): Promise<void> {
  await zone.publish(records);
  // The CA's resolver may have seen that there was nothing.
  await lab.internet.resolver.forget(zone.name);
}

async function addNames(...names: string[]): Promise<void> {
  await page.goto(`${lab.server.url}/dashboard/domains?add=1`);
  await page.getByLabel('Names, one in each line').fill(names.join('\n'));
  await press(names.length === 1 ? 'Add 1 name' : `Add ${names.length} names`);
  await shows(`${names.length === 1 ? '1 name' : `${names.length} names`} added`);
}

it('a one-time link signs in once: the second browser is told so, and what to do', async () => {
  const link = await lab.signInLink();
  await page.goto(link);
  await page.getByRole('heading', { name: 'Who needs me' }).waitFor();
  const late = await lab.browser.newContext();
  const opened = await late.newPage();
  await opened.goto(link);
  await shows('This sign-in link does not work any more', opened);
  await late.close();
});

it('one name goes from nothing to live: added, its records in a real zone, a certificate of a real CA, seen from outside', async () => {
  await addNames(NAME);
  await openDomain(NAME);
  await isWord('Waiting for DNS records');
  await publish(await recordsOf(NAME));
  await press('Check now');
  await isWord('Live');
  await page.locator('.steps li.done', { hasText: 'Live' }).waitFor();
  await shows('Certificate issued');
  await shows('Visitors reach the site');
  await shows('This site, with a valid certificate');
  expect(await lab.requestOverHttps(NAME)).toBe(GREETING);
});

it('of 200 pasted names with 10 mistakes, 190 are added, each mistake is told at its line, and nothing typed is lost', async () => {
  await page.goto(`${lab.server.url}/dashboard/domains?add=1`);
  await page.getByLabel('Names, one in each line').fill(PASTED.join('\n'));
  await press('Add 200 names');
  await shows('190 names added · 10 names with a mistake');
  expect(await readMistakes(page)).toEqual(MISTAKES);
  await page.reload();
  const kept = await page.getByLabel('Names, one in each line').inputValue();
  expect(kept.split('\n')).toEqual(MISTAKES.map(({ text }) => text));
  await page.keyboard.press('Escape');
  await shows('191 of 191 names loaded');
});

it('a redirect, a move, a suspension and its end reach visitors', async () => {
  await addNames(OTHER);
  await publish(await recordsOf(NAME, OTHER));
  // Unless the check in the background came first.
  await lab.client.domains.verifyDomain({ domain: OTHER }).catch(({ status }) => expect(status).toBe(412));
  await openDomain(OTHER);
  await isWord('Live');

  await press('Redirect…');
  await page.getByRole('textbox', { name: 'Redirect to' }).fill(NAME);
  await inDialog('Set the redirect');
  await shows(`It redirects to ${NAME}.`);
  await isWord('Redirects');
  const redirected = await lab.responseOverHttps(OTHER);
  redirected.resume();
  expect([redirected.statusCode, redirected.headers.location]).toEqual([
    308,
    expect.stringMatching(`^https://${NAME}:\\d+/$`),
  ]);
  await press('Remove the redirect');
  await shows('The redirect is gone.');
  expect(await statusOf(OTHER)).toBe(200);

  await press('Suspend…');
  await inDialog('Suspend');
  await isWord('Suspended');
  await expect.poll(() => statusOf(OTHER)).toBe(503);
  await press('Resume');
  await shows('The site is served again.');
  await expect.poll(() => statusOf(OTHER)).toBe(200);

  await press('Move…');
  await page.getByRole('combobox', { name: 'Environment' }).selectOption({ label: 'demo / web / staging' });
  await inDialog('Move');
  await shows(/^It is in env_/);
  // Nothing is deployed there.
  await expect.poll(() => statusOf(OTHER)).toBe(503);
});

it('a deleted name is gone for visitors, and back after "Undo"', async () => {
  await openDomain(NAME);
  await press('Delete…');
  await inDialog('Delete');
  await shows('There is no such domain');
  await expect.poll(() => statusOf(NAME).catch(() => 'gone')).not.toBe(200);
  await press('Undo');
  await page.getByRole('heading', { level: 1, name: NAME }).waitFor();
  await expect.poll(() => statusOf(NAME).catch((error) => String(error)), { timeout: 20_000 }).toBe(200);
});

it('an uploaded certificate is the one that visitors get', async () => {
  const { leaf, intermediate, root, key } = issueChain(NAME) as never as Record<
    'leaf' | 'intermediate' | 'root',
    string
  > & { key: never };
  await openDomain(NAME);
  await press('Upload a certificate…');
  await page.getByLabel('Certificates', { exact: true }).fill(leaf + intermediate);
  await page.getByLabel('Private key', { exact: true }).fill(keyPem(key));
  await inDialog('Upload');
  await shows(/^Served\./);
  await shows('Uploaded; its owner renews it');
  await expect.poll(() => lab.responseOverHttps(NAME, root).then((found) => found.resume().statusCode)).toBe(200);
});

it('a key is made, used, rotated with an overlap, and revoked', async () => {
  const works = (rootKey: string) =>
    createClient({ baseUrl: lab.server.url, rootKey })
      .domains.countDomains({})
      .then(
        () => true,
        ({ status }) => status,
      );
  const secret = () => page.locator('.secret code').innerText();
  await page.goto(`${lab.server.url}/dashboard/keys`);
  await press('Make a key');
  await page.getByLabel('Name').fill('backend');
  await inDialog('Make a key');
  const first = await secret();
  expect(await works(first)).toBe(true);
  await press('I have saved it');
  await page.getByRole('button', { name: 'Rotate backend' }).click();
  await inDialog('Rotate');
  await page.locator('.secret').waitFor();
  const second = await secret();
  expect([await works(first), await works(second)]).toEqual([true, true]);
  for (const key of [first, second]) {
    await page.getByRole('button', { name: 'Revoke backend' }).first().click();
    await inDialog('Revoke');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => works(key)).toBe(401);
  }
});

it('a delivery of a webhook that failed is the first one found, and sent again', async () => {
  responses.push(500);
  await page.goto(`${lab.server.url}/dashboard/webhooks`);
  await press('Add a webhook');
  await page.getByLabel('URL').fill(receiverUrl);
  await inDialog('Add a webhook');
  await press('I have saved it');
  await page.getByRole('link', { name: receiverUrl }).click();
  await press('Send a test');
  await page.locator('.badge.bad').waitFor();
  await page.goto(`${lab.server.url}/dashboard/webhooks`);
  await page.getByRole('link', { name: receiverUrl }).click();
  await page.getByRole('link', { name: 'webhook.test' }).first().click();
  await shows('said by the receiver');
  await press('Send again');
  await page.locator('.badge.good').waitFor();
});

it('a name whose checks have ended is checked again', async () => {
  const name = 'shop-001.example.com';
  const { domain } = await lab.client.domains.getSite({ domain: name });
  const { run } = sharedPostgres();
  // The window of a day is over.
  const values = [domain.id, Date.now()];
  await run(database, 'update domains set window_started_at = $2::bigint - 86400000 where id = $1', values);
  await run(database, 'update checks set window_ends_at = $2, next_check_at = $2 where domain_id = $1', values);
  await openDomain(name);
  await isWord('Checks ended');
  await press('Start the checks again');
  await isWord(/Waiting for DNS records|DNS needs a change/);
});

it('a sign-out everywhere ends the sessions of every browser', async () => {
  const elsewhere = await lab.browser.newContext();
  const { page: other } = await openPage(elsewhere);
  await other.goto(await lab.signInLink());
  await other.getByRole('heading', { name: 'Who needs me' }).waitFor();
  await page.locator('.account summary').click();
  await press('Sign out everywhere');
  await shows('Sign in to the dashboard');
  await shows('Sign in to the dashboard', other);
  await elsewhere.close();
});

it('a support link opens one name without an account, read-only, until it expires', async () => {
  await page.goto(await lab.signInLink());
  await page.getByRole('heading', { name: 'Who needs me' }).waitFor();
  await openDomain(NAME);
  await press('Support link…');
  await page.getByLabel('Works for').selectOption('1 hour');
  await inDialog('Make the link');
  const url = (await page.locator('.made code').textContent()) ?? '';
  const guestContext = await lab.browser.newContext();
  const { page: guest, complaints: ofGuest } = await openPage(guestContext);
  await guest.goto(url);
  await guest.getByRole('heading', { level: 1, name: NAME }).waitFor();
  expect(await guest.getByRole('button', { name: /Delete|Check now|Redirect|Support link/ }).count()).toBe(0);
  expect(await guestContext.cookies()).toEqual([]);

  await lab.server.tell(`step ${4 * HOUR_MS}`);
  await shows('This link has expired', guest);
  await guest.reload();
  await shows('This link has expired', guest);
  await guestContext.close();
  expect(ofGuest).toEqual([]);
});
