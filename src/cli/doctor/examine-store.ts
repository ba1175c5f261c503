import { constants, existsSync, statSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DatabaseUrl } from '../../config/config.ts';
import { type Database, databaseAt } from '../../store/database.ts';
import { messageOf } from '../cli-error.ts';
import { type DoctorResult, fail, ok, warn } from './doctor-result.ts';

interface ExaminedStore {
  finding: DoctorResult;
  /** If it can be opened as it is. */
  database?: Database;
}

/** The store: its file or server, its schema, and whether it is writable. */
export async function examineStore(url: DatabaseUrl): Promise<ExaminedStore> {
  try {
    const database = await databaseAt(url);
    const { name } = database;
    if (await database.isNew()) {
      if (url.engine === 'sqlite') return { finding: await examineDirectory(url.path) };
      return { finding: ok('store', `${name} is empty; the first start creates its tables`) };
    }
    const [pending] = await database.pendingMigrations();
    if (pending !== undefined) {
      const advice = 'Back it up. Then start serve, or run "nameplate migrate", to bring it up to date.';
      return { finding: warn('store', `${name} lacks the migration "${pending}"`, advice) };
    }
    const store = await database.open();
    await store.ping().finally(() => store.close());
    return { finding: ok('store', `${name} is writable, and its schema is current`), database };
  } catch (error) {
    const other = url.engine === 'sqlite' ? 'file' : 'database';
    return {
      finding: fail('store', messageOf(error), `Fix that, or name another ${other} in NAMEPLATE_DATABASE_URL.`),
    };
  }
}

async function examineDirectory(path: string): Promise<DoctorResult> {
  let directory = dirname(path);
  while (!existsSync(directory)) directory = dirname(directory);
  const isWritable =
    statSync(directory).isDirectory() &&
    (await access(directory, constants.W_OK).then(
      () => true,
      () => false,
    ));
  if (isWritable) return ok('store', `${path} does not exist yet; the first start creates it`);
  const advice = 'Make that a directory that this user can write to, or name another file in NAMEPLATE_DATABASE_URL.';
  return fail('store', `${path} cannot be created in ${directory}`, advice);
}
