import { workerData } from 'node:worker_threads';
import type { SupervisedMethods } from '../threads/supervisor.ts';
import { serveParent } from '../threads/thread.ts';
import { startBackground } from './background-role.ts';
import { openRoleThread, type RoleThreadMethods } from './role-thread.ts';

// The script of the thread of checks and certificates.

const { deps, close } = await openRoleThread(workerData);
const background = startBackground(deps);

const own: RoleThreadMethods & SupervisedMethods = {
  poll: () => void deps.changes.poll(),
  snapshot: () => deps.metrics.registry.getMetricsAsJSON(),
  async stop() {
    await background.stop();
    await close();
    main.close();
  },
};
const main = serveParent(own);
main.ready();
