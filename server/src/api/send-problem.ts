import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../base/log.ts';
import { StoreUnavailable } from '../store/store.ts';
import type { ApiMetrics } from './api-metrics.ts';
import { ERROR_CODE_HEADER, type ErrorNaming, Problem, presentProblem } from './errors.ts';
import { invalid, violations } from './validation.ts';

interface ProblemDeps {
  log: Log;
  metrics: ApiMetrics;
  settings: ErrorNaming;
}

/** Responds to an error. The client and the log get different texts. */
export function sendProblem(
  error: FastifyError | Problem,
  request: FastifyRequest,
  reply: FastifyReply,
  deps: ProblemDeps,
): void {
  const problem = noteProblem(error, request, reply, deps);
  reply.send(presentProblem(problem, request.id, deps.settings));
}

/** Logs and counts an error, and sets the response's status and headers, but no body. */
export function noteProblem(
  error: FastifyError | Problem,
  request: FastifyRequest,
  reply: FastifyReply,
  { log, metrics }: ProblemDeps,
): Problem {
  const problem = toProblem(error, request);
  if (problem.code === 'application/internal') {
    const { operation } = request.routeOptions.config;
    log.error({ err: problem.cause, requestId: request.id, operation }, 'a request failed');
  }
  if (problem.code === 'limits/overloaded') metrics.requestsShed.inc();
  // Fastify closes a connection after it refused a body. Ours stays usable: the rest of the body is read and discarded.
  if (reply.hasHeader('connection')) reply.removeHeader('connection');
  request.errorCode = problem.code;
  reply.code(problem.status).headers(problem.headers).header(ERROR_CODE_HEADER, problem.code);
  return problem;
}

/** Returns problems as they are, Fastify's errors in our words, and anything else as an internal error. */
export function toProblem(error: FastifyError | Problem, request: FastifyRequest): Problem {
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
    // The client disconnected in the middle of its body; nobody reads this response.
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'ECONNRESET':
      return invalid('body', 'must be as long as its Content-Length');
    default:
      return new Problem('application/internal', { cause: error });
  }
}
