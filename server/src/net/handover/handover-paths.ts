import { dirname, join, resolve } from 'node:path';
import type { Config } from '../../config/config.ts';

/** Path of this configuration's control socket (NAMEPLATE_CONTROL); null: it has none. */
export function controlPath(
  { control, databaseUrl }: Pick<Config, 'control' | 'databaseUrl'>,
  env: Record<string, string | undefined>,
): string | null {
  if (control === 'off') return null;
  if (control !== 'auto') return control;
  if (databaseUrl.engine === 'sqlite') return resolve(join(dirname(databaseUrl.path), FILE));
  // systemd separates several directories with colons.
  const [directory] = env.RUNTIME_DIRECTORY?.split(':') ?? [];
  return directory ? join(directory, FILE) : null;
}

const FILE = 'control.sock';

/**
 * The program that a reload runs: `bin/nameplate`, by the path that was called. If that is a link, it may lead to
 * another release by then.
 */
export function programPath(argv: readonly string[], env: Record<string, string | undefined>): string {
  return env._NAMEPLATE_PROGRAM ?? join(dirname(argv[1] ?? ''), 'nameplate');
}
