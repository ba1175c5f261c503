import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { StoreUnavailable } from '../store/contract/store.ts';
import { type ErrorNaming, Problem, presentProblem } from './errors.ts';
import { invalid, violations } from './validation.ts';

/** Writes the answer to whatever was thrown. What the caller is told and what is logged are two texts. */
export function answerProblem(
  error: FastifyError | Problem,
  request: FastifyRequest,
  reply: FastifyReply,
  { log, metrics, settings }: { log: Log; metrics: Metrics; settings: ErrorNaming },
): void {
  const problem = toProblem(error, request);
  if (problem.code === 'application/internal') {
    const { operation } = request.routeOptions.config;
    log.error({ err: problem.cause, requestId: request.id, operation }, 'a request could not be answered');
  }
  if (problem.code === 'limits/overloaded') metrics.requestsShed.inc();
  // Fastify closes connections whose body was refused. Ours stay usable: what is left of the body is read and dropped.
  if (reply.hasHeader('connection')) reply.removeHeader('connection');
  reply
    .code(problem.status)
    .headers(problem.headers)
    .send(presentProblem(problem, request.id, settings));
}

/** What the caller is told of an error: ours as they are, the framework's in our words, anything else as an internal error. */
function toProblem(error: FastifyError | Problem, request: FastifyRequest): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof StoreUnavailable) {
    return new Problem('application/internal', { cause: error, headers: { 'Retry-After': '1' } });
  }
  if (error.validation) {
    return new Problem('validation/invalid_input', {
      errors: violations(error.validation, request.body === undefined),
    });
  }
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem('request/body_too_large');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return invalid('header.content-type', 'must be "application/json"', 'send "Content-Type: application/json"');
    case 'FST_ERR_BAD_URL':
      return new Problem('request/route_not_found');
    // The client went away before its body was complete; nobody reads this answer.
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'ECONNRESET':
      return invalid('body', 'must be as long as the header says');
    default:
      return new Problem('application/internal', { cause: error });
  }
}
