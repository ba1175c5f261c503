import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import type { Supervisor } from '../base/threads/supervisor.ts';
import type { Config } from '../config/config.ts';
import type { AccessLogSettings } from '../edge/access-log.ts';
import { createEdgeCache, type EdgeCache } from '../edge/cache/edge-cache.ts';
import { type Edge, startEdge as serve } from '../edge/edge.ts';
import { selfCheckNameOf } from '../edge/routing/challenges.ts';
import { cannotListen } from '../net/cannot-listen.ts';
import type { InheritedSockets } from '../net/inherited-sockets.ts';
import { systemLookUp } from '../net/system-dns.ts';
import type { Keyring } from '../store/sealing/keyring.ts';
import { ownApiOf } from './api-hostname.ts';
import type { RoleDeps } from './roles.ts';

/** Default number of threads: each costs 7 MB before it has served a request. */
const MOST_THREADS = 4;

interface EdgeRoleDeps extends Omit<RoleDeps, 'challengePort'> {
  supervisor: Supervisor;
  edgeCache: EdgeCache | null;
  inherited?: InheritedSockets | undefined;
}

/** Opens the cache from which a process with the role `edge` serves while the store is down; null: there is none. */
export function openEdgeCache(
  { edgeCache, databaseUrl, roles }: Pick<Config, 'edgeCache' | 'databaseUrl' | 'roles'>,
  deps: Pick<RoleDeps, 'clock' | 'log' | 'metrics'> & { database: string; keyring: Keyring },
): EdgeCache | null {
  if (!roles.includes('edge') || edgeCache === null) return null;
  const directory = databaseUrl.engine === 'sqlite' ? dirname(databaseUrl.path) : '.nameplate';
  return createEdgeCache({ ...deps, path: edgeCache ?? join(directory, 'edge-cache') });
}

/** The edge of one process. Rejects with one line that says what to do. */
export async function startEdge(deps: EdgeRoleDeps): Promise<Edge> {
  const { config } = deps;
  const settings = {
    http: config.edgeHttpListen,
    https: config.edgeHttpsListen,
    askEndpoint: config.edgeFrontListen,
    health: config.edgeHealthListen,
    httpsPort: config.edgeHttpsPort,
    allowedNetworks: config.edgeAllowedNetworks ?? [],
    trustedProxies: config.edgeTrustedProxies ?? [],
    proxyProtocol: config.edgeProxyProtocol ?? [],
    accessLog: accessLogOf(config),
    selfCheckName: selfCheckNameOf(config.cnameZone),
    api: ownApiOf(config, deps.edgeSecret),
    tlsContexts: config.edgeTlsContexts,
    graceMs: config.drainMs,
    threads: config.edgeThreads ?? Math.min(MOST_THREADS, availableParallelism()),
  };
  return serve({ ...deps, ...settings, lookUp: systemLookUp() }).catch((error: unknown) => {
    throw whereRefused(error, config);
  });
}

function accessLogOf({ edgeAccessLog: fraction, edgeAccessLogQuery }: Config): AccessLogSettings | null {
  return fraction === 0 ? null : { fraction, withQuery: edgeAccessLogQuery === 'on' };
}

function whereRefused(error: unknown, config: Config): unknown {
  const port = error instanceof Error && 'port' in error ? error.port : undefined;
  const listeners = [
    [config.edgeHttpListen, 'NAMEPLATE_EDGE_HTTP_LISTEN'],
    [config.edgeHttpsListen, 'NAMEPLATE_EDGE_HTTPS_LISTEN'],
    [config.edgeFrontListen, 'NAMEPLATE_EDGE_FRONT_LISTEN'],
    [config.edgeHealthListen, 'NAMEPLATE_EDGE_HEALTH_LISTEN'],
  ] as const;
  for (const [endpoint, variable] of listeners)
    if (endpoint !== null && endpoint.port === port) return cannotListen(error, endpoint, variable);
  return error;
}
