import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const list = readFileSync(new URL('../../docs/conformance.md', import.meta.url), 'utf8');
const rows = [...list.matchAll(/^\| .+ \| (.+) \| `(.+)` \|$/gm)].map(
  ([, title = '', file = '']) => [file, title] as const,
);

test('docs/conformance.md lists the specification', () => {
  expect(rows.length).toBeGreaterThan(60);
});

test.each(rows)('docs/conformance.md tells the truth: %s has "%s"', (file, title) => {
  const source = readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
  // Titles stand in the source in any quotation marks, so their own are escaped or not.
  expect(source.replaceAll('\\', '')).toContain(title);
});
