import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticate } from '../access/access.ts';
import { permits } from '../access/permissions.ts';
import type { Principal } from '../access/root-key-cache.ts';
import type { Domain } from '../domain/domain.ts';
import type { Store } from '../store/contract/store.ts';
import { endOfTurn } from '../turn.ts';
import { authorOf } from './author.ts';
import { findDomain } from './domains/present-domain.ts';
import { createNothing, creations } from './idempotency.ts';
import type { LoadShedder } from './load-shedding.ts';
import { masked } from './masking.ts';
import {
  type HandlerContext,
  isStream,
  type JsonOperation,
  type NamedDomain,
  type OpenOperation,
  type Operation,
  type StreamOperation,
} from './operation.ts';
import { authenticationHook, principalOf, rateLimitHook } from './request-hooks.ts';
import type { RecordRequest } from './request-log.ts';
import { responseEnvelope } from './response-envelope.ts';
import type { CrossOrigin } from './setup/cross-origin.ts';
import type { CustomerAccess } from './setup/customer-access.ts';
import type { Watchers } from './watchers/watchers.ts';

/** What the operations of a server share. */
export interface PipelineParts {
  loadShedder: LoadShedder;
  authenticate: Authenticate;
  customers: CustomerAccess;
  crossOrigin: Pick<CrossOrigin, 'servePreflight'>;
  watchers: Watchers;
  recordRequest: RecordRequest;
  noteKeyUse: ((principal: Principal) => void) | undefined;
  /** What changes anything. */
  store: Pick<Store, 'changesBy' | 'changesOnce'>;
  context: HandlerContext;
}

/** Of a body with nothing but a token, from anybody. */
const TOKEN_LIMIT_BYTES = 1024;

/**
 * Serves an operation. A request takes the numbered steps from top to bottom, after those of the server (`createApi`); any of them may throw a `Problem`. Where the
 * credential is in the body, steps 4 and 5 come after step 6.
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
  const { name, credential } = operation;
  const isTokenInBody = credential === 'setup_token';
  const byHeader = authenticationHook(authenticate, credential && customers.sessions, noteKeyUse);
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
  function respond({ creates, handle, status }: JsonOperation | OpenOperation) {
    const createFor = creates === undefined ? () => createNothing : creations(store, context.clock, { name, creates });
    const wrap = responseEnvelope();
    return async (request: FastifyRequest, reply: FastifyReply) => {
      const author = () => authorOf(request, name);
      const create = createFor(request, reply, author);
      const principal = principalOf(request);
      const noteDomain = (domainId: string) => {
        request.domainId = domainId;
      };
      const namedDomain: NamedDomain = async (identifier) => {
        const domain = visibleDomain(principal, await findDomain(context.store, principal.workspaceId, identifier));
        noteDomain(domain.id);
        return domain;
      };
      const call = {
        principal,
        input: inputOf(principal, request.body),
        create,
        get changes() {
          return store.changesBy(author());
        },
        namedDomain,
        noteDomain,
      };
      const result = await loadShedder.run(() => handle(call, context));
      await endOfTurn();
      reply.code(status);
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

  function visibleDomain({ grants }: Principal, found: Domain | null): Domain {
    if (!('permission' in operation)) throw new Error(`${name} finds a domain without a permission`);
    const { permission } = operation;
    return masked(found, ({ environmentId }) => permits(grants, permission, environmentId), 'data/domain_not_found');
  }

  function inputOf({ session }: Principal, body: unknown): unknown {
    return session === undefined || isTokenInBody ? body : customers.sessions.inputOf(session, name, body);
  }

  if (credential !== undefined) crossOrigin.servePreflight(app, name);
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
