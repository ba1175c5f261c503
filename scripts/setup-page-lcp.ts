// How long the set-up page takes to show its largest text, on a phone's screen with the CPU slowed 4 times: node
// scripts/setup-page-lcp.ts LINK. `npm start` prints a link.
import { cpus, loadavg } from 'node:os';
import { startBrowser } from '../test/support/browser.ts';

const LOADS = 10;
const SLOWED = 4;

const [link] = process.argv.slice(2);
if (link === undefined) throw new Error('The address of a set-up link is missing.');
const { browser, close } = await startBrowser();
const times: number[] = [];
let largest = '';
console.log(`${cpus().length} × ${cpus()[0]?.model}; load average ${loadavg()[0]?.toFixed(2)} before`);
for (let load = 0; load < LOADS; load += 1) {
  // A new context caches nothing.
  const context = await browser.newContext({ viewport: { width: 375, height: 812 }, deviceScaleFactor: 2 });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWED });
  await page.addInitScript(
    "globalThis.paints = []; new PerformanceObserver((list) => paints.push(...list.getEntries().map(({ startTime, element }) => [startTime, element?.textContent]))).observe({ type: 'largest-contentful-paint', buffered: true });",
  );
  await page.goto(link);
  await page.locator('article.record').first().waitFor();
  // The browser has reported the drawn text two frames later.
  await page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 500))))',
  );
  const paints = (await page.evaluate('paints')) as [number, string][];
  const [time = Number.NaN, text = ''] = paints.at(-1) ?? [];
  times.push(Math.round(time));
  largest = text;
  await context.close();
}
await close();
times.sort((a, b) => a - b);
const middle = ((times[LOADS / 2 - 1] ?? 0) + (times[LOADS / 2] ?? 0)) / 2;
console.log(`largest contentful paint, ms: ${times.join(' ')}; median ${middle}, range ${times[0]} to ${times.at(-1)}`);
console.log(`load average ${loadavg()[0]?.toFixed(2)} after; what is largest: ${largest.slice(0, 80)}`);
