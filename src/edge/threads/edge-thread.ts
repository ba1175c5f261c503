import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../clock.ts';
import { idMaker } from '../../ids.ts';
import { type Change, StoreUnavailable } from '../../store/contract/store.ts';
import { proxyToOrigins } from '../proxy/origins.ts';
import { createTally } from '../shared-counters.ts';
import type { Report } from '../throttled-log.ts';
import type { AnyQuestion, Asked, ThreadData, ToMain, ToThread } from './messages.ts';
import { serve } from './serving.ts';

// What runs in a thread of the edge. What it knows of the store it has asked the main thread for.

const port = parentPort;
if (port === null) throw new Error('edge/thread.ts runs as a worker thread');

const data: ThreadData = workerData;
let { ticketSecret } = data;
const forgetting: ((change: Change | null) => void)[] = [];
const waiting = new Map<number, { resolve(answer: unknown): void; reject(error: unknown): void }>();
let questions = 0;

const send = (message: ToMain) => port.postMessage(message);

function ask<M extends keyof Asked>(method: M, ...args: Parameters<Asked[M]>): ReturnType<Asked[M]> {
  questions += 1;
  const id = questions;
  const answered = new Promise((resolve, reject) => {
    waiting.set(id, { resolve, reject });
  });
  // Method and arguments belong together, and so does what the main thread answers with.
  send({ kind: 'ask', id, method, args } as AnyQuestion);
  return answered as ReturnType<Asked[M]>;
}

const main: Asked = {
  findRoute: (hostname) => ask('findRoute', hostname),
  findOrigin: (environmentId) => ask('findOrigin', environmentId),
  findServedCertificate: (hostname) => ask('findServedCertificate', hostname),
  findChallenge: (hostname, token, now) => ask('findChallenge', hostname, token, now),
  lookUp: (hostname) => ask('lookUp', hostname),
};

const tally = createTally(data.tally);
const report: Report = (what, fields, about) => send({ kind: 'report', what, fields, about });
const serving = await serve(data.settings, {
  store: main,
  changes: { subscribe: (forget) => void forgetting.push(forget) },
  clock: systemClock,
  newId: idMaker(systemClock),
  ticketSecret: () => ticketSecret,
  tally,
  report,
  proxy: proxyToOrigins({ ...data, lookUp: main.lookUp, report, tally }),
});

port.on('message', async (message: ToThread) => {
  switch (message.kind) {
    case 'answer':
      waiting.get(message.id)?.resolve(message.answer);
      waiting.delete(message.id);
      break;
    case 'failure':
      waiting
        .get(message.id)
        ?.reject(message.unavailable ? new StoreUnavailable(message.message) : new Error(message.message));
      waiting.delete(message.id);
      break;
    case 'change':
      for (const forget of forgetting) forget(message.change);
      break;
    case 'ticketSecret':
      ticketSecret = message.secret;
      break;
    case 'stop':
      await serving.stop(message.graceMs);
      port.close();
      break;
    default:
      message satisfies never;
  }
});
send({ kind: 'listening' });
