import { workerData } from 'node:worker_threads';
import { systemClock } from '../base/clock.ts';
import { idMaker } from '../base/ids.ts';
import { createLog } from '../base/log.ts';
import type { SupervisedMethods } from '../base/threads/supervisor.ts';
import { serveParent } from '../base/threads/thread.ts';
import { type Change, StoreUnavailable } from '../store/store.ts';
import { createEdgeMetrics } from './edge-metrics.ts';
import { startEdgeServer } from './edge-server.ts';
import type { EdgeThreadData, EdgeThreadMethods, EdgeThreadParent } from './edge-threads.ts';

// The script of an edge thread. It reaches the store and DNS through the main thread.

const data: EdgeThreadData = workerData;
let { ticketSecret } = data;
const listeners: ((change: Change | null) => void)[] = [];
const metrics = createEdgeMetrics();
// The access log has a setting of its own, whatever the log level of the process.
const accessLog = data.settings.accessLog && createLog('info');

const own: EdgeThreadMethods & SupervisedMethods = {
  change(change) {
    for (const listener of listeners) listener(change);
  },
  setTicketSecret(secret) {
    ticketSecret = secret;
  },
  accept: async () => (await server).accept(),
  sockets: async () => (await server).sockets(),
  leave: async () => (await server).leave(),
  recentNames: async () => (await server).recentNames(),
  takeUsage: async () => (await server).takeUsage(),
  snapshot: () => metrics.snapshot(),
  async stop(graceMs) {
    const { stop, takeUsage } = await server;
    await stop(graceMs);
    await main.call('addUsage', takeUsage());
    main.close();
  },
};
const main = serveParent<EdgeThreadParent>(own, ({ name, message }) =>
  name === 'StoreUnavailable' ? new StoreUnavailable(message) : new Error(message),
);

const server = startEdgeServer(data.settings, {
  store: {
    findSite: (hostname) => main.call('findSite', hostname),
    findOperatorSite: (hostname) => main.call('findOperatorSite', hostname),
    findOrigin: (environmentId) => main.call('findOrigin', environmentId),
    findBrand: (workspaceId) => main.call('findBrand', workspaceId),
    findChallenge: (hostname, token, now) => main.call('findChallenge', hostname, token, now),
  },
  served: data.hasEdgeCache
    ? {
        findSite: (hostname) => main.call('findServedSite', hostname).catch(() => undefined),
        findOrigin: (environmentId) => main.call('findServedOrigin', environmentId).catch(() => undefined),
      }
    : null,
  lookUp: (hostname) => main.call('lookUp', hostname),
  changes: { subscribe: (listener) => void listeners.push(listener) },
  clock: systemClock,
  newId: idMaker(systemClock),
  ticketSecret: () => ticketSecret,
  metrics,
  warn: (message, fields, key) => main.send('warn', message, fields, key),
  logAccess: (fields, message) => accessLog?.info(fields, message),
});
await server;
main.ready();
