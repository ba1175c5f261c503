import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { bundlePage } from '../../scripts/bundle-page.ts';

const root = mkdtempSync(join(tmpdir(), 'nameplate-bundle-'));
afterAll(() => rmSync(root, { recursive: true }));

// A server that runs during a build serves the files once the page is there (`server/src/api/page-files.ts`).
it.each(['nameplate-domain.js', 'nameplate-domain.js.br', 'nameplate-domain.js.gz'])(
  'the page is written after all other files: without %s there is none',
  async (file) => {
    const directory = join(root, file);
    // In its way.
    mkdirSync(join(directory, file), { recursive: true });
    await expect(bundlePage(join(import.meta.dirname, '../..'), directory)).rejects.toThrow('EISDIR');
    expect(existsSync(join(directory, 'index.html'))).toBe(false);
  },
);

const LANGUAGES = ['', '.de', '.es', '.fr', '.ja', '.pt'];

it('the first view of the dashboard loads less than 150 KB of scripts in any language, each named by its content and compressed', async () => {
  const directory = join(root, 'dashboard');
  await bundlePage(join(import.meta.dirname, '../..'), directory);
  const names = readdirSync(join(directory, 'dashboard/assets'));
  const scripts = names.filter((name) => name.endsWith('.js'));
  for (const name of scripts) {
    expect(name).toMatch(/-[\w-]{8}\.js$/);
    expect(names).toEqual(expect.arrayContaining([`${name}.br`, `${name}.gz`]));
  }
  const sizeOf = (name: string) => readFileSync(join(directory, 'dashboard', name)).length;
  const home = scripts.find((name) => name.startsWith('home-page-')) ?? '';
  for (const language of LANGUAGES) {
    const html = readFileSync(join(directory, `dashboard/index${language}.html`), 'utf8');
    const first = [...html.matchAll(/(?:src|modulepreload" href)="\/dashboard\/(assets\/[^"]+\.js)"/g)];
    const loaded = [...first.map(([, name = '']) => name), `assets/${home}`];
    // The script, what it has in common with others, the two of its language, and that of the page.
    expect(loaded).toHaveLength(5);
    expect(loaded.reduce((sum, name) => sum + sizeOf(name), 0)).toBeLessThan(150_000);
  }
});

it('the component imports what it needs later from beside itself', async () => {
  const source = join(root, 'source');
  const here = join(import.meta.dirname, '../..');
  for (const part of ['page', 'client', 'words']) cpSync(join(here, part), join(source, part), { recursive: true });
  symlinkSync(join(here, 'node_modules'), join(source, 'node_modules'));
  writeFileSync(join(source, 'page/later.ts'), "export const LATER = 'Später';");
  writeFileSync(join(source, 'page/element.tsx'), "import('./later.ts').then(({ LATER }) => alert(LATER));");
  const directory = join(root, 'component');
  await bundlePage(source, directory);
  const [, name = ''] =
    /import\(`\.\/(assets\/later-[\w-]{8}\.js)`\)/.exec(readFileSync(join(directory, 'nameplate-domain.js'), 'utf8')) ??
    [];
  expect(readFileSync(join(directory, name), 'utf8')).toContain('Später');
});
