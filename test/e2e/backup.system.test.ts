import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sqliteStore } from '../../server/src/store/engine/sqlite/sqlite.ts';
import type { Store } from '../../server/src/store/store.ts';
import { run, start, temporaryDirectory } from '../support/command.ts';
import * as entities from '../support/entities.ts';

// Backups of a store in use, and what comes back from them.

let directory: ReturnType<typeof temporaryDirectory>;
let path: string;
let file: string;
let store: Store;

beforeEach(async () => {
  directory = temporaryDirectory();
  path = join(directory.path, 'nameplate.db');
  file = join(directory.path, 'backup.db');
  store = await sqliteStore({ path });
});
afterEach(async () => {
  await store.close();
  directory.remove();
});

const backup = () => ['backup', file, '--database', `sqlite:${path}`];

describe('a backup during writes', () => {
  test('restores to a consistent store with every write that was acknowledged before it began', async () => {
    const acknowledged: string[] = [];
    let writing = true;
    const { environment } = await entities.plant(store);
    const writers = Array.from({ length: 4 }, async () => {
      while (writing) acknowledged.push((await entities.attach(store, environment)).id);
    });
    await expect.poll(() => acknowledged.length, { timeout: 20_000 }).toBeGreaterThan(1000);
    const before = [...acknowledged];
    // In a process of its own: what writes has to be somebody else.
    const { stdout } = await start([...backup(), '--json']).ended;
    const made = JSON.parse(stdout);
    const after = acknowledged.length;
    writing = false;
    await Promise.all(writers);
    expect(after).toBeGreaterThan(before.length);
    expect(made).toEqual({ database: path, file, bytes: statSync(file).size });
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
    expect(readdirSync(directory.path).filter((name) => name.startsWith('backup'))).toEqual(['backup.db']);

    const restored = join(directory.path, 'restored.db');
    copyFileSync(file, restored);
    const db = new DatabaseSync(restored);
    expect(db.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    expect(db.prepare('pragma foreign_key_check').all()).toEqual([]);
    const ids = db.prepare('select id from domains order by id').all();
    // One moment: whoever has a domain has its event, its check and nothing half.
    for (const other of [
      'select domain_id as id from events order by 1',
      'select domain_id as id from checks order by 1',
    ]) {
      expect(db.prepare(other).all()).toEqual(ids);
    }
    db.close();
    const there = new Set(ids.map(({ id }) => id));
    expect(before.filter((id) => !there.has(id))).toEqual([]);
    const again = await sqliteStore({ path: restored });
    await again.ping();
    expect((await again.findDomainById(environment.workspaceId, before[0] ?? ''))?.id).toBe(before[0]);
    await again.close();
  });
});

describe('a backup', () => {
  test('shows progress, and says how to restore it', async () => {
    const { code, stdout, stderr } = await run(backup());
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/^Verifying the copy: 100 %\n$/) });
    expect(stdout).toMatch(/backup\.db is a verified backup of .*nameplate\.db/);
    expect(stdout).toMatch(/stop every server, remove .* -wal and -shm/);
  });

  test('is recorded in the store, and itself knows the one before', async () => {
    expect(await store.findLastBackup()).toBeNull();
    const before = Date.now();
    await run(backup());
    const first = (await store.findLastBackup()) ?? 0;
    expect([before <= first, first <= Date.now()]).toEqual([true, true]);
    rmSync(file);
    await run(backup());
    expect(await store.findLastBackup()).toBeGreaterThan(first);
    const copy = await sqliteStore({ path: file });
    expect(await copy.findLastBackup()).toBe(first);
    await copy.close();
  });

  test('that fails is not recorded', async () => {
    writeFileSync(file, 'mine');
    expect(await run(backup())).toMatchObject({ code: 1 });
    expect(await store.findLastBackup()).toBeNull();
  });

  test.each(['backup.db', 'backup.db-wal', 'backup.db-journal', 'backup.db.unfinished'])(
    'overwrites nothing: %s stays as it is',
    async (name) => {
      writeFileSync(join(directory.path, name), 'mine');
      const refused = await run(backup());
      expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(`${name} exists`) });
      expect(readFileSync(join(directory.path, name), 'utf8')).toBe('mine');
      expect(readdirSync(directory.path).filter((each) => each.startsWith('backup'))).toEqual([name]);
    },
  );

  test('of a damaged store is rejected, and leaves no file', async () => {
    const { environment } = await entities.plant(store);
    for (let i = 0; i < 50; i++) await entities.attach(store, environment);
    await store.close();
    const db = new DatabaseSync(path);
    db.exec('pragma foreign_keys = off; delete from domains');
    db.close();
    const refused = await run(backup());
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/damaged.*"table":"checks".*keep the existing backups/),
    });
    expect(existsSync(file)).toBe(false);
    expect(existsSync(`${file}.unfinished`)).toBe(false);
  });

  test('of a newer version, of another program or of a missing store is rejected', async () => {
    await store.close();
    const edit = (sql: string) => {
      const db = new DatabaseSync(path);
      db.exec(sql);
      db.close();
    };
    edit("insert into kysely_migration values ('9999-from-the-future', '')");
    expect(await run(backup())).toMatchObject({ code: 1, stderr: expect.stringMatching(/newer nameplate/) });
    edit('drop table kysely_migration');
    expect(await run(backup())).toMatchObject({ code: 1, stderr: expect.stringMatching(/another program/) });
    const nowhere = ['backup', file, '--database', `sqlite:${path}.not`];
    expect(await run(nowhere)).toMatchObject({ code: 1, stderr: expect.stringMatching(/There is no store at/) });
    expect(existsSync(file)).toBe(false);
  });

  test('of a PostgreSQL store is rejected, with advice', async () => {
    const env = { NAMEPLATE_DATABASE_URL: 'postgres://u:hunter2@127.0.0.1:1/d' };
    const refused = await run(['backup', file], { env });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/pg_dump/) });
    expect(refused.stderr).not.toMatch(/hunter2/);
  });
});
