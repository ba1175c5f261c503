import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticate } from '../access/access.ts';
import { permits } from '../access/permissions.ts';
import type { Principal } from '../access/root-key-cache.ts';
import { endOfTurn } from '../base/turn.ts';
import { type Author, type Changes, SealingUnavailable, type Store } from '../store/store.ts';
import { Problem } from './errors.ts';
import { Find, lacksPermission } from './find.ts';
import { type Create, createNothing, creations } from './idempotency.ts';
import type { LoadShedder } from './load-shedding.ts';
import {
  type HandlerContext,
  isStream,
  type JsonOperation,
  madeOnceBy,
  type OpenOperation,
  type Operation,
  type OperationCall,
  type OperationResult,
  type StreamOperation,
} from './operation.ts';
import { authenticationHook, principalOf, rateLimitHook } from './request-hooks.ts';
import type { RecordRequest } from './request-log.ts';
import { responseEnvelope } from './response-envelope.ts';
import type { CrossOrigin } from './setup/cross-origin.ts';
import type { CustomerAccess } from './setup/customer-access.ts';
import type { Watchers } from './watchers/watchers.ts';

/** The operations of a server share these. */
export interface PipelineParts {
  loadShedder: LoadShedder;
  authenticate: Authenticate;
  customers: CustomerAccess;
  crossOrigin: Pick<CrossOrigin, 'servePreflight'>;
  watchers: Watchers;
  recordRequest: RecordRequest;
  noteKeyUse: ((principal: Principal) => void) | undefined;
  /** The part of the store that makes changes. */
  store: Pick<Store, 'changesBy' | 'changesOnce'>;
  context: HandlerContext;
}

/** The limit of a body with nothing but a token, which anybody may send. */
const TOKEN_LIMIT_BYTES = 1024;

/**
 * Serves an operation. A request takes the numbered steps from top to bottom, after those of the server (`createApi`);
 * any of them may throw a `Problem`. Where the credential is in the body, steps 4 and 5 come after step 6.
 */
export function serveOperation(
  app: FastifyInstance,
  operation: Operation | OpenOperation,
  {
    loadShedder,
    authenticate,
    customers,
    crossOrigin,
    watchers,
    recordRequest,
    store,
    noteKeyUse,
    context,
  }: PipelineParts,
): void {
  const { name } = operation;
  const isTokenInBody = 'credential' in operation;
  const purposes = 'sessions' in operation ? operation.sessions : undefined;
  const byHeader = authenticationHook(authenticate, purposes && { ...customers.sessions, purposes }, noteKeyUse);
  const limitRate = rateLimitHook(context.countRequest);

  // 3 shed load
  function shed(request: FastifyRequest, _reply: FastifyReply, next: (error?: Error) => void): void {
    request.operation = name;
    loadShedder.admit();
    next();
  }

  // 4 authenticate
  function authenticateByHeader(request: FastifyRequest, reply: FastifyReply, next: (error?: Error) => void): void {
    const authenticated = byHeader(request, reply);
    if (authenticated === undefined) next();
    else authenticated.then(() => next(), next);
  }

  // 5 rate limit
  function limit(request: FastifyRequest, reply: FastifyReply, next: (error?: Error) => void): void {
    limitRate(operation, request, reply);
    next();
  }

  // 7 handle, and wrap in the envelope
  function respond(operation: JsonOperation | OpenOperation) {
    const handle = handlerOf(operation, { loadShedder, store, context });
    const wrap = responseEnvelope();
    return async (request: FastifyRequest, reply: FastifyReply) => {
      const result = await handle(request, reply, inputOf(principalOf(request), request.body));
      await endOfTurn();
      reply.code(operation.status);
      return wrap(result, request, reply);
    };
  }

  // 7 begin a stream, which is load until it has begun
  function stream({ open }: StreamOperation) {
    return async (request: FastifyRequest, reply: FastifyReply) => {
      const principal = principalOf(request);
      const call = { principal, input: inputOf(principal, request.body) };
      // Fastify runs no hook when the client ends a response.
      reply.raw.once('close', () => {
        if (!reply.raw.writableFinished) recordRequest(request, reply);
      });
      await loadShedder.run(() => open(call, { request, reply }, watchers));
      return reply;
    };
  }

  function inputOf({ session }: Principal, body: unknown): unknown {
    return session === undefined || isTokenInBody ? body : customers.sessions.inputOf(session, name, body);
  }

  // Pages of other origins show the set-up page alone.
  if (isTokenInBody || purposes?.includes('setup')) crossOrigin.servePreflight(app, name);
  app.route({
    method: 'POST',
    url: `/v2/${name}`,
    config: { operation: name },
    ...(isTokenInBody && { bodyLimit: TOKEN_LIMIT_BYTES }),
    onRequest: isTokenInBody ? [shed, customers.links.admit] : [shed, authenticateByHeader, limit],
    // 6 parse (`parseBody`) and validate · 8 serialize
    schema: {
      body: operation.request,
      ...(!isStream(operation) && { response: { [operation.status]: operation.response } }),
    },
    preHandler: isTokenInBody ? [customers.links.authenticate, limit] : [],
    handler: isStream(operation) ? stream(operation) : respond(operation),
  });
}

