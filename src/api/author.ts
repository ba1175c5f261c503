import type { FastifyRequest } from 'fastify';
import type { Author } from '../store/contract/store.ts';
import { principalOf } from './request-hooks.ts';

/** Who changes something by a request, for the audit log. */
export function authorOf(request: FastifyRequest, action: string): Author {
  const { kind, actor } = principalOf(request);
  return { kind, actor, action, from: request.ip, requestId: request.id };
}
