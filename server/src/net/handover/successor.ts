import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { withTimeLimit } from '../../base/time-limit.ts';
import { type HandedOver, withInheritance } from './inheritance.ts';
import type { SuccessorMessage } from './tell-predecessor.ts';

/** A process that has taken over. */
export interface Successor {
  pid: number;
  /** The pipe on which it and its successors say who is serving; null where this process does not wait for them. */
  lifeline: Readable | null;
  /** Resolves with its exit code when it ends while this process is still there; null: it was killed. */
  ended: Promise<number | null>;
}

export interface SuccessorOptions extends HandedOver {
  /** The program, which is run with the argument `serve`. */
  program: string;
  env: Record<string, string | undefined>;
  /**
   * `new`: this process is the first one, and waits until the last one ends. A descriptor: the first one's pipe. Null:
   * no process waits.
   */
  lifeline: 'new' | number | null;
  /** The control socket of this process; null: it has none. */
  control: string | null;
  /** Time until it must be ready. */
  limitMs: number;
  /** Aborts the start. */
  signal: AbortSignal;
}

/** No process has taken over, and this one goes on as before. The message says why. */
export class NoSuccessor extends Error {
  override name = 'NoSuccessor';
}

/**
 * Starts a process that takes over the sockets. Resolves when it serves; rejects with `NoSuccessor` when it does not
 * within the limit.
 */
export async function startSuccessor(options: SuccessorOptions): Promise<Successor> {
  const { program, control, edgeSecret, limitMs, signal } = options;
  const { stdio, sockets, lifeline } = layOut(options);
  const inheritance = { sockets, lifeline, control, edgeSecret };
  const child = spawn(program, ['serve'], { stdio, env: withInheritance(options.env, inheritance) });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const kill = () => void child.kill('SIGKILL');
  await withTimeLimit(limitMs, signal, async (limited) => {
    if (limited.aborted) kill();
    limited.addEventListener('abort', kill);
    await whenReady(child, program).catch((error: unknown) => {
      if (signal.aborted) throw new NoSuccessor('The server stops.');
      if (!limited.aborted) throw error;
      throw new NoSuccessor(`The new process was not ready within ${limitMs / 1000} s, and was ended.`);
    });
  });
  if (child.connected) child.disconnect();
  child.unref();
  // The type knows no further descriptors. Only a new lifeline has a pipe here.
  const pipe = child.stdio[lifeline as 0] as Readable | null | undefined;
  return { pid: child.pid ?? 0, lifeline: pipe ?? null, ended };
}

function whenReady(child: ChildProcess, program: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let reason: string | undefined;
    child.on('message', (message: SuccessorMessage) => {
      if (message.kind === 'ready') resolve();
      else reason = message.reason;
    });
    child.once('error', (error) => reject(new NoSuccessor(`${program} cannot be run: ${error.message}`)));
    child.once('exit', (code, signal) => {
      const how = code === null ? `was ended by ${signal}` : `ended with exit code ${code}`;
      reject(new NoSuccessor(`The new process ${how} before it was ready. ${reason ?? adviceOn(signal)}`));
    });
  });
}

/** Advice about a process that ended without a reason. */
function adviceOn(signal: NodeJS.Signals | null): string {
  if (signal === null) return 'Its log says why.';
  if (signal === 'SIGKILL')
    return 'The system does that where memory runs out. Make room for two processes, and reload again.';
  return 'Its log may not say why. Reload again; if that fails too, restart the server, which interrupts it.';
}

/** Lays out the descriptors of the successor. It gets no others: Node closes on exec what this process was given. */
function layOut({ sockets, lifeline }: SuccessorOptions) {
  const stdio: (number | 'inherit' | 'ipc' | 'pipe')[] = ['inherit', 'inherit', 'inherit', 'ipc'];
  const place = (what: number | 'pipe') => stdio.push(what) - 1;
  return {
    lifeline: lifeline === null ? null : place(lifeline === 'new' ? 'pipe' : lifeline),
    sockets: sockets.map(({ fds, ...about }) => ({ ...about, fds: fds.map(place) })),
    stdio,
  };
}
