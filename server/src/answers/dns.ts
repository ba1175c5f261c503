import type { Supervisor } from '../base/threads/supervisor.ts';
import type { Endpoint } from '../config/config.ts';
import { hostAndPort } from '../net/cannot-listen.ts';
import type { InheritedSockets, ListeningPart, ListeningSockets } from '../net/inherited-sockets.ts';
import type { Stoppable } from '../net/listen.ts';
import { type ThreadListeners, threadListeners } from '../net/thread-listeners.ts';
import type { DnsFds, DnsListenOptions, DnsServerSettings } from './dns-server.ts';
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
  fds(): Promise<DnsFds[]>;
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
  const opened: { tcp: ThreadListeners; udp: ListeningSockets | null }[] = [];
  let data = first;
  let start: 'first' | 'again' = 'first';
  const begin = () => {
    const options = opened.flatMap(({ tcp, udp }): DnsListenOptions[] => {
      const own = tcp.optionsOf(0, start);
      return own === null ? [] : [{ ...own, udpFds: (start === 'first' && udp?.fds) || [] }];
    });
    start = 'again';
    return { workerData: { settings: { ...shared, listen: options }, data } satisfies DnsThreadData };
  };
  try {
    for (const endpoint of listen) {
      const tcp = await threadListeners({ name: 'dns', endpoint, threads: 1, inherited });
      const udp = inherited?.take('dns-udp', endpoint) ?? null;
      opened.push({ tcp, udp });
      // The process before has the UDP port too.
      if (udp === null && tcp.optionsOf(0, 'first')?.fds === undefined)
        await tryUdpPort({ ...endpoint, port: tcp.port });
    }
    const isReplaceable = opened.every(({ tcp, udp }) => tcp.canReopen && udp?.endpoint !== null);
    const thread = await supervisor.start<DnsThreadMethods>({ kind: 'dns', script: SCRIPT, begin, isReplaceable });
    return {
      addresses: listen.map(({ host }, i) => hostAndPort({ host, port: opened[i]?.tcp.port ?? 0 })),
      setData(next) {
        data = next;
        thread.send('setData', next);
      },
      accept: () => thread.call('accept'),
      async sockets() {
        const fds = await thread.call('fds').catch(() => []);
        return opened.flatMap(({ tcp }, i) => {
          const described = tcp.describe(fds[i]?.tcp ?? []);
          return [described, { ...described, name: 'dns-udp', fds: fds[i]?.udp ?? [] }];
        });
      },
      stop: () => thread.stop(GRACE_MS),
    };
  } finally {
    for (const { tcp } of opened) tcp.release();
  }
}
