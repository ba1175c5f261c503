import { showsStacks } from '../config/config.ts';

/** Exit codes of every command. */
export const EXIT = { done: 0, failed: 1, usage: 2, notVerified: 3 } as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A command that could not do what was asked. The message says what went wrong and what to do, to the person who typed it. */
export class CliError extends Error {
  override name = 'CliError';
  readonly exitCode: ExitCode;
  /** What `--json` prints in place of the message alone. */
  readonly details: unknown;

  constructor(message: string, { exitCode = EXIT.failed, details }: { exitCode?: ExitCode; details?: unknown } = {}) {
    super(message);
    this.exitCode = exitCode;
    this.details = details ?? { message };
  }
}

/** Tells the person what went wrong, in words on standard error and with `--json` as a document too; the code to exit with. */
export function report(error: unknown, json: boolean): ExitCode {
  const failure =
    error instanceof CliError ? error : new CliError(error instanceof Error ? error.message : String(error));
  process.stderr.write(`nameplate: ${failure.message}\n`);
  if (showsStacks() && error instanceof Error) process.stderr.write(`${error.stack}\n${causesOf(error)}`);
  if (json) process.stdout.write(`${JSON.stringify({ error: failure.details })}\n`);
  return failure.exitCode;
}

function causesOf({ cause }: Error): string {
  return cause instanceof Error ? `caused by ${cause.stack}\n${causesOf(cause)}` : '';
}
