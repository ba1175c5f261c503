import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A server program in the foreground, as a child of the tests. */
export interface Service {
  /** Everything it has logged. */
  log(): string;
  /** Stops the process without ending it: its sockets stay, and nothing answers. */
  pause(): void;
  resume(): void;
  /** Ends the process; resolves when it is gone. */
  close(): Promise<void>;
}

/** Starts a program, and waits until it logs what `ready` matches. Rejects with the log when it ends before. */
export async function startService(
  program: string,
  words: string[],
  { env, ready }: { env: NodeJS.ProcessEnv; ready: RegExp },
): Promise<Service> {
  // It must not outlive the tests, however they end.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', program, ...words], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  await new Promise<void>((resolve, reject) => {
    const read = (text: string) => {
      log += text;
      if (ready.test(log)) resolve();
    };
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', read);
    child.once('error', reject);
    child.once('exit', (status) => reject(new Error(`${program} ended with status ${status}:\n${log}`)));
  });
  return {
    log: () => log,
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    close: () => end(child),
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGCONT');
  child.kill('SIGTERM');
  await gone;
}
