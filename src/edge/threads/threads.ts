import { Worker } from 'node:worker_threads';
import type { ChangeFeed } from '../../cache/change-feed.ts';
import type { Log } from '../../log.ts';
import type { AddressLookup } from '../../net/dialer.ts';
import { type EdgeStore, StoreUnavailable } from '../../store/contract/store.ts';
import { addUp, type EdgeMetrics, type MetricsSnapshot, withoutGauges } from '../edge-metrics.ts';
import type { ThrottledWarn } from '../throttled-log.ts';
import type { FromThread, MainThreadCall, ThreadData, ToThread } from './messages.ts';

/** A thread of the edge, seen from the main thread. */
export interface EdgeThread {
  setTicketSecret(secret: Uint8Array): void;
  /** What the thread has counted, at most a second ago, and all that it replaced. */
  snapshot(): Promise<MetricsSnapshot>;
  /** Waits `graceMs` for requests in flight, and ends the thread. */
  stop(graceMs: number): Promise<void>;
}

export interface ThreadDeps {
  store: EdgeStore;
  changes: Pick<ChangeFeed, 'subscribe'>;
  lookUp: AddressLookup;
  log: Log;
  warn: ThrottledWarn;
  /** Of the main thread. */
  metrics: Pick<EdgeMetrics, 'threadDeath'>;
}

const SCRIPT = new URL('./edge-thread.ts', import.meta.url);
const BACK_OFF = { minMs: 1000, maxMs: 10_000 };
/** How much longer than `graceMs` a thread may take to end before it is terminated. */
const OVERTIME_MS = 2000;
const LOOK_UP_MS = 10_000;

/**
 * Starts a thread; rejects when it cannot listen. A thread that dies later is replaced: its connections are lost, those of other threads are not.
 */
export async function startThread(data: ThreadData, deps: ThreadDeps, script = SCRIPT): Promise<EdgeThread> {
  const { log, metrics } = deps;
  let ticketSecret = data.ticketSecret;
  /** Of the threads that crashed. */
  let ended = Promise.resolve<MetricsSnapshot>([]);
  let latest: MetricsSnapshot = [];
  let delayMs = 0;
  let restart: NodeJS.Timeout | undefined;
  let stopping = false;
  const start = () =>
    startWorker(script, { ...data, ticketSecret }, deps, (snapshot) => {
      latest = snapshot;
    });
  let current = start();
  await current.listening;
  current.exited.then(replace);
  deps.changes.subscribe((change) => current.send({ kind: 'change', change }));

  function replace(error: unknown): void {
    if (stopping) return;
    metrics.threadDeath();
    const last = withoutGauges(latest);
    latest = [];
    ended = ended.then((before) => addUp([before, last]).catch(() => before));
    delayMs = restartDelayMs(current.livedMs(), delayMs);
    log.error({ err: error, restartInSeconds: delayMs / 1000 }, 'an edge thread crashed; its connections are closed');
    restart = setTimeout(() => {
      current = start();
      // When it cannot listen it exits, and is replaced in turn.
      current.listening.catch(() => {});
      current.exited.then(replace);
    }, delayMs);
  }

  return {
    setTicketSecret(secret) {
      ticketSecret = secret;
      current.send({ kind: 'ticketSecret', secret });
    },
    async snapshot() {
      const now = latest;
      return addUp([await ended, now]);
    },
    async stop(graceMs) {
      stopping = true;
      clearTimeout(restart);
      current.send({ kind: 'stop', graceMs });
      const overtime = setTimeout(current.terminate, graceMs + OVERTIME_MS);
      await current.exited;
      clearTimeout(overtime);
    },
  };
}

/** A second, doubled each time that a thread dies within ten seconds of its start; ten seconds at most. */
export function restartDelayMs(livedMs: number, lastDelayMs: number): number {
  const { minMs, maxMs } = BACK_OFF;
  return livedMs >= maxMs ? minMs : Math.min(maxMs, Math.max(minMs, 2 * lastDelayMs));
}

interface RunningWorker {
  /** Rejects when the worker exits before it listens. */
  listening: Promise<void>;
  /** Resolves with the error that ended the worker, if any. */
  exited: Promise<unknown>;
  livedMs(): number;
  /** Does nothing once the worker has exited. */
  send(message: ToThread): void;
  terminate(): void;
}

function startWorker(
  script: URL,
  workerData: ThreadData,
  { warn, ...deps }: ThreadDeps,
  onMetrics: (snapshot: MetricsSnapshot) => void,
): RunningWorker {
  const startedAt = performance.now();
  const worker = new Worker(script, { workerData });
  const send = (message: ToThread) => worker.postMessage(message);
  let error: unknown;
  worker.on('error', (thrown) => {
    error = thrown;
  });
  const exited = new Promise<unknown>((resolve) => worker.once('exit', () => resolve(error)));
  const listening = new Promise<void>((resolve, reject) => {
    worker.on('message', (message: FromThread) => {
      if (message.kind === 'listening') resolve();
      else if (message.kind === 'metrics') onMetrics(message.snapshot);
      else if (message.kind === 'warn') warn(message.message, message.fields, message.key);
      else void perform(message, deps).then(send);
    });
    exited.then(reject);
  });
  return {
    listening,
    exited,
    livedMs: () => performance.now() - startedAt,
    send,
    terminate: () => void worker.terminate(),
  };
}

/** Never rejects. */
async function perform(
  call: MainThreadCall,
  { store, lookUp }: Pick<ThreadDeps, 'store' | 'lookUp'>,
): Promise<ToThread> {
  const { id } = call;
  try {
    return { kind: 'result', id, result: await run() };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: 'error', id, message, unavailable: error instanceof StoreUnavailable };
  }

  function run(): Promise<unknown> {
    switch (call.method) {
      case 'findSite':
        return store.findSite(...call.args);
      case 'findOrigin':
        return store.findOrigin(...call.args);
      case 'findChallenge':
        return store.findChallenge(...call.args);
      case 'lookUp':
        return lookUp(...call.args, AbortSignal.timeout(LOOK_UP_MS));
      default:
        return call satisfies never;
    }
  }
}
