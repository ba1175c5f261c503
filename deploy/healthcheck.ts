// Health check of the container: requests /healthz of the API, or of the edge, with the server's own environment. Exits
// with 1 if it fails.
import { readServerConfig } from '../server/src/config/config.ts';

const TIMEOUT_MS = 4000;

const { roles, listen, edgeHealthListen, metricsListen } = readServerConfig();
const own = roles.includes('api') ? listen : roles.includes('edge') ? edgeHealthListen : null;
const [endpoint, path] = own === null ? [metricsListen, '/metrics'] : [own, '/healthz'];
if (endpoint === null)
  throw new Error('A health check needs the role "api", NAMEPLATE_EDGE_HEALTH_LISTEN or NAMEPLATE_METRICS_LISTEN.');
const { host, port } = endpoint;
const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}${path}`;
const { ok, status } = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
if (!ok) throw new Error(`${url} returned status ${status}.`);
