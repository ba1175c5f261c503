import { dirname, join } from 'node:path';

/**
 * The program that a reload runs: `bin/nameplate`, by the path that was called. If that is a link, it may lead to
 * another release by then.
 */
export function programPath(argv: readonly string[], env: Record<string, string | undefined>): string {
  return env._NAMEPLATE_PROGRAM ?? join(dirname(argv[1] ?? ''), 'nameplate');
}
