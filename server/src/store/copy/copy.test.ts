import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import ts from 'typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { snakeCase } from '../schema/camel-case.ts';
import { type CopySource, openSource } from './sqlite-source.ts';

let directory: string;
let path: string;
let source: CopySource;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'nameplate-copy-'));
  path = join(directory, 'nameplate.db');
  source = await openSource(path);
});
afterAll(() => rm(directory, { recursive: true }));

/** The columns of each table, as `Schema` and the interfaces that it names have them. */
function schemaColumns(): Record<string, string[]> {
  const text = readFileSync(new URL('../schema/schema.ts', import.meta.url), 'utf8');
  const { statements } = ts.createSourceFile('schema.ts', text, ts.ScriptTarget.Latest);
  const interfaces = new Map(statements.filter(ts.isInterfaceDeclaration).map((each) => [each.name.text, each]));
  const members = (name: string) => interfaces.get(name)?.members.filter(ts.isPropertySignature) ?? [];
  const nameOf = ({ name }: ts.PropertySignature) => snakeCase((name as ts.Identifier).text);
  const columnsOf = (name: string): string[] => {
    const above = interfaces.get(name)?.heritageClauses?.flatMap(({ types }) => types) ?? [];
    const inherited = above.flatMap(({ expression }) => columnsOf((expression as ts.Identifier).text));
    return [...inherited, ...members(name).map(nameOf)];
  };
  const tableOf = ({ type }: ts.PropertySignature) => ((type as ts.TypeReferenceNode).typeName as ts.Identifier).text;
  return Object.fromEntries(members('Schema').map((table) => [nameOf(table), columnsOf(tableOf(table)).sort()]));
}

test('a copy has every table and every column of the schema', () => {
  const copied = source.tables.map(({ name, columns }) => [name, [...columns].sort()]);
  expect(Object.fromEntries(copied)).toEqual(schemaColumns());
});

test('every table has a key by which it is read in order', () => {
  expect(
    source.tables.filter(({ columns, key }) => key.length === 0 || key.some((it) => !columns.includes(it))),
  ).toEqual([]);
});

test('every table is copied after those that it references', () => {
  source.close();
  const db = new DatabaseSync(path, { readOnly: true });
  const names = source.tables.map(({ name }) => name);
  const early = names.flatMap((name, at) => {
    const references = db.prepare('select "table" as name from pragma_foreign_key_list(?)').all(name);
    return references.filter((other) => names.indexOf(String(other.name)) >= at).map((other) => [name, other.name]);
  });
  db.close();
  expect(early).toEqual([]);
});
