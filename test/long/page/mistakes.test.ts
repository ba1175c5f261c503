import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createClient, type Domain } from '../../../client/client.ts';
import { type Advice, doAsTold, readAdvice } from '../../page/customer.ts';
import { CUSTOMER_MISTAKES, type CustomerMistake } from '../../page/customer-mistakes.ts';
import { type DnsPanel, type Entry, openDnsPanel, PROVIDERS } from '../../page/provider-panel.ts';
import { EDGE_ADDRESS, GREETING, type Invitation, type SetupLab, startSetupLab } from '../../page/setup-lab.ts';
import { START_LIMIT_MS } from '../../support/debian.ts';

// Whether the words of the set-up page suffice: customers make mistakes in zones of their own, read the page, and do
// what it says.

let lab: SetupLab;
let other: Domain['dnsRecords'];
let context: BrowserContext;
let page: Page;
let panel: DnsPanel | undefined;
let complaints: string[];
/** For people who review the texts. */
const outcomes: string[] = [];

beforeAll(async () => {
  // As in production: nothing happens in time but what "Check now" asks for.
  lab = await startSetupLab({ checkIntervalMs: 60_000 });
  other = (await lab.invite('shop.other.test')).dnsRecords;
}, START_LIMIT_MS);
afterAll(async () => {
  await lab?.close();
  console.log(outcomes.join('\n'));
});

beforeEach(async () => {
  complaints = [];
  context = await lab.openBrowser();
  page = await context.newPage();
  page.setDefaultTimeout(120_000);
  page.on('pageerror', (problem) => complaints.push(problem.message));
});
afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') console.log(`The page says:\n${await page.locator('body').innerText()}`);
  await context?.close();
  await panel?.close();
  panel = undefined;
  expect(complaints).toEqual([]);
});

const shows = (text: string | RegExp) => page.getByText(text).first().waitFor();

test('two records, typed as the page shows them, lead to a padlock and to the name served over HTTPS', async () => {
  const { name, url, panel: dns } = await newCustomer('first', 'cloudflare');
  await page.goto(url);
  await shows('Add these two records at Cloudflare');
  expect((await readAdvice(page)).records.map((record) => record.name)).toEqual(['shop', '_service.shop']);
  await obey(dns);
  await checkNow();
  await expectServed(name);
});

test.each(CUSTOMER_MISTAKES.map((mistake) => [mistake.what, mistake] as const))(
  '%s: the page says so, and what it says mends it',
  async (what, mistake) => {
    const number = CUSTOMER_MISTAKES.indexOf(mistake) + 1;
    const { name, url, dnsRecords, panel: dns } = await newCustomer(`shop${number}`, mistake.provider, mistake);
    await dns.save(mistake.entries({ ...rightEntries(dnsRecords, mistake, dns), name, zone: dns.zone, other }));
    await mistake.besides?.(dns);
    await page.goto(url);
    await shows(mistake.says);
    const advice = await obey(dns);
    // The next attempt to get a certificate is told, and comes by itself.
    if (!mistake.isVerified) await checkNow();
    if (mistake.isNotServed) await page.locator('.steps li.done', { hasText: 'DNS records' }).waitFor();
    else await expectServed(name);
    outcomes.push(`| ${what} | ${advice.message} | ${advice.fix || advice.title} |`);
  },
);

test('a link for one domain tells nothing of another', async () => {
  const [own, another] = [await newCustomer('own', 'unknown'), await lab.invite('shop.another.test')];
  const token = new URL(own.url).hash.slice(1);
  const guest = createClient({ baseUrl: lab.server.url, rootKey: null });
  const { sessionToken } = await guest.setup.openSession({ token });
  const session = createClient({ baseUrl: lab.server.url, rootKey: sessionToken });
  expect(await session.domains.getDomain({ domain: own.name })).toMatchObject({ domain: own.name });
  for (const domain of ['shop.another.test', 'shop.nowhere.test'])
    await expect(session.domains.getDomain({ domain })).rejects.toMatchObject({ status: 404 });
  await page.goto(own.url);
  await shows(own.name);
  await page.goto('about:blank');
  await page.goto(another.url);
  await shows('shop.another.test');
  expect(await page.getByText(own.name).count()).toBe(0);
});

test('a link that is revoked ends while it is open', async () => {
  const { url, linkId } = await newCustomer('revoked', 'unknown');
  await page.goto(url);
  await shows('Add these two records');
  await lab.client.domains.revokeSetupLink({ linkId });
  await shows('This link was withdrawn');
});

// The last one: the clock of the server is a month ahead then.
test('an expired link is shown as expired', async () => {
  const { url } = await newCustomer('expired', 'unknown');
  await lab.server.tell(`step ${30 * 24 * 3_600_000}`);
  await page.goto(url);
  await shows('This link has expired');
  expect(await page.locator('article.record').count()).toBe(0);
});

interface Customer extends Invitation {
  name: string;
  panel: DnsPanel;
}

async function newCustomer(
  label: string,
  provider: keyof typeof PROVIDERS,
  { isApex, lenient, nameservers = 1 }: Pick<CustomerMistake, 'isApex' | 'lenient' | 'nameservers'> = {},
): Promise<Customer> {
  const { internet, servers } = lab;
  panel = await openDnsPanel(label, {
    internet,
    provider: PROVIDERS[provider],
    servers: servers.slice(0, nameservers),
    edgeAddress: EDGE_ADDRESS,
    ...(lenient && { lenient }),
  });
  await panel.save([]);
  const name = isApex ? panel.zone : `shop.${panel.zone}`;
  return { name, panel, ...(await lab.invite(name)) };
}

/** The two records as the panel wants them: told by nobody, for the mistakes to be made in one place only. */
function rightEntries(
  [routing, ownership]: Domain['dnsRecords'],
  { isApex, provider }: CustomerMistake,
  { zone }: DnsPanel,
) {
  if (routing === undefined || ownership === undefined) throw new Error('a domain has two records');
  const { name: nameserver, ...traits } = { name: '', ...PROVIDERS[provider] };
  const inZone = (name: string) => (name === zone ? '@' : name.slice(0, -zone.length - 1));
  const target = 'appendsZoneToValues' in traits ? `${routing.value}.` : routing.value;
  const lead: Entry = isApex
    ? { type: 'A', name: '@', value: EDGE_ADDRESS }
    : { type: 'CNAME', name: inZone(routing.name), value: target };
  return { routing: lead, ownership: { type: 'TXT', name: inZone(ownership.name), value: ownership.value } as Entry };
}

/** Reads the page and does what it says. Then an hour passes for the resolvers. */
async function obey(dns: DnsPanel): Promise<Advice> {
  const advice = await readAdvice(page);
  await doAsTold(advice, dns);
  await lab.internet.resolver.forget(dns.zone);
  return advice;
}

async function checkNow(): Promise<void> {
  await page.locator('button[aria-disabled=false]', { hasText: 'Check now' }).click();
}

/** In the page, by a client that trusts the CA alone, and in the browser. */
async function expectServed(name: string): Promise<void> {
  await shows('Your site is live');
  expect(await page.locator('.steps li.done').count()).toBe(3);
  expect(await lab.requestOverHttps(name)).toBe(GREETING);
  const opened = context.waitForEvent('page');
  await page.getByRole('link', { name: `Open ${name}` }).click();
  const site = await opened;
  expect(await site.locator('body').textContent()).toBe(GREETING);
  expect(site.url()).toBe(`https://${name}/`);
}
