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

it('the dashboard loads less than 182 KB of scripts before its largest page, each named by its content and compressed', async () => {
  const directory = join(root, 'dashboard');
  await bundlePage(join(import.meta.dirname, '../..'), directory);
  const html = readFileSync(join(directory, 'dashboard/index.html'), 'utf8');
  const first = [...html.matchAll(/(?:src|modulepreload" href)="\/dashboard\/(assets\/[^"]+\.js)"/g)].map(
    ([, name = '']) => name,
  );
  const names = readdirSync(join(directory, 'dashboard/assets'));
  const scripts = names.filter((name) => name.endsWith('.js'));
  for (const name of scripts) {
    expect(name).toMatch(/-[\w-]{8}\.js$/);
    expect(names).toEqual(expect.arrayContaining([`${name}.br`, `${name}.gz`]));
  }
  const sizeOf = (name: string) => readFileSync(join(directory, 'dashboard', name)).length;
  const later = scripts.map((name) => `assets/${name}`).filter((name) => !first.includes(name));
  expect(first).toHaveLength(2);
  expect(later.length).toBeGreaterThan(8);
  const size = first.reduce((sum, name) => sum + sizeOf(name), 0) + Math.max(...later.map(sizeOf));
  expect(size).toBeLessThan(182_000);
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
