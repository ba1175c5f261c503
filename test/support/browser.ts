import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { findPrograms, TOOLS } from './debian.ts';
import { writeFonts } from './fonts.ts';

const UNPACKED = join(TOOLS, 'chromium');

/**
 * Chromium as Debian has it, without a window. The first time it is fetched, about 75 MB: see `START_LIMIT_MS`.
 * `resolve`: rules for its names, such as `MAP * 127.0.0.1:8443`. `fonts`: a folder with
 * more fonts.
 */
export async function startBrowser({ resolve, fonts: more }: { resolve?: string; fonts?: string } = {}): Promise<{
  browser: Browser;
  close(): Promise<void>;
}> {
  const programs = await findPrograms('chromium', ['chromium-headless-shell', 'fonts-inter', 'fonts-dejavu-core']);
  const directory = await mkdtemp(join(tmpdir(), 'nameplate-browser-'));
  const fonts = await writeFonts(directory, [join(UNPACKED, 'usr/share/fonts'), more ?? '']);
  const libraries = programs.env.LD_LIBRARY_PATH ?? '';
  const browser = await chromium.launch({
    // Not the one in bin, a script that looks for it where packages are installed.
    executablePath: join(UNPACKED, 'usr/lib/chromium/chromium-headless-shell'),
    args: resolve === undefined ? [] : [`--host-resolver-rules=${resolve}`],
    // Tests may run as root, in a container: there is no sandbox. What is opened is of the tests themselves.
    chromiumSandbox: false,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: directory,
      FONTCONFIG_FILE: fonts,
      LD_LIBRARY_PATH: `${libraries}:${libraries.replaceAll(/(?=:|$)/g, '/pulseaudio')}`,
    },
  });
  return {
    browser,
    async close() {
      await browser.close();
      await rm(directory, { recursive: true });
    },
  };
}
