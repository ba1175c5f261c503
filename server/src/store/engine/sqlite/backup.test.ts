import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { backUp } from './backup.ts';
import { migrate } from './migrate-sqlite.ts';

let directory: string;
let file: string;
let db: DatabaseSync;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'nameplate-backup-'));
  file = join(directory, 'backup.db');
  const path = join(directory, 'nameplate.db');
  await migrate(path);
  db = new DatabaseSync(path);
  // Some 10,000 pages.
  db.exec("insert into changes (kind, key, created_at) values ('domain', hex(zeroblob(20000000)), 0)");
});
afterEach(async () => {
  db.close();
  await rm(directory, { recursive: true });
});

test('a backup ends however much others write, and is a snapshot of its beginning', async () => {
  const shares: number[] = [];
  const bytes = await backUp(db.location() ?? '', file, (done) => {
    shares.push(done);
    db.exec("insert into changes (kind, key, created_at) values ('domain', 'later', 0)");
    if (shares.length > 1000) throw new Error('it begins again and again');
  });
  expect(bytes).toBeGreaterThan(40_000_000);
  expect(shares.length).toBeGreaterThan(5);
  expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  expect(shares.at(-1)).toBe(1);
  const copy = new DatabaseSync(file);
  expect(copy.prepare("select count(*) as later from changes where key = 'later'").get()).toEqual({ later: 0 });
  copy.close();
});

test('a cancelled backup leaves nothing behind', async () => {
  const enough = new Error('enough');
  const backup = backUp(db.location() ?? '', file, () => {
    throw enough;
  });
  await expect(backup).rejects.toBe(enough);
  expect((await readdir(directory)).filter((name) => name.startsWith('backup'))).toEqual([]);
});
