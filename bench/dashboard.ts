// The list of domains in the dashboard, in Chromium, beside an empty page: node bench/dashboard.ts [DOMAINS], more than the 2,000 that it scrolls through. Needs `npm run build`.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { createSignInLink } from '../playground/seed.ts';
import { systemClock } from '../server/src/base/clock.ts';
import { idMaker } from '../server/src/base/ids.ts';
import { createLog } from '../server/src/base/log.ts';
import { readServerConfig } from '../server/src/config/config.ts';
import { startServer } from '../server/src/main.ts';
import { startBrowser } from '../test/support/browser.ts';
import { ENCRYPTION_KEY } from '../test/support/encryption-key.ts';
import { PRESENT } from './checkout.ts';
import { populate } from './population.ts';
import { nameOf } from './zone.ts';

const RUNS = 5;
const ZONES = 1000;
const ROWS = 2000;
/** As in page/dashboard/styles-domains.css. */
const ROW_PX = 60;
const SLOWED = 4;
const domains = Number(process.argv[2] ?? 100_000);
const rare = nameOf(Math.floor(domains / 2), ZONES);
const common = rare.split('.').at(-1) ?? '';

const directory = mkdtempSync(join(tmpdir(), 'nameplate-dashboard-'));
const path = join(directory, 'nameplate.db');
const { ids } = await populate(path, { domains, zones: ZONES, checkout: PRESENT }, () => {});
const config = readServerConfig({
  NAMEPLATE_LISTEN: '127.0.0.1:0',
  NAMEPLATE_ROLES: 'api',
  NAMEPLATE_API_THREADS: '0',
  NAMEPLATE_METRICS_LISTEN: 'off',
  NAMEPLATE_CNAME_ZONE: 'cname.bench.test',
  NAMEPLATE_DNS_RESOLVERS: '127.0.0.1:9',
  NAMEPLATE_DNS_ALLOWED_NETWORKS: '127.0.0.0/8',
  NAMEPLATE_DATABASE_URL: `sqlite:${path}`,
  NAMEPLATE_ENCRYPTION_KEY: ENCRYPTION_KEY,
});
const server = await startServer(config, { log: createLog('silent') });
const { browser, close } = await startBrowser();
const deps = { store: server.store, clock: systemClock, newId: idMaker(systemClock), randomBytes };

/** Waits for a condition, looking once a frame. Resolves with ms since `start` of the page's clock. */
const until = (page: Page, condition: string, start = '0') =>
  page.evaluate(
    `new Promise((done) => { const start = ${start}; const look = () => ${condition} ? done(performance.now() - start) : requestAnimationFrame(look); requestAnimationFrame(look); })`,
  ) as Promise<number>;
const SHOWN = `document.querySelector('table[aria-busy=false] tbody tr, .empty') !== null`;

/** Types a search or chooses a filter, and waits for what it finds. */
function find(page: Page, selector: string, value: string): Promise<number> {
  const set = `const one = document.querySelector(${JSON.stringify(selector)}); one.value = ${JSON.stringify(value)}; one.dispatchEvent(new Event('input', { bubbles: true })); one.dispatchEvent(new Event('change', { bubbles: true }));`;
  const condition = `(location.search.includes(encodeURIComponent(${JSON.stringify(value)})) && ${SHOWN})`;
  return until(page, condition, `(() => { const now = performance.now(); ${set} return now; })()`);
}

/** The longest time between two frames while 2,000 rows pass, ten a frame. */
const scroll = (page: Page) =>
  page.evaluate(`new Promise((done) => {
    let longest = 0, before = performance.now(), gone = 0;
    scrollTo(0, 0);
    requestAnimationFrame(function step(now) {
      longest = Math.max(longest, now - before);
      before = now;
      const top = scrollY;
      scrollBy(0, ${10 * ROW_PX});
      gone += scrollY - top;
      if (gone < ${ROWS * ROW_PX}) requestAnimationFrame(step); else done(longest);
    });
  })`) as Promise<number>;

/** Largest contentful paint of a page that nothing is cached for, ms. */
async function paintOf(context: BrowserContext, url: string, condition: string): Promise<number> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWED });
  await page.addInitScript(
    "globalThis.paint = 0; new PerformanceObserver((list) => { paint = list.getEntries().at(-1).startTime }).observe({ type: 'largest-contentful-paint', buffered: true });",
  );
  await page.goto(url);
  await until(page, `(${condition} && paint > 0)`);
  await page.evaluate('new Promise((done) => setTimeout(done, 500))');
  const paint = (await page.evaluate('paint')) as number;
  await page.close();
  return paint;
}

const results = new Map<string, number[]>();
function note(name: string, ms: number): void {
  results.set(name, [...(results.get(name) ?? []), Math.round(ms)]);
  console.error(`${name}: ${Math.round(ms)} ms`);
}
console.log(`${domains} domains, load average ${loadavg()[0]?.toFixed(1)} before`);
for (let run = 0; run < RUNS; run += 1) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const blank = `<!doctype html><title>Empty</title><p>Empty</p><div style="height:${ROWS * ROW_PX + 1000}px">`;
  await context.route('**/empty', (route) => route.fulfill({ contentType: 'text/html', body: blank }));
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(`${server.api}/dashboard#${await createSignInLink(deps, ids.workspaceId)}`);
  await page.getByRole('navigation').waitFor();
  await page.goto(`${server.api}/empty`);
  note('empty page: shown', await until(page, 'document.body !== null'));
  note('empty page: longest frame', await scroll(page));
  await page.goto(`${server.api}/dashboard/domains`);
  note('list shown', await until(page, SHOWN));
  note('filter', await find(page, '.filters select', 'verifying'));
  await page.goto(`${server.api}/dashboard/domains`);
  await until(page, SHOWN);
  note('search, common', await find(page, 'input[type=search]', common));
  note('search, rare', await find(page, 'input[type=search]', rare));
  note('search, nothing', await find(page, 'input[type=search]', 'no-such-name.invalid'));
  await page.goto(`${server.api}/dashboard/domains`);
  await until(page, SHOWN);
  note('longest frame', await scroll(page));
  await page.close();
  note('empty page: largest paint, CPU 4 times slower', await paintOf(context, `${server.api}/empty`, 'true'));
  note('largest paint, CPU 4 times slower', await paintOf(context, `${server.api}/dashboard/domains`, SHOWN));
  await context.close();
}
console.log(`load average ${loadavg()[0]?.toFixed(1)} after; ms, median (range) of ${RUNS}`);
for (const [name, times] of results) {
  const sorted = times.toSorted((a, b) => a - b);
  console.log(`${name}: ${sorted[Math.floor(RUNS / 2)]} (${sorted[0]} to ${sorted.at(-1)})`);
}
await close();
await server.stop();
rmSync(directory, { recursive: true });
