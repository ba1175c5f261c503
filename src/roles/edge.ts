import type { Config } from '../config.ts';
import { systemLookUp } from '../dialler.ts';
import { type Edge, startEdge as serve } from '../edge/edge.ts';
import { cannotListen } from '../listen.ts';
import type { Parts } from './parts.ts';

/** The edge of one process. Rejects with one line that says what to do. */
export async function startEdge(parts: Parts): Promise<Edge> {
  const { config } = parts;
  const { edgeHttpListen: http, edgeHttpsListen: https } = config;
  const settings = {
    http,
    https,
    httpsPort: config.edgeHttpsPort,
    allowedNetworks: config.edgeAllowedNetworks ?? [],
    trustedProxies: config.edgeTrustedProxies ?? [],
    tlsContexts: config.edgeTlsContexts,
    threads: config.edgeThreads,
  };
  return serve({ ...parts, ...settings, lookUp: systemLookUp }).catch((error: unknown) => {
    throw whereRefused(error, config);
  });
}

function whereRefused(error: unknown, { edgeHttpListen, edgeHttpsListen }: Config): unknown {
  const port = error instanceof Error && 'port' in error ? error.port : undefined;
  if (edgeHttpListen !== null && port === edgeHttpListen.port)
    return cannotListen(error, edgeHttpListen, 'NAMEPLATE_EDGE_HTTP_LISTEN');
  if (edgeHttpsListen !== null && port === edgeHttpsListen.port)
    return cannotListen(error, edgeHttpsListen, 'NAMEPLATE_EDGE_HTTPS_LISTEN');
  return error;
}
