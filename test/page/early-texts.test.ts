import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it } from 'vitest';

const PAGE = join(import.meta.dirname, '../../page');

/** Lines that read a text outside functions, so that they run when the script is loaded. */
function earlyTexts(source: ts.SourceFile): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) || ts.isTypeNode(node)) return;
    if (ts.isPropertyAccessExpression(node) && node.expression.getText(source) === 'TEXT')
      found.push(`${source.fileName}: ${node.getText(source)}`);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

it('no script reads a text while it is loaded: it may be there before its language', () => {
  const files = globSync('**/*.{ts,tsx}', { cwd: PAGE }).filter((file) => !file.includes('.test.'));
  const sources = files.map((file) =>
    ts.createSourceFile(file, readFileSync(join(PAGE, file), 'utf8'), ts.ScriptTarget.Latest),
  );
  const sample = ts.createSourceFile('sample.ts', 'const A = { b: TEXT.c };', ts.ScriptTarget.Latest);
  expect(earlyTexts(sample)).toEqual(['sample.ts: TEXT.c']);
  expect(sources.flatMap(earlyTexts)).toEqual([]);
});
