import { parentPort, type ResourceLimits, type Transferable, Worker } from 'node:worker_threads';
import { releaseMemoryWhenIdle } from '../memory.ts';
import { type Callable, connect, type Remote, type Revive } from './rpc.ts';

/** A worker thread, seen from the thread that started it. */
export interface Thread<Theirs extends Callable<Theirs>> extends Remote<Theirs> {
  /** Rejects with the error that ended the thread when it ends before it is ready. */
  ready: Promise<void>;
  /** Resolves when the thread has ended: with the error that ended it, or with undefined. */
  exited: Promise<unknown>;
  isRunning(): boolean;
  livedMs(): number;
  /** Resolves when the thread has answered. */
  ping(): Promise<void>;
  /** `reason`: the error that ends it. */
  terminate(reason?: Error): void;
}

/** Options for starting a thread. */
export interface ThreadStart {
  workerData: unknown;
  transferList?: Transferable[];
  /** Bounds of its heap; V8's own where there is none. */
  resourceLimits?: ResourceLimits;
  /** For people: in debuggers and profiles. */
  name?: string;
}

/** `serveParent` serves this besides the thread's own methods. */
interface Pingable {
  ping(): void;
}

/** A call to a thread that has ended, or ends meanwhile. */
export class ThreadEnded extends Error {
  override name = 'ThreadEnded';
}

/** Starts a thread whose script calls `serveParent`, and serves `own` to it. */
export function startThread<Theirs extends Callable<Theirs>>(
  script: URL,
  start: ThreadStart,
  own: object = {},
  revive?: Revive,
): Thread<Theirs> {
  const startedAt = performance.now();
  const worker = new Worker(script, start);
  const { promise: ready, resolve: isReady, reject: isNotReady } = Promise.withResolvers<void>();
  const { promise: exited, resolve: hasExited } = Promise.withResolvers<unknown>();
  const remote = connect<Theirs>(worker, { ...own, ready: () => isReady() }, revive);
  let running = true;
  let cause: unknown;
  worker.on('error', (error) => {
    cause = error;
  });
  worker.once('exit', () => {
    running = false;
    remote.end(new ThreadEnded('the thread has ended', { cause }));
    isNotReady(cause ?? new ThreadEnded('the thread ended before it was ready'));
    hasExited(cause);
  });
  // A caller that does not wait for the start learns of the end by `exited`.
  ready.catch(() => {});
  return {
    ...remote,
    ready,
    exited,
    isRunning: () => running,
    livedMs: () => performance.now() - startedAt,
    ping: () => (remote as unknown as Remote<Pingable>).call('ping'),
    terminate(reason) {
      cause ??= reason;
      void worker.terminate();
    },
  };
}

/** The parent, seen from a thread's script. */
export interface Parent<Theirs extends Callable<Theirs>> extends Remote<Theirs> {
  /** Reports that the thread works from now on. */
  ready(): void;
  /** Takes no more calls: the thread ends once nothing else keeps its event loop alive. */
  close(): void;
}

/** In a thread's script: serves `own` to the thread that started it. */
export function serveParent<Theirs extends Callable<Theirs>>(own: object, revive?: Revive): Parent<Theirs> {
  const port = parentPort;
  if (port === null) throw new Error('this script runs as a worker thread');
  const pingable: Pingable = { ping() {} };
  const remote = connect<Theirs>(port, { ...own, ...pingable }, revive);
  // `startThread` serves it besides the methods of `Theirs`.
  const supervisor = remote as unknown as Remote<{ ready(): void }>;
  return {
    ...remote,
    ready() {
      supervisor.send('ready');
      releaseMemoryWhenIdle();
    },
    close: () => port.close(),
  };
}
