import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../base/clock.ts';
import type { AuditStore, Author, OnceChanges, OnceResult } from '../store/store.ts';
import { Problem } from './errors.ts';
import { principalOf } from './request-hooks.ts';
import { invalid } from './validation.ts';

/**
 * Creates or replaces with a change of the store, and at most once where the request has an `Idempotency-Key`
 * (draft-ietf-httpapi-idempotency-key-header). `made`: values for the response that were made for this creation, as
 * JSON: its id, a secret. They are stored, and a repeat gets them back in place of its own, with the outcome of the
 * first time. So the response may depend on these two alone. Throws a `Problem` where the key was used for something
 * else.
 */
export type Create = <Made, Outcome>(
  made: Made,
  perform: (changes: OnceChanges) => Promise<OnceResult<Outcome>>,
) => Promise<{ made: Made; outcome: Outcome }>;

/** An operation declares this about what it makes. `secret`: `made` holds one. */
export type Creates = true | 'secret';

/** The form of a key. */
export const KEY_PATTERN = '^[ -~]{1,255}$';

const HEADER = 'idempotency-key';
const FORM = new RegExp(KEY_PATTERN);

/** For operations that declare that they make nothing. */
export const createNothing: Create = async () => {
  throw new Error('an operation creates, and has neither "creates" nor "replaces" in its definition');
};

/** Creates on behalf of the requests of an operation. */
export function creations(
  store: Pick<AuditStore, 'changesOnce'>,
  clock: Clock,
  { name, makes }: { name: string; makes: Creates },
) {
  /** Ids of the creations that this thread is carrying out. */
  const inFlight = new Set<string>();

  return (request: FastifyRequest, reply: FastifyReply, input: unknown, author: () => Author): Create => {
    const key = keyOf(request);
    return async (made, perform) => {
      if (key === undefined) return responseOf(await perform(store.changesOnce({ by: author() })), made, reply);
      const { workspaceId, actor } = principalOf(request);
      const id = digest([workspaceId, name, actor, key]);
      if (inFlight.has(id)) throw isInFlight();
      inFlight.add(id);
      try {
        const once = {
          id,
          fingerprint: digest(input),
          made: Buffer.from(JSON.stringify(made)),
          secret: makes === 'secret',
          at: clock.now(),
        };
        return responseOf(await perform(store.changesOnce({ by: author(), once })), made, reply);
      } finally {
        inFlight.delete(id);
      }
    };
  };
}

function responseOf<Made, Outcome>(result: OnceResult<Outcome>, made: Made, reply: FastifyReply) {
  switch (result.kind) {
    case 'first':
      return { made, outcome: result.outcome };
    case 'repeated':
      reply.header('Idempotency-Replayed', 'true');
      return { made: JSON.parse(Buffer.from(result.made).toString()) as Made, outcome: result.outcome };
    case 'other_input':
      throw new Problem('request/idempotency_key_reused');
    case 'in_flight':
      throw isInFlight();
    default:
      return result satisfies never;
  }
}

function isInFlight(): Problem {
  return new Problem('request/idempotency_key_in_flight', { headers: { 'Retry-After': '1' } });
}

/** Undefined where the request has no key. */
function keyOf({ headers, raw }: FastifyRequest): string | undefined {
  if (headers[HEADER] === undefined) return undefined;
  // Node joins repeated fields with commas, which a key may contain too.
  const [key = '', ...others] = raw.headersDistinct[HEADER] ?? [];
  if (others.length === 0 && FORM.test(key)) return key;
  throw invalid(`header.${HEADER}`, 'must be 1 to 255 printable ASCII characters, sent once', 'send a random UUID');
}

/** SHA-256 of a JSON value, whatever the order of its properties. */
function digest(value: unknown): string {
  return hash('sha256', JSON.stringify(value, sortProperties), 'base64url');
}

function sortProperties(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
