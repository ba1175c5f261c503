import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { PRESENT, ROOT_VARIABLE } from './checkout.ts';

/**
 * Processes that a measurement is made of: servers, generators, nameservers. Each runs alone, so that what one costs is
 * not counted for another, and is called from here as if it were an object.
 */
export interface Part<Methods> {
  call: Remote<Methods>;
  /** CPU time of the whole process so far, all threads, in microseconds. */
  cpuMicros(): Promise<number>;
  /** From now on the process stands still; on systems with SIGSTOP. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

type Remote<Methods> = {
  [Name in keyof Methods]: Methods[Name] extends (...args: infer Args) => infer Outcome
    ? (...args: Args) => Promise<Awaited<Outcome>>
    : never;
};

interface Request {
  id: number;
  name: string;
  args: unknown[];
}

type Response = { id: number; value: unknown } | { id: number; error: string };

export interface PartOptions {
  /** Where standard output goes: a file, as under a service manager. */
  output: string;
  /** Options of Node, such as --cpu-prof. */
  execArgv?: string[];
  /** The source that the part imports (`importSource`); the present one unless given. */
  root?: string;
}

/** Starts a file that calls `offer`. */
export async function startPart<Methods>(
  file: URL,
  { output, execArgv = [], root = PRESENT.root }: PartOptions,
): Promise<Part<Methods>> {
  const env = { ...process.env, MALLOC_ARENA_MAX: '2', [ROOT_VARIABLE]: root };
  const stdio = ['ignore', openSync(output, 'a'), 'inherit', 'ipc'] as const;
  // As bin/nameplate has it.
  const node = [process.execPath, '--max-semi-space-size=8', '--heap-growing-percent=100', ...execArgv];
  // It must not outlive the measurement, however that ends: a process that stands still would not notice.
  const words = process.platform === 'linux' ? ['setpriv', '--pdeathsig', 'KILL', ...node] : node;
  const child = fork(file, { execPath: words[0] ?? '', execArgv: words.slice(1), env, stdio: [...stdio] });
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  let calls = 0;
  const exited = once(child, 'exit').then(([code, signal]) => {
    const error = new Error(`${file.pathname} ended (${code ?? signal}); its output is in ${output}`);
    for (const { reject } of waiting.values()) reject(error);
    throw error;
  });
  exited.catch(() => {});
  await Promise.race([once(child, 'message'), exited]);
  child.on('message', (response: Response) => {
    const answered = waiting.get(response.id);
    waiting.delete(response.id);
    if ('error' in response) answered?.reject(new Error(response.error));
    else answered?.resolve(response.value);
  });

  function ask(name: string, args: unknown[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      if (!child.connected) return reject(new Error(`${file.pathname} has ended`));
      const id = ++calls;
      waiting.set(id, { resolve, reject });
      child.send({ id, name, args } satisfies Request);
    });
  }

  return {
    call: new Proxy(
      {},
      {
        get:
          (_, name) =>
          (...args: unknown[]) =>
            ask(String(name), args),
      },
    ) as Remote<Methods>,
    cpuMicros: async () => Number(await ask('cpuMicros', [])),
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    stop: () => stop(child),
  };
}

async function stop(child: ChildProcess): Promise<void> {
  if (!child.connected) return;
  const exited = once(child, 'exit');
  child.kill('SIGCONT');
  child.disconnect();
  await exited;
}

/** Called in a part: lets whoever started it call `methods`. The part ends with whoever started it. */
export function offer(methods: Record<string, (...args: never[]) => unknown>, close: () => unknown = () => {}): void {
  const offered: Record<string, (...args: never[]) => unknown> = { ...methods, cpuMicros };
  process.on('message', async ({ id, name, args }: Request) => {
    try {
      const value = await offered[name]?.(...(args as never[]));
      process.send?.({ id, value } satisfies Response);
    } catch (error) {
      process.send?.({ id, error: error instanceof Error ? String(error.stack) : String(error) } satisfies Response);
    }
  });
  process.on('disconnect', async () => {
    await close();
    process.exit();
  });
  process.send?.('ready');
}

/** CPU time of this process so far, all threads, in microseconds. */
export function cpuMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
