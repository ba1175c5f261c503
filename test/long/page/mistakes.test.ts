import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { createClient, type Domain } from '../../../client/client.ts';
import { type Audience, gather, type Heard, timesTable } from '../../page/audience.ts';
import { type Advice, doAsTold, readAdvice } from '../../page/customer.ts';
import { CUSTOMER_MISTAKES, type CustomerMistake } from '../../page/customer-mistakes.ts';
import { type DnsPanel, type Entry, openDnsPanel, PROVIDERS } from '../../page/provider-panel.ts';
import { EDGE_ADDRESS, GREETING, type Invitation, type SetupLab, startSetupLab } from '../../page/setup-lab.ts';
import { START_LIMIT_MS } from '../../support/debian.ts';

// Whether the words of the set-up page suffice: customers make mistakes in zones of their own, read the page, and do
// what it says.

/** Pages that ask for no check have news after a period; in production that is a minute. */
const CHECK_INTERVAL_MS = 15_000;

let lab: SetupLab;
let other: Domain['dnsRecords'];
let audience: Audience;
let page: Page;
let panel: DnsPanel | undefined;
/** For people who review the texts. */
const outcomes: string[] = [];
/** From the mistake in the DNS to the message on the page. */
const times: Heard[] = [];

beforeAll(async () => {
  lab = await startSetupLab({ checkIntervalMs: CHECK_INTERVAL_MS });
  other = (await lab.invite('shop.other.test')).dnsRecords;
  audience = await gather(lab);
  page = audience.page;
}, START_LIMIT_MS);
afterAll(async () => {
  await audience?.close();
  await lab?.close();
  console.log(`${outcomes.join('\n')}\n\n${timesTable(times)}`);
});

afterEach(async ({ task }) => {
  const isFailed = task.result?.state === 'fail';
  if (isFailed) console.log(`The page says:\n${await page.locator('body').innerText()}`);
  await panel?.close();
  panel = undefined;
  expect(audience.readers.flatMap(({ complaints }) => complaints.splice(0))).toEqual([]);
});

const shows = (text: string | RegExp) => page.getByText(text).first().waitFor();

test('two records, typed as the page shows them, lead to a padlock and to the name served over HTTPS', async () => {
  const { name, panel: dns } = await newCustomer('first', 'cloudflare');
  await audience.open(name);
  await audience.hear(/Add these two records at Cloudflare/, 0);
  expect((await readAdvice(page)).records.map((record) => record.name)).toEqual(['shop', '_service.shop']);
  await obey(dns);
  await expectServed(name, Date.now());
});

test.each(CUSTOMER_MISTAKES.map((mistake) => [mistake.what, mistake] as const))(
  '%s: six pages say so, in three languages and two browsers, without a reload, and what the page says mends it',
  async (what, mistake) => {
    const number = CUSTOMER_MISTAKES.indexOf(mistake) + 1;
    const { name, dnsRecords, panel: dns } = await newCustomer(`shop${number}`, mistake.provider, mistake);
    await audience.open(name);
    await audience.hear(/^Add these two records/, 0);
    await dns.save(mistake.entries({ ...rightEntries(dnsRecords, mistake, dns), name, zone: dns.zone, other }));
    await mistake.besides?.(dns);
    const since = dns.entries.length === 0 ? 0 : Date.now();
    const heard = await audience.hear(mistake.says, since);
    if (since > 0) times.push(...heard);
    const advice = await obey(dns);
    if (mistake.isNotServed) await page.locator('.steps li.done', { hasText: 'DNS records' }).waitFor();
    else await expectServed(name, Date.now());
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

/** On each page, by a client that trusts the CA alone, and in the browser. */
async function expectServed(name: string, since: number): Promise<void> {
  await audience.hear(/^Your site is live/, since);
  expect(await page.locator('.steps li.done').count()).toBe(3);
  expect(await lab.requestOverHttps(name)).toBe(GREETING);
  const opened = audience.context.waitForEvent('page');
  await page.getByRole('link', { name: `Open ${name}` }).click();
  const site = await opened;
  expect(await site.locator('body').textContent()).toBe(GREETING);
  expect(site.url()).toBe(`https://${name}/`);
  await site.close();
}
