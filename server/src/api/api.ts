import type { Server } from 'node:http';
import Fastify, { type FastifyHttpOptions, type FastifyInstance, type FastifyReply, LogController } from 'fastify';
import { createAccess } from '../access/access.ts';
import { createFailureLimit, type FailureLimit } from '../access/failure-limit.ts';
import { type Limiter, memoryLimiter } from '../access/ratelimit/limiter.ts';
import type { Principal } from '../access/root-key-cache.ts';
import type { Log } from '../base/log.ts';
import { apexRoutingNote } from '../domain/records.ts';
import { networkRule } from '../net/addresses.ts';
import { limitConnections } from '../net/connection-limit.ts';
import { ignoreUpgrade } from '../net/response-order.ts';
import type { ChangeFeed } from '../store/cache/change-feed.ts';
import { keepCounts } from '../store/cache/kept-counts.ts';
import type { Board, DomainStore, Store } from '../store/store.ts';
import type { ApiMetrics } from './api-metrics.ts';
import { handleClientErrors, malformation } from './client-errors.ts';
import { serveDashboardSessions } from './dashboard/session-routes.ts';
import { serveDocumentation } from './docs/documentation.ts';
import { edgeClients } from './edge-clients.ts';
import { Problem, presentProblem } from './errors.ts';
import { inProcess } from './in-process.ts';
import { createLoadShedder, LOAD_LIMITS, type LoadShedder, shareOf } from './load-shedding.ts';
import type { HandlerContext } from './operation.ts';
import { DEFAULT_RATE_LIMITS, openOperations, operations } from './operations.ts';
import { servePageFiles } from './page-files.ts';
import { serveOperation } from './pipeline.ts';
import { servePublicRoutes } from './public-routes.ts';
import { requestCounter } from './request-hooks.ts';
import { type RecordRequest, requestRecorder } from './request-log.ts';
import { noteProblem, sendProblem } from './send-problem.ts';
import { createCrossOrigin } from './setup/cross-origin.ts';
import { createCustomerAccess } from './setup/customer-access.ts';
import { compileValidator, parseBody } from './validation.ts';
import type { StreamTimes } from './watchers/event-stream.ts';
import { type WatchLimits, watchLimitsOfThread } from './watchers/watch-limit.ts';
import { createWatchers } from './watchers/watchers.ts';

export interface ApiDeps
  extends Omit<HandlerContext, 'store' | 'apexNote' | 'countRequest' | 'countDomains' | 'countSites'> {
  log: Log;
  metrics: ApiMetrics;
  /** Invalidates the caches. Without it keys and workspaces are not cached, and watchers see no change. */
  changes?: ChangeFeed;
  /** The whole store, changes included. */
  store: Store;
  /** Called with the credential of each request. */
  noteKeyUse?: (principal: Principal) => void;
  /** Reads domains without the cache; `store` unless given. */
  uncached?: Pick<DomainStore, 'findDomainByName' | 'findDomainById'>;
  /** Limits the requests of a workspace; counts in memory unless given. */
  limiter?: Pick<Limiter, 'take'>;
  /**
   * Directory of the set-up page's files, as the build makes them; null: it was not built. By default that of this
   * program.
   */
  webDirectory?: string | null;
  /** The same of the documents. */
  docsDirectory?: string | null;
  /** Counts refused requests per address, in memory unless given. */
  failures?: FailureLimit;
  /**
   * Threads of the process that listen: each has its share of the limits on connections and on requests in flight. 1
   * unless given.
   */
  threads?: number;
  loadShedder?: LoadShedder;
  /** Aborted when the server stops accepting connections: streams end, and requests in flight go on. */
  draining?: AbortSignal;
  limits?: Partial<ApiLimits>;
}

