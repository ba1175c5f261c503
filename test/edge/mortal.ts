import { parentPort } from 'node:worker_threads';
import type { ToMain, ToThread } from '../../src/edge/threads/messages.ts';

// A thread of the edge that dies of the first change it hears of.

const send = (message: ToMain) => parentPort?.postMessage(message);

parentPort?.on('message', ({ kind }: ToThread) => {
  if (kind === 'change') throw new Error('died of a change');
  if (kind === 'stop') parentPort?.close();
});
send({ kind: 'listening' });
send({ kind: 'report', what: 'begun', fields: {}, about: undefined });
