import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { type OutputChunk, type Plugin, rolldown } from 'rolldown';

/**
 * Bundles the set-up page, the component and the dashboard below `root` into `directory`, each script and stylesheet also compressed.
 * Returns the modules that are in them. Rejects with what is wrong.
 */
export async function bundlePage(root: string, directory: string): Promise<string[]> {
  const css = minified(readFileSync(join(root, 'page/styles.css'), 'utf8'));
  const ofDashboard = css + minified(stylesIn(join(root, 'page/dashboard')));
  const component = await bundleScript(root, 'page/element.tsx', css);
  const dashboard = await bundleScript(root, 'page/dashboard/dashboard.tsx', css);
  const page = await bundleScript(root, 'page/page.tsx', css);
  mkdirSync(join(directory, 'assets'), { recursive: true });
  mkdirSync(join(directory, 'dashboard', 'assets'), { recursive: true });
  write(join(directory, 'nameplate-domain.js'), component.code);
  writePage(join(root, 'page/dashboard'), join(directory, 'dashboard'), { css: ofDashboard, js: dashboard.code });
  // The page is written last: a running server serves the files once it is there.
  writePage(join(root, 'page'), directory, { css, js: page.code });
  return [...page.moduleIds, ...component.moduleIds, ...dashboard.moduleIds];
}

/** Writes a page with its script and its styles, which are named by their content. */
function writePage(source: string, directory: string, assets: { css: string; js: string }): void {
  let html = readFileSync(join(source, 'index.html'), 'utf8');
  for (const [kind, content] of Object.entries(assets)) {
    const name = `page-${createHash('sha256').update(content).digest('hex').slice(0, 12)}.${kind}`;
    write(join(directory, 'assets', name), content);
    html = html.replace(`assets/page.${kind}`, `assets/${name}`);
  }
  writeFileSync(join(directory, 'index.html'), html);
}

/** Bundles into one script, without names of its own in the page. */
export async function bundleScript(root: string, input: string, css: string): Promise<OutputChunk> {
  const build = await rolldown({
    cwd: root,
    input,
    platform: 'browser',
    tsconfig: false,
    plugins: [stylesheet(css)],
    transform: { target: 'es2022', jsx: { runtime: 'automatic', importSource: 'preact' } },
    onLog(level, log) {
      if (level === 'warn') throw new Error(log.message);
    },
  });
  const { output } = await build.generate({ format: 'esm', minify: true, comments: false, codeSplitting: false });
  await build.close();
  return output[0];
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
