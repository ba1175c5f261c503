import { createServer } from 'node:http';
import type { Endpoint } from '../config/config.ts';
import { type ListeningServer, listen } from '../net/listen.ts';
import type { RoleDeps } from './roles.ts';

/** The listener for scrapers, apart from all others. */
export function startMetrics({ metrics: { registry }, log }: RoleDeps, endpoint: Endpoint): Promise<ListeningServer> {
  const server = createServer(async ({ url, method }, response) => {
    try {
      if (url !== '/metrics') response.writeHead(404).end();
      else if (method !== 'GET' && method !== 'HEAD') response.writeHead(405, { allow: 'GET, HEAD' }).end();
      else {
        const text = await registry.metrics();
        response.writeHead(200, { 'content-type': registry.contentType }).end(text);
      }
    } catch (error) {
      log.error({ err: error }, 'the metrics could not be read');
      response.writeHead(500).end();
    }
  });
  return listen(server, endpoint, 'NAMEPLATE_METRICS_LISTEN');
}
