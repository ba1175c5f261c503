// Draws docs/guides/dashboard/: each page of the dashboard in light, dark and on a phone, at a server of its own with real DNS, a
// real CA and the tickets of test/dashboard/tickets.ts. Run it after a change of the dashboard and `npm run build`, and
// look at what it draws. With a folder as its argument, it puts single pictures at full size there too.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { MISTAKES, PASTED } from '../test/dashboard/pasted.ts';
import { openTickets, TICKETS } from '../test/dashboard/tickets.ts';
import { PLACE, startSetupLab } from '../test/page/setup-lab.ts';
import { beside } from './beside.ts';

const pictures = join(import.meta.dirname, '../docs/guides/dashboard');
const [folder] = process.argv.slice(2);
const KINDS = [{ width: 1280 }, { width: 1280, colorScheme: 'dark' }, { width: 375 }] as const;
/** Height of the window, in pixels. */
const HEIGHT = 1000;

const env = { NAMEPLATE_WEBHOOK_SCHEMES: 'https,http', NAMEPLATE_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' };
const lab = await startSetupLab({ checkIntervalMs: 60_000, env });
const { client, browser } = lab;
const tickets = await openTickets(lab);
const idOf = async (name: string) => (await client.domains.getSite({ domain: name })).domain.id;
const [wrong, , , , , , , , , failing] = await Promise.all(TICKETS.map(({ name }) => idOf(name)));

await client.domains.createDomains({
  ...PLACE,
  domains: ['acme-shop.com', 'bücher-am-markt.net', 'shop.maison-brun.com'].map((domain) => ({
    domain,
    metadata: { moved_from: 'csv' },
  })),
});
// Nothing listens there, so that its deliveries fail.
const { webhookId } = await client.webhooks.createWebhook({ url: 'http://127.0.0.1:9/nameplate' });
const { deliveryId } = await client.webhooks.sendTest({ webhookId });
await client.keys.createKey({ name: 'backend', permissions: ['environment.*.read_domain'] });
await client.setup.setBrand({ brand: { name: 'Acme Shops', accent: '#0d7c66', support: 'mailto:help@acme.test' } });
const { items } = await client.environments.listEnvironments({ project: PLACE.project, app: PLACE.app });
const { url: support } = await client.domains.createSetupLink({ domain: failing ?? '', purpose: 'support' });

const PAGES: Record<string, { path: string; prepare?(page: Page): Promise<unknown> }> = {
  home: { path: '' },
  'go-to': { path: '', prepare: palette },
  domains: { path: 'domains' },
  'add-names': { path: 'domains?add=1', prepare: paste },
  'domain-with-a-mistake': { path: `domains/${wrong}` },
  'domain-that-is-live': { path: `domains/${failing}` },
  'support-link': { path: `support#${new URL(support).hash.slice(1)}` },
  environments: { path: 'environments' },
  environment: { path: `environments/${items[0]?.id}` },
  'moving-in': { path: 'moving?from=csv' },
  webhooks: { path: `webhooks/${webhookId}` },
  delivery: { path: `webhooks/${webhookId}/${deliveryId}` },
  keys: { path: 'keys' },
  brand: { path: 'brand' },
  'audit-log': { path: 'audit' },
};

async function palette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.keyboard.type('ticket1');
  await page.getByRole('option').nth(2).waitFor();
}

async function paste(page: Page): Promise<void> {
  const few = [...MISTAKES.slice(0, 4).map(({ text }) => text), ...PASTED.slice(0, 3)];
  await page.getByLabel('Names, one in each line').fill(few.join('\n'));
  await page.getByRole('button', { name: `Add ${few.length} names` }).click();
  await page.getByText(/· .* with a mistake/).waitFor();
}

if (folder !== undefined) mkdirSync(folder, { recursive: true });
const shots = new Map<string, Buffer[]>(Object.keys(PAGES).map((name) => [name, []]));
for (const { width, ...kind } of KINDS) {
  const context = await browser.newContext({ viewport: { width, height: HEIGHT }, ...kind });
  await draw(context, shots);
  await context.close();
}
// Pictures of pages that are gone go, too, once all others are drawn.
rmSync(pictures, { recursive: true, force: true });
mkdirSync(pictures, { recursive: true });
for (const [name, of] of shots) {
  const widths = KINDS.map(({ width }) => width);
  writeFileSync(join(pictures, `${name}.webp`), await beside(browser, of, { widths, height: HEIGHT, scale: 0.55 }));
  if (folder !== undefined)
    for (const [at, shot] of of.entries()) writeFileSync(join(folder, `${name}-${at + 1}.png`), shot);
}
tickets.close();
await lab.close();

/** Each page once, by a person who signs in. */
async function draw(context: BrowserContext, to: Map<string, Buffer[]>): Promise<void> {
  const page = await context.newPage();
  await page.goto(await lab.signInLink());
  await page.locator('.needs').first().waitFor();
  for (const [name, { path, prepare }] of Object.entries(PAGES)) {
    await page.goto('about:blank');
    await page.goto(`${lab.server.url}/dashboard/${path}`);
    await page.locator('h1').first().waitFor();
    await page.waitForFunction(`document.querySelector('main [aria-busy="true"]') === null`);
    await prepare?.(page);
    to.get(name)?.push(await page.screenshot({ animations: 'disabled' }));
  }
}
