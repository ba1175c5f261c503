import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../clock.ts';
import { idMaker } from '../../ids.ts';
import { type Change, StoreUnavailable } from '../../store/contract/store.ts';
import { createEdgeMetrics } from '../edge-metrics.ts';
import { startEdgeServer } from '../edge-server.ts';
import type { FromThread, MainThread, MainThreadCall, ThreadData, ToThread } from './messages.ts';

// The script of an edge thread. It reaches the store and DNS through the main thread.

const METRICS_EVERY_MS = 1000;

const port = parentPort;
if (port === null) throw new Error('edge-thread.ts runs as a worker thread');

const data: ThreadData = workerData;
let { ticketSecret } = data;
const listeners: ((change: Change | null) => void)[] = [];
const calls = new Map<number, { resolve(result: unknown): void; reject(error: unknown): void }>();
let lastId = 0;

const send = (message: FromThread) => port.postMessage(message);

function call<M extends keyof MainThread>(method: M, ...args: Parameters<MainThread[M]>): ReturnType<MainThread[M]> {
  lastId += 1;
  const id = lastId;
  const result = new Promise((resolve, reject) => {
    calls.set(id, { resolve, reject });
  });
  // TypeScript cannot see that method, arguments and result belong together.
  send({ kind: 'call', id, method, args } as MainThreadCall);
  return result as ReturnType<MainThread[M]>;
}

const metrics = createEdgeMetrics();
/** Metrics that cannot be read end no thread. */
const sendMetrics = () =>
  metrics.snapshot().then(
    (snapshot) => send({ kind: 'metrics', snapshot }),
    () => {},
  );

const server = await startEdgeServer(data.settings, {
  store: {
    findSite: (hostname) => call('findSite', hostname),
    findOrigin: (environmentId) => call('findOrigin', environmentId),
    findChallenge: (hostname, token, now) => call('findChallenge', hostname, token, now),
  },
  lookUp: (hostname) => call('lookUp', hostname),
  changes: { subscribe: (listener) => void listeners.push(listener) },
  clock: systemClock,
  newId: idMaker(systemClock),
  ticketSecret: () => ticketSecret,
  metrics,
  warn: (message, fields, key) => send({ kind: 'warn', message, fields, key }),
});

port.on('message', async (message: ToThread) => {
  switch (message.kind) {
    case 'result':
      calls.get(message.id)?.resolve(message.result);
      calls.delete(message.id);
      break;
    case 'error': {
      const error = message.unavailable ? new StoreUnavailable(message.message) : new Error(message.message);
      calls.get(message.id)?.reject(error);
      calls.delete(message.id);
      break;
    }
    case 'change':
      for (const listener of listeners) listener(message.change);
      break;
    case 'ticketSecret':
      ticketSecret = message.secret;
      break;
    case 'stop':
      await server.stop(message.graceMs);
      await sendMetrics();
      port.close();
      break;
    default:
      message satisfies never;
  }
});
setInterval(sendMetrics, METRICS_EVERY_MS).unref();
send({ kind: 'listening' });
