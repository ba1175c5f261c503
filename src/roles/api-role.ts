import type { Endpoint } from '../config/config.ts';
import { cannotListen, type ListeningServer, type ReservedPort, reservePort, type Stoppable } from '../net/listen.ts';
import { createCountTable } from '../ratelimit/count-table.ts';
import type { Supervisor } from '../threads/supervisor.ts';
import { type ApiThreadSettings, serveApi } from './api-server.ts';
import { openDiagnoser } from './open-diagnoser.ts';
import type { RoleThreads } from './role-threads.ts';
import type { RoleDeps } from './roles.ts';
import { type LateStart, startOnceOpen } from './start-once-open.ts';
import { apiThreadsOf } from './thread-counts.ts';

interface ApiRoleDeps extends RoleDeps {
  supervisor: Supervisor;
  threads: RoleThreads;
  /** Null: the store is open. Otherwise this thread alone says that it is not ready until it is. */
  late: LateStart | null;
}

/** Networks with failed authentications. */
const FAILURE_COUNTS = 65_536;

/** The API of one process: in this thread, and in further ones that listen on the same port. */
export async function startApi({ supervisor, threads, late, ...deps }: ApiRoleDeps): Promise<ListeningServer> {
  const { config } = deps;
  const count = Math.max(1, apiThreadsOf(config));
  const reserved = count === 1 ? null : await reserve(config.listen);
  const settings: ApiThreadSettings = {
    listen: reserved?.listen ?? config.listen,
    threads: count,
    requestCounts: createCountTable().shared,
    failureCounts: createCountTable(FAILURE_COUNTS).shared,
  };
  const { diagnoser, close } = openDiagnoser({ ...deps, supervisor });
  const running: Stoppable[] = [];
  let startingThreads: Promise<void> = Promise.resolve();
  const startThreads = async () => {
    const script = new URL('./api-thread.ts', import.meta.url);
    while (running.length < count)
      running.push(await threads.start({ kind: 'api', script, own: diagnoser, data: { api: settings } }));
  };
  const stop = async () => {
    await startingThreads;
    await Promise.all(running.map((part) => part.stop()));
    await close();
  };
  try {
    const here = await serveApi(deps, settings, diagnoser).finally(() => reserved?.release());
    running.push(here);
    if (late === null) await startThreads();
    else startingThreads = startOnceOpen(late, startThreads, deps.log);
    return { address: here.address, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function reserve(endpoint: Endpoint): Promise<ReservedPort> {
  return reservePort(endpoint, { reusePort: true }).catch((error: unknown) => {
    throw cannotListen(error, endpoint, 'NAMEPLATE_LISTEN');
  });
}
