import type { FastifyInstance } from 'fastify';
import type { Log } from '../log.ts';
import type { Store } from '../store/store.ts';

/** Routes that need no key. */
export function serveOpenRoutes(app: FastifyInstance, { store, log }: { store: Store; log: Log }): void {
  app.get('/v2/liveness', { config: { operation: 'liveness' } }, async (request) => ({
    meta: { requestId: request.id },
    data: { message: 'OK' },
  }));

  app.get('/healthz', { config: { operation: 'healthz' } }, async () => ({ status: 'ok' }));

  app.get('/readyz', { config: { operation: 'readyz' } }, async (_request, reply) => {
    try {
      await store.ping();
      return { status: 'ready' };
    } catch (error) {
      log.warn({ err: error }, 'not ready');
      reply.code(503);
      return { status: 'not ready', reason: 'The store cannot be read and written.' };
    }
  });
}
