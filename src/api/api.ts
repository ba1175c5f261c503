import type { Server } from 'node:http';
import Fastify, { type FastifyHttpOptions, type FastifyInstance } from 'fastify';
import type { ChangeFeed } from '../cache/change-feed.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { networkRule } from '../net/addresses.ts';
import { boundConnections, type ConnectionBounds } from '../net/connection-limit.ts';
import type { Limiter } from '../ratelimit/limiter.ts';
import { createGate, principalOf } from './admission.ts';
import { serveClientErrors } from './client-errors.ts';
import { serveDocumentation } from './documentation.ts';
import { Problem } from './errors.ts';
import { type Load, measureLoad } from './load-shedding.ts';
import type { Context } from './operation.ts';
import { operations } from './operations.ts';
import { serveOpenRoutes } from './public-routes.ts';
import { record } from './request-log.ts';
import { answerProblem } from './send-problem.ts';
import { invalid, parseBody } from './validation.ts';

/** What the API is made of. */
export interface ApiDeps extends Context {
  log: Log;
  metrics: Metrics;
  /** Without it keys and workspaces are not cached. */
  changes?: ChangeFeed;
  /** Of requests per workspace; counts in memory unless given. */
  limiter?: Limiter;
  /** Measured unless given. */
  load?: Load;
  bounds?: Partial<Bounds>;
}

/** What clients that hold on to connections may take. */
export interface Bounds extends ConnectionBounds {
  /** Longest time until the header of a request has arrived; a connection that never sends one is closed by it too. */
  headerTimeoutMs: number;
  /** Longest time until a request has arrived, its body included. */
  requestTimeoutMs: number;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Name under which requests of the route are counted and logged. */
    operation?: string;
  }
}

const BODY_LIMIT_BYTES = 1024 * 1024;
const BOUNDS: Bounds = { total: 10_000, perAddress: 1000, headerTimeoutMs: 10_000, requestTimeoutMs: 30_000 };

/**
 * The HTTP API, not yet listening. A request takes the numbered steps from top to bottom; whichever step refuses it throws a `Problem`,
 * which `answerProblem` answers.
 */
export function createApi(deps: ApiDeps): FastifyInstance {
  const bounds = { ...BOUNDS, ...deps.bounds };
  const app = Fastify(serverOptions(deps, bounds));
  const gate = createGate(deps);
  const { load = measureLoad() } = deps;
  const connections = boundConnections(bounds, {
    isProxy: networkRule(deps.settings.trustedProxies),
    onCount: (open) => deps.metrics.connections.set(open),
  });
  app.server.on('connection', connections.hold);
  app.decorateRequest('principal', null);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_: unknown, body: Buffer) =>
    parseBody(body),
  );

  // 1 request id
  app.addHook('onRequest', (request, reply, next) => {
    connections.busy(request.raw.socket);
    reply.header('X-Request-Id', request.id);
    next();
  });
  // 2 route
  refuseUnknownRoutes(app);
  for (const operation of operations) {
    app.route({
      method: 'POST',
      url: `/v2/${operation.name}`,
      config: { operation: operation.name },
      onRequest: [
        // 3 authenticate, unless there is too much to do already
        (request) => {
          load.admit();
          return gate.authenticate(request);
        },
        // 4 rate limit
        (request, reply, next) => {
          gate.limit(operation.name, request, reply);
          next();
        },
      ],
      // 5 parse (above) and validate · 9 envelope
      schema: { body: operation.request, response: { [operation.status]: operation.answer } },
      // 6 find · 7 authorise · 8 act
      handler: async (request, reply) => {
        const call = { ...deps, principal: principalOf(request), input: request.body };
        load.begin();
        try {
          const answer = await operation.handle(call);
          reply.code(operation.status);
          return { meta: { requestId: request.id }, ...answer };
        } finally {
          load.end();
        }
      },
    });
  }
  serveOpenRoutes(app, deps);
  serveDocumentation(app, deps.settings);
  serveClientErrors(app.server, deps);

  app.setErrorHandler<Problem>((error, request, reply) => answerProblem(error, request, reply, deps));
  app.addHook('onResponse', (request, reply, next) => {
    connections.waits(request.raw.socket);
    record(request, reply, deps);
    next();
  });
  app.addHook('onClose', async () => load.stop());
  return app;
}

function serverOptions(deps: ApiDeps, bounds: Bounds): FastifyHttpOptions<Server> {
  return {
    genReqId: () => deps.newId('req'),
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: bounds.requestTimeoutMs,
    trustProxy: deps.settings.trustedProxies ? [...deps.settings.trustedProxies] : false,
    return503OnClosing: false,
    // A request without Host is refused as any other: Node's own refusal is not JSON.
    http: {
      requireHostHeader: false,
      headersTimeout: bounds.headerTimeoutMs,
      connectionsCheckingInterval: Math.min(1000, bounds.headerTimeoutMs),
    },
    ajv: {
      customOptions: { allErrors: true, coerceTypes: false, removeAdditional: false, useDefaults: false, strict: true },
    },
    // No hook sees a path that cannot be decoded.
    frameworkErrors(error, request, reply) {
      reply.header('X-Request-Id', request.id);
      answerProblem(error, request, reply, deps);
      record(request, reply, deps);
    },
  };
}

/** Refuses what no route answers, before anybody looks at keys or bodies. */
function refuseUnknownRoutes(app: FastifyInstance): void {
  const methods = new Map<string, string[]>();
  app.addHook('onRoute', ({ url, method }) => {
    methods.set(url, [...(methods.get(url) ?? []), method].flat());
  });
  app.addHook('onRequest', (request, _, next) => {
    if (request.is404) {
      const allowed = methods.get(request.url.replace(/\?.*$/s, ''));
      if (allowed === undefined) throw new Problem('request/route_not_found');
      throw new Problem('request/method_not_allowed', { headers: { Allow: allowed.join(', ') } });
    }
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      throw invalid('header.host', 'must be present (RFC 9112 section 3.2)');
    }
    next();
  });
}
