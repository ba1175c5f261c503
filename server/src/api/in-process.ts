import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { endOfTurn } from '../base/turn.ts';
import type { Problem } from './errors.ts';
import { isStream, type OperationResult, PresentedOnce } from './operation.ts';
import { operations } from './operations.ts';
import { handlerOf, type PipelineParts } from './pipeline.ts';
import { authenticationHook, rateLimitHook } from './request-hooks.ts';
import { checkerOf } from './validation.ts';

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
    /** Bodies of error responses by the prefixes of paths that have their own. */
    refusals: Map<string, (problem: Problem, request: FastifyRequest, reply: FastifyReply) => object>;
  }
}

export function inProcess(parts: PipelineParts, note: InProcess['note']): InProcess {
  const byHeader = authenticationHook(parts.authenticate, undefined, parts.noteKeyUse);
  const limitRate = rateLimitHook(parts.context.countRequest);
  const callable = new Map(
    operations.flatMap((operation) => {
      if (isStream(operation)) return [];
      return [
        [operation.name, { operation, check: checkerOf(operation.request), handle: handlerOf(operation, parts) }],
      ];
    }),
  );
  return {
    async admit(request, reply) {
      parts.loadShedder.admit();
      await byHeader(request, reply);
    },
    async call(request, reply, name, input) {
      const called = callable.get(name);
      if (called === undefined) throw new Error(`there is no operation ${name}`);
      limitRate(called.operation, request, reply);
      called.check(input);
      const { data, ...rest } = await called.handle(request, reply, input);
      // The embedded store reads within a turn: a request of many calls must not keep the others waiting.
      await endOfTurn();
      return { data: data instanceof PresentedOnce ? data.present() : data, ...rest };
    },
    note,
  };
}
