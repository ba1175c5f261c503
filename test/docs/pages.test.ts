import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandVariables, serverVariables } from '../../server/src/config/variables.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: root }).sort();
const matches = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, match = '']) => match);

/** The anchors that GitHub gives to headings. */
function anchorsIn(page: string): string[] {
  const headings = matches(read(page).replace(/^```[\s\S]*?^```/gm, ''), /^#+ (.+)$/gm);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe.each(pages)('%s', (page) => {
  const text = read(page);

  test('names files and folders that exist', () => {
    const paths = matches(
      text,
      /`((?:client|page|playground|server|test|bench|scripts|deploy|docs|bin|words)\/[\w./-]+)`/g,
    );
    expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  test('links to pages and sections that exist', () => {
    const links = matches(text, /\]\(([^)\s]+)\)/g).filter((link) => !/^\w+:/.test(link));
    const broken = links.filter((link) => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : normalize(join(dirname(page), path));
      if (!existsSync(join(root, target))) return true;
      return anchor !== undefined && !anchorsIn(target).includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  test('names settings and metrics that exist', () => {
    const variables = Object.values({ ...serverVariables, ...commandVariables });
    const settings = matches(text, /\b(NAMEPLATE_[A-Z_]*[A-Z])\b(?!_)/g);
    expect(settings.filter((name) => variables.every((variable) => variable.name !== name))).toEqual([]);

    const source = globSync('server/src/{**/*-metrics.ts,edge/**/*.ts}', { cwd: root }).map(read).join('\n');
    const metrics = matches(text, /`(nameplate_[a-z_]+)[{`]/g).filter(
      (name) => !/^nameplate_(serve|migrate)$/.test(name),
    );
    expect(metrics.filter((name) => !source.includes(`'${name}'`))).toEqual([]);
  });
});
