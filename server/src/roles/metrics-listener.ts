import { createServer } from 'node:http';
import type { Endpoint } from '../config/config.ts';
import { cannotListen } from '../net/cannot-listen.ts';
import type { InheritedSockets, ListeningPart } from '../net/inherited-sockets.ts';
import { type ListeningServer, listen } from '../net/listen.ts';
import { trackResponse } from '../net/response-order.ts';
import { threadListeners } from '../net/thread-listeners.ts';
import type { RoleDeps } from './roles.ts';

const VARIABLE = 'NAMEPLATE_METRICS_LISTEN';

/** The listener for scrapers, apart from all others. */
export async function startMetrics(
  { metrics: { registry }, log, inherited }: RoleDeps & { inherited: InheritedSockets | undefined },
  endpoint: Endpoint,
): Promise<ListeningServer & ListeningPart> {
  const server = createServer(async ({ url, method }, response) => {
    try {
      trackResponse(response);
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
  const listeners = await threadListeners({ name: 'metrics', endpoint, threads: 1, inherited }).catch((error) => {
    throw cannotListen(error, endpoint, VARIABLE);
  });
  const listening = await listen(server, listeners.optionsOf(0, 'first') ?? endpoint, VARIABLE).finally(
    listeners.release,
  );
  return { ...listening, sockets: async () => [listeners.describe(listening.fds())] };
}
