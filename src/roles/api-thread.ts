import { workerData } from 'node:worker_threads';
import type { Diagnoser } from '../observation/diagnoser.ts';
import type { SupervisedMethods } from '../threads/supervisor.ts';
import { serveParent } from '../threads/thread.ts';
import { type ApiThreadSettings, serveApi } from './api-server.ts';
import { openRoleThread, type RoleThreadData, type RoleThreadMethods } from './role-thread.ts';

// The script of a thread of the API. Diagnoses are limited for the whole process, so the main thread starts them.

const data: RoleThreadData & { api: ApiThreadSettings } = workerData;
const { deps, close } = await openRoleThread(data);

const own: RoleThreadMethods & SupervisedMethods = {
  poll: () => void deps.changes.poll(),
  snapshot: () => deps.metrics.registry.getMetricsAsJSON(),
  async stop() {
    await api.stop();
    await close();
    main.close();
  },
};
const main = serveParent<Diagnoser>(own);
const api = await serveApi(deps, data.api, {
  diagnose: (request) => main.call('diagnose', request),
  lookAtName: (request) => main.call('lookAtName', request),
});
main.ready();
