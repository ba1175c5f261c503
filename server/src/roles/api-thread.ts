import { workerData } from 'node:worker_threads';
import type { Diagnoser } from '../verification/observation/diagnoser.ts';
import { type ApiThreadSettings, serveApi } from './api-server.ts';
import { type RoleThreadData, runRoleThread } from './role-thread.ts';

// The script of a thread of the API. Diagnoses are limited for the whole process, so the main thread starts them.

const data: RoleThreadData & { api: ApiThreadSettings } = workerData;
await runRoleThread<Diagnoser>(data, (deps, main) =>
  serveApi(deps, data.api, {
    diagnose: (request) => main.call('diagnose', request),
    diagnoseName: (request) => main.call('diagnoseName', request),
    discoverConnect: (question) => main.call('discoverConnect', question),
  }),
);
