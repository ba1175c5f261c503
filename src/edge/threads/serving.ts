import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { ChangeFeed } from '../../cache/change-feed.ts';
import type { Clock } from '../../clock.ts';
import type { NewId } from '../../ids.ts';
import { networkRule } from '../../net/addresses.ts';
import { boundConnections } from '../../net/connection-limit.ts';
import type { EdgeStore } from '../../store/contract/store.ts';
import type { EdgeLimits } from '../edge-limits.ts';
import { watchBodies } from '../http/body-timeouts.ts';
import { type Client, peerAddress } from '../http/edge-client.ts';
import type { Forwarder } from '../http/edge-exchange.ts';
import { createHandler } from '../http/handler.ts';
import { http1Speaker } from '../http/http1.ts';
import { http2Speaker } from '../http/http2.ts';
import { trackUnderWay } from '../http/in-flight.ts';
import { createChallenges } from '../routing/challenges.ts';
import { createDecide } from '../routing/decide.ts';
import { createRoutes } from '../routing/routes.ts';
import type { Tally } from '../shared-counters.ts';
import type { Report } from '../throttled-log.ts';
import { createJudge } from '../tls/certificate-for.ts';
import { createTls } from '../tls/tls.ts';

/** What the edge of one thread is told: values alone. */
export interface ServingSettings {
  http: Listener | null;
  https: Listener | null;
  /** Where the world finds HTTPS. */
  httpsPort: number;
  trustedProxies: readonly string[];
  limits: EdgeLimits;
  tlsContexts: number;
  /** Most names that are remembered. */
  names: number;
}

/** Where to listen. */
export interface Listener {
  host: string;
  port: number;
  /** Other threads listen there as well (Linux). */
  reusePort: boolean;
}

/** What the edge of one thread works with. */
export interface ServingDeps {
  store: EdgeStore;
  changes: Pick<ChangeFeed, 'subscribe'>;
  clock: Clock;
  newId: NewId;
  tally: Tally;
  report: Report;
  proxy: Forwarder;
  /** Secret of the TLS session tickets that are given and accepted from now on: 32 random bytes, others once in a while. */
  ticketSecret(): Uint8Array;
}

export interface Serving {
  /** Accepts nothing more, lets what is under way finish for so long, and lets go of everything. */
  stop(graceMs: number): Promise<void>;
}

const MEASURE_EVERY_MS = 1000;
/**
 * Of connections of clients. One that has vanished is noticed within a minute. They are not half-open: Node's HTTP would not answer anyway, and its TLS
 * would not hear of a client that goes in mid-handshake.
 */
const ACCEPTED = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 };

/** The edge of one thread: its listeners, its memory, its TLS contexts. Rejects when it cannot listen. */
export async function serve(settings: ServingSettings, deps: ServingDeps): Promise<Serving> {
  const { limits } = settings;
  const { tally, report, proxy } = deps;
  const isTrusted = networkRule(settings.trustedProxies);
  const routes = createRoutes({
    ...deps,
    isProxy: isTrusted,
    unknownPerMinute: limits.unknownPerMinute,
    capacity: settings.names,
  });
  const decide = createDecide({
    routes,
    challenges: createChallenges({ ...deps, routes }),
    isTrusted,
    httpsPort: settings.httpsPort,
    servesHttps: settings.https !== null,
  });
  const bodies = watchBodies(limits, (exchange) => handler.onSlowBody(exchange));
  const underWay = trackUnderWay(deps.changes, routes.routes);
  const handler = createHandler({ ...deps, decide, forwarder: proxy, bodies, underWay });
  const http1 = http1Speaker({ limits, ...handler });
  const http2 = http2Speaker({ limits, ...handler });
  const connections = boundConnections(
    { total: limits.connections, perAddress: limits.connectionsPerAddress },
    { isProxy: isTrusted, onCount: (open) => tally.measure('connections', open) },
  );
  const tls = createTls({
    judge: createJudge(routes),
    onSecure(socket, { raw, serverName, h2 }) {
      const speaker = h2 ? http2 : http1;
      speaker.accept(socket, clientOf(raw, serverName));
    },
    onFault: (domain, error) => report('a certificate cannot be used', { domain, err: error }),
    ticketSecret: deps.ticketSecret,
    tally,
    handshakeMs: limits.handshakeMs,
    contexts: settings.tlsContexts,
  });

  const open = new Set<Socket>();
  function hold(raw: Socket): void {
    open.add(raw);
    raw.once('close', () => open.delete(raw));
    raw.on('error', () => {});
    connections.hold(raw);
  }

  function clientOf(raw: Socket, serverName: string | null): Client {
    const address = peerAddress(raw.remoteAddress);
    let underWay = 0;
    let idleSince: number | null = performance.now();
    return {
      serverName,
      address,
      isProxy: isTrusted(address),
      bytesRead: () => raw.bytesRead,
      get idleSince() {
        return idleSince;
      },
      begin() {
        underWay += 1;
        idleSince = null;
        if (underWay === 1) connections.busy(raw);
      },
      end() {
        underWay -= 1;
        if (underWay > 0) return;
        idleSince = performance.now();
        connections.waits(raw);
      },
      destroy: () => raw.destroy(),
      onClose: (closed) => void raw.once('close', closed),
    };
  }

  const http = createServer(ACCEPTED, (raw) => {
    hold(raw);
    http1.accept(raw, clientOf(raw, null));
  });
  const https = createServer(ACCEPTED, (raw) => {
    hold(raw);
    tls.accept(raw);
  });
  const measuring = setInterval(measure, MEASURE_EVERY_MS).unref();

  function measure(): void {
    routes.measure();
    tally.measure('tunnels', proxy.counts().tunnels);
  }

  async function stop(graceMs: number): Promise<void> {
    clearInterval(measuring);
    const closed = [http, https].map(close);
    const closeIdle = () => {
      http1.closeIdle();
      http2.closeIdle();
    };
    // A connection that is in use becomes idle with its answer.
    const idle = setInterval(closeIdle, 50);
    const late = setTimeout(() => open.forEach((raw) => void raw.destroy()), graceMs);
    closeIdle();
    await Promise.all(closed);
    clearInterval(idle);
    clearTimeout(late);
    http1.stop();
    http2.stop();
    bodies.stop();
    await proxy.stop();
  }

  try {
    if (settings.http !== null) await listen(http, settings.http);
    if (settings.https !== null) await listen(https, settings.https);
    return { stop };
  } catch (error) {
    await stop(0);
    throw error;
  }
}

async function listen(server: Server, { host, port, reusePort }: Listener): Promise<void> {
  const listening = once(server, 'listening');
  server.listen({ host, port, reusePort, backlog: 4096 });
  await listening;
}

/** Resolves when the connections that came in there have ended as well. */
function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
