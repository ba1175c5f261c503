// Draws docs/guides/setup-page/: each state of the set-up page in light, dark and on a phone. Run it after a change of the
// page, and look at what it draws.
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { type ScriptedSetup, startScriptedSetup } from '../test/page/scripted-setup.ts';
import { STATES, type State } from '../test/page/states.ts';
import { startBrowser } from '../test/support/browser.ts';
import { beside } from './beside.ts';
import { bundlePage } from './bundle-page.ts';

const root = join(import.meta.dirname, '..');
const directory = mkdtempSync(join(tmpdir(), 'nameplate-pictures-'));
const pictures = join(root, 'docs/guides/setup-page');

const KINDS = [{ width: 760 }, { width: 760, colorScheme: 'dark' }, { width: 375 }] as const;
/** Height of the window, in pixels: as high as the content of a state. */
const HEIGHT = 900;
const HEIGHTS: Record<string, number> = {
  unknown: 300,
  expired: 300,
  revoked: 300,
  deleted: 300,
  disabled: 300,
  certificate: 640,
  live: 640,
  'apex in Unicode, unknown provider': 1200,
  'apex of a former server, without its TXT record': 1200,
  'CAA record in the way': 1640,
  'certificate blocked': 1200,
  'moving, offered': 1900,
  'wildcard without the record for its certificate': 1760,
};

/** States that look like others are not drawn. */
const NOT_DRAWN = [
  'loading',
  'live wildcard',
  'certificate blocked, by a CAA record that the certificate authority alone has seen',
];

/** A page of a platform with a brand of its own, which contains the component. */
const platformPage = (api: string) => `<!doctype html><html lang="en"><meta charset="utf-8">
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
<nameplate-domain token="nps_x"></nameplate-domain></main></html>`;

await bundlePage(root, directory);
const { browser, close } = await startBrowser();
rmSync(pictures, { recursive: true, force: true });
mkdirSync(pictures, { recursive: true });
for (const [name, state] of Object.entries(STATES)) {
  if (!NOT_DRAWN.includes(name)) await draw(name, state, (page, { url }) => page.goto(`${url}/setup#nps_x`));
}
const { publish } = STATES;
if (publish !== undefined) await draw('component', publish, openPlatform);
await close();
rmSync(directory, { recursive: true });

/** An origin other than that of the API. */
async function openPlatform(page: Page, { url }: ScriptedSetup): Promise<void> {
  const platform = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(platformPage(url));
  }).listen(0, '127.0.0.1');
  await once(platform, 'listening');
  page.once('close', () => platform.closeAllConnections());
  page.once('close', () => platform.close());
  await page.goto(`http://127.0.0.1:${(platform.address() as AddressInfo).port}`);
}

async function draw(
  name: string,
  { script, shows, after }: State,
  open: (page: Page, server: ScriptedSetup) => Promise<unknown>,
): Promise<void> {
  const shots: Buffer[] = [];
  const height = HEIGHTS[name] ?? HEIGHT;
  for (const { width, ...kind } of KINDS) {
    const server = await startScriptedSetup(directory, script);
    const page = await browser.newPage({ viewport: { width, height }, ...kind });
    await open(page, server);
    await page.getByText(shows).first().waitFor();
    if (after?.script !== undefined) server.play(after.script);
    if (after?.end !== undefined) server.end(after.end);
    if (after !== undefined) await page.getByText(after.shows).first().waitFor();
    shots.push(await page.screenshot({ animations: 'disabled' }));
    await page.close();
    await server.close();
  }
  writeFileSync(
    join(pictures, `${name.replaceAll(/\W+/g, '-')}.webp`),
    await beside(browser, shots, { widths: KINDS.map(({ width }) => width), height, scale: 2 / 3 }),
  );
}
