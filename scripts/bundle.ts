import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { type Plugin, RolldownMagicString, rolldown } from 'rolldown';
import { hashSources, STAMP } from '../bin/bundle.mjs';
import { bundlePage } from './bundle-page.ts';
import { compileClient } from './compile-client.ts';
import { buildSite } from './site.ts';

/** Threads are found where the sources name them. */
const PROGRAMS = { cli: 'playground/nameplate.ts', healthcheck: 'deploy/healthcheck.ts' };

/** Optional packages of `pg`, which Nameplate does not use. */
const ABSENT = ['pg-native', 'pg-cloudflare'];

/**
 * Bundles the program below `root`, its packages included, into `dist/`, with the set-up page and the documents, and
 * compiles the TypeScript client beside it: replaced as a whole, once it is complete. Rejects with what is wrong.
 */
export async function bundle(root: string): Promise<void> {
  const hash = hashSources(root);
  const directory = join(root, 'dist');
  const next = `${directory}.${process.pid}`;
  const modules = await bundlePrograms(root, PROGRAMS, next);
  modules.push(...(await bundlePage(root, join(next, 'page'))));
  modules.push(...(await buildSite(root, join(next, 'docs'))));
  writeFileSync(join(next, 'licenses.txt'), licences(modules));
  compileClient(root);
  writeFileSync(join(next, STAMP), hash);
  rmSync(directory, { recursive: true, force: true });
  renameSync(next, directory);
}

/**
 * Bundles programs and the threads that they name into a new directory in `root`; `programs`: the source of each by its
 * name. Resolves with the modules that are in them.
 */
export async function bundlePrograms(
  root: string,
  programs: Record<string, string>,
  directory: string,
): Promise<string[]> {
  const build = await rolldown({
    cwd: root,
    input: programs,
    platform: 'node',
    tsconfig: false,
    external: ABSENT,
    plugins: [threads(), files(), lazyBuiltins()],
    // A busy machine is no mistake.
    checks: { bundlerTimings: false },
    onLog(level, log) {
      if (level === 'warn') throw new Error(log.message);
    },
  });
  const { output } = await build.write({
    dir: directory,
    format: 'esm',
    entryFileNames: '[name].js',
    // Runs first in each program and each thread.
    banner: ({ isEntry }) => (isEntry ? "import '../bin/stacks.mjs';" : ''),
    chunkFileNames: 'chunks/[name].js',
    // A write to SQLite is posted to its thread by the name of its function.
    keepNames: true,
    // White space and comments are a third of the text, which each thread keeps for itself. Names stay.
    minify: { codegen: true, compress: false, mangle: false },
    comments: false,
    // V8 stores a text with one other character in twice the space.
    charset: 'ascii',
    sourcemap: true,
    sourcemapExcludeSources: true,
  });
  await build.close();
  return output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
}

const THREAD = /new URL\('(\.\/[\w-]+)\.ts', import\.meta\.url\)/g;

/**
 * Gives the bundle a file for each script of a thread that the sources name, as `new URL('./x.ts', import.meta.url)`.
 */
function threads(): Plugin {
  return {
    name: 'threads',
    transform: {
      filter: { id: /\/src\// },
      handler(code, id) {
        const text = new RolldownMagicString(code);
        for (const { 0: url, 1: script = '', index } of code.matchAll(THREAD)) {
          const chunk = { id: join(dirname(id), `${script}.ts`), fileName: `${basename(script)}.js` };
          const reference = this.emitFile({ type: 'chunk', ...chunk });
          text.overwrite(index, index + url.length, `new URL(import.meta.ROLLUP_FILE_URL_${reference})`);
        }
        return text.hasChanged() ? { code: text } : null;
      },
    },
  };
}

const FILE = /new URL\('(\.\/[\w-]+\.(?:css|html|js|svg))', import\.meta\.url\)/g;

/** Gives the bundle the files that the program serves as they are. */
function files(): Plugin {
  return {
    name: 'files',
    transform: {
      filter: { id: /\/playground\// },
      handler(code, id) {
        const text = new RolldownMagicString(code);
        for (const { 0: url, 1: file = '', index } of code.matchAll(FILE)) {
          const source = readFileSync(join(dirname(id), file));
          const reference = this.emitFile({ type: 'asset', fileName: `panel/${basename(file)}`, source });
          text.overwrite(index, index + url.length, `new URL(import.meta.ROLLUP_FILE_URL_${reference})`);
        }
        return text.hasChanged() ? { code: text } : null;
      },
    },
  };
}

const LAZY = /^(?:node:)?(fs|http|process|util)$/;

/**
 * Node reads all exports of an imported module of its own, also those it would load only when they are used: with
 * `node:http` comes its fetch client, 14 MB in each thread. The bundle takes the module as it is.
 */
function lazyBuiltins(): Plugin {
  return {
    name: 'lazy-builtins',
    resolveId: {
      filter: { id: LAZY },
      handler: (id, _importer, { kind }) => (kind === 'import-statement' ? `\0${id.replace(LAZY, 'node:$1')}` : null),
    },
    load: {
      filter: { id: /^\0node:/ },
      handler(id) {
        const name = id.slice(1);
        const builtin = Object.getOwnPropertyDescriptors(process.getBuiltinModule(name));
        const names = Object.keys(builtin).filter((each) => builtin[each]?.get === undefined && each !== 'default');
        const get = `process.getBuiltinModule('${name}')`;
        return `const builtin = ${get};\nexport default builtin;\nexport const { ${names.join(', ')} } = builtin;`;
      },
    },
  };
}

/** The licences of the packages that these modules are from: most of them ask to be passed on with copies. */
function licences(modules: readonly string[]): string {
  const packages = new Set(modules.map((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? ''));
  packages.delete('');
  return [...packages]
    .sort()
    .map(licenceOf)
    .join(`\n${'-'.repeat(80)}\n\n`);
}

function licenceOf(directory: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  const file = readdirSync(directory).find((each) => /^licen[cs]e/i.test(each));
  const text = file === undefined ? '' : readFileSync(join(directory, file), 'utf8');
  return `${name} ${version} (${license})\n\n${text}`;
}
