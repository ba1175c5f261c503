import type { FastifyError, FastifyReply, FastifyRequest, FastifySchemaValidationError } from 'fastify';
import { Problem } from './errors.ts';
import { isStream, type JsonOperation, type OperationResult, PresentedOnce } from './operation.ts';
import { operations } from './operations.ts';
import { handlerOf, type PipelineParts } from './pipeline.ts';
import { authenticationHook, rateLimitHook } from './request-hooks.ts';
import { compileValidator, violations } from './validation.ts';

/**
 * Calls operations on behalf of a request to another route of this server. The request is authenticated, logged and
 * counted once, whatever it calls; each operation has its own rate limit, permission and audit entry.
 */
export interface InProcess {
  /** Sheds load and authenticates, for an `onRequest` hook. Rejects with a `Problem`. */
  admit(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  /** Calls an operation, such as `domains.getDomain`, for an admitted request. Rejects with a `Problem`. */
  call(request: FastifyRequest, reply: FastifyReply, operation: string, input: object): Promise<OperationResult>;
  /** Logs and counts an error, and sets the status and the headers of the response, for an error handler. */
  note(error: FastifyError | Problem, request: FastifyRequest, reply: FastifyReply): Problem;
}

declare module 'fastify' {
  interface FastifyInstance {
    inProcess: InProcess;
  }
}

export function inProcess(
  { loadShedder, authenticate, noteKeyUse, context, store }: PipelineParts,
  note: InProcess['note'],
): InProcess {
  const byHeader = authenticationHook(authenticate, undefined, noteKeyUse);
  const limitRate = rateLimitHook(context.countRequest);
  const callable = new Map<string, ReturnType<typeof compile>>();

  function compile(operation: JsonOperation) {
    const validate = compileValidator({ schema: operation.request, method: 'POST', url: '', httpPart: 'body' });
    const handle = handlerOf(operation, { loadShedder, store, context });
    return { operation, validate, handle };
  }

  function find(name: string) {
    const found = callable.get(name);
    if (found !== undefined) return found;
    const operation = operations.find((each) => each.name === name);
    if (operation === undefined || isStream(operation)) throw new Problem('request/route_not_found');
    const made = compile(operation);
    callable.set(name, made);
    return made;
  }

  return {
    async admit(request, reply) {
      loadShedder.admit();
      await byHeader(request, reply);
    },
    async call(request, reply, name, input) {
      const { operation, validate, handle } = find(name);
      limitRate(operation, request, reply);
      const checked = validate(input) as true | { error: FastifySchemaValidationError[] };
      if (checked !== true) {
        throw new Problem('validation/invalid_input', { errors: violations(checked.error, false) });
      }
      const { data, ...rest } = await handle(request, reply, input);
      return { data: data instanceof PresentedOnce ? data.present() : data, ...rest };
    },
    note,
  };
}
