import { request as ask } from 'node:http';
import { answerPage } from '../../src/edge/answer.ts';
import type { Forwarder } from '../../src/edge/exchange.ts';

/** The least that can forward. */
export function simpleForwarder(): Forwarder {
  return {
    forward({ request, response, origin, path, hostname, requestId, scheme, clientAddress }) {
      const headers = { host: hostname, 'x-request-id': requestId, 'x-proto': scheme, 'x-client': clientAddress };
      const upstream = ask(`${origin}${path}`, { method: request.method ?? 'GET', headers }, (answer) => {
        response.setHeader('x-request-id', requestId);
        response.statusCode = answer.statusCode ?? 502;
        answer.pipe(response);
      });
      upstream.on('error', () => answerPage({ request, response }, 'origin_down', { hostname, requestId }));
      request.pipe(upstream);
    },
    upgrade({ socket }) {
      socket.destroy();
    },
    async stop() {},
  };
}
