import { createCountTable } from '../access/ratelimit/count-table.ts';
import type { Supervisor } from '../base/threads/supervisor.ts';
import { cannotListen } from '../net/cannot-listen.ts';
import type { InheritedSockets, ListeningPart } from '../net/inherited-sockets.ts';
import type { ListeningServer, Stoppable } from '../net/listen.ts';
import { type ThreadListeners, threadListeners } from '../net/thread-listeners.ts';
import { type ApiThreadSettings, serveApi } from './api-server.ts';
import { openDiagnoser } from './open-diagnoser.ts';
import type { RoleThread, RoleThreads } from './role-threads.ts';
import type { RoleDeps } from './roles.ts';
import { type LateStart, startOnceOpen } from './start-once-open.ts';
import { apiThreadsOf } from './thread-counts.ts';

interface ApiRoleDeps extends RoleDeps {
  supervisor: Supervisor;
  threads: RoleThreads;
  inherited: InheritedSockets | undefined;
  /** Null: the store is open. Otherwise this thread alone responds that it is not ready, until it is. */
  late: LateStart | null;
}

/** Networks with failed authentications. */
const FAILURE_COUNTS = 65_536;

/** The API of one process: in this thread, and in further ones that listen on the same port. */
export async function startApi(
  deps: ApiRoleDeps,
): Promise<Pick<ListeningServer, 'address'> & ListeningPart & Stoppable> {
  const { supervisor, threads, inherited, late, ...roleDeps } = deps;
  const listeners = await listenersOf(deps);
  const settings: Omit<ApiThreadSettings, 'listen'> = {
    threads: listeners.count,
    requestCounts: createCountTable().shared,
    failureCounts: createCountTable(FAILURE_COUNTS).shared,
  };
  const { diagnoser, close } = openDiagnoser({ ...roleDeps, supervisor });
  const running: Stoppable[] = [];
  const others: RoleThread[] = [];
  let isAccepting = false;
  let startingThreads: Promise<void> = Promise.resolve();
  const startThreads = async () => {
    const script = new URL('./api-thread.ts', import.meta.url);
    const { canReopen: isReplaceable } = listeners;
    const { drainMs: graceMs } = roleDeps.config;
    while (others.length + 1 < listeners.count) {
      const index = others.length + 1;
      const data = (start: 'first' | 'again') => settingsOf(index, start);
      const thread = await threads.start({ kind: 'api', script, own: diagnoser, data, isReplaceable, graceMs });
      running.push(thread);
      others.push(thread);
      if (isAccepting) await thread.accept();
    }
  };
  const stop = async () => {
    await startingThreads;
    await Promise.all(running.map((part) => part.stop()));
    await close();
  };
  const settingsOf = (index: number, start: 'first' | 'again'): { api: ApiThreadSettings } => {
    const listen = listeners.optionsOf(index, start);
    if (listen === null) throw new Error(`thread ${index} of the API has no address to listen on`);
    return { api: { ...settings, listen } };
  };
  try {
    const here = await serveApi(roleDeps, settingsOf(0, 'first').api, diagnoser);
    running.push(here);
    if (late === null) await startThreads();
    else startingThreads = startOnceOpen(late, startThreads, deps.log);
    return {
      address: here.address,
      async accept() {
        isAccepting = true;
        await Promise.all([here, ...others].map((each) => each.accept()));
      },
      async sockets() {
        const fds = await Promise.all(others.map((thread) => thread.fds()));
        return [listeners.describe([...here.fds(), ...fds.flat()])];
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  } finally {
    listeners.release();
  }
}

function listenersOf({ config, inherited }: ApiRoleDeps): Promise<ThreadListeners> {
  const { listen: endpoint } = config;
  const threads = Math.max(1, apiThreadsOf(config));
  return threadListeners({ name: 'api', endpoint, threads, inherited }).catch((error: unknown) => {
    throw cannotListen(error, endpoint, 'NAMEPLATE_LISTEN');
  });
}
