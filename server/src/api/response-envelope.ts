import type { FastifyReply, FastifyRequest } from 'fastify';
import { isShared } from '../store/cache/cached-domains.ts';
import { type OperationResult, PresentedOnce } from './operation.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
/** Every response begins with its request id, in which nothing is escaped. */
const HEAD = '{"meta":{"requestId":"';

/**
 * Wraps the results of one operation in the envelope of every response, `meta` first. The route's schema serialises
 * them. A result that is presented once is serialised once as well, if a cache returns its object again: the text after
 * the request id is kept with that object. Each operation keeps texts of its own.
 */
export function responseEnvelope() {
  const kept = new WeakMap<object, string>();

  function serialise(data: unknown, requestId: string, reply: FastifyReply): string {
    const text = reply.serialize({ meta: { requestId }, data }).toString();
    const head = HEAD + requestId;
    if (!text.startsWith(head)) throw new Error('a response does not begin with its request id');
    return text.slice(head.length);
  }

  return ({ data, ...rest }: OperationResult, { id }: FastifyRequest, reply: FastifyReply): unknown => {
    const meta = { requestId: id };
    if (!(data instanceof PresentedOnce)) return { meta, data, ...rest };
    if (!isShared(data.object)) return { meta, data: data.present() };
    let tail = kept.get(data.object);
    if (tail === undefined) {
      tail = serialise(data.present(), id, reply);
      kept.set(data.object, tail);
    }
    reply.type(JSON_TYPE);
    return HEAD + id + tail;
  };
}