/** Handles a valid input of an authenticated request: the part of the pipeline that calls within the process share. */
export function handlerOf(
  operation: JsonOperation | OpenOperation,
  { loadShedder, store, context }: Pick<PipelineParts, 'loadShedder' | 'store' | 'context'>,
) {
  const { name } = operation;
  const needed = 'permission' in operation ? operation : undefined;
  const makes = madeOnceBy(operation);
  const handle = operation.problems.includes('application/sealing_unavailable')
    ? storingSecret(operation.handle)
    : operation.handle;
  const createFor = makes === undefined ? () => createNothing : creations(store, context.clock, { name, makes });
  return (request: FastifyRequest, reply: FastifyReply, input: unknown): Promise<OperationResult> => {
    const author = () => authorOf(request, name);
    const create = createFor(request, reply, input, author);
    const principal = principalOf(request);
    if (needed?.onAll === 'workspace' && !permits(principal.grants, needed.permission)) throw lacksPermission(needed);
    const noteDomain = (domainId: string) => {
      request.domainId ??= domainId;
    };
    const find = new Find(context.store, principal, needed, noteDomain);
    const call = new Call(principal, input, create, find, noteDomain, () => store.changesBy(author()));
    return loadShedder.run(() => handle(call, context));
  };
}

/** The author of a change by a request, for the audit log. */
function authorOf(request: FastifyRequest, action: string): Author {
  const { kind, actor } = principalOf(request);
  return { kind, actor, action, from: request.ip, requestId: request.id };
}

/** A handler whose operation stores a secret, and so needs a key to seal it with. */
function storingSecret(handle: JsonOperation['handle']): JsonOperation['handle'] {
  return async (...call) => {
    try {
      return await handle(...call);
    } catch (error) {
      if (error instanceof SealingUnavailable) throw new Problem('application/sealing_unavailable', { cause: error });
      throw error;
    }
  };
}

/** One call of an operation. A class, since a literal with a getter costs a request more than all else here. */
class Call implements OperationCall<unknown> {
  readonly principal: Principal;
  readonly input: unknown;
  readonly create: Create;
  readonly find: Find;
  readonly noteDomain: (domainId: string) => void;
  private readonly makeChanges: () => Changes;

  constructor(
    principal: Principal,
    input: unknown,
    create: Create,
    find: Find,
    noteDomain: (domainId: string) => void,
    makeChanges: () => Changes,
  ) {
    this.principal = principal;
    this.input = input;
    this.create = create;
    this.find = find;
    this.noteDomain = noteDomain;
    this.makeChanges = makeChanges;
  }

  get changes(): Changes {
    return this.makeChanges();
  }
}
