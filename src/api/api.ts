import type { Server } from 'node:http';
import Fastify, {
  type FastifyHttpOptions,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { createAccess } from '../access/access.ts';
import { createFailureLimit, type FailureLimit } from '../access/failure-limit.ts';
import type { Principal } from '../access/root-key-cache.ts';
import type { ChangeFeed } from '../cache/change-feed.ts';
import { apexRoutingNote } from '../domain/records.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { networkRule } from '../net/addresses.ts';
import { limitConnections } from '../net/connection-limit.ts';
import { ignoreUpgrade } from '../net/response-order.ts';
import { type Limiter, memoryLimiter } from '../ratelimit/limiter.ts';
import type { DomainStore } from '../store/contract/store.ts';
import { endOfTurn } from '../turn.ts';
import { handleClientErrors } from './client-errors.ts';
import { serveDocumentation } from './documentation.ts';
import { Problem } from './errors.ts';
import { malformation } from './http-message.ts';
import { createNothing, creations } from './idempotency.ts';
import { createLoadShedder, LOAD_LIMITS, type LoadShedder } from './load-shedding.ts';
import { type HandlerContext, isStream, type JsonOperation, type StreamOperation } from './operation.ts';
import { DEFAULT_RATE_LIMITS, operations } from './operations.ts';
import { servePublicRoutes } from './public-routes.ts';
import { authenticationHook, principalOf, rateLimitHook, requestCounter, type SessionGate } from './request-hooks.ts';
import { type RecordRequest, requestRecorder } from './request-log.ts';
import { responseEnvelope } from './response-envelope.ts';
import { sendProblem } from './send-problem.ts';
import { createCrossOrigin } from './setup/cross-origin.ts';
import { openSession, sessionOpener } from './setup/openSession.ts';
import { forOwnDomain, limitLink, limitOperation } from './setup/session-scope.ts';
import { serveSetupFiles } from './setup/setup-files.ts';
import { parseBody } from './validation.ts';
import type { StreamTimes } from './watchers/event-stream.ts';
import type { WatchLimits } from './watchers/watch-limit.ts';
import { createWatchers } from './watchers/watchers.ts';

export interface ApiDeps extends Omit<HandlerContext, 'apexNote' | 'countRequest'> {
  log: Log;
  metrics: Metrics;
  /** Without it keys and workspaces are not cached, and watchers are told of no change. */
  changes?: ChangeFeed;
  /** The store without its cache of domains; `store` unless given. */
  uncached?: Pick<DomainStore, 'findDomainByName' | 'findDomainById'>;
  /** Of requests per workspace; counts in memory unless given. */
  limiter?: Pick<Limiter, 'take'>;
  /** With the files of the set-up page, as the build makes them; null: it was not built. That of this program unless given. */
  webDirectory?: string | null;
  /** Of failed authentications per address; counts in memory unless given. */
  failures?: FailureLimit;
  /** Of pages per address whose origin no workspace lists; counts in memory unless given. */
  refusedOrigins?: FailureLimit;
  /** Threads of the process that listen: each has its share of the limits on connections and on requests in flight. 1 unless given. */
  threads?: number;
  loadShedder?: LoadShedder;
  limits?: Partial<ApiLimits>;
}

/** Limits on clients that hold on to connections. */
interface ApiLimits {
  connections: number;
  connectionsPerAddress: number;
  /** Until the header of a request has arrived; a connection that never sends one is closed too. */
  headerTimeoutMs: number;
  /** Until a request has arrived, its body included. */
  requestTimeoutMs: number;
  /** Open streams of the process. */
  watchers: Omit<WatchLimits, 'perLink'>;
  streams: StreamTimes;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Name of the route in metrics and logs. */
    operation?: string;
  }
}

const BODY_LIMIT_BYTES = 1024 * 1024;
/** Of a body with nothing but a token, from anybody. */
const TOKEN_LIMIT_BYTES = 1024;
/** Open streams of one set-up link. */
const WATCHERS_PER_LINK = 10;
const LIMITS: ApiLimits = {
  connections: 10_000,
  connectionsPerAddress: 1000,
  headerTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  watchers: { total: 5000, perWorkspace: 2500, perKey: 1000 },
  streams: { heartbeatMs: 15_000, stalledMs: 30_000 },
};

