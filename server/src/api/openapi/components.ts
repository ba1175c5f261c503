import { ERROR_CODE_HEADER, errorCodes } from '../errors.ts';
import { KEY_PATTERN } from '../idempotency.ts';
import { isStream, madeOnceBy, type Operation } from '../operation.ts';
import type { ApiHeader, ApiOperation, ApiParameter, JsonSchema, Reference } from './api-document.ts';

/** The values that a text of a response has today; more may be added. */
const EXTENSIBLE_ENUM = 'x-extensible-enum';

/** The pattern that `Type.Record` has for names that may be any text. */
const ANY_NAME = '^.*$';

/** References to components of a kind, by their names. */
export function referTo(kind: string, names: string[]): Record<string, Reference> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/${kind}/${name}` }]));
}

/**
 * The schema in the document. A schema with a title is written once, into `components`, and referred to. Requests and
 * the specification's objects are closed. An object that is not closed is a response of ours, to which properties may be
 * added: so may values of its enums (`isOpen`).
 */
export function refer(schema: unknown, components: Map<string, JsonSchema>, isOpen = false): JsonSchema {
  const { title, ...rest } = schema as JsonSchema;
  const opens = rest.type === 'object' ? rest.additionalProperties !== false : isOpen;
  const entries = Object.entries(rest).map(([key, value]): [string, unknown] => {
    if (key === 'enum' && opens) return [EXTENSIBLE_ENUM, value];
    // Fewer generators of clients know `patternProperties`.
    const values = key === 'patternProperties' && (value as JsonSchema)[ANY_NAME];
    return values ? ['additionalProperties', values] : [key, referWithin(key, value, components, opens)];
  });
  const inner = Object.fromEntries(entries);
  if (typeof title !== 'string') return inner;
  const known = components.get(title);
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(inner))
    throw new Error(`two schemas have the title ${title}: a request and a response cannot share one`);
  components.set(title, inner);
  return { $ref: `#/components/schemas/${title}` };
}

function referWithin(key: string, value: unknown, components: Map<string, JsonSchema>, isOpen: boolean): unknown {
  if (key === 'items') return refer(value, components, isOpen);
  if (key !== 'properties') return value;
  return Object.fromEntries(
    Object.entries(value as object).map(([name, each]) => [name, refer(each, components, isOpen)]),
  );
}

const seconds = { type: 'integer', minimum: 1 };
const count = { type: 'integer', minimum: 0 };

/** Header fields of responses. */
export const HEADERS: Record<string, ApiHeader> = {
  'X-Request-Id': { description: 'Equals `meta.requestId`.', required: true, schema: { type: 'string' } },
  [ERROR_CODE_HEADER]: {
    description: 'Which error it is, for programs.',
    required: true,
    schema: { $ref: '#/components/schemas/ErrorCode' },
  },
  'RateLimit-Limit': {
    description: 'Requests per window. Absent, like the next two, without a rate limit.',
    schema: count,
  },
  'RateLimit-Remaining': { description: 'Requests left in this window.', schema: count },
  'RateLimit-Reset': { description: 'Seconds until the next window.', schema: seconds },
  'Retry-After': { description: 'Seconds to wait before the next attempt.', required: true, schema: seconds },
  'Retry-After-If-Unavailable': {
    description: 'Seconds to wait before the next attempt. Present while the server cannot reach its database.',
    schema: seconds,
  },
  'Retry-After-If-In-Flight': {
    description: 'Seconds to wait before the next attempt. Present while a request with the same key is in flight.',
    schema: seconds,
  },
  'Nameplate-Support': {
    description:
      'Whom to ask for another set-up link: a `mailto:` or `https:` URL. Present where a link has ended, and the brand of the workspace has it.',
    schema: { type: 'string' },
  },
  'Nameplate-Support-Name': {
    description: 'Name of the platform, percent-encoded. Present as `Nameplate-Support` is.',
    schema: { type: 'string' },
  },
  'Idempotency-Replayed': {
    description: 'This is the result of an earlier request with the same `Idempotency-Key`; nothing was created now.',
    schema: { type: 'string', const: 'true' },
  },
};

/** The code of an error; open, since more may be added. */
export const ERROR_CODE: JsonSchema = {
  type: 'string',
  description: 'Code of an error. More codes may be added.',
  [EXTENSIBLE_ENUM]: errorCodes,
};

/** Header fields of requests, besides the root key; and those of requests to webhooks. */
export const PARAMETERS: Record<string, ApiParameter> = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Names this request, so that it can be repeated: for 24 hours one with the same key and the same body, by the same root key, gets the first response, and nothing is created or replaced again. A refusal is not kept. Use a random UUID.',
    schema: { type: 'string', pattern: KEY_PATTERN },
  },
  'Last-Event-ID': {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description: 'The id of the last event that was received: what the client has is not sent again.',
    schema: { type: 'string' },
  },
  'webhook-id': {
    name: 'webhook-id',
    in: 'header',
    required: true,
    description: 'Id of the event (`evt_…`), the same in every attempt.',
    schema: { type: 'string' },
  },
  'webhook-timestamp': {
    name: 'webhook-timestamp',
    in: 'header',
    required: true,
    description: 'When this attempt was made. Unix time in seconds.',
    schema: { type: 'string' },
  },
  'webhook-signature': {
    name: 'webhook-signature',
    in: 'header',
    required: true,
    description: '`v1,` and a signature in Base64; two of them, separated by a space, while the secret is rotated.',
    schema: { type: 'string' },
  },
};

/** Every response has these. */
export const ALWAYS = referTo('headers', ['X-Request-Id']);

/** Responses that count against a rate limit have these. */
export const LIMITED = referTo('headers', ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']);

/** Header fields that change what the operation does. */
export function parametersOf(operation: Operation): Pick<ApiOperation, 'parameters'> {
  const names = [
    ...(madeOnceBy(operation) === undefined ? [] : ['Idempotency-Key']),
    ...(isStream(operation) ? ['Last-Event-ID'] : []),
  ];
  return names.length === 0 ? {} : { parameters: Object.values(referTo('parameters', names)) };
}
