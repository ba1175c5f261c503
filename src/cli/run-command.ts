import { CommanderError } from 'commander';
import { EXIT, reportError } from './cli-error.ts';
import { createProgram } from './program.ts';

/** Runs the command that `args` name; its exit code is `process.exitCode`. Never rejects. */
export async function runCommand(args: readonly string[]): Promise<void> {
  const { program, running } = createProgram();
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage;
    else process.exitCode = reportError(error, running()?.opts().json === true);
  }
}