/** The HTTP API, not yet listening. A request takes the numbered steps from top to bottom; any of them may throw a `Problem`. */
export function createApi(deps: ApiDeps): FastifyInstance {
  const { store, clock, newId, randomBytes, settings, diagnoser, metrics, changes } = deps;
  const { limiter = memoryLimiter(clock), failures = createFailureLimit(clock), threads = 1 } = deps;
  const { refusedOrigins = createFailureLimit(clock, undefined, 'origin') } = deps;
  const { loadShedder = createLoadShedder({ inFlight: shareOf(LOAD_LIMITS.inFlight, threads) }) } = deps;
  const limits = { ...LIMITS, ...deps.limits };
  const apexNote = apexRoutingNote(settings.edgeAddresses ?? []);
  const rateLimits = { ...DEFAULT_RATE_LIMITS, ...settings.rateLimits };
  const countRequest = requestCounter(limiter, rateLimits);
  const context: HandlerContext = { store, clock, newId, randomBytes, settings, diagnoser, apexNote, countRequest };
  const access = createAccess(store, clock, changes, failures);
  const crossOrigin = createCrossOrigin({ store, changes, settings, refusedOrigins, loadShedder });
  const sessionGate: SessionGate = {
    async admit(request, reply, { workspaceId, session }) {
      await crossOrigin.admit(request, reply, workspaceId);
      if (session !== undefined) limitLink(limiter, session.linkId, reply);
    },
    beforeRefusal: crossOrigin.shareRefusal,
  };
  const limitRate = rateLimitHook(limiter, rateLimits);
  const connections = limitConnections({
    total: shareOf(limits.connections, threads),
    perAddress: shareOf(limits.connectionsPerAddress, threads),
    isProxy: networkRule(settings.trustedProxies),
    onCount: (open) => metrics.connections.set(open),
  });
  const watchers = createWatchers({
    ...{ changes, sessions: access.sessions, log: deps.log, metrics, settings, apexNote },
    store: deps.uncached ?? store,
    limits: { ...limits.streams, ...sharesOf(limits.watchers, threads) },
  });
  const recordRequest = requestRecorder(deps);
  const app = Fastify(fastifyOptions(deps, limits, recordRequest));
  app.server.on('connection', connections.add);
  app.decorateRequest('principal', null);
  app.decorateRequest('operation', null);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, parseBody(body)),
  );

  // 1 request id, and what Node's parser lets pass
  app.addHook('onRequest', (request, reply, next) => {
    connections.busy(request.raw.socket);
    reply.header('x-request-id', request.id);
    next(malformation(request.raw));
  });
  // 2 route
  rejectUnknownRoutes(app);
  for (const operation of operations) {
    const authenticate = authenticationHook(access.authenticate, operation.inSessions && sessionGate);
    if (operation.inSessions) crossOrigin.servePreflight(app, operation.name);
    app.route({
      method: 'POST',
      url: `/v2/${operation.name}`,
      config: { operation: operation.name },
      onRequest: [
        // 3 shed load
        (request, _reply, next) => {
          request.operation = operation.name;
          loadShedder.admit();
          next();
        },
        // 4 authenticate
        (request, reply, next) => {
          const authenticated = authenticate(request, reply);
          if (authenticated === undefined) next();
          else authenticated.then(() => next(), next);
        },
        // 5 rate limit
        (request, reply, next) => {
          limitRate(operation.name, request, reply);
          next();
        },
      ],
      // 6 parse (above) and validate · 8 serialize
      schema: {
        body: operation.request,
        ...(!isStream(operation) && { response: { [operation.status]: operation.response } }),
      },
      // 7 handle, and wrap in the envelope; or begin a stream
      handler: isStream(operation) ? stream(operation) : respond(operation),
    });
  }

  function respond(operation: JsonOperation) {
    const { name, creates } = operation;
    const createFor = creates === undefined ? () => createNothing : creations(store, clock, { name, creates });
    const wrap = responseEnvelope();
    return async (request: FastifyRequest, reply: FastifyReply) => {
      const create = createFor(request, reply);
      const principal = principalOf(request);
      const call = { principal, input: inputOf(request, principal, name), create };
      const result = await loadShedder.run(() => operation.handle(call, context));
      await endOfTurn();
      reply.code(operation.status);
      return wrap(result, request, reply);
    };
  }

  function inputOf({ body }: FastifyRequest, { session }: Principal, operation: string): unknown {
    if (session === undefined) return body;
    const input = forOwnDomain(session, body);
    limitOperation(limiter, session, operation, input);
    return input;
  }

  /** A stream is load until it has begun. */
  function stream(operation: StreamOperation) {
    return async (request: FastifyRequest, reply: FastifyReply) => {
      const principal = principalOf(request);
      const call = { principal, input: inputOf(request, principal, operation.name) };
      // Fastify runs no hook when the client ends a response.
      reply.raw.once('close', () => {
        if (!reply.raw.writableFinished) recordRequest(request, reply);
      });
      await loadShedder.run(() => operation.open(call, { request, reply }, watchers));
      return reply;
    };
  }

  // The same steps, but that its input is the credential.
  const open = sessionOpener({ ...context, crossOrigin, failures, limiter });
  crossOrigin.servePreflight(app, openSession.name);
  app.route({
    method: 'POST',
    url: `/v2/${openSession.name}`,
    bodyLimit: TOKEN_LIMIT_BYTES,
    config: { operation: openSession.name },
    onRequest: async (request, reply) => {
      request.operation = openSession.name;
      loadShedder.admit();
      await crossOrigin.admitAny(request, reply);
      open.admit(request);
    },
    schema: { body: openSession.request, response: { [openSession.status]: openSession.response } },
    handler: async (request, reply) => {
      const data = await loadShedder.run(() => open.handle(request, reply));
      return { meta: { requestId: request.id }, data };
    },
  });
  serveSetupFiles(app, deps.webDirectory);
  servePublicRoutes(app, deps);
  serveDocumentation(app, settings);
  handleClientErrors(app.server, deps);

  app.setErrorHandler<Problem>((error, request, reply) => sendProblem(error, request, reply, deps));
  app.addHook('onResponse', (request, reply, next) => {
    connections.idle(request.raw.socket);
    recordRequest(request, reply);
    next();
  });
  app.addHook('preClose', async () => watchers.stop());
  app.addHook('onClose', async () => loadShedder.stop());
  return app;
}

