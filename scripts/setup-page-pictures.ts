// Draws docs/setup-page/: each state of the set-up page in light, dark and on a phone. Run it after a change of the page, and look at what it draws.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { startBrowser } from '../test/support/browser.ts';
import { startScriptedSetup } from '../test/web/scripted-setup.ts';
import { STATES } from '../test/web/states.ts';
import { bundleWeb } from './bundle-web.ts';

const root = join(import.meta.dirname, '..');
const directory = mkdtempSync(join(tmpdir(), 'nameplate-pictures-'));
const pictures = join(root, 'docs/setup-page');

const WIDE = { width: 760, height: 900 };
const KINDS = [
  { viewport: WIDE },
  { viewport: WIDE, colorScheme: 'dark' },
  { viewport: { width: 375, height: 900 } },
] as const;
/** Of a picture, in percent. */
const QUALITY = 60;

await bundleWeb(root, directory);
const { browser, close } = await startBrowser();
rmSync(pictures, { recursive: true, force: true });
mkdirSync(pictures, { recursive: true });
for (const [name, { script, shows }] of Object.entries(STATES)) {
  const server = await startScriptedSetup(directory, script);
  const shots: Buffer[] = [];
  for (const kind of KINDS) {
    const page = await browser.newPage(kind);
    await page.goto(`${server.url}/setup#nps_x`);
    await page.getByText(shows).first().waitFor();
    shots.push(await page.screenshot({ animations: 'disabled' }));
    await page.close();
  }
  await server.close();
  writeFileSync(join(pictures, `${name.replaceAll(/\W+/g, '-')}.webp`), await beside(browser, shots));
}
await close();
rmSync(directory, { recursive: true });

/** The pictures beside each other, at two thirds of their size, as WebP. */
async function beside(browser: Browser, shots: Buffer[]): Promise<Buffer> {
  const images = shots.map((shot, at) => {
    const width = (KINDS[at]?.viewport.width ?? 0) / 1.5;
    return `<img width="${width}" src="data:image/png;base64,${shot.toString('base64')}">`;
  });
  const page = await browser.newPage({ viewport: { width: 1286, height: 616 } });
  await page.setContent(`<body style="margin:8px;display:flex;gap:8px;background:#8a9099">${images.join('')}`);
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
  await page.close();
  return Buffer.from(data, 'base64');
}
