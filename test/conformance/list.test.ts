import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** Lists of promises: each row ends with the title of a test and its file. */
describe.each([
  ['docs/conformance.md', 'the specification', 60],
  ['docs/security.md', 'attacks', 50],
])('%s', (list, what, most) => {
  const rows = [...read(list).matchAll(/^\| .+ \| (.+) \| `(.+)` \|$/gm)].map(
    ([, title = '', file = '']) => [file, title] as const,
  );

  test(`lists ${what}`, () => {
    expect(rows.length).toBeGreaterThan(most);
  });

  test.each(rows)('tells the truth: %s has "%s"', (file, title) => {
    // Titles stand in the source in any quotation marks, so their own are escaped or not.
    expect(read(file).replaceAll('\\', '')).toContain(title);
  });
});
