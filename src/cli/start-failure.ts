import { ConfigError, showsStacks } from '../config/config.ts';
import { CliError, EXIT, messageOf } from './cli-error.ts';

/**
 * Says why the server does not start, where its log goes: as one JSON line of level 60, which collectors of logs read. Its `msg` says what happened and
 * what to do. On a terminal it throws the error, whose text the caller prints. Sets the exit code of the error.
 */
export async function failToStart(error: unknown): Promise<void> {
  if (!process.stdout.isTTY) {
    const { createLog } = await import('../log.ts');
    const about = showsStacks() ? { err: error } : {};
    const problems = error instanceof ConfigError ? { problems: error.problems } : {};
    // Whatever the level of the log: the server ends with it.
    createLog('fatal').fatal({ ...about, ...problems }, `the server does not start: ${summaryOf(error)}`);
  }
  if (process.stdout.isTTY || process.stderr.isTTY) throw error;
  process.exitCode = error instanceof CliError ? error.exitCode : EXIT.failed;
}

/** In one line. */
function summaryOf(error: unknown): string {
  return error instanceof ConfigError ? error.problems.join(' ') : messageOf(error).replaceAll(/\s*\n\s*/g, ' ');
}
