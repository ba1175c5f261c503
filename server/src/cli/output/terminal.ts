import { clearLine, cursorTo } from 'node:readline';
import { createInterface } from 'node:readline/promises';
import { CliError, EXIT } from '../cli-error.ts';
import { untilSignal } from '../signals.ts';
import type { JsonOption } from './output.ts';

interface Bar {
  /** `done` is a fraction, 0 to 1. */
  show(label: string, done: number): void;
  /** Removes the bar from a terminal, so that the next output starts on an empty line. */
  clear(): void;
}

const WIDTH = 30;
/** Without a terminal, a line is written every so many percent. */
const STEP = 10;

/** A bar that is redrawn in place on a terminal; otherwise a line now and then. */
export function createBar(output: NodeJS.WriteStream): Bar {
  let before = '';
  return {
    show(label, done) {
      const percent = Math.floor(done * 100);
      const text = output.isTTY
        ? `${label}  ${drawn(done)}  ${percent} %`
        : `${label}: ${percent - (percent % STEP)} %`;
      if (text === before) return;
      before = text;
      if (!output.isTTY) output.write(`${text}\n`);
      else {
        cursorTo(output, 0);
        output.write(text);
        clearLine(output, 1);
      }
    },
    clear() {
      if (!output.isTTY || before === '') return;
      cursorTo(output, 0);
      clearLine(output, 1);
    },
  };
}

function drawn(done: number): string {
  const full = Math.floor(done * WIDTH);
  return '█'.repeat(full) + '░'.repeat(WIDTH - full);
}

/**
 * Runs work with a bar on standard error. The signal aborts with SIGINT or SIGTERM: the work then has to end by itself.
 */
export async function withBar<T>(work: (bar: Bar, interrupted: AbortSignal) => Promise<T>): Promise<T> {
  const bar = createBar(process.stderr);
  const interruption = new AbortController();
  void untilSignal().then(() => interruption.abort());
  try {
    return await work(bar, interruption.signal);
  } finally {
    bar.clear();
  }
}

/** Asks on a terminal. Enter alone means `byDefault`; no answer, or no terminal, means no. */
export async function confirm({ json }: JsonOption, question: string, byDefault: boolean): Promise<boolean> {
  if (json || !process.stdin.isTTY || !process.stdout.isTTY) return false;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const closed = new Promise<null>((resolve) => terminal.once('close', () => resolve(null)));
  const answer = await Promise.race([terminal.question(question), closed]);
  terminal.close();
  if (answer === null) process.stdout.write('\n');
  return answer !== null && (answer.trim() === '' ? byDefault : /^y(es)?$/i.test(answer.trim()));
}

/** Returns after `--yes`, or a yes on a terminal; otherwise throws `CliError`. `consequence`: a sentence. */
export async function requireYes(options: JsonOption & { yes?: true }, consequence: string): Promise<void> {
  if (options.yes || (await confirm(options, `${consequence}\nGo on? [y/N] `, false))) return;
  throw new CliError(`${consequence}\nNothing was changed. To go on without a question: --yes.`, {
    exitCode: EXIT.usage,
  });
}
