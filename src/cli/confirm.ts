import { createInterface } from 'node:readline/promises';
import { CliError, EXIT } from './cli-error.ts';
import type { JsonOption } from './output.ts';

/** Asks on a terminal. Enter alone means `byDefault`; without an answer, or without a terminal, it is no. */
export async function confirm({ json }: JsonOption, question: string, byDefault: boolean): Promise<boolean> {
  if (json || !process.stdin.isTTY || !process.stdout.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const closed = new Promise<null>((resolve) => terminal.once('close', () => resolve(null)));
  const answer = await Promise.race([terminal.question(question), closed]);
  terminal.close();
  if (answer === null) process.stdout.write('\n');
  return answer !== null && (answer.trim() === '' ? byDefault : /^y(es)?$/i.test(answer.trim()));
}

/** Goes on after `--yes`, or a yes on a terminal; otherwise throws `CliError`. `consequence`: a sentence. */
export async function requireYes(options: JsonOption & { yes?: true }, consequence: string): Promise<void> {
  if (options.yes || (await confirm(options, `${consequence}\nGo on? [y/N] `, false))) return;
  throw new CliError(`${consequence}\nNothing was changed. To go on without a question: --yes.`, {
    exitCode: EXIT.usage,
  });
}
