import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';
import { TEXTS } from '../page/dashboard/languages/texts.ts';
import { LANGUAGE_NAMES, LANGUAGES, type LanguageId } from '../page/languages/choose.ts';

/**
 * Bundles the set-up page, the component and the dashboard below `root` into `directory`, each script and stylesheet also compressed.
 * Returns the modules that are in them. Rejects with what is wrong.
 */
export async function bundlePage(root: string, directory: string): Promise<string[]> {
  const css = minified(readFileSync(join(root, 'page/styles.css'), 'utf8'));
  const ofDashboard = css + minified(stylesIn(join(root, 'page/dashboard')));
  // Other pages load the component: what it imports later is found from its own address.
  const component = await bundleScript(root, 'page/element.tsx', css, 'nameplate-domain.js');
  if (component[0].imports.length > 0) throw new Error('The component imports a chunk before it is asked for.');
  const dashboard = await bundleScript(root, 'page/dashboard/dashboard.tsx', css);
  const page = await bundleScript(root, 'page/page.tsx', css);
  mkdirSync(join(directory, 'assets'), { recursive: true });
  mkdirSync(join(directory, 'dashboard', 'assets'), { recursive: true });
  for (const { fileName, code } of component) write(join(directory, fileName), code);
  await writePage(join(root, 'page/dashboard'), join(directory, 'dashboard'), ofDashboard, dashboard, (id) =>
    TEXTS[id](),
  );
  // The page is written last: a running server serves the files once it is there.
  await writePage(join(root, 'page'), directory, css, page, async (id) => (await LANGUAGES[id].load()).texts);
  return [page, component, dashboard].flat().flatMap(({ moduleIds }) => moduleIds);
}

/**
 * Writes a page, a file for each language, with its scripts and its styles, which are named by their content. `textsOf`: what it says until
 * its script runs.
 */
async function writePage(
  source: string,
  directory: string,
  css: string,
  [script, ...others]: Script,
  textsOf: (id: LanguageId) => Promise<object>,
): Promise<void> {
  const styles = `assets/page-${createHash('sha256').update(css).digest('hex').slice(0, 12)}.css`;
  write(join(directory, styles), css);
  for (const { fileName, code } of [script, ...others]) write(join(directory, fileName), code);
  const template = readFileSync(join(source, 'index.html'), 'utf8');
  // English, which is the page where a language is not known, is written last.
  for (const [id] of LANGUAGE_NAMES.toReversed()) {
    const { tag, dir = 'ltr' } = await LANGUAGES[id].load();
    const texts: Record<string, unknown> = { ...(await textsOf(id)) };
    const language = others.filter(({ name }) => name === id).map(({ fileName }) => fileName);
    const html = template
      .replace('<html lang="en" dir="ltr">', `<html lang="${tag}" dir="${dir}">`)
      .replace(/\{(\w+)\}/g, (_, key) => String(texts[key]))
      // Chunks that the script imports in any case load beside it.
      .replace(/<script type="module" src="(.*)assets\/page\.js"><\/script>/, (tag, base) =>
        [
          ...[...script.imports, ...language].map((name) => `<link rel="modulepreload" href="${base}${name}">`),
          tag,
        ].join('\n    '),
      )
      .replace('assets/page.js', script.fileName)
      .replace('assets/page.css', styles);
    writeFileSync(join(directory, id === 'en' ? 'index.html' : `index.${id}.html`), html);
  }
}

/** A script, and the chunks that it imports at once or later. */
type Script = [entry: OutputChunk, ...others: OutputChunk[]];

/**
 * Bundles a script, without names of its own in the page. Each `import()` is a chunk; what three of them need is one chunk too,
 * which loads at first.
 */
export async function bundleScript(
  root: string,
  input: string,
  css: string,
  name = 'assets/page-[hash].js',
): Promise<Script> {
  const build = await rolldown({
    cwd: root,
    input,
    platform: 'browser',
    tsconfig: false,
    plugins: [stylesheet(css)],
    // As in `bundle.ts`.
    checks: { bundlerTimings: false },
    transform: { target: 'es2022', jsx: { runtime: 'automatic', importSource: 'preact' } },
    onLog(level, log) {
      if (level === 'warn') throw new Error(log.message);
    },
  });
  const { output } = await build.generate({
    format: 'esm',
    minify: true,
    comments: false,
    entryFileNames: name,
    chunkFileNames: 'assets/[name]-[hash].js',
    codeSplitting: { groups: [{ name: 'common', minShareCount: 3 }] },
  });
  await build.close();
  return output.filter((file) => file.type === 'chunk') as Script;
}

function stylesheet(css: string): Plugin {
  return {
    name: 'stylesheet',
    load: {
      filter: { id: /\.css$/ },
      handler: () => ({ code: `export default ${JSON.stringify(css)}`, moduleType: 'js' }),
    },
  };
}

/** `styles.css` of a folder, and what pages add in files of their own. */
function stylesIn(folder: string): string {
  const others = readdirSync(folder).filter((name) => name.endsWith('.css') && name !== 'styles.css');
  return ['styles.css', ...others.sort()].map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
}

/** Removes comments and white space. */
export function minified(css: string): string {
  return css
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
    .replace(/;}/g, '}')
    .trim();
}

function write(path: string, content: string): void {
  writeFileSync(path, content);
  writeFileSync(`${path}.br`, brotliCompressSync(content));
  writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
}