/** Of a limit of the process. The system spreads connections evenly over the threads. */
function shareOf(limit: number, threads: number): number {
  return Math.max(1, Math.floor(limit / threads));
}

function sharesOf(limits: ApiLimits['watchers'], threads: number): WatchLimits {
  const share = (limit: number) => (limit === 0 ? 0 : shareOf(limit, threads));
  return {
    total: share(limits.total),
    perWorkspace: share(limits.perWorkspace),
    perKey: share(limits.perKey),
    // Two pages of a customer may be in one thread.
    perLink: Math.max(2, share(WATCHERS_PER_LINK)),
  };
}

function fastifyOptions(
  deps: ApiDeps,
  { headerTimeoutMs, requestTimeoutMs }: ApiLimits,
  recordRequest: RecordRequest,
): FastifyHttpOptions<Server> {
  return {
    genReqId: () => deps.newId('req'),
    // Requests are logged by `recordRequest`.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: requestTimeoutMs,
    trustProxy: deps.settings.trustedProxies ? [...deps.settings.trustedProxies] : false,
    return503OnClosing: false,
    // A request without Host is refused by `malformation`: Node's own response is not JSON.
    http: {
      requireHostHeader: false,
      shouldUpgradeCallback: ignoreUpgrade,
      headersTimeout: headerTimeoutMs,
      connectionsCheckingInterval: Math.min(1000, headerTimeoutMs),
    },
    ajv: {
      customOptions: {
        allErrors: true,
        coerceTypes: false,
        removeAdditional: false,
        useDefaults: false,
        strict: true,
        verbose: true,
      },
    },
    // Hooks do not run for a path that cannot be decoded.
    frameworkErrors(error, request, reply) {
      reply.header('x-request-id', request.id);
      sendProblem(malformation(request.raw) ?? error, request, reply, deps);
      recordRequest(request, reply);
    },
  };
}

/** Rejects requests without a route before keys or bodies are looked at. */
function rejectUnknownRoutes(app: FastifyInstance): void {
  const methods = new Map<string, string[]>();
  app.addHook('onRoute', ({ url, method }) => {
    // OPTIONS is for preflights alone.
    if (method !== 'OPTIONS') methods.set(url, [...(methods.get(url) ?? []), method].flat());
  });
  app.addHook('onRequest', (request, _, next) => {
    if (request.is404) {
      const allowed = methods.get(request.url.replace(/\?.*$/s, ''));
      if (allowed === undefined) throw new Problem('request/route_not_found');
      throw new Problem('request/method_not_allowed', { headers: { Allow: allowed.join(', ') } });
    }
    next();
  });
}
