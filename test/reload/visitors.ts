import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { ROOT } from '../edge/authority.ts';
import type { Closing } from '../support/closing.ts';
import type { ReloadableServer } from './reloading.ts';

/** Clients that send one request after another, each in its own way, until they are told to stop. */
export interface Visitors {
  /** Resolves when each has got so many more responses. */
  progress(count: number): Promise<void>;
  /** Resolves with what went wrong, and how many responses each got. */
  stop(): Promise<{ failures: string[]; responses: Record<string, number> }>;
}

type Ask = () => Promise<number>;

const MOST_FAILURES = 50;
const PAUSE_MS = 20;

/**
 * HTTP/1.1 to the API and the edge, on new connections and on kept ones; HTTP/2; and a new handshake for each request.
 */
export function sendVisitors(closing: Closing, server: ReloadableServer): Visitors {
  const failures: string[] = [];
  const responses: Record<string, number> = {};
  const keptHttp = new HttpAgent({ keepAlive: true, maxSockets: 2 });
  const keptHttps = new HttpsAgent({ keepAlive: true, maxSockets: 2 });
  const session = http2Client(server);
  const ways: Record<string, Ask> = {
    'API, new connections': () => ask(requestHttp(`${server.api}/v2/liveness`, { agent: false })),
    'API, kept connections': () => ask(requestHttp(`${server.api}/v2/liveness`, { agent: keptHttp })),
    'HTTP/1.1 over TLS, new handshakes': () => ask(requestHttps(tls(server, { agent: false }))),
    'HTTP/1.1 over TLS, kept connections': () => ask(requestHttps(tls(server, { agent: keptHttps }))),
    'HTTP/2': session.ask,
  };
  let stopped = false;
  closing.push(() => {
    stopped = true;
  });
  let onResponse = () => {};

  async function visit(way: string, once: Ask): Promise<void> {
    responses[way] = 0;
    // Stops after many failures: a failure each time would take all of this process's time.
    while (!stopped && failures.length < MOST_FAILURES) {
      try {
        const status = await once();
        if (status !== 200) failures.push(`${way}: status ${status}`);
      } catch (error) {
        failures.push(`${way}: ${error}`);
      }
      responses[way] += 1;
      onResponse();
      // The machine has the successor to start as well.
      await delay(PAUSE_MS);
    }
  }
  // Two of each, so that kept connections are used at once.
  const visits = Object.entries(ways).flatMap(([way, once]) => [visit(way, once), visit(way, once)]);

  return {
    async progress(count) {
      const before = { ...responses };
      const isBehind = (way: string) => (responses[way] ?? 0) - (before[way] ?? 0) < count;
      while (failures.length < MOST_FAILURES && Object.keys(ways).some(isBehind))
        await new Promise<void>((resolve) => {
          onResponse = resolve;
        });
    },
    async stop() {
      stopped = true;
      await Promise.all(visits);
      keptHttp.destroy();
      keptHttps.destroy();
      session.close();
      return { failures, responses };
    },
  };
}

function tls({ hostname, httpsPort }: ReloadableServer, about: object) {
  return { host: '127.0.0.1', port: httpsPort, servername: hostname, headers: { host: hostname }, ca: ROOT, ...about };
}

async function ask(request: ReturnType<typeof requestHttp>): Promise<number> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve).once('error', reject).end();
  });
  for await (const _ of response) {
    // Read to the end.
  }
  return response.statusCode ?? 0;
}

/** A client that opens another connection once the server has said GOAWAY, as all do. */
function http2Client({ hostname, httpsPort }: ReloadableServer): { ask: Ask; close(): void } {
  let current: ClientHttp2Session | undefined;

  function session(): ClientHttp2Session {
    if (current !== undefined && !current.closed && !current.destroyed) return current;
    const opened = connectHttp2(`https://${hostname}`, {
      createConnection: () =>
        connectTls({ port: httpsPort, host: '127.0.0.1', servername: hostname, ca: ROOT, ALPNProtocols: ['h2'] }),
    });
    opened.on('error', () => {});
    opened.on('goaway', () => {
      if (current === opened) current = undefined;
    });
    current = opened;
    return opened;
  }

  async function once(): Promise<number> {
    const stream = session().request({ ':path': '/' });
    const status = await new Promise<number>((resolve, reject) => {
      stream.once('response', ({ ':status': code = 0 }) => resolve(code)).once('error', reject);
    });
    for await (const _ of stream) {
      // Read to the end.
    }
    return status;
  }

  return {
    /**
     * The server refuses requests unread after GOAWAY. The client repeats them, as all clients do (RFC 9113 section
     * 8.7).
     */
    ask: () =>
      once().catch((error: Error) => (/REFUSED_STREAM|GOAWAY/.test(`${error}`) ? once() : Promise.reject(error))),
    close: () => current?.close(),
  };
}
