import type { FastifyInstance } from 'fastify';
import Type, { type TSchema } from 'typebox';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { withinTime } from '../base/time-limit.ts';
import { type Store, StoreFull, StoreUnavailable } from '../store/store.ts';
import type { ApiSettings } from './operation.ts';
import { closed, Meta } from './schemas.ts';

/** A GET route that needs no key and takes no input. */
export interface PublicRoute {
  path: string;
  /** Its name in metrics and logs. */
  name: string;
  summary: string;
  description: string;
  responses: Record<number, { description: string; schema: TSchema; example: unknown }>;
}

const Message = Type.Object({ message: Type.String({ description: 'Always `OK`.' }) });
const Status = Type.Object({ status: Type.String() });
const Readiness = Type.Object({ status: Type.String(), reason: Type.Optional(Type.String()) });
const NotReady = Type.Object({ status: Type.String(), reason: Type.String() });
const example = { status: 'not ready', reason: 'The store cannot be read and written.' };

const liveness: PublicRoute = {
  path: '/v2/liveness',
  name: 'liveness',
  summary: 'Check that the API responds',
  description: 'Needs no key.',
  responses: {
    200: {
      description: 'The API responds.',
      schema: Type.Object({ meta: Meta, data: Message }, { ...closed, title: 'LivenessResponse' }),
      example: { meta: { requestId: 'req_01kaghp0q1w2e3r4t5y6a7s8d9' }, data: { message: 'OK' } },
    },
  },
};

const healthz: PublicRoute = {
  path: '/healthz',
  name: 'healthz',
  summary: 'Check that the process runs',
  description: 'For process managers. It does not check the database. Needs no key.',
  responses: { 200: { description: 'The process runs.', schema: Status, example: { status: 'ok' } } },
};

const readyz: PublicRoute = {
  path: '/readyz',
  name: 'readyz',
  summary: 'Check that requests can be served',
  description:
    'For load balancers. Checks that the database can be read and written, and responds within two seconds even if the database hangs. If the check fails, the response is 503. A process that also has the role `edge` responds with 200 and the status `degraded` instead. Keep it in rotation: its edge still serves the names in its cache. Needs no key.',
  responses: {
    200: {
      description:
        'Requests can be served, or, with the status `degraded`, only those to the edge of the same process.',
      schema: Readiness,
      example: { status: 'ready' },
    },
    503: { description: 'Requests would fail.', schema: NotReady, example },
  },
};

/** Public routes that respond in JSON, in the order of the documentation. */
export const publicRoutes: readonly PublicRoute[] = [liveness, healthz, readyz];

/** How long the result of a ping of the store is reused. */
const PING_MS = 1000;
/** How long probes wait for a ping, which may go on. */
const PING_LIMIT_MS = 1500;

class StoreHangs extends StoreUnavailable {}

interface PublicRouteDeps {
  store: Pick<Store, 'ping'>;
  clock: Clock;
  log: Log;
  settings: Pick<ApiSettings, 'servesNames'>;
}

export function servePublicRoutes(app: FastifyInstance, { store, clock, log, settings }: PublicRouteDeps): void {
  const ping = sharedPing(store, clock);
  /** The reason that was logged; null while ready. Probes come every few seconds, so only changes are logged. */
  let loggedReason: string | null = null;

  app.get(liveness.path, { config: { operation: liveness.name } }, async ({ id }) => ({
    meta: { requestId: id },
    data: { message: 'OK' },
  }));

  app.get(healthz.path, { config: { operation: healthz.name } }, async () => ({ status: 'ok' }));

  app.get(readyz.path, { config: { operation: readyz.name } }, async (request, reply) => {
    try {
      await ping();
      if (loggedReason !== null) log.info({ requestId: request.id }, 'ready again: the store responds');
      loggedReason = null;
      return { status: 'ready' };
    } catch (error) {
      // Only the log gets the whole reason, which may name hosts and files.
      const newReason = String(error);
      if (newReason !== loggedReason)
        log.warn({ err: error, requestId: request.id }, 'not ready: the store does not respond');
      loggedReason = newReason;
      const reason = reasonOf(error);
      if (settings.servesNames) return { status: 'degraded', reason };
      reply.code(503);
      return { status: 'not ready', reason };
    }
  });
}

function reasonOf(error: unknown): string {
  if (error instanceof StoreFull) return 'The disk of the store is full.';
  if (error instanceof StoreHangs) return 'The store does not answer in time.';
  return example.reason;
}

/** Pings the store at most once a second, however many clients probe: a ping writes, and probes need no key. */
function sharedPing(store: Pick<Store, 'ping'>, clock: Clock): () => Promise<void> {
  let ping: Promise<void> | undefined;
  let endedAt: number | undefined;
  return () => {
    const ageMs = endedAt === undefined ? 0 : clock.now() - endedAt;
    // Negative after the clock was set back.
    if (ping === undefined || ageMs < 0 || ageMs >= PING_MS) {
      endedAt = undefined;
      const pinged = store.ping().finally(() => {
        endedAt = clock.now();
      });
      ping = withinTime(PING_LIMIT_MS, pinged, () => {
        throw new StoreHangs(`the store has not answered for ${PING_LIMIT_MS / 1000} seconds`);
      });
    }
    return ping;
  };
}
