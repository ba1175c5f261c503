import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { type Ended, run, runJson, startCommand, temporaryDirectory } from '../support/command.ts';
import { createMigratedFile } from '../support/engine.ts';
import { createMigratedDatabase } from '../support/postgres.ts';
import { NEXT_VERSION } from './next/program.ts';

// The commands of this version and of the next one, on one database.

// Each command of the next version is a process that compiles the sources.
vi.setConfig({ testTimeout: 180_000 });
const directory = temporaryDirectory();
afterAll(directory.remove);

const ENGINES: [string, () => Promise<string>][] = [
  [
    'SQLite',
    async () => {
      const path = join(directory.path, 'nameplate.db');
      await createMigratedFile(path);
      return `sqlite:${path}`;
    },
  ],
  ['PostgreSQL', createMigratedDatabase],
];

describe.each(ENGINES)('a next version with one more migration, on %s', (engine, create) => {
  it('makes its commands wait for the migration, and keeps all data; this version is refused from then on', async () => {
    const database = await create();
    const env = { NAMEPLATE_DATABASE_URL: database };
    const next = (...args: string[]): Promise<Ended> => startCommand(NEXT_VERSION, args, { env }).ended;
    const older = { code: 1, stderr: expect.stringMatching(/older nameplate .*"9000-next".*run "nameplate migrate"/) };
    const { id } = await runJson<{ id: string }>(['workspaces', 'create', 'acme'], { env });

    expect(await next('workspaces', 'list')).toMatchObject(older);
    expect((await next('doctor')).stdout).toContain('lacks the migration "9000-next"');
    if (engine === 'SQLite') {
      const file = join(directory.path, 'backup.db');
      const { code, stderr } = await next('backup', file);
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: expect.stringMatching(/The backup is complete, but its time could not be recorded .*9000-next/),
      });
      expect(existsSync(file)).toBe(true);
      expect(await next('copy', '--from', database, '--to', 'postgres://u:p@127.0.0.1:1/d')).toMatchObject(older);
    }
    expect(JSON.parse((await next('migrate', '--dry-run', '--json')).stdout)).toMatchObject({
      migrations: ['9000-next'],
    });
    expect((await run(['workspaces', 'list'], { env })).stdout).toContain(id);

    expect(JSON.parse((await next('migrate', '--json')).stdout)).toMatchObject({ migrations: ['9000-next'] });
    expect((await next('workspaces', 'list')).stdout).toContain(id);
    for (const command of [['workspaces', 'list'], ['migrate']]) {
      expect(await run(command, { env })).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/newer nameplate .*"9000-next".*: upgrade nameplate, or restore the backup/),
      });
    }
  });
});
