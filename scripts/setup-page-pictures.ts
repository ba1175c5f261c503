// Draws docs/guides/setup-page/: states of the set-up page in light, dark and on a phone, each reached with a server,
// simulated DNS and a CA of the tests. Run it after `npm run build`, and look at what it draws.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { createClient } from '../client/client.ts';
import { startSimulator } from '../playground/dns/simulator.ts';
import { seed } from '../playground/seed.ts';
import { systemClock } from '../server/src/base/clock.ts';
import { idMaker } from '../server/src/base/ids.ts';
import { createLog } from '../server/src/base/log.ts';
import { readServerConfig } from '../server/src/config/config.ts';
import { startServer } from '../server/src/main.ts';
import { startBrowser } from '../test/support/browser.ts';
import { ENCRYPTION_KEY } from '../test/support/encryption-key.ts';
import { startFakeCa } from '../test/support/fake-ca/fake-ca.ts';
import { AcmeProblem } from '../test/support/fake-ca/problem.ts';
import { japaneseFonts } from '../test/support/fonts.ts';
import { freePort } from '../test/support/free-port.ts';
import { beside } from './beside.ts';

const root = join(import.meta.dirname, '..');
const directory = mkdtempSync(join(tmpdir(), 'nameplate-pictures-'));
const pictures = join(root, 'docs/guides/setup-page');

const KINDS = [{ width: 760 }, { width: 760, colorScheme: 'dark' }, { width: 375 }] as const;
const PLACE = { project: 'demo', app: 'web', environment: 'production' };
const NAMESERVERS = ['kip.ns.cloudflare.com', 'zoe.ns.cloudflare.com'];
const EDGE = '127.0.0.1';
const FORMER = '127.0.0.9';

/** A page of a platform with a brand of its own, which contains the component. */
const platformPage = (api: string, token: string) => `<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>Settings</title>
<style>
  body { margin: 0; font: 16px/1.5 "DejaVu Serif", serif; color: light-dark(#3b2a1a, #eadfd2); background: light-dark(#fbf6ee, #1d1712) }
  header { display: flex; gap: 24px; padding: 14px 24px; color: #fff; background: #7a3b1d }
  header b { margin-inline-end: auto }
  main { max-width: 640px; margin: 24px auto; padding: 0 16px }
  h1 { margin: 0; font-size: 26px }
  main > p { margin: 4px 0 20px; color: light-dark(#7b6753, #b3a08d) }
  nameplate-domain {
    --nameplate-accent: light-dark(#8f3f16, #f2a579); --nameplate-on-accent: light-dark(#ffffff, #000000); --nameplate-radius: 4px;
    --nameplate-surface: light-dark(#fffdf9, #261e18); --nameplate-sunken: light-dark(#f5ede1, #31271f); --nameplate-font: "DejaVu Serif", serif;
  }
</style>
<script type="module" src="${api}/setup/nameplate-domain.js"></script>
<header><b>Maison Brun</b><span>Orders</span><span>Settings</span></header>
<main><h1>Your domain</h1><p>Your shop is at maison-brun.example until your own domain is ready.</p>
<nameplate-domain token="${token}"></nameplate-domain></main></html>`;

const dns = await startSimulator({ port: 0 });
const httpPort = await freePort();
/** The CA validates as a real one does, at the port of the server. */
const ca = await startFakeCa({
  clock: systemClock,
  limits: [],
  caaIdentities: ['letsencrypt.org'],
  async fetchChallenge(hostname, token) {
    const path = `/.well-known/acme-challenge/${token}`;
    const [response] = await once(get({ port: httpPort, path, headers: { host: hostname } }), 'response');
    return text(response);
  },
});
const config = readServerConfig({
  NAMEPLATE_LISTEN: '127.0.0.1:0',
  NAMEPLATE_METRICS_LISTEN: 'off',
  NAMEPLATE_CNAME_ZONE: 'cname.customers.example',
  NAMEPLATE_DNS_RESOLVERS: `127.0.0.1:${dns.port}`,
  NAMEPLATE_DNS_ALLOWED_NETWORKS: '127.0.0.0/8',
  NAMEPLATE_DATABASE_URL: `sqlite:${directory}/nameplate.db`,
  NAMEPLATE_ENCRYPTION_KEY: ENCRYPTION_KEY,
  NAMEPLATE_ISSUER: 'acme',
  NAMEPLATE_ACME_DIRECTORY: ca.directoryUrl,
  NAMEPLATE_ACME_ALLOWED_NETWORKS: '127.0.0.0/8',
  NAMEPLATE_ACME_CAA_NAMES: 'letsencrypt.org',
  NAMEPLATE_EDGE_HTTP_LISTEN: `127.0.0.1:${httpPort}`,
  NAMEPLATE_EDGE_HTTPS_LISTEN: '127.0.0.1:0',
  NAMEPLATE_EDGE_ADDRESSES: EDGE,
  NAMEPLATE_EDGE_ALLOWED_NETWORKS: '127.0.0.0/8',
});
const server = await startServer(config, {
  log: createLog('silent'),
  isPublicHere: true,
  checkIntervalMs: 60_000,
  nameserverPort: dns.port,
  challengePort: httpPort,
});
const api = server.api ?? '';
const deps = { store: server.store, clock: systemClock, newId: idMaker(systemClock), randomBytes };
const client = createClient({ baseUrl: api, rootKey: (await seed(deps, undefined)).rootKey });
const logo = `data:image/svg+xml;base64,${Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9" fill="#0d7c66"/><path d="M8 22l8-13 8 13-8-5z" fill="#fff"/></svg>',
).toString('base64')}`;
const accents = { accent: '#0d7c66', accentDark: '#3fc1a4' };
await client.setup.setBrand({ brand: { name: 'Acme Shops', logo, ...accents, support: 'mailto:help@example.net' } });
dns.set('*.cname.customers.example', 'A', [EDGE]);
for (const nameserver of NAMESERVERS) dns.set(nameserver, 'A', [dns.address]);
// The names of the languages need it in every picture.
const { browser, close } = await startBrowser({ fonts: await japaneseFonts() });
mkdirSync(pictures, { recursive: true });

