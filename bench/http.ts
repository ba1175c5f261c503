import type { Bench } from './figure.ts';
import type { Part } from './part.ts';
import type { Bare } from './parts/bare.ts';
import type { Asking, Load, Target } from './parts/load.ts';
import type { Server } from './parts/server.ts';
import { nameOf, type Population } from './population.ts';

/** A server under load, and who loads it. */
export interface Listening {
  part: Part<unknown>;
  port: number;
}

export function startServer(
  bench: Bench,
  { path }: Population,
  dnsPort?: number,
): Promise<Listening & { part: Part<Server> }> {
  return serve(bench, `sqlite:${path}`, dnsPort);
}

/** Nameplate on the database with this URL. */
export async function serve(
  bench: Bench,
  databaseUrl: string,
  dnsPort = 53,
): Promise<Listening & { part: Part<Server> }> {
  const part = await bench.start<Server>('server', { profiled: true });
  return { part, port: await part.call.start(databaseUrl, dnsPort) };
}

/** Nameplate and the bare server beside it, which answers as many bytes under the same headers. */
export async function startBoth(
  bench: Bench,
  population: Population,
): Promise<{ subject: Listening; baseline: Listening }> {
  const subject = await startServer(bench, population);
  const answer = await fetch(`http://127.0.0.1:${subject.port}/v2/domains.getDomain`, {
    method: 'POST',
    headers: { authorization: `Bearer ${population.rootKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ domain: nameOf(population.domains - 1) }),
  });
  const body = await answer.text();
  if (!answer.ok) throw new Error(`the server answers ${body}`);
  // Node writes these by itself, for both.
  const own = ['connection', 'date', 'keep-alive'];
  const headers = Object.fromEntries([...answer.headers].filter(([name]) => !own.includes(name)));
  const bare = await bench.start<Bare>('bare');
  return { subject, baseline: { part: bare, port: await bare.call.start({ headers, body }) } };
}

export interface LoadSample {
  perSecond: number;
  /** CPU time of the server. */
  microsPerRequest: number;
  /** Share of one core that the server used. */
  busy: number;
}

/** Asks as fast as answers come. */
export async function saturate(load: Part<Load>, server: Listening, target: Omit<Target, 'port'>): Promise<LoadSample> {
  const before = await server.part.cpuMicros();
  const { answers, seconds } = await load.call.saturate({ ...target, port: server.port });
  const micros = (await server.part.cpuMicros()) - before;
  return { perSecond: answers / seconds, microsPerRequest: micros / answers, busy: micros / 1e6 / seconds };
}

/** Enough that the server never waits for a request, few enough that requests wait little. */
export const CONNECTIONS = 32;

export function getting({ rootKey, domains }: Pick<Population, 'rootKey' | 'domains'>): {
  rootKey: string;
  ask: Asking;
} {
  return { rootKey, ask: { operation: 'domains.getDomain', domains } };
}
