// Health check of the container: requests /healthz of the server, with the server's own environment. Exits with 1 if it fails.
import { readServerConfig } from '../src/config/config.ts';

const TIMEOUT_MS = 4000;

const { roles, listen, metricsListen } = readServerConfig();
const [endpoint, path] = roles.includes('api') ? [listen, '/healthz'] : [metricsListen, '/metrics'];
if (endpoint === null) throw new Error('A health check needs the role "api" or NAMEPLATE_METRICS_LISTEN.');
const { host, port } = endpoint;
const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}${path}`;
const { ok, status } = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
if (!ok) throw new Error(`${url} returned status ${status}.`);
