import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { authenticate } from '../access/authenticate.ts';
import { cachedPrincipals, type KeyNews, type Principal } from '../access/principals.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { limitFor } from '../ratelimit/decide.ts';
import { memoryLimiter } from '../ratelimit/limiter.ts';
import { StoreUnavailable } from '../store/store.ts';
import { serveClientErrors } from './connection.ts';
import { serveDocumentation } from './documentation.ts';
import { Problem, presentProblem } from './errors.ts';
import { serveOpenRoutes } from './open.ts';
import type { Context, Operation } from './operation.ts';
import { operations } from './operations.ts';
import { invalid, parseBody, violations } from './validation.ts';

/** What the API is made of. */
export interface ApiDeps extends Context {
  log: Log;
  metrics: Metrics;
  /** News of changed keys and workspaces; without it nothing is cached. */
  changes?: KeyNews;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by step 3 of the pipeline. */
    principal: Principal | null;
  }
  interface FastifyContextConfig {
    /** Name under which requests of the route are counted and logged. */
    operation?: string;
  }
}

const BODY_LIMIT_BYTES = 1024 * 1024;
/** Longest time until a request has arrived, its body included. */
const REQUEST_TIMEOUT_MS = 30_000;

/**
 * The HTTP API, not yet listening. A request takes the steps of `createApi` from top to bottom; whichever step refuses it throws
 * a `Problem`, and `answerProblem` writes the answer.
 */
export function createApi(deps: ApiDeps): FastifyInstance {
  const { log, metrics, clock, settings } = deps;
  const principals = cachedPrincipals(deps.store, deps.changes);
  const limiter = memoryLimiter(clock);
  const methods = new Map<string, string[]>();

  const app = Fastify({
    genReqId: () => deps.newId('req'),
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    return503OnClosing: false,
    // A request without Host is refused below: Node's own refusal is not JSON.
    http: { requireHostHeader: false, headersTimeout: REQUEST_TIMEOUT_MS },
    ajv: {
      customOptions: { allErrors: true, coerceTypes: false, removeAdditional: false, useDefaults: false, strict: true },
    },
    // No hook sees a path that cannot be decoded.
    frameworkErrors: (error, request, reply) => {
      reply.header('X-Request-Id', request.id);
      answerProblem(error, request, reply);
      record(request, reply);
    },
  });
  app.decorateRequest('principal', null);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: FastifyRequest, body: Buffer) =>
    parseBody(body),
  );
  app.addHook('onRoute', ({ url, method }) => {
    methods.set(url, [...(methods.get(url) ?? []), method].flat());
  });

  // 1 request id · 2 route
  app.addHook('onRequest', async (request, reply) => {
    reply.header('X-Request-Id', request.id);
    if (request.is404) throw unknownRoute(methods.get(path(request)));
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      throw invalid('header.host', 'must be present (RFC 9112 section 3.2)');
    }
  });

  for (const operation of operations) {
    app.route({
      method: 'POST',
      url: `/v2/${operation.name}`,
      config: { operation: operation.name },
      // 3 authenticate · 4 rate limit
      onRequest: [
        async (request) => {
          request.principal = await admit(request);
        },
        async (request, reply) => limit(operation, principalOf(request), reply),
      ],
      // 5 parse and validate, as the content type parser and this schema say · 9 envelope
      schema: { body: operation.request, response: { [operation.status]: operation.answer } },
      // 6 find · 7 authorise · 8 act
      handler: async (request, reply) => {
        const answer = await operation.handle({ ...deps, principal: principalOf(request), input: request.body });
        reply.code(operation.status);
        return { meta: { requestId: request.id }, ...answer };
      },
    });
  }
  serveOpenRoutes(app, deps);
  serveDocumentation(app, settings);

  app.setNotFoundHandler(() => {
    throw new Problem('request/route_not_found');
  });
  app.setErrorHandler(answerProblem);
  app.addHook('onResponse', async (request, reply) => record(request, reply));

  async function admit(request: FastifyRequest): Promise<Principal> {
    const authentication = await authenticate(request.headers.authorization, principals, clock);
    if (!authentication.ok) throw new Problem(authentication.refusal);
    return authentication.principal;
  }

  function limit(operation: Operation, { workspaceId, limits }: Principal, reply: FastifyReply): void {
    const rate = limitFor(operation.name, limits.rates, settings.rateLimits);
    if (rate === undefined) return;
    const decision = limiter.take(workspaceId, operation.name, rate);
    reply.header('RateLimit-Limit', decision.limit);
    reply.header('RateLimit-Remaining', decision.remaining);
    reply.header('RateLimit-Reset', decision.resetSeconds);
    if (!decision.allowed) {
      throw new Problem('limits/rate_limited', { headers: { 'Retry-After': String(decision.resetSeconds) } });
    }
  }

  function answerProblem(error: FastifyError | Problem, request: FastifyRequest, reply: FastifyReply): void {
    const problem = toProblem(error, request);
    if (problem.code === 'application/internal') {
      log.error(
        { err: problem.cause, requestId: request.id, operation: nameOf(request) },
        'a request could not be answered',
      );
    }
    // Fastify closes connections whose body was refused. Ours stay usable: what is left of the body is read and dropped.
    reply.removeHeader('connection');
    reply
      .code(problem.status)
      .headers(problem.headers)
      .send(presentProblem(problem, request.id, settings));
  }

  function record(request: FastifyRequest, reply: FastifyReply): void {
    const operation = nameOf(request);
    const status = reply.statusCode;
    metrics.requests.inc({ operation, status });
    metrics.requestSeconds.observe({ operation }, reply.elapsedTime / 1000);
    const workspaceId = request.principal?.workspaceId;
    log.info(
      { requestId: request.id, operation, status, workspaceId, ms: Math.round(reply.elapsedTime * 100) / 100 },
      'request',
    );
  }

  serveClientErrors(app.server, deps);
  return app;
}

function path(request: FastifyRequest): string {
  return request.raw.url?.split('?', 1)[0] ?? '';
}

function nameOf(request: FastifyRequest): string {
  return request.routeOptions.config.operation ?? 'none';
}

function principalOf(request: FastifyRequest): Principal {
  if (request.principal === null) throw new Error('a route used its principal before authentication');
  return request.principal;
}

function unknownRoute(allowed: string[] | undefined): Problem {
  if (allowed === undefined) return new Problem('request/route_not_found');
  return new Problem('request/method_not_allowed', { headers: { Allow: allowed.join(', ') } });
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
