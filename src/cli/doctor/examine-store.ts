import { constants, existsSync, statSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DatabaseUrl } from '../../config/config.ts';
import { type Database, databaseAt } from '../../store/database.ts';
import { type Finding, messageOf } from './finding.ts';

export interface ExaminedStore {
  finding: Finding;
  /** Where it can be used as it is. */
  database?: Database;
}

/** The store: its place, its schema, and whether it can be written. */
export async function examineStore(url: DatabaseUrl): Promise<ExaminedStore> {
  const about = 'store';
  try {
    const database = await databaseAt(url);
    const { name } = database;
    if (await database.isNew()) {
      if (url.engine === 'sqlite') return { finding: await examineDirectory(url.path) };
      return { finding: { about, level: 'ok', found: `${name} is empty yet; the first start makes its tables` } };
    }
    const [pending] = await database.pendingMigrations();
    if (pending !== undefined) {
      const advice = 'Back it up; the next start of serve, or "nameplate migrate", brings it up to date.';
      return { finding: { about, level: 'warn', found: `${name} lacks the migration "${pending}"`, advice } };
    }
    const store = await database.open();
    await store.ping().finally(() => store.close());
    const found = `${name} opens, its schema is current, and it can be written`;
    return { finding: { about, level: 'ok', found }, database };
  } catch (error) {
    const other = url.engine === 'sqlite' ? 'file' : 'database';
    const advice = `Mend that, or name another ${other} in NAMEPLATE_DATABASE_URL.`;
    return { finding: { about, level: 'fail', found: messageOf(error), advice } };
  }
}

async function examineDirectory(path: string): Promise<Finding> {
  const about = 'store';
  let directory = dirname(path);
  while (!existsSync(directory)) directory = dirname(directory);
  const writable = statSync(directory).isDirectory() && (await access(directory, constants.W_OK).then(yes, no));
  if (writable) return { about, level: 'ok', found: `${path} is not there yet; the first start makes it` };
  const advice = 'Make that a directory this user may write to, or name another file in NAMEPLATE_DATABASE_URL.';
  return { about, level: 'fail', found: `${path} cannot be made in ${directory}`, advice };
}

const yes = () => true;
const no = () => false;
