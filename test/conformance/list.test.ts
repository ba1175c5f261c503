import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/**
 * The tests and groups that a file defines, each after the groups it is in, as they are written: those of tables with
 * placeholders.
 */
function titlesIn(path: string): Set<string> {
  const titles = new Set<string>();
  const visit = (node: ts.Node, groups: readonly string[]): void => {
    const title = ts.isCallExpression(node) && definesTests(node.expression) ? node.arguments[0] : undefined;
    if (title === undefined || !ts.isStringLiteralLike(title)) {
      ts.forEachChild(node, (child) => visit(child, groups));
      return;
    }
    const titled = [...groups, title.text];
    titles.add(titled.join(' › '));
    ts.forEachChild(node, (child) => visit(child, titled));
  };
  visit(ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest), []);
  return titles;
}

/** Also what is made of them: `test.each(…)`, `describe.concurrent`. */
function definesTests(callee: ts.Node): boolean {
  if (ts.isIdentifier(callee)) return ['describe', 'it', 'test'].includes(callee.text);
  return (ts.isPropertyAccessExpression(callee) || ts.isCallExpression(callee)) && definesTests(callee.expression);
}

/** Lists of promises: each row ends with a test, or a group of them, after the groups it is in, and its file. */
describe.each([
  ['docs/internals/conformance.md', 'the specification', 60],
  ['docs/internals/attacks.md', 'attacks', 50],
])('%s', (list, what, most) => {
  const rows = [...read(list).matchAll(/^\| .+ \| (.+) \| `(.+)` \|$/gm)].map(
    ([, title = '', file = '']) => [file, title] as const,
  );

  test(`lists ${what}`, () => {
    expect(rows.length).toBeGreaterThan(most);
  });

  test.each(rows)('tells the truth: %s has "%s"', (file, title) => {
    expect(titlesIn(file)).toContain(title);
  });
});
