import { parentPort } from 'node:worker_threads';
import { createEdgeMetrics } from '../../src/edge/edge-metrics.ts';
import type { FromThread, ToThread } from '../../src/edge/threads/messages.ts';

// A thread of the edge that counts three requests and seven connections, and dies of the first change.

const send = (message: FromThread) => parentPort?.postMessage(message);

const metrics = createEdgeMetrics();
metrics.watchOpen(() => ({ connections: 7, tunnels: 0, sites: 0, origins: 0, tls_contexts: 0 }));
for (let i = 0; i < 3; i += 1) metrics.request('h2', 200, 0.1);

parentPort?.on('message', ({ kind }: ToThread) => {
  if (kind === 'change') throw new Error('died of a change');
  if (kind === 'stop') parentPort?.close();
});
send({ kind: 'listening' });
send({ kind: 'metrics', snapshot: await metrics.snapshot() });
send({ kind: 'warn', message: 'started', fields: {}, key: undefined });