interface Subject {
  /** The zone is at Cloudflare unless given. */
  isElsewhere?: boolean;
  /** Lets it come to the state. `values`: those of its records. */
  publish?(name: string, values: string[]): void;
  language?: string;
}

/** A domain of a zone of its own, and its link. */
async function invite(name: string, { isElsewhere = false, publish }: Subject = {}): Promise<string> {
  const zone = name.split('.').slice(-2).join('.');
  if (!isElsewhere) dns.setZone(zone, NAMESERVERS);
  const { dnsRecords } = await client.domains.createDomain({ ...PLACE, domain: name });
  publish?.(
    name,
    dnsRecords.map(({ value }) => value),
  );
  return (await client.domains.createSetupLink({ domain: name })).url;
}

const right = (name: string, [target = '']: string[]) => dns.set(name, 'CNAME', [target]);
const former = (name: string) => {
  dns.set('old-shop.example.net', 'A', [FORMER]);
  dns.set(name, 'CNAME', ['old-shop.example.net']);
};
const caa = (name: string) => dns.set(name.split('.').slice(-2).join('.'), 'CAA', ['0 issue "digicert.com"']);

const publish = await invite('shop.acme.com');
await draw('publish', publish, 'Add these two records at Cloudflare');
await draw('fix', await invite('shop.bakery.com', { publish: former }), 'One thing needs to change');
await draw('fix-de', await invite('laden.baecker.com', { publish: former }), 'Eine Änderung nötig', 'de-DE');
await draw('fix-ja', await invite('shop.panya.com', { publish: former }), '1か所の変更が必要です', 'ja-JP');
await draw(
  'apex-in-Unicode-unknown-provider',
  await invite('xn--bcher-kva.com', { isElsewhere: true }),
  'Its nameservers are',
);
const apex = (name: string) => dns.set(name, 'A', [FORMER]);
await draw('apex-of-a-former-server', await invite('florist.com', { publish: apex }), 'One thing needs to change');
const blocked = await invite('shop.library.com', { publish: (name, values) => [caa(name), right(name, values)] });
await draw('CAA-record-in-the-way', await invite('shop.florist.net', { publish: (name) => caa(name) }), 'CAA record');
await draw('certificate-blocked', blocked, 'One more thing for the certificate');
const live = await invite('shop.cinema.com', { publish: right });
await draw('live', live, 'Your site is live');
former('shop.cinema.com');
const revoked = await invite('shop.opera.com');
const { items } = await client.domains.listSetupLinks({ domain: 'shop.opera.com' });
for (const { id } of items) await client.domains.revokeSetupLink({ linkId: id });
await draw('revoked', revoked, 'This link was withdrawn');
const { looks } = ca.settings;
ca.settings.looks = 10_000;
await draw('certificate', await invite('shop.gallery.com', { publish: right }), 'Now the certificate');
ca.settings.looks = looks;
ca.failAuthorizations('shop.museum.com', new AcmeProblem(403, 'rejectedIdentifier', 'forbidden by policy'));
await draw('certificate-refused', await invite('shop.museum.com', { publish: right }), 'We are looking into it');
await draw('live-but-drifted', live, 'something has changed');
await draw('unknown', `${api}/setup#nps_unknown`, 'This link is incomplete');
await draw('component', publish, 'Add these two records', 'en-US');
await draw('deleted', publish, 'The domain was removed', 'en-US', () =>
  client.domains.deleteDomain({ domain: 'shop.acme.com' }),
);
const shown = await invite('shop.theatre.com');
await draw('lost-connection', shown, 'The connection was lost', 'en-US', () => server.stop());

await close();
await ca.close();
await dns.close();
rmSync(directory, { recursive: true });

async function draw(
  name: string,
  url: string,
  shows: string,
  locale = 'en-US',
  after = async (): Promise<unknown> => undefined,
): Promise<void> {
  const pages: Page[] = [];
  for (const { width, ...kind } of KINDS) {
    const context = await browser.newContext({ viewport: { width, height: 400 }, locale, timezoneId: 'UTC', ...kind });
    const page = await context.newPage();
    await page.goto(name === 'component' ? await startPlatform(page, url) : url);
    await page.locator('h1, h2').first().waitFor();
    pages.push(page);
  }
  await after();
  const shots: Buffer[] = [];
  for (const page of pages) {
    await page.getByText(shows).first().waitFor();
    shots.push(await page.screenshot({ animations: 'disabled', fullPage: true }));
    await page.context().close();
  }
  // A PNG has its height there.
  const height = Math.max(...shots.map((shot) => shot.readUInt32BE(20)));
  writeFileSync(
    join(pictures, `${name}.webp`),
    await beside(browser, shots, { widths: KINDS.map(({ width }) => width), height, scale: 2 / 3 }),
  );
  console.log(name);
}

/** Starts a page of another origin than that of the API; ends it with the browser's page. */
async function startPlatform(page: Page, url: string): Promise<string> {
  const platform = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(platformPage(api, decodeURIComponent(new URL(url).hash.slice(1))));
  }).listen(0, '127.0.0.1');
  await once(platform, 'listening');
  page.once('close', () => platform.closeAllConnections());
  page.once('close', () => platform.close());
  const origin = `http://127.0.0.1:${(platform.address() as AddressInfo).port}`;
  await client.setup.setBrand({ origins: [origin] });
  return origin;
}
