import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * The first process stays where others wait for it: a container, a terminal, a process manager that knows nothing of
 * successors. It passes signals on to the process that serves. Resolves with the exit code of the last one when all
 * have ended; 1 where that was killed.
 */
export async function waitForSuccessors(lifeline: Readable, successorPid: number): Promise<number> {
  let pid = successorPid;
  let code = 1;
  const forward = (signal: NodeJS.Signals) => {
    try {
      process.kill(pid, signal);
    } catch {
      // The serving process has ended, and the lifeline with it.
    }
  };
  for (const signal of FORWARDED) {
    process.removeAllListeners(signal);
    process.on(signal, forward);
  }
  for await (const line of createInterface({ input: lifeline })) {
    const [word, number] = line.split(' ');
    if (word === 'pid') pid = Number(number);
    else if (word === 'exit') code = Number(number);
  }
  return code;
}
