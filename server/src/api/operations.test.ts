import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openOperations, operations } from './operations.ts';

const isOperation = (value: unknown) =>
  typeof value === 'object' && value !== null && ('handle' in value || 'open' in value);

it('every operation that is defined is served', async () => {
  const served: unknown[] = [...operations, ...openOperations];
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && file !== 'operation.ts')
    .filter((file) => /\bdefine\w+\(/.test(readFileSync(join(import.meta.dirname, file), 'utf8')));
  const modules = await Promise.all(files.map((file) => import(join(import.meta.dirname, file))));
  const defined = modules.flatMap((module) => Object.values(module).flat().filter(isOperation));
  expect(defined.filter((operation) => !served.includes(operation))).toEqual([]);
  expect(defined.length).toBe(served.length);
});
