import { chmod, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StoreUnavailable } from '../../store.ts';
import { migrate, pendingMigrations } from './migrate-sqlite.ts';
import { sqliteStore } from './sqlite.ts';

let directory: string;
let path: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'nameplate-migrate-'));
  path = join(directory, 'nameplate.db');
});
afterEach(() => rm(directory, { recursive: true }));

function edit(sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}

/** The message of the refusal: one line, as `StoreUnavailable`, that names the file. */
async function refusal(attempt: Promise<unknown>, file = path): Promise<string> {
  const error = await attempt.then(
    () => new Error('it was not refused'),
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StoreUnavailable);
  const { message } = error as StoreUnavailable;
  expect(message).toContain(file);
  expect(message).not.toContain('\n');
  return message;
}

describe('migrating', () => {
  it('makes the file, says what it did, and has nothing to do the second time', async () => {
    const all = await pendingMigrations(path);
    expect(all).toEqual(['0001-schema']);
    expect(await readdir(directory)).toEqual([]);
    expect(await migrate(path)).toEqual(all);
    expect(await pendingMigrations(path)).toEqual([]);
    expect(await migrate(path)).toEqual([]);
  });

  it('leaves everything as it was when a migration fails', async () => {
    edit('create view signing_keys as select 1');
    await expect(migrate(path)).rejects.toThrow(/signing_keys/);
    const db = new DatabaseSync(path, { readOnly: true });
    const left = db.prepare('select name from sqlite_schema').all();
    db.close();
    expect(left.map(({ name }) => name)).toEqual(['signing_keys']);
  });

  it('refuses a file of a newer version, and so does opening it', async () => {
    await migrate(path);
    edit("insert into kysely_migration values ('9999-from-the-future', '2030-01-01T00:00:00.000Z')");
    for (const attempt of [migrate(path), pendingMigrations(path), sqliteStore({ path })]) {
      const message = await refusal(attempt);
      expect(message).toMatch(/newer nameplate .*"9999-from-the-future"/);
      expect(message).toMatch(/upgrade nameplate, or restore the backup taken before the upgrade/);
    }
  });

  it('refuses the file of a development build from before 0.1.0, and so does opening it', async () => {
    edit(`create table workspaces (id text); create table kysely_migration (name text, timestamp text);
      insert into kysely_migration values ('0001-initial', ''), ('0002-signing-keys', '')`);
    for (const attempt of [migrate(path), pendingMigrations(path), sqliteStore({ path })]) {
      expect(await refusal(attempt)).toMatch(/development build from before 0\.1\.0.*: remove it/);
    }
  });

  it('refuses the database of another program, and so does opening it', async () => {
    edit('create table customers (id)');
    for (const attempt of [migrate(path), sqliteStore({ path })]) {
      expect(await refusal(attempt)).toMatch(/another program/);
    }
  });
});

describe('opening', () => {
  it('makes a new file and its directory, for their owner alone', async () => {
    path = join(directory, 'deep', 'er', 'nameplate.db');
    const store = await sqliteStore({ path });
    await store.ping();
    const modes = await Promise.all(
      [join(path, '..'), path, `${path}-wal`].map(async (name) => (await stat(name)).mode),
    );
    expect(modes.map((mode) => (mode & 0o777).toString(8))).toEqual(['700', '600', '600']);
    await store.close();
  });

  it('leaves one file behind when it is closed', async () => {
    const store = await sqliteStore({ path });
    await store.ping();
    await store.close();
    expect(await readdir(directory)).toEqual(['nameplate.db']);
  });

  it('takes an empty file for a new one', async () => {
    await writeFile(path, '');
    const store = await sqliteStore({ path });
    await expect(store.ping()).resolves.toBeUndefined();
    await store.close();
  });

  it('refuses a directory in place of the file', async () => {
    await mkdir(path);
    expect(await refusal(sqliteStore({ path }))).toMatch(/is a directory.*name a file in it/);
  });

  it('refuses a file that is no database, and leaves it as it is', async () => {
    await writeFile(path, 'Dear diary, '.repeat(1000));
    expect(await refusal(sqliteStore({ path }))).toMatch(/not a database: move it away, or name another/);
    expect((await stat(path)).size).toBe(12_000);
  });

  it('refuses a path that leads through a file', async () => {
    await writeFile(join(directory, 'file'), '');
    const below = join(directory, 'file', 'nameplate.db');
    expect(await refusal(sqliteStore({ path: below }), below)).toMatch(/directory in which this user may write/);
  });

  it('refuses a directory that nothing can be made in', async () => {
    const nowhere = '/proc/nameplate/nameplate.db';
    expect(await refusal(sqliteStore({ path: nowhere }), nowhere)).toMatch(/directory in which this user may write/);
  });

  it('refuses a file, and a directory, that this user may not write', async () => {
    await (await sqliteStore({ path })).close();
    await chmod(path, 0o444);
    await chmod(directory, 0o755);
    expect(await asOrdinaryUser(() => refusal(sqliteStore({ path })))).toMatch(/directory belong to this user/);
    await chmod(path, 0o666);
    await chmod(directory, 0o555);
    expect(await asOrdinaryUser(() => refusal(sqliteStore({ path })))).toMatch(/directory belong to this user/);
    const beside = join(directory, 'other.db');
    const message = await asOrdinaryUser(() => refusal(sqliteStore({ path: beside }), beside));
    expect(message).toMatch(/EACCES.*directory in which this user may write/);
    await chmod(directory, 0o755);
  });
});

/** File modes stop nobody who is root: then somebody else tries. */
async function asOrdinaryUser<T>(attempt: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return attempt();
  process.seteuid?.('nobody');
  try {
    return await attempt();
  } finally {
    process.seteuid?.(0);
  }
}