/** Limits on clients that hold on to connections. */
interface ApiLimits {
  connections: number;
  connectionsPerAddress: number;
  /** Longest time until the header of a request has arrived; a connection that never sends one is closed too. */
  headerTimeoutMs: number;
  /** Longest time until a request has arrived, its body included. */
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
const LIMITS: ApiLimits = {
  connections: 10_000,
  connectionsPerAddress: 1000,
  headerTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  watchers: { total: 5000, perWorkspace: 2500, perKey: 1000 },
  streams: { heartbeatMs: 15_000, stalledMs: 30_000 },
};

/**
 * The HTTP API, not yet listening. A request takes steps 1 and 2 here, and the others in the pipeline of its operation;
 * any of them may throw a `Problem`.
 */
export function createApi(deps: ApiDeps): FastifyInstance {
  const { store, clock, newId, randomBytes, settings, diagnoser, metrics, changes, noteKeyUse } = deps;
  const { limiter = memoryLimiter(clock), failures = createFailureLimit(clock), threads = 1 } = deps;
  const { loadShedder = createLoadShedder({ inFlight: shareOf(LOAD_LIMITS.inFlight, threads) }) } = deps;
  const limits = { ...LIMITS, ...deps.limits };
  const apexNote = apexRoutingNote(settings.edgeAddresses ?? []);
  const rateLimits = { ...DEFAULT_RATE_LIMITS, ...settings.rateLimits };
  const countRequest = requestCounter(limiter, rateLimits);

  const countDomains = keepCounts((workspaceId: string) => store.countWorkspaceDomains(workspaceId), clock);
  const countSites = keepCounts(
    (workspaceId: string, board: Board) => store.countSites(workspaceId, board, clock.now()),
    clock,
  );
  const counting = { countRequest, countDomains, countSites };
  const context: HandlerContext = { store, clock, newId, randomBytes, settings, diagnoser, apexNote, ...counting };
  const { authenticate, standingOfLink, standingOf } = createAccess(store, clock, changes, failures);
  const crossOrigin = createCrossOrigin({ store, changes, settings, failures, loadShedder });
  const customers = createCustomerAccess({ store, standingOfLink, crossOrigin, limiter, failures });
  const { edge = null } = settings;
  const perAddress = shareOf(limits.connectionsPerAddress, threads);
  const admitEdgeClient = edge && edgeClients({ secret: edge.secret, perAddress });
  const connections = limitConnections({
    total: shareOf(limits.connections, threads),
    perAddress,
    isProxy: networkRule([...(settings.trustedProxies ?? []), ...(edge?.networks ?? [])]),
    onCount: (open) => metrics.connections.set(open),
  });
  const watchers = createWatchers({
    ...{ changes, standingOf, clock, log: deps.log, metrics, settings, apexNote },
    store: {
      ...(deps.uncached ?? store),
      findCheckResult: store.findCheckResult,
      findCertificate: store.findCertificate,
      findDashboardSession: store.findDashboardSession,
    },
    limits: { ...limits.streams, ...watchLimitsOfThread(limits.watchers, threads) },
  });
  const recordRequest = requestRecorder(deps);
  const app = Fastify(fastifyOptions(deps, limits, recordRequest));
  app.server.on('connection', connections.add);
  app.decorate('refusals', new Map());
  app.decorateRequest('principal', null);
  app.decorateRequest('operation', null);
  app.decorateRequest('domainId', undefined);
  app.decorateRequest('errorCode', undefined);
  app.setValidatorCompiler(compileValidator);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, parseBody(body)),
  );

  // 1 request id, and what Node's parser lets pass
  app.addHook('onRequest', (request, reply, next) => {
    connections.busy(request.raw.socket);
    reply.header('x-request-id', request.id);
    admitEdgeClient?.(request, reply);
    next(malformation(request.raw));
  });
  // 2 route
  rejectUnknownRoutes(app);
  // 3 to 8
  const parts = {
    loadShedder,
    authenticate,
    customers,
    crossOrigin,
    watchers,
    recordRequest,
    store,
    noteKeyUse,
    context,
  };
  for (const operation of [...operations, ...openOperations]) serveOperation(app, operation, parts);
  app.decorate(
    'inProcess',
    inProcess(parts, (error, request, reply) => noteProblem(error, request, reply, deps)),
  );
  serveDashboardSessions(app, { store, context, settings, failures, loadShedder, watchers, recordRequest });
  servePageFiles(app, deps.webDirectory);
  servePublicRoutes(app, deps);
  serveDocumentation(app, settings, deps.docsDirectory);
  handleClientErrors(app.server, deps);

  app.setErrorHandler<Problem>((error, request, reply) => sendProblem(error, request, reply, deps));
  app.addHook('onResponse', (request, reply, next) => {
    connections.idle(request.raw.socket);
    recordRequest(request, reply);
    next();
  });
  deps.draining?.addEventListener('abort', watchers.stop);
  app.addHook('preClose', async () => watchers.stop());
  app.addHook('onClose', async () => loadShedder.stop());
  return app;
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
    // Doors have the names of domains in paths.
    routerOptions: { maxParamLength: 253 },
    // A request without Host is refused by `malformation`: Node's own response is not JSON.
    http: {
      requireHostHeader: false,
      shouldUpgradeCallback: ignoreUpgrade,
      headersTimeout: headerTimeoutMs,
      connectionsCheckingInterval: Math.min(1000, headerTimeoutMs),
    },
    // Hooks do not run for a path that cannot be decoded.
    frameworkErrors(error, request, reply) {
      reply.header('x-request-id', request.id);
      const problem = noteProblem(malformation(request.raw) ?? error, request, reply, deps);
      const [, refuse] = [...request.server.refusals].find(([prefix]) => request.url.startsWith(`${prefix}/`)) ?? [];
      const body: unknown = refuse?.(problem, request, reply) ?? presentProblem(problem, request.id, deps.settings);
      (reply as FastifyReply).send(body);
      recordRequest(request, reply);
    },
  };
}

/** Rejects requests without a route before keys or bodies are looked at. */
function rejectUnknownRoutes(app: FastifyInstance): void {
  const methods = new Map<string, string[]>();
  app.addHook('onRoute', ({ url, method }) => {
    // Only preflights use OPTIONS.
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
