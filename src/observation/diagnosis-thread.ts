import { Worker } from 'node:worker_threads';
import type { Observation } from '../domain/observation.ts';
import type { Log } from '../log.ts';
import type { LookRequest } from './diagnose.ts';

/** The messages between the process's main thread and the thread that looks. */
export interface LookCall {
  id: number;
  request: LookRequest;
}

/** `answers`: how many DNS answers of each kind there were since the last message, for counting. */
export interface LookResult {
  id: number;
  /** Null where the look ended with an error. */
  observation: Observation | null;
  error?: string;
  answers: Record<string, number>;
}

interface DiagnosisThreadOptions {
  /** The script of the thread, and what it is started with. */
  script: URL;
  workerData: unknown;
  log: Log;
  /** Called with the kind of each DNS answer. */
  onAnswers: (kind: string, count: number) => void;
  /** A look that takes longer has stopped the thread's loop: it is ended. */
  timeLimitMs?: number;
  /** From the start of a thread that crashed until the next one starts. */
  restartMs?: number;
}

export interface DiagnosisThread {
  /** Starts the thread where it does not run. Rejects when the thread crashes meanwhile, or has just crashed. */
  look(request: LookRequest): Promise<Observation>;
  stop(): Promise<void>;
}

/** A look ends by itself after 10 s. */
const TIME_LIMIT_MS = 15_000;
/** So that a thread that crashes at once does not occupy the machine. */
const RESTART_MS = 1000;

interface Waiting {
  resolve(observation: Observation): void;
  reject(error: Error): void;
  timer: NodeJS.Timeout;
}

/** A worker thread of its own: what nameservers answer costs the thread that serves requests nothing. */
export function diagnosisThread(options: DiagnosisThreadOptions): DiagnosisThread {
  const { script, workerData, log, onAnswers, timeLimitMs = TIME_LIMIT_MS, restartMs = RESTART_MS } = options;
  const waiting = new Map<number, Waiting>();
  let worker: Worker | null = null;
  let startedAt = Number.NEGATIVE_INFINITY;
  let lastId = 0;
  let stopping = false;

  function start(): Worker {
    startedAt = performance.now();
    const started = new Worker(script, { workerData });
    // The listeners of the roles keep the process alive, not this thread.
    started.unref();
    let cause: unknown;
    started.on('error', (error) => {
      cause = error;
    });
    started.on('message', receive);
    started.on('exit', () => {
      worker = null;
      if (!stopping) log.error({ err: cause }, 'the diagnosis thread crashed; the next diagnosis starts it anew');
      for (const id of waiting.keys()) settle(id, null, 'the diagnosis thread has ended');
    });
    return started;
  }

  function receive({ id, observation, error, answers }: LookResult): void {
    for (const [kind, count] of Object.entries(answers)) onAnswers(kind, count);
    if (error !== undefined) log.error({ error }, 'a diagnosis failed');
    settle(id, observation, error);
  }

  function settle(id: number, observation: Observation | null, error = 'the diagnosis failed'): void {
    const call = waiting.get(id);
    waiting.delete(id);
    clearTimeout(call?.timer);
    if (observation === null) call?.reject(new Error(error));
    else call?.resolve(observation);
  }

  return {
    look(request) {
      if (stopping) return Promise.reject(new Error('the process is stopping'));
      if (worker === null && performance.now() - startedAt < restartMs)
        return Promise.reject(new Error('the diagnosis thread has just crashed'));
      worker ??= start();
      const current = worker;
      lastId += 1;
      const id = lastId;
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => void current.terminate(), timeLimitMs);
        waiting.set(id, { resolve, reject, timer });
        current.postMessage({ id, request } satisfies LookCall);
      });
    },
    async stop() {
      stopping = true;
      await worker?.terminate();
    },
  };
}
