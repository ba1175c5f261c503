import type { SupervisedThread, Supervisor, ThreadOptions } from '../base/threads/supervisor.ts';
import { GRACE_MS, type Stoppable } from '../net/listen.ts';
import type { Invalidations } from '../store/cache/invalidations.ts';
import type { SharedStore } from '../store/database.ts';
import type { RoleThreadData, RoleThreadMethods } from './role-thread.ts';
import type { RoleSettings } from './roles.ts';

/** A thread of roles, seen from the main thread. */
export interface RoleThread extends Stoppable {
  /** Called when a delivery may be due. */
  wake(): void;
  /** Accepts connections on the sockets that the process was given. */
  accept(): Promise<void>;
  /** The descriptors of its listening sockets; none while it is being replaced. */
  fds(): Promise<number[]>;
}

interface RoleThreadOptions extends Pick<ThreadOptions, 'kind' | 'script' | 'own' | 'isReplaceable'> {
  /**
   * Returns values that the script needs besides `RoleThreadData`, when the thread starts first and when it replaces
   * one that has died.
   */
  data?(start: 'first' | 'again'): object;
  /** How long its work in flight may go on after `stop`. */
  graceMs?: number;
}

/** Starts threads that run roles of their own, with connections of their own to the store. */
export interface RoleThreads {
  /** Rejects with the error that ended the thread when it ends before it is ready. */
  start(options: RoleThreadOptions): Promise<RoleThread>;
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
    async start({ data, graceMs = GRACE_MS, ...options }) {
      let start: 'first' | 'again' = 'first';
      const begin = () => {
        const more = data?.(start);
        start = 'again';
        const writerPort = newWriterPort();
        const roleData: RoleThreadData = { settings, writerPort, invalidations: invalidations.shared };
        return { workerData: { ...roleData, ...more }, transferList: writerPort === null ? [] : [writerPort] };
      };
      const thread = await supervisor.start<RoleThreadMethods>({ ...options, begin });
      threads.push(thread);
      return {
        wake: () => thread.send('wake'),
        accept: () => thread.call('accept'),
        fds: () => thread.call('fds').catch(() => []),
        stop: () => thread.stop(graceMs),
      };
    },
    poll() {
      for (const thread of threads) thread.send('poll');
    },
  };
}

/** Checks, deliveries and certificates in a thread of their own, so that they share no event loop with requests. */
export function startBackgroundThread(threads: RoleThreads): Promise<RoleThread> {
  return threads.start({ kind: 'background', script: new URL('./background-thread.ts', import.meta.url) });
}
