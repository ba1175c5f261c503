import type { Supervisor } from '../base/threads/supervisor.ts';
import type { Endpoint } from '../config/config.ts';
import { hostAndPort } from '../net/cannot-listen.ts';
import type { InheritedSockets, ListeningPart } from '../net/inherited-sockets.ts';
import type { Stoppable } from '../net/listen.ts';
import type { ListenOptions } from '../net/listener.ts';
import { type ThreadListeners, threadListeners } from '../net/thread-listeners.ts';
import type { DnsServerSettings } from './dns-server.ts';
import { tryUdpPort } from './udp.ts';
import type { ZoneData } from './zones.ts';

/** The thread is started with these values. */
export interface DnsThreadData {
  settings: DnsServerSettings;
  data: ZoneData;
}

/** The methods that the main thread calls in it. */
export interface DnsThreadMethods {
  setData(data: ZoneData): Promise<void>;
  accept(): Promise<void>;
  fds(): Promise<number[][]>;
}

interface DnsOptions extends Omit<DnsServerSettings, 'listen'> {
  listen: readonly Endpoint[];
  /** The thread begins with it. */
  data: ZoneData;
  supervisor: Supervisor;
  inherited?: InheritedSockets | undefined;
}

/** The DNS server of a process, in a thread of its own. */
export interface Dns extends Stoppable, ListeningPart {
  /** `host:port` of each listener, for UDP and TCP. */
  addresses: readonly string[];
  setData(data: ZoneData): void;
}

const GRACE_MS = 2000;
const SCRIPT = new URL('./dns-thread.ts', import.meta.url);

/** Rejects where it cannot listen, with the error of the system. */
export async function startDns({ listen, data: first, supervisor, inherited, ...shared }: DnsOptions): Promise<Dns> {
  const opened: ThreadListeners[] = [];
  let data = first;
  let start: 'first' | 'again' = 'first';
  const begin = () => {
    const options = opened
      .map((each) => each.optionsOf(0, start))
      .filter((each): each is ListenOptions => each !== null);
    start = 'again';
    return { workerData: { settings: { ...shared, listen: options }, data } satisfies DnsThreadData };
  };
  try {
    for (const endpoint of listen) {
      const listeners = await threadListeners({ name: 'dns', endpoint, threads: 1, inherited });
      opened.push(listeners);
      // The process before has the UDP port too.
      if (listeners.optionsOf(0, 'first')?.fds === undefined) await tryUdpPort({ ...endpoint, port: listeners.port });
    }
    const isReplaceable = opened.every(({ canReopen }) => canReopen);
    const thread = await supervisor.start<DnsThreadMethods>({ kind: 'dns', script: SCRIPT, begin, isReplaceable });
    return {
      addresses: listen.map(({ host }, i) => hostAndPort({ host, port: opened[i]?.port ?? 0 })),
      setData(next) {
        data = next;
        thread.send('setData', next);
      },
      accept: () => thread.call('accept'),
      async sockets() {
        const fds = await thread.call('fds').catch(() => []);
        return opened.map((each, i) => each.describe(fds[i] ?? []));
      },
      stop: () => thread.stop(GRACE_MS),
    };
  } finally {
    for (const listeners of opened) listeners.release();
  }
}
