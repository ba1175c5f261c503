import { dirname, join, resolve } from 'node:path';
import type { Config } from '../../config/config.ts';

/** Where the server of this configuration is reached (NAMEPLATE_CONTROL); null: nowhere. */
export function controlPath(
  { control, databaseUrl }: Pick<Config, 'control' | 'databaseUrl'>,
  env: Record<string, string | undefined>,
): string | null {
  if (control === 'off') return null;
  if (control !== 'auto') return control;
  if (databaseUrl.engine === 'sqlite') return resolve(join(dirname(databaseUrl.path), FILE));
  // systemd names several with colons between them.
  const [directory] = env.RUNTIME_DIRECTORY?.split(':') ?? [];
  return directory ? join(directory, FILE) : null;
}

const FILE = 'control.sock';
