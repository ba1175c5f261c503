import { randomBytes } from 'node:crypto';
import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { createClient, type NameplateClient } from '../../client/client.ts';
import { type Simulator, startSimulator } from '../../playground/dns/simulator.ts';
import { seed } from '../../playground/seed.ts';
import { systemClock } from '../../server/src/base/clock.ts';
import { idMaker } from '../../server/src/base/ids.ts';
import { createLog } from '../../server/src/base/log.ts';
import { readServerConfig } from '../../server/src/config/config.ts';
import { startServer } from '../../server/src/main.ts';
import { startBrowser } from '../support/browser.ts';
import { run, temporaryDirectory } from '../support/command.ts';
import { ENCRYPTION_KEY } from '../support/encryption-key.ts';
import { freePort } from '../support/free-port.ts';

/** The dashboard as a platform's team meets it: the server with its API and its checks on SQLite, and Chromium. */
export interface DashboardLab {
  url: string;
  /** With every permission. */
  client: NameplateClient;
  dns: Simulator;
  browser: Browser;
  /** A link of `nameplate dashboard login`. */
  signInLink(about?: { as?: string; preset?: string }): Promise<string>;
  close(): Promise<void>;
}

export const PLACE = { project: 'demo', app: 'web', environment: 'production' };

/** `dist/page` must have been built. The first time Chromium is fetched, see `START_LIMIT_MS`. `database`: one that is there already. */
export async function startDashboardLab({ database }: { database?: string } = {}): Promise<DashboardLab> {
  const directory = temporaryDirectory();
  const file = database ?? `${directory.path}/nameplate.db`;
  const dns = await startSimulator({ port: 0 });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const config = readServerConfig({
    NAMEPLATE_LISTEN: `127.0.0.1:${port}`,
    NAMEPLATE_PUBLIC_URL: url,
    NAMEPLATE_METRICS_LISTEN: 'off',
    NAMEPLATE_LOG_LEVEL: 'error',
    NAMEPLATE_CNAME_ZONE: 'cname.platform.test',
    NAMEPLATE_DNS_RESOLVERS: `127.0.0.1:${dns.port}`,
    NAMEPLATE_DNS_ALLOWED_NETWORKS: '127.0.0.0/8',
    NAMEPLATE_DATABASE_URL: `sqlite:${file}`,
    NAMEPLATE_ENCRYPTION_KEY: ENCRYPTION_KEY,
    NAMEPLATE_ROLES: database === undefined ? 'api,verifier' : 'api',
  });
  const timing = { checkIntervalMs: 1000, nameserverPort: dns.port };
  const server = await startServer(config, { log: createLog('silent'), ...timing });
  const deps = { store: server.store, clock: systemClock, newId: idMaker(systemClock), randomBytes };
  const { rootKey, workspaceId } = await seed(deps, undefined);
  const chromium = await startBrowser();

  return {
    url,
    dns,
    browser: chromium.browser,
    client: createClient({ baseUrl: url, rootKey }),
    async signInLink({ as = 'ada', preset = 'owner' } = {}) {
      const words = ['dashboard', 'login', '--workspace', workspaceId, '--as', as, '--preset', preset];
      const env = { NAMEPLATE_DATABASE_URL: `sqlite:${file}`, NAMEPLATE_PUBLIC_URL: url };
      const { code, stdout, stderr } = await run([...words, '--json'], { env });
      if (code !== 0) throw new Error(stderr);
      return (JSON.parse(stdout) as { url: string }).url;
    },
    async close() {
      await chromium.close();
      await server.stop();
      await dns.close();
      directory.remove();
    },
  };
}

/** A page of a context, and what the browser complains of on it. */
export async function openPage(context: BrowserContext): Promise<{ page: Page; complaints: string[] }> {
  const complaints: string[] = [];
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  page.on('pageerror', (problem) => complaints.push(problem.message));
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted/i.test(message.text())) complaints.push(message.text());
  });
  return { page, complaints };
}

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const PHONE = { width: 360, height: 720 };
const DESK = { width: 1280, height: 800 };
/** A desk at 200 %. */
const ZOOMED = { width: 640, height: 400 };

/** The elements that reach beyond the right edge. */
const WIDE = `[...document.querySelectorAll('body *')]
  .filter((one) => one.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map((one) => one.tagName + '.' + one.className).slice(0, 20).join(', ')`;

/** Violations that axe finds on a page in light and dark, on a desk and on a phone, and whether it scrolls sideways there or at 200 %. */
export async function inspect(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const size of [DESK, ZOOMED, PHONE]) {
    await page.setViewportSize(size);
    // Zoom changes the layout alone, which is the same in both.
    for (const colorScheme of size === ZOOMED ? [] : (['light', 'dark'] as const)) {
      await page.emulateMedia({ colorScheme });
      if (!(await page.evaluate("'axe' in window"))) await page.evaluate(axe.source);
      const options = JSON.stringify({ runOnly: RULES });
      const { violations } = (await page.evaluate(`axe.run(${options})`)) as axe.AxeResults;
      for (const { id, nodes } of violations)
        found.push(`${size.width} ${colorScheme} ${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    }
    const isCutOff = await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
    if (isCutOff) found.push(`${size.width}: the page scrolls sideways: ${await page.evaluate(WIDE)}`);
  }
  await page.setViewportSize(DESK);
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}
