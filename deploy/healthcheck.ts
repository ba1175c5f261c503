// Asks the server of this container whether it runs, in the environment that it was started with. Exits with 1 if it does not.
import { readServerConfig } from '../src/config/config.ts';

const PATIENCE_MS = 4000;

const { roles, listen, metricsListen } = readServerConfig();
const [endpoint, path] = roles.includes('api') ? [listen, '/healthz'] : [metricsListen, '/metrics'];
if (endpoint === null)
  throw new Error('Without the API and without NAMEPLATE_METRICS_LISTEN there is nothing that could be asked.');
const { host, port } = endpoint;
const url = `http://${host.includes(':') ? `[${host}]` : host}:${port}${path}`;
const { ok, status } = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) });
if (!ok) throw new Error(`${url} answered ${status}.`);
