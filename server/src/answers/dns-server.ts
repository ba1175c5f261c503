import { randomBytes, randomInt } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import type { Endpoint } from '../config/config.ts';
import { type Listener, type ListenOptions, openListener } from '../net/listener.ts';
import { createCookies } from './cookies.ts';
import type { DnsServerMetrics } from './dns-server-metrics.ts';
import { createResponder } from './responder.ts';
import { createResponseLimit } from './response-limit.ts';
import { createTcpAnswers } from './tcp.ts';
import { answerUdp, type UdpSocket } from './udp.ts';
import { makeZones, type ZoneData, type ZoneSettings } from './zones.ts';

/** Settings of the thread that answers: plain values. */
export interface DnsServerSettings {
  zones: ZoneSettings;
  /** Each for TCP, and for UDP at the same port. */
  listen: readonly DnsListenOptions[];
  /** Responses a second over UDP to each network; 0: no limit. */
  responsesPerSecond: number;
}

export interface DnsListenOptions extends ListenOptions {
  /**
   * UDP sockets that this process was given. It reads them from `accept` on. Where there are none, it opens one of its
   * own, beside that of the process before.
   */
  udpFds: readonly number[];
}

/** Descriptors of the sockets at one address. */
export interface DnsFds {
  tcp: number[];
  udp: number[];
}

interface DnsServer {
  setData(data: ZoneData): void;
  /** Answers on the sockets that the process was given. */
  accept(): Promise<void>;
  /** For each of `settings.listen`. */
  fds(): DnsFds[];
  stop(): void;
}

/** Whether the process was given a socket there: then it waits for `accept`. */
const isGiven = ({ fds, udpFds }: DnsListenOptions) => fds !== undefined || udpFds.length > 0;

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
  const listeners: { tcp: Listener; udp: UdpSocket[] }[] = [];

  const stop = () => {
    for (const each of listeners) for (const socket of [each.tcp, ...each.udp]) socket.close();
    tcp.stop();
  };
  const openUdp = (where: Endpoint | { fd: number }) => answerUdp(where, { responder, metrics });
  try {
    for (const options of listen) {
      const each = { tcp: await openListener(options, tcp.newServer), udp: [] as UdpSocket[] };
      listeners.push(each);
      if (!isGiven(options)) each.udp.push(await openUdp({ ...options, port: each.tcp.port }));
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
      for (const [i, { tcp, udp }] of listeners.entries()) {
        await tcp.accept();
        const options = listen[i];
        if (options === undefined || !isGiven(options)) continue;
        const places = options.udpFds.length > 0 ? options.udpFds.map((fd) => ({ fd })) : [options];
        for (const place of places) udp.push(await openUdp(place));
      }
    },
    fds: () => listeners.map(({ tcp, udp }) => ({ tcp: tcp.fds(), udp: udp.flatMap((socket) => socket.fd ?? []) })),
    stop,
  };
}
