import { CHECK_INTERVAL_MS } from '../server/src/domain/schedule.ts';
import type { Bench } from './figure.ts';
import type { Part } from './part.ts';
import type { Bare } from './parts/bare.ts';
import type { Asking, Load, Paced, Target } from './parts/load.ts';
import type { Server } from './parts/server.ts';
import type { Population } from './population.ts';
import type { PostgresPopulation } from './postgres.ts';
import { nameOf } from './zone.ts';

/** A server under load, and who loads it. */
export interface Listening {
  part: Part<unknown>;
  port: number;
}

export interface ServerOptions {
  /** Port of the nameservers and the resolver. */
  dnsPort?: number;
  checkIntervalMs?: number;
  /** Settings that are not the default. */
  env?: Record<string, string>;
}

/** Nameplate, and whom it knows. */
export interface Serving extends Listening {
  part: Part<Server>;
  /** The URL of its metrics. */
  metrics: string;
  population: Population | PostgresPopulation;
}

/** Nameplate on a database, of the source whose schema that has. */
export async function startServer<Known extends Population | PostgresPopulation>(
  bench: Bench,
  population: Known,
  { dnsPort = 53, checkIntervalMs = CHECK_INTERVAL_MS, env = {} }: ServerOptions = {},
): Promise<Serving & { population: Known }> {
  const part = await bench.start<Server>('server', { profiled: true, checkout: population.checkout });
  const databaseUrl = 'url' in population ? population.url : `sqlite:${population.path}`;
  const { api, metrics } = await part.call.start({ databaseUrl, dnsPort, checkIntervalMs, env });
  return { part, port: Number(new URL(api).port), metrics, population };
}

/**
 * A server that does as little as an HTTP API can: it returns as many bytes as Nameplate does, under the same headers.
 */
export async function startBare(bench: Bench, { port, population }: Serving): Promise<Listening> {
  const { rootKey, domains, zones } = population;
  const response = await fetch(`http://127.0.0.1:${port}/v2/domains.getDomain`, {
    method: 'POST',
    headers: { authorization: `Bearer ${rootKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ domain: nameOf(domains - 1, zones) }),
  });
  const body = await response.text();
  if (!response.ok) throw new Error(`the server answers ${body}`);
  // Node writes these by itself, for both.
  const own = ['connection', 'date', 'keep-alive'];
  const headers = Object.fromEntries([...response.headers].filter(([name]) => !own.includes(name)));
  const part = await bench.start<Bare>('bare');
  return { part, port: await part.call.start({ headers, body }) };
}

export interface LoadSample {
  perSecond: number;
  /** CPU time of the server, all threads. */
  microsPerRequest: number;
  requests: number;
}

/** Requests as fast as responses come. */
export async function saturate(load: Part<Load>, server: Listening, target: Omit<Target, 'port'>): Promise<LoadSample> {
  const before = await server.part.cpuMicros();
  const { answers, seconds } = await load.call.saturate({ ...target, port: server.port });
  const micros = (await server.part.cpuMicros()) - before;
  return { perSecond: answers / seconds, microsPerRequest: micros / answers, requests: answers };
}

export interface PacedSample extends Paced {
  /** CPU time of the server, all threads. */
  microsPerRequest: number;
}

/** Requests at a constant rate. */
export async function pace(
  load: Part<Load>,
  server: Listening,
  target: Omit<Target, 'port'> & { perSecond: number },
): Promise<PacedSample> {
  const before = await server.part.cpuMicros();
  const paced = await load.call.pace({ ...target, port: server.port });
  return { ...paced, microsPerRequest: ((await server.part.cpuMicros()) - before) / paced.answers };
}

/** Enough that the server never waits for a request, few enough that requests wait little. */
export const CONNECTIONS = 64;

export function getting({ rootKey, domains, zones }: Pick<Population, 'rootKey' | 'domains' | 'zones'>): {
  rootKey: string;
  ask: Asking;
} {
  return { rootKey, ask: { operation: 'domains.getDomain', domains, zones } };
}
