import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Audience, gather, type Heard, timesTable } from '../../page/audience.ts';
import { doAsTold, readAdvice } from '../../page/customer.ts';
import { type DnsPanel, type Entry, openDnsPanel, PROVIDERS } from '../../page/provider-panel.ts';
import { EDGE_ADDRESS, GREETING, type SetupLab, startSetupLab } from '../../page/setup-lab.ts';
import { START_LIMIT_MS } from '../../support/debian.ts';

// The set-up page where certificates are ordered over DNS: of a wildcard, and of a name whose site stays up while it
// moves. Six pages look on, in three languages and two browsers.

/** Pages that ask for no check have news after a period; in production that is a minute. */
const CHECK_INTERVAL_MS = 15_000;

let lab: SetupLab;
let audience: Audience;
let panel: DnsPanel | undefined;
/** From the change in the DNS to the message on the page. */
const times: Heard[] = [];

beforeAll(async () => {
  lab = await startSetupLab({ checkIntervalMs: CHECK_INTERVAL_MS, hasChallengeZone: true });
  audience = await gather(lab);
}, START_LIMIT_MS);
afterAll(async () => {
  await audience?.close();
  await lab?.close();
  console.log(timesTable(times));
});

afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') console.log(`The page says:\n${await audience.page.locator('body').innerText()}`);
  await panel?.close();
  panel = undefined;
  expect(audience.readers.flatMap(({ complaints }) => complaints.splice(0))).toEqual([]);
});

/** The customer of a domain, with its records as the panel of the provider wants them. */
async function newCustomer(label: string, host: string) {
  const { internet, servers } = lab;
  const provider = PROVIDERS.cloudflare;
  panel = await openDnsPanel(label, { internet, provider, servers: servers.slice(0, 1), edgeAddress: EDGE_ADDRESS });
  await panel.save([]);
  const name = `${host}.${panel.zone}`;
  const { dnsRecords } = await lab.invite(name);
  const inZone = (full: string) => full.slice(0, -label.length - '.test'.length - 1);
  const entries = dnsRecords.map((record): Entry => ({ ...record, name: inZone(record.name) }));
  return { name, entries, dns: panel };
}

/** Publishes the records, and waits until all pages say it. */
async function publish(dns: DnsPanel, entries: Entry[], says: RegExp): Promise<void> {
  await dns.save(entries);
  await lab.internet.resolver.forget(dns.zone);
  times.push(...(await audience.hear(says, Date.now())));
}

/** Does what the page says, and waits until all pages say it. */
async function obey(dns: DnsPanel, says: RegExp): Promise<void> {
  await doAsTold(await readAdvice(audience.page), dns);
  await lab.internet.resolver.forget(dns.zone);
  times.push(...(await audience.hear(says, Date.now())));
}

const LIVE = /^Your site is live/;

test('a wildcard leads from three records, as the page shows them, to names below it that are served', async () => {
  const { name, dns } = await newCustomer('wild', '*.shops');
  await audience.open(name);
  await audience.hear(/^Add these three records at Cloudflare/, 0);
  await obey(dns, LIVE);
  expect(await lab.requestOverHttps(`any.shops.${dns.zone}`)).toBe(GREETING);
});

test.each([
  ['forgot it', () => [], /^There is no CNAME record at _acme-challenge\./],
  [
    'left the one of a former host',
    (right: Entry) => [{ ...right, value: 'shops.oldhost.test' }],
    /_acme-challenge\.\S+ is a CNAME to shops\.oldhost\.test/,
  ],
  [
    'entered its value as a TXT record',
    (right: Entry): Entry[] => [{ ...right, type: 'TXT' }],
    /^At _acme-challenge\..* is in a record of the type TXT; it belongs in a CNAME record/,
  ],
])(
  'who %s, the third record of a wildcard, reads so on six pages, and what the page says mends it',
  async (what, mistake, says) => {
    const { name, entries, dns } = await newCustomer(`third${what.length}`, '*.shops');
    const [routing, ownership, challenge] = entries;
    if (routing === undefined || ownership === undefined || challenge === undefined) throw new Error('three records');
    await audience.open(name);
    await audience.hear(/^Add these three records/, 0);
    await publish(dns, [routing, ownership, ...mistake(challenge)], says);
    await obey(dns, LIVE);
    expect(await lab.requestOverHttps(`any.shops.${dns.zone}`)).toBe(GREETING);
  },
);

test('a name that serves a site elsewhere gets its certificate first, and six pages say when to change its record', async () => {
  const { name, dns } = await newCustomer('moving', 'shop');
  const former: Entry = { type: 'CNAME', name: 'shop', value: 'shops.oldhost.test' };
  await dns.save([former]);
  await audience.open(name);
  await audience.hear(/^Keep your site up while you move/, 0);
  const { records } = await readAdvice(audience.page);
  const first = records.filter((record) => record.type === 'TXT' || record.name.startsWith('_acme-challenge'));
  expect(first.length).toBe(2);
  await publish(dns, [former, ...first], /^Your certificate is ready/);
  expect(await lab.requestOverHttps(name)).toBe(GREETING);
  await obey(dns, LIVE);
});
