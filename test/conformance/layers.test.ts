import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
/** They start programs that npm does not install, or the server as a process of its own. */
const OF_SYSTEMS = ['browser', 'debian', 'pebble', 'server-process', 'service'].map(
  (name) => `test/support/${name}.ts`,
);

/** A test's file and the files of tests that it imports, directly or not. */
function filesOf(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, isType, path = ''] of readFileSync(join(ROOT, file), 'utf8').matchAll(
    /^(?:import|\}) (type )?.*?'(\.[^']+\.ts)';$/gm,
  )) {
    const imported = normalize(join(dirname(file), path));
    if (!isType && imported.startsWith('test/')) filesOf(imported, found);
  }
  return found;
}

describe('npm test needs only Node and the installed packages', () => {
  const fast = globSync('{client,page,playground,server,test,words}/**/*.test.ts', { cwd: ROOT }).filter(
    (file) => !file.endsWith('.system.test.ts') && !file.startsWith('test/long/'),
  );

  test('no file of it starts other programs or servers', () => {
    expect(fast.length).toBeGreaterThan(200);
    expect(fast.filter((file) => OF_SYSTEMS.some((other) => filesOf(file).has(other)))).toEqual([]);
  });
});
