import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../base/log.ts';
import type { ApiMetrics } from './api-metrics.ts';
import { isStream } from './operation.ts';
import { operations } from './operations.ts';

/** Counts and logs a request after its response; never logs keys, headers or bodies. */
export type RecordRequest = (request: FastifyRequest, reply: FastifyReply) => void;

/** Records the requests of one operation that had one status. */
interface Recorder {
  log: Log;
  count(): void;
  observe(seconds: number): void;
}

/** Operations whose successes last as long as the client likes: their duration does not measure the server. */
const STREAMS = new Set(operations.filter(isStream).map(({ name }) => name));

/** Binds labels and log fields once for each operation and status, not for each request. */
export function requestRecorder({ log, metrics }: { log: Log; metrics: ApiMetrics }): RecordRequest {
  const recorders = new Map<string, Recorder>();
  // The counter starts at 0, so that the first success shows as an increase.
  for (const operation of operations) metrics.requests.inc({ operation: operation.name, status: operation.status }, 0);

  function recorderOf(operation: string, status: number): Recorder {
    const key = `${operation} ${status}`;
    const found = recorders.get(key);
    if (found !== undefined) return found;
    const made = {
      log: log.child({ operation, status }),
      count: metrics.requests.labels({ operation, status }).inc,
      observe:
        STREAMS.has(operation) && status === 200 ? () => {} : metrics.requestSeconds.labels({ operation }).observe,
    };
    recorders.set(key, made);
    return made;
  }

  return (request, reply) => {
    const operation = request.operation ?? request.routeOptions.config.operation ?? 'none';
    const elapsedMs = reply.elapsedTime;
    const recorder = recorderOf(operation, reply.statusCode);
    recorder.count();
    recorder.observe(elapsedMs / 1000);
    const ms = Math.round(elapsedMs * 100) / 100;
    const { id: requestId, ip: from, principal, domainId, errorCode: code } = request;
    const keyId = principal?.kind === 'root_key' ? principal.actor : undefined;
    recorder.log.info({ requestId, workspaceId: principal?.workspaceId, keyId, domainId, code, from, ms }, 'request');
  };
}
