import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem, presentError, type ShownError } from '../api/errors.ts';
import { toProblem } from '../api/send-problem.ts';
import { parseBody } from '../api/validation.ts';

/** The result of an operation that a door called. */
export type Called =
  // biome-ignore lint/suspicious/noExplicitAny: doors read single fields of responses that the API's schemas describe.
  | { ok: true; data: any; pagination?: { cursor?: string; hasMore: boolean } }
  | { ok: false; status: number; error: ShownError; requestId: string; problem: Problem };

/** Calls an operation for the request that a door serves: its key, limits, audit and request id hold. */
export type CallOperation = (operation: string, body: object) => Promise<Called>;

/** A vendor's API, of which a part is translated. */
export interface Door {
  /** In metrics and logs: `compat.cloudflare`. */
  name: string;
  /** The path before the vendor's own. */
  prefix: string;
  /** The body of an error response; the status is that of the problem unless `reply` sets another. */
  refuse(problem: Problem, request: FastifyRequest, reply: FastifyReply): unknown;
  /** Registers the routes. Those that it does not have are refused. */
  routes(app: FastifyInstance, callsOf: CallsOf): void;
  /** Checks a request before its key is. Throws a `Problem`. */
  examine?(request: FastifyRequest): void;
}

export type CallsOf = (request: FastifyRequest, reply: FastifyReply) => CallOperation;

/** The data of a call. Throws its `Problem` where it failed, which the door then refuses with. */
export async function dataOf(called: Promise<Called>) {
  const result = await called;
  if (!result.ok) throw result.problem;
  return result.data;
}

/** Serves a door. Every response below its prefix has the vendor's envelope. */
export function serveDoor(app: FastifyInstance, door: Door): void {
  const { name, prefix, refuse, routes, examine } = door;
  const { admit, call, note } = app.inProcess;
  const callsOf: CallsOf = (request, reply) => async (operation, body) => {
    try {
      return { ok: true, ...(await call(request, reply, operation, body)) };
    } catch (error) {
      const problem = toProblem(error as FastifyError, request);
      // Errors name the vendor's fields, not those of the error pages.
      const shown = presentError(problem, { service: name });
      return { ok: false, status: problem.status, error: shown, requestId: request.id, problem };
    }
  };
  app.register(
    async (scope) => {
      scope.removeAllContentTypeParsers();
      // Vendors' clients send JSON under any type, and a type with no body.
      scope.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (_request, body, done) => {
        done(null, body.length === 0 ? undefined : parseBody(body));
      });
      scope.addHook('onRequest', async (request, reply) => {
        request.operation = name;
        examine?.(request);
        await admit(request, reply);
      });
      scope.setErrorHandler<FastifyError>((error, request, reply) => {
        const problem = note(error, request, reply);
        reply.send(refuse(problem, request, reply));
      });
      routes(scope, callsOf);
      const unknown = () => {
        throw new Problem('request/route_not_found');
      };
      scope.all('/', unknown);
      scope.all('/*', unknown);
    },
    { prefix },
  );
}
