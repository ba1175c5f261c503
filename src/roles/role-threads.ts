import type { Invalidations } from '../cache/invalidations.ts';
import { GRACE_MS } from '../net/listen.ts';
import type { SharedStore } from '../store/database.ts';
import type { SupervisedThread, Supervisor, ThreadOptions } from '../threads/supervisor.ts';
import type { Deliveries } from './deliveries-role.ts';
import type { RoleThreadData, RoleThreadMethods } from './role-thread.ts';
import type { RoleSettings } from './roles.ts';

/** Starts threads that run roles of their own, with connections of their own to the store. */
export interface RoleThreads {
  /** `data`: what the script needs besides `RoleThreadData`. Rejects with the error that ended the thread when it ends before it is ready. */
  start(options: Pick<ThreadOptions, 'kind' | 'script' | 'own'> & { data?: object }): Promise<Deliveries>;
  /** A change was logged: all read the change log now. */
  poll(): void;
}

interface RoleThreadsDeps extends Pick<SharedStore, 'newWriterPort'> {
  supervisor: Supervisor;
  settings: RoleSettings;
  invalidations: Invalidations;
}

export function roleThreads({ supervisor, settings, invalidations, newWriterPort }: RoleThreadsDeps): RoleThreads {
  const threads: SupervisedThread<RoleThreadMethods>[] = [];
  return {
    async start({ data, ...options }) {
      const begin = () => {
        const writerPort = newWriterPort();
        const roleData: RoleThreadData = { settings, writerPort, invalidations: invalidations.shared };
        return { workerData: { ...roleData, ...data }, transferList: writerPort === null ? [] : [writerPort] };
      };
      const thread = await supervisor.start<RoleThreadMethods>({ ...options, begin });
      threads.push(thread);
      return { wake: () => thread.send('wake'), stop: () => thread.stop(GRACE_MS) };
    },
    poll() {
      for (const thread of threads) thread.send('poll');
    },
  };
}
