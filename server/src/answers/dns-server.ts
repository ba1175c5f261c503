import { randomBytes, randomInt } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { type Listener, type ListenOptions, openListener } from '../net/listener.ts';
import { createCookies } from './cookies.ts';
import type { DnsServerMetrics } from './dns-server-metrics.ts';
import { createResponder } from './responder.ts';
import { createResponseLimit } from './response-limit.ts';
import { createTcpAnswers } from './tcp.ts';
import { answerUdp } from './udp.ts';
import { makeZones, type ZoneData, type ZoneSettings } from './zones.ts';

/** Settings of the thread that answers: plain values. */
export interface DnsServerSettings {
  zones: ZoneSettings;
  /** Each for TCP, and for UDP at the same port. */
  listen: readonly ListenOptions[];
  /** Responses a second over UDP to each network; 0: no limit. */
  responsesPerSecond: number;
}

interface DnsServer {
  setData(data: ZoneData): void;
  /** Answers on the sockets that the process was given. */
  accept(): Promise<void>;
  /** The descriptors of the listening sockets, for each of `settings.listen`. */
  fds(): number[][];
  stop(): void;
}

const SECRET_BYTES = 32;
const SEEDS = 2 ** 32;

/** An authoritative server over UDP and TCP. Rejects with the error of the system where it cannot listen. */
export async function startDnsServer(
  { zones: settings, listen, responsesPerSecond }: DnsServerSettings,
  { data, clock, metrics }: { data: ZoneData; clock: Clock; metrics: DnsServerMetrics },
): Promise<DnsServer> {
  let zones = makeZones(settings, data);
  const limit = responsesPerSecond === 0 ? null : createResponseLimit(responsesPerSecond, randomInt(SEEDS));
  const cookies = createCookies(randomBytes(SECRET_BYTES));
  const responder = createResponder({ zones: () => zones, cookies, limit, clock, metrics });
  const tcp = createTcpAnswers(responder, metrics);
  const listeners: Listener[] = [];
  const closeUdp: (() => void)[] = [];

  const stop = () => {
    for (const listener of listeners) listener.close();
    for (const close of closeUdp) close();
    tcp.stop();
  };
  const openUdp = async (endpoint: ListenOptions) => {
    closeUdp.push(await answerUdp(endpoint, { responder, metrics }));
  };
  try {
    for (const options of listen) {
      const listener = await openListener(options, tcp.newServer);
      listeners.push(listener);
      if (options.fds === undefined) await openUdp({ ...options, port: listener.port });
    }
  } catch (error) {
    stop();
    throw error;
  }
  return {
    setData(next) {
      zones = makeZones(settings, next);
      metrics.challenges(next.challenges?.size ?? 0);
    },
    async accept() {
      for (const listener of listeners) await listener.accept();
      // Beside that of the process before, which answers until it stops.
      for (const options of listen) if (options.fds !== undefined) await openUdp(options);
    },
    fds: () => listeners.map((listener) => listener.fds()),
    stop,
  };
}
