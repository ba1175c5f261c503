import { Worker } from 'node:worker_threads';
import type { ChangeFeed } from '../../cache/change-feed.ts';
import type { Log } from '../../log.ts';
import type { AddressLookup } from '../../net/dialer.ts';
import { type EdgeStore, StoreUnavailable } from '../../store/contract/store.ts';
import type { Report } from '../throttled-log.ts';
import type { AnyQuestion, ThreadData, ToMain, ToThread } from './messages.ts';

/** A thread of the edge, seen from outside. */
export interface Thread {
  setTicketSecret(secret: Uint8Array): void;
  /** Lets what is under way finish for so long, and ends the thread. */
  stop(graceMs: number): Promise<void>;
}

export interface ThreadDeps {
  store: EdgeStore;
  changes: Pick<ChangeFeed, 'subscribe'>;
  lookUp: AddressLookup;
  log: Log;
  report: Report;
}

const SCRIPT = new URL('./edge-thread.ts', import.meta.url);
const PAUSE_MS = 1000;
/** How much longer than it was given a thread may take to end before it is made to. */
const OVERTIME_MS = 2000;
const LOOK_UP_MS = 10_000;

/**
 * Starts a thread; rejects when it cannot listen. Should it die later, another takes its place: its connections are lost, while those of the other
 * threads, the API and the checks of this process go on.
 */
export async function startThread(data: ThreadData, deps: ThreadDeps, script = SCRIPT): Promise<Thread> {
  const { log } = deps;
  let ticketSecret = data.ticketSecret;
  let again: NodeJS.Timeout | undefined;
  let stopping = false;
  let current = startWorker(script, data, deps);
  await current.listening;
  current.exited.then(replace);
  deps.changes.subscribe((change) => current.send({ kind: 'change', change }));

  function replace(fault: unknown): void {
    if (stopping) return;
    log.error({ err: fault }, 'a thread of the edge has died, and its connections with it; another takes its place');
    again = setTimeout(() => {
      current = startWorker(script, { ...data, ticketSecret }, deps);
      // When it cannot listen it ends, and is replaced in turn.
      current.listening.catch(() => {});
      current.exited.then(replace);
    }, PAUSE_MS);
  }

  return {
    setTicketSecret(secret) {
      ticketSecret = secret;
      current.send({ kind: 'ticketSecret', secret });
    },
    async stop(graceMs) {
      stopping = true;
      clearTimeout(again);
      current.send({ kind: 'stop', graceMs });
      const late = setTimeout(current.terminate, graceMs + OVERTIME_MS);
      await current.exited;
      clearTimeout(late);
    },
  };
}

interface RunningWorker {
  /** Rejects when it ends before it listens. */
  listening: Promise<void>;
  /** Resolves with what ended it, if anything did. */
  exited: Promise<unknown>;
  /** Does nothing once it has ended. */
  send(message: ToThread): void;
  terminate(): void;
}

function startWorker(script: URL, workerData: ThreadData, { report, ...deps }: ThreadDeps): RunningWorker {
  const worker = new Worker(script, { workerData });
  const send = (message: ToThread) => worker.postMessage(message);
  let fault: unknown;
  worker.on('error', (error) => {
    fault = error;
  });
  const exited = new Promise<unknown>((resolve) => worker.once('exit', () => resolve(fault)));
  const listening = new Promise<void>((resolve, reject) => {
    worker.on('message', (message: ToMain) => {
      if (message.kind === 'listening') resolve();
      else if (message.kind === 'report') report(message.what, message.fields, message.about);
      else void answer(message, deps).then(send);
    });
    exited.then(reject);
  });
  return { listening, exited, send, terminate: () => void worker.terminate() };
}

/** Never rejects. */
async function answer(
  question: AnyQuestion,
  { store, lookUp }: Pick<ThreadDeps, 'store' | 'lookUp'>,
): Promise<ToThread> {
  const { id } = question;
  try {
    return { kind: 'answer', id, answer: await read() };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { kind: 'failure', id, message, unavailable: error instanceof StoreUnavailable };
  }

  function read(): Promise<unknown> {
    switch (question.method) {
      case 'findRoute':
        return store.findRoute(...question.args);
      case 'findOrigin':
        return store.findOrigin(...question.args);
      case 'findServedCertificate':
        return store.findServedCertificate(...question.args);
      case 'findChallenge':
        return store.findChallenge(...question.args);
      case 'lookUp':
        return lookUp(...question.args, AbortSignal.timeout(LOOK_UP_MS));
      default:
        return question satisfies never;
    }
  }
}
