import { showsStacks } from '../config/config.ts';
import { jsonText, print, printError } from './output/output.ts';

/** Exit codes of every command (docs/guides/operations.md). `blocked`: it is complete, and something has to be fixed. */
export const EXIT = { done: 0, failed: 1, usage: 2, blocked: 3 } as const;

type ExitCode = (typeof EXIT)[keyof typeof EXIT];

interface CliErrorOptions extends ErrorOptions {
  exitCode?: ExitCode;
  details?: unknown;
}

/** Ends a command. The message tells its user what went wrong and what to do. */
export class CliError extends Error {
  override name = 'CliError';
  readonly exitCode: ExitCode;
  /** The `error` that `--json` prints; by default the message. */
  readonly details: unknown;

  constructor(message: string, { exitCode = EXIT.failed, details, cause }: CliErrorOptions = {}) {
    super(message, cause === undefined ? {} : { cause });
    this.exitCode = exitCode;
    this.details = details ?? { message };
  }
}

/** Prints an error to standard error, and with `json` also as a document to standard output. Returns the exit code. */
export function reportError(error: unknown, json: boolean): ExitCode {
  const reported = error instanceof CliError ? error : new CliError(messageOf(error));
  printError(reported.message);
  if (showsStacks() && error instanceof Error) process.stderr.write(`${error.stack}\n${causesOf(error)}`);
  if (json) print(jsonText({ error: reported.details }));
  return reported.exitCode;
}

function causesOf({ cause }: Error): string {
  return cause instanceof Error ? `caused by ${cause.stack}\n${causesOf(cause)}` : '';
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
