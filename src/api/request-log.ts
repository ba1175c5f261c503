import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';

/** Counts and logs a request that was responded to; never logs keys, headers or bodies. */
export function recordRequest(
  request: FastifyRequest,
  reply: FastifyReply,
  { log, metrics }: { log: Log; metrics: Metrics },
): void {
  const { operation = 'none' } = request.routeOptions.config;
  const status = reply.statusCode;
  metrics.requests.inc({ operation, status });
  metrics.requestSeconds.observe({ operation }, reply.elapsedTime / 1000);
  const ms = Math.round(reply.elapsedTime * 100) / 100;
  log.info({ requestId: request.id, operation, status, workspaceId: request.principal?.workspaceId, ms }, 'request');
}
