import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Plugin } from 'vite';
import 'vitest/config';

const THREAD = /new URL\('(\.\/[\w-]+)\.ts', import\.meta\.url\)/g;

/**
 * A thread of the program loads some 300 modules, and tests open hundreds of stores with such a thread each. Where the
 * program names the file of a thread, tests get the same modules bundled into one file, which starts in a fifth of the
 * CPU time. Bundled when first used, for one run.
 */
export function bundledThreads(): Plugin {
  const directory = mkdtempSync(join(tmpdir(), 'nameplate-threads-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  const bundles = new Map<string, Promise<void>>();

  return {
    name: 'bundled-threads',
    enforce: 'pre',
    configureVitest({ defineCacheKeyGenerator }) {
      // The bundle is gone after the run, and so is what refers to it.
      defineCacheKeyGenerator(({ sourceCode }) => (sourceCode.search(THREAD) === -1 ? undefined : false));
    },
    async transform(code, id) {
      if (!id.includes('/server/src/') || id.endsWith('.test.ts')) return null;
      const threads = [...code.matchAll(THREAD)].map(([, path = '']) => resolve(dirname(id), path));
      if (threads.length === 0) return null;
      for (const thread of threads) {
        const bundle = bundles.get(thread) ?? bundleThread(`${thread}.ts`, directory);
        bundles.set(thread, bundle);
        await bundle;
      }
      return code.replace(THREAD, (_, path: string) => {
        const url = pathToFileURL(join(directory, `${basename(path)}.mjs`));
        return `new URL(${JSON.stringify(url.href)})`;
      });
    },
  };
}

async function bundleThread(entry: string, directory: string): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'warn',
    ssr: { noExternal: true, target: 'node' },
    build: {
      ssr: entry,
      outDir: directory,
      emptyOutDir: false,
      minify: false,
      rolldownOptions: { output: { entryFileNames: `${basename(entry, '.ts')}.mjs`, codeSplitting: false } },
    },
  });
}
