import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem, type ProblemCode } from '../api/errors.ts';
import { parseBody } from '../api/validation.ts';

/** Calls an operation for the request that a door serves: its key, limits, audit and request id hold. Rejects with a `Problem`. */
export type CallOperation = (
  operation: string,
  input: object,
  // biome-ignore lint/suspicious/noExplicitAny: doors read single fields of responses that the API's schemas describe.
) => Promise<{ data: any; pagination?: { cursor?: string } }>;

export type CallsOf = (request: FastifyRequest, reply: FastifyReply) => CallOperation;

/** A vendor's API, of which a part is translated. */
export interface Door {
  /** In metrics and logs: `compat.cloudflare`. */
  name: string;
  /** The path before the vendor's own. */
  prefix: string;
  /** The body of an error response; the status is that of the problem unless `reply` sets another. */
  refuse(problem: Problem, request: FastifyRequest, reply: FastifyReply): object;
  /** Registers the routes. Those that it does not have are refused. */
  routes(app: FastifyInstance, callsOf: CallsOf): void;
}

/** A refusal in the vendor's words. */
export class VendorProblem<Code> extends Problem {
  readonly vendorCode: Code;

  constructor(code: ProblemCode, vendorCode: Code, detail: string) {
    super(code, { detail });
    this.vendorCode = vendorCode;
  }
}

/** Undefined where a call was refused with one of the codes. */
export async function unless<Result>(codes: ProblemCode[], called: Promise<Result>): Promise<Result | undefined> {
  try {
    return await called;
  } catch (error) {
    if (error instanceof Problem && codes.includes(error.code)) return undefined;
    throw error;
  }
}

/** Serves a door. Every response below its prefix has the vendor's envelope. */
export function serveDoor(app: FastifyInstance, { name, prefix, refuse, routes }: Door): void {
  const { admit, call, note } = app.inProcess;
  // A path that cannot be decoded reaches no route.
  app.refusals.set(prefix, refuse);
  const callsOf: CallsOf = (request, reply) => (operation, input) => call(request, reply, operation, input);
  app.register(
    async (scope) => {
      scope.removeAllContentTypeParsers();
      // Vendors' clients send JSON under any type, and a type with no body.
      scope.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (_request, body, done) => {
        done(null, body.length === 0 ? undefined : parseBody(body));
      });
      scope.addHook('onRequest', (request, reply) => {
        request.operation = name;
        return admit(request, reply);
      });
      scope.setErrorHandler<FastifyError>((error, request, reply) => {
        const problem = note(error, request, reply);
        reply.send(refuse(problem, request, reply));
      });
      routes(scope, callsOf);
      for (const path of ['/', '/*'])
        scope.all(path, () => {
          throw new Problem('request/route_not_found');
        });
    },
    { prefix },
  );
}
