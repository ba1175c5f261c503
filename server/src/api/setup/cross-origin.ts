import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { FailureLimit } from '../../access/failure-limit.ts';
import { createCache, createLoadingCache } from '../../store/cache/cache.ts';
import type { ChangeFeed } from '../../store/cache/change-feed.ts';
import type { SetupStore } from '../../store/store.ts';
import { ERROR_CODE_HEADER, Problem } from '../errors.ts';
import type { LoadShedder } from '../load-shedding.ts';

/**
 * Cross-origin requests (Fetch standard, CORS) with set-up links and their sessions: the origins of a workspace may
 * send them, and no others. There are no cookies, so that a page gains nothing by sending a request without a token.
 */
export interface CrossOrigin {
  /**
   * Admits a request of a workspace's link. Rejects with a `Problem` where a browser sent it for a page of another
   * origin.
   */
  admit(request: FastifyRequest, reply: FastifyReply, workspaceId: string): Promise<void>;
  /** Admits a request before its workspace is known: the origins of all workspaces count. */
  admitAny(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Lets a page of any of these origins read a refusal. */
  shareRefusal(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Answers preflights of an operation. */
  servePreflight(app: FastifyInstance, operation: string): void;
}

interface CrossOriginDeps {
  store: Pick<SetupStore, 'findSetupPage' | 'isSetupOrigin'>;
  changes: ChangeFeed | undefined;
  settings: { publicUrl?: string | undefined };
  failures: FailureLimit;
  loadShedder: Pick<LoadShedder, 'admit'>;
}

/** Most origins, and most workspaces, cached. */
const CAPACITY = 10_000;
const MAX_LENGTH = 300;

const ALLOW_ORIGIN = 'Access-Control-Allow-Origin';
/** Header fields that the client reads. */
const EXPOSED = `${ERROR_CODE_HEADER}, Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, X-Request-Id, Nameplate-Support, Nameplate-Support-Name`;
const PREFLIGHT = {
  'Access-Control-Allow-Methods': 'POST',
  'Access-Control-Allow-Headers': 'Authorization, Content-Type, Accept, Last-Event-ID',
  'Access-Control-Max-Age': '600',
};

export function createCrossOrigin(deps: CrossOriginDeps): CrossOrigin {
  const { store, changes, settings, failures, loadShedder } = deps;
  /** Only listed origins are cached: invented ones evict none. */
  const listed = createCache<string>({
    changes,
    capacity: CAPACITY,
    // The change does not say which origins it adds or removes.
    keysOf: ({ kind }, entries) => (kind === 'workspace' ? [...entries].map(([origin]) => origin) : []),
  });
  const ofWorkspace = createLoadingCache<readonly string[]>({
    changes,
    capacity: CAPACITY,
    read: async (workspaceId) => (await store.findSetupPage(workspaceId)).origins,
    keysOf: ({ kind, key }) => (kind === 'workspace' ? [key] : []),
  });

  /** Undefined for the server's own pages, and for requests that no browser sent. */
  function foreignOrigin({ headers }: FastifyRequest, reply: FastifyReply): string | undefined {
    reply.header('Vary', 'Origin');
    return headers.origin === settings.publicUrl ? undefined : headers.origin;
  }

  /** An address that has named too many others is refused without a look-up, unless the origin is cached. */
  async function isListed(origin: string, { ip }: FastifyRequest): Promise<boolean> {
    if (origin.length > MAX_LENGTH) return false;
    if (listed.get(origin) !== undefined) return true;
    if (failures.retryAfterSeconds(ip, 'origin') !== null) return false;
    const read = async () => ((await store.isSetupOrigin(origin)) ? origin : null);
    if ((await listed.load(read, (found) => found ?? undefined)) !== null) return true;
    failures.countFailure(ip, 'origin');
    return false;
  }

  function share(reply: FastifyReply, origin: string): void {
    reply.header(ALLOW_ORIGIN, origin).header('Access-Control-Expose-Headers', EXPOSED);
  }

  return {
    async admit(request, reply, workspaceId) {
      const origin = foreignOrigin(request, reply);
      if (origin === undefined) return;
      if ((await ofWorkspace.load(workspaceId))?.includes(origin)) return share(reply, origin);
      reply.removeHeader(ALLOW_ORIGIN);
      throw new Problem('authorization/origin_not_allowed');
    },
    async admitAny(request, reply) {
      const origin = foreignOrigin(request, reply);
      if (origin === undefined) return;
      if (!(await isListed(origin, request))) throw new Problem('authorization/origin_not_allowed');
      share(reply, origin);
    },
    async shareRefusal(request, reply) {
      const origin = foreignOrigin(request, reply);
      if (origin !== undefined && (await isListed(origin, request))) share(reply, origin);
    },
    servePreflight(app, operation) {
      app.options(`/v2/${operation}`, {
        config: { operation: 'preflight' },
        // Runs before a body is read.
        async onRequest(request, reply) {
          loadShedder.admit();
          const origin = foreignOrigin(request, reply);
          if (origin === undefined || request.headers['access-control-request-method'] === undefined)
            throw new Problem('request/method_not_allowed', { headers: { Allow: 'POST' } });
          if (!(await isListed(origin, request))) throw new Problem('authorization/origin_not_allowed');
          return reply.code(204).header(ALLOW_ORIGIN, origin).headers(PREFLIGHT).send();
        },
        handler: (_request, reply) => reply,
      });
    },
  };
}
