import type { Endpoint } from '../config/config.ts';
import { hostAndPort } from './cannot-listen.ts';
import type { InheritedSockets, ListenerName, ListeningSockets } from './inherited-sockets.ts';
import { reservePort } from './listen.ts';
import type { ListenOptions } from './listener.ts';

/** How the threads of a process listen on one address. */
export interface ThreadListeners {
  port: number;
  /** So many threads listen: fewer than wanted where systemd has opened the sockets. */
  count: number;
  /** Whether a thread that replaces one that has died can open a socket again. */
  canReopen: boolean;
  /**
   * For thread `index` from 0 on, when it starts first, and when it replaces one that has died; null: it does not
   * listen there.
   */
  optionsOf(index: number, start: 'first' | 'again'): ListenOptions | null;
  /** Describes these descriptors to another process. */
  describe(fds: number[]): ListeningSockets;
  /** Called once all threads listen, or none will. */
  release(): void;
}

interface ThreadListenersOptions {
  name: ListenerName;
  endpoint: Endpoint;
  /** As many threads as this are to listen. */
  threads: number;
  inherited: InheritedSockets | undefined;
}

/** Sockets share a port without an error only on Linux. */
const CAN_SHARE = process.platform === 'linux';

/**
 * Takes the sockets that the process was given for this address, or reserves its port. Rejects with the error of the
 * system.
 */
export async function threadListeners(options: ThreadListenersOptions): Promise<ThreadListeners> {
  const { name, endpoint, threads, inherited } = options;
  const given = inherited?.take(name, endpoint) ?? null;
  if (given !== null) return listenersOn(given, options);
  const holder = inherited?.nameOn(endpoint.port) ?? null;
  // The listener moves to a wider or narrower address. Nothing is opened before `accept`: until then the process before
  // serves there.
  if (holder === name && CAN_SHARE) return listenersOn({ name, endpoint, port: null, fds: [] }, options);
  const { listen, release } = await reservePort(endpoint, { reusePort: CAN_SHARE }).catch((error: unknown) => {
    const isInUse = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    if (holder === null || !isInUse) throw error;
    const advice = 'Reload with another port there first, or restart the server.';
    throw new Error(
      `${hostAndPort(endpoint)} is in use by the running server, for its listener "${holder}". ${advice}`,
    );
  });
  return {
    port: listen.port,
    count: threads,
    canReopen: true,
    optionsOf: (index) => (index < threads ? listen : null),
    describe: (fds) => ({ name, endpoint, port: listen.port, fds }),
    release,
  };
}

/** Every socket belongs to a thread: a connection in the queue of a socket without one would be lost. */
function listenersOn(given: ListeningSockets, { endpoint, threads }: ThreadListenersOptions): ThreadListeners {
  const canReopen = given.endpoint !== null;
  const count = canReopen ? threads : Math.min(threads, given.fds.length);
  const port = given.port ?? endpoint.port;
  const own: ListenOptions = { host: endpoint.host, port, reusePort: CAN_SHARE };
  return {
    port,
    count,
    canReopen,
    optionsOf(index, start) {
      if (index >= count) return null;
      return start === 'again' ? own : { ...own, fds: given.fds.filter((_, i) => i % count === index) };
    },
    describe: (fds) => ({ ...given, endpoint: given.endpoint && endpoint, port, fds }),
    release() {},
  };
}
