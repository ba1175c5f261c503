import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
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

/** The columns of each table, as the type `Schema` has them. */
function schemaColumns(): Record<string, string[]> {
  const path = fileURLToPath(new URL('../schema/schema.ts', import.meta.url));
  const { options } = ts.getParsedCommandLineOfConfigFile('tsconfig.json', {}, ts.sys as never) ?? {};
  const program = ts.createProgram([path], { ...options, noEmit: true });
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(path);
  const schema = file?.statements.filter(ts.isInterfaceDeclaration).find(({ name }) => name.text === 'Schema');
  if (schema === undefined) throw new Error(`${path} has no interface Schema`);
  const namesIn = (type: ts.Type) => type.getProperties().map(({ name }) => snakeCase(name));
  const tables = checker.getTypeAtLocation(schema).getProperties();
  return Object.fromEntries(
    tables.map((table) => [snakeCase(table.name), namesIn(checker.getTypeOfSymbol(table)).sort()]),
  );
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
