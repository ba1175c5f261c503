import { setTimeout as delay } from 'node:timers/promises';
import { type Connection, openConnection } from '../connection.ts';
import { offer } from '../part.ts';
import { quantile } from '../spread.ts';
import { nameOf } from '../zone.ts';

export interface Target {
  port: number;
  rootKey: string;
  connections: number;
  seconds: number;
  ask: Asking;
}

/** About domains of a population, each as likely as the other. `createDomain`: names that nobody asked for before. */
export type Asking =
  | { operation: 'domains.getDomain' | 'domains.diagnoseDomain'; domains: number; zones: number }
  | { operation: 'domains.createDomain'; project: string; app: string; environment: string };

/** Latency of the responses with 200, from the time at which each request was to be sent. */
interface Latency {
  p50Ms: number;
  p95Ms: number;
  p99Ms: number;
  longestMs: number;
}

export interface Paced extends Latency {
  answers: number;
  seconds: number;
}

export interface Saturated extends Paced {
  /** Responses with 429, each of which was waited for as `Retry-After: 1` asks. */
  refused: number;
}

const methods = {
  /** Closed loop: each connection sends the next request as soon as it has the response. */
  async saturate({ port, connections, seconds, ...about }: Target): Promise<Saturated> {
    const next = requests(about);
    const opened = await open(port, connections);
    const latencies: number[] = [];
    const began = performance.now();
    const end = began + seconds * 1000;
    let refused = 0;
    await Promise.all(
      opened.map(async (connection) => {
        do {
          const sentAt = performance.now();
          const status = await new Promise<number>((resolve) => connection.send(next(), resolve));
          if (status === 200) latencies.push(performance.now() - sentAt);
          else if (status !== 429) throw new Error(`answered ${status}`);
          else {
            refused++;
            await delay(1000);
          }
        } while (performance.now() < end);
      }),
    );
    const took = (performance.now() - began) / 1000;
    for (const connection of opened) connection.close();
    return { answers: latencies.length, refused, seconds: took, ...latencyOf(latencies) };
  },

  /**
   * Open loop: requests are due at a constant rate, whether or not others have been answered. Latency counts from when
   * a request was due, so that neither one that waits for a connection nor a server that stands still is flattered
   * (coordinated omission).
   */
  async pace({ port, connections, seconds, perSecond, ...about }: Target & { perSecond: number }): Promise<Paced> {
    const next = requests(about);
    const free = await open(port, connections);
    const latencies: number[] = [];
    const began = performance.now();
    const all = Math.ceil(perSecond * seconds);
    let sent = 0;
    let failed = 0;

    await new Promise<void>((resolve) => {
      function sendDue(): void {
        for (const now = performance.now(); sent < all; ) {
          const dueAt = began + (sent * 1000) / perSecond;
          const connection = dueAt <= now ? free.shift() : undefined;
          if (connection === undefined) return;
          sent++;
          connection.send(next(), (status) => {
            latencies.push(performance.now() - dueAt);
            if (status !== 200) failed++;
            free.push(connection);
            if (latencies.length === all) resolve();
            else sendDue();
          });
        }
      }
      const tick = () => {
        sendDue();
        if (sent < all) setTimeout(tick, 1);
      };
      tick();
    });
    for (const connection of free) connection.close();
    if (failed > 0) throw new Error(`${failed} of ${latencies.length} requests were refused`);
    return { answers: all, seconds: (performance.now() - began) / 1000, ...latencyOf(latencies) };
  },
};

function latencyOf(latencies: number[]): Latency {
  const [p50Ms = 0, p95Ms = 0, p99Ms = 0, longestMs = 0] = [0.5, 0.95, 0.99, 1].map((share) =>
    quantile(latencies, share),
  );
  return { p50Ms, p95Ms, p99Ms, longestMs };
}

function open(port: number, connections: number): Promise<Connection[]> {
  return Promise.all(Array.from({ length: connections }, () => openConnection(port)));
}

let created = 0;

/** Whole requests, as text. */
function requests({ rootKey, ask }: Pick<Target, 'rootKey' | 'ask'>): () => string {
  const head = [
    `POST /v2/${ask.operation} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${rootKey}`,
    'Content-Type: application/json',
    '',
  ].join('\r\n');
  const write = (body: string) => `${head}Content-Length: ${body.length}\r\n\r\n${body}`;
  if (ask.operation === 'domains.createDomain') {
    const { project, app, environment } = ask;
    const newName = () => `d${++created}.p${process.pid}.created.test`;
    return () => write(JSON.stringify({ project, app, environment, domain: newName() }));
  }
  const { domains, zones } = ask;
  return () => write(`{"domain":"${nameOf(Math.floor(Math.random() * domains), zones)}"}`);
}

export type Load = typeof methods;
offer(methods);
