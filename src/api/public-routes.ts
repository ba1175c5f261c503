import type { FastifyInstance } from 'fastify';
import Type, { type TSchema } from 'typebox';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Store } from '../store/contract/store.ts';
import { closed, Meta } from './schemas.ts';

/** A route that needs no key and takes no input. */
export interface OpenRoute {
  path: string;
  /** Name under which its requests are counted and logged. */
  name: string;
  summary: string;
  description: string;
  answers: Record<number, { description: string; schema: TSchema; example: unknown }>;
}

const Message = Type.Object({ message: Type.String() }, closed);
const Status = Type.Object({ status: Type.String() }, closed);
const NotReady = Type.Object({ status: Type.String(), reason: Type.String() }, closed);
const notReady = { status: 'not ready', reason: 'The store cannot be read and written.' };

const liveness: OpenRoute = {
  path: '/v2/liveness',
  name: 'liveness',
  summary: 'Ask whether the API answers',
  description: 'Needs no key.',
  answers: {
    200: {
      description: 'The API answers.',
      schema: Type.Object({ meta: Meta, data: Message }, closed),
      example: { meta: { requestId: 'req_01kaghp0q1w2e3r4t5y6a7s8d9' }, data: { message: 'OK' } },
    },
  },
};

const healthz: OpenRoute = {
  path: '/healthz',
  name: 'healthz',
  summary: 'Ask whether the process runs',
  description: 'For process managers: says nothing about the store. Needs no key.',
  answers: { 200: { description: 'The process runs.', schema: Status, example: { status: 'ok' } } },
};

const readyz: OpenRoute = {
  path: '/readyz',
  name: 'readyz',
  summary: 'Ask whether requests can be served',
  description: 'For load balancers: looks whether the store can be read and written. Needs no key.',
  answers: {
    200: { description: 'Requests can be served.', schema: Status, example: { status: 'ready' } },
    503: { description: 'Requests would fail at present.', schema: NotReady, example: notReady },
  },
};

/** Routes that need no key and answer in JSON, in the order of the documentation. */
export const openRoutes: readonly OpenRoute[] = [liveness, healthz, readyz];

/** How long an answer of the store is believed. */
const BELIEVED_MS = 1000;

interface OpenDeps {
  store: Store;
  clock: Clock;
  log: Log;
}

export function serveOpenRoutes(app: FastifyInstance, { store, clock, log }: OpenDeps): void {
  const ping = rarely(() => store.ping(), clock);
  /** Why it is not ready, as was logged; null while it is. Probes come every few seconds: the log has what changes. */
  let logged: string | null = null;

  app.get(liveness.path, { config: { operation: liveness.name } }, async ({ id }) => ({
    meta: { requestId: id },
    data: { message: 'OK' },
  }));

  app.get(healthz.path, { config: { operation: healthz.name } }, async () => ({ status: 'ok' }));

  app.get(readyz.path, { config: { operation: readyz.name } }, async (request, reply) => {
    try {
      await ping();
      if (logged !== null) log.info({ requestId: request.id }, 'ready again: the store answers');
      logged = null;
      return { status: 'ready' };
    } catch (error) {
      // The engine's reason may name hosts and files: it is for the log.
      const reason = String(error);
      if (reason !== logged) log.warn({ err: error, requestId: request.id }, 'not ready: the store does not answer');
      logged = reason;
      reply.code(503);
      return notReady;
    }
  });
}

/** Nobody needs a key to ask, so however many ask and however often, the store is asked once a second: to write, which costs it something. */
function rarely(ask: () => Promise<void>, clock: Clock): () => Promise<void> {
  let answer: Promise<void> | undefined;
  let answeredAt: number | undefined;
  return () => {
    const age = answeredAt === undefined ? 0 : clock.now() - answeredAt;
    // A clock that was set back makes no answer last longer.
    if (answer === undefined || age < 0 || age >= BELIEVED_MS) {
      answeredAt = undefined;
      answer = ask().finally(() => {
        answeredAt = clock.now();
      });
    }
    return answer;
  };
}
