import { basename, dirname } from 'node:path';
import type { DatabaseUrl } from '../config/config.ts';
import { readPlaygroundFile, STORE_FILE } from '../playground/data-dir.ts';

export const NAME_ANOTHER_FILE =
  'Set NAMEPLATE_DATABASE_URL to another file, such as sqlite:/var/lib/nameplate/nameplate.db.';

/** The path of a playground's store, if the URL names one: whoever can read the file beside it has its root key. Else null. */
export async function playgroundStoreOf(url: DatabaseUrl): Promise<string | null> {
  if (url.engine !== 'sqlite' || basename(url.path) !== STORE_FILE) return null;
  return (await readPlaygroundFile(dirname(url.path))) === null ? null : url.path;
}
