import Type, { type TSchema } from 'typebox';
import { ERRORS, type ErrorStatus, errorCodes, Problem, type ProblemCode, presentProblem, STATUSES } from './errors.ts';
import { KEY_PATTERN } from './idempotency.ts';
import { isStream, type Operation } from './operation.ts';
import { operations } from './operations.ts';
import { type PublicRoute, publicRoutes } from './public-routes.ts';
import { closed, Meta, ValidationError } from './schemas.ts';

/** Version of the HTTP API (spec: Versioning). Its major number is part of every path. */
export const API_VERSION = '2.0.0';

/** The part of OpenAPI 3.1 that the document uses. */
export interface ApiDocument {
  openapi: string;
  info: { title: string; version: string; description: string; license: { name: string; identifier: string } };
  servers: { url: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, { get?: ApiOperation; post?: ApiOperation }>;
  components: {
    schemas: Record<string, JsonSchema>;
    responses: Record<string, ApiResponse>;
    examples: Record<string, { value: unknown }>;
    headers: Record<string, ApiHeader>;
    parameters: Record<string, ApiParameter>;
    securitySchemes: Record<string, JsonSchema>;
  };
}

export interface ApiOperation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security: Record<string, string[]>[];
  parameters?: Reference[];
  requestBody?: { required: true; content: Record<string, ApiContent> };
  responses: Record<string, ApiResponse | Reference>;
}

export interface ApiResponse {
  description: string;
  headers: Record<string, Reference>;
  content: Record<string, ApiContent>;
}

export interface ApiContent {
  schema: JsonSchema;
  example?: unknown;
  examples?: Record<string, Reference>;
}

interface ApiHeader {
  description: string;
  required?: true;
  schema: JsonSchema;
}

export interface ApiParameter {
  name: string;
  in: 'header';
  required: boolean;
  description: string;
  schema: JsonSchema;
}

export interface Reference {
  $ref: string;
}

export type JsonSchema = { [key: string]: unknown };

const JSON_TYPE = 'application/json';
const EVENTS_TYPE = 'text/event-stream';
const EXAMPLE_REQUEST = 'req_01kaghp0q1w2e3r4t5y6a7s8d9';
const NAMING = { service: 'service' };

/** Errors of every operation. */
const COMMON: readonly ProblemCode[] = [
  'validation/invalid_input',
  'authentication/missing',
  'authentication/malformed',
  'authentication/key_not_found',
  'authorization/key_disabled',
  'authorization/workspace_disabled',
  'request/body_too_large',
  'limits/rate_limited',
  'limits/overloaded',
  'application/internal',
];

/** Errors of operations that create. */
const CREATING: readonly ProblemCode[] = ['request/idempotency_key_in_flight', 'request/idempotency_key_reused'];

/** Errors of requests that reach no operation. */
const OUTSIDE: readonly ProblemCode[] = [
  'request/route_not_found',
  'request/method_not_allowed',
  'request/timeout',
  'request/header_too_large',
];

const TAGS: Record<string, string> = {
  domains: 'Custom domains and their verification.',
  projects: 'Projects hold apps.',
  apps: 'Apps hold environments.',
  environments: 'Environments hold domains. Their current deployment serves them.',
  deployments: 'Deployments say where the traffic of an environment goes.',
  webhooks: 'Webhooks send the events of the workspace to a URL of yours.',
  liveness: 'Health checks. They need no key.',
};

/** The OpenAPI 3.1 document of the API, generated from the schemas of requests and responses and from the error table. */
export function openApiDocument(): ApiDocument {
  const components = new Map<string, JsonSchema>();
  const paths: ApiDocument['paths'] = {};
  const shared = [...COMMON, ...OUTSIDE];
  const responses = statusesOf(shared).map((status) => [
    responseName(status),
    describeError(status, shared, components),
  ]);
  for (const operation of operations)
    paths[`/v2/${operation.name}`] = { post: describeOperation(operation, components) };
  for (const route of publicRoutes) paths[route.path] = { get: describePublicRoute(route, components) };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Nameplate API',
      version: API_VERSION,
      description:
        'Custom domains for your platform. Operations are POST requests with JSON objects as bodies. Every response has an envelope: `{meta, data}`, `{meta, data, pagination}` for lists, or `{meta, error}`. Properties that have no value are absent, never null. A creation with an `Idempotency-Key` can be repeated without creating twice.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      schemas: Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
      responses: Object.fromEntries(responses),
      examples: Object.fromEntries(errorCodes.map((code) => [exampleName(code), { value: exampleProblem(code) }])),
      headers: HEADERS,
      parameters: PARAMETERS,
      securitySchemes: {
        rootKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            'A root key: `Authorization: Bearer <ROOT_KEY>`. The dashboard sends a short-lived token (JWT) instead.',
        },
      },
    },
  };
}

function describeOperation(operation: Operation, components: Map<string, JsonSchema>): ApiOperation {
  const { name, summary, description, creates, request, status, example } = operation;
  const problems = creates === undefined ? operation.problems : [...operation.problems, ...CREATING];
  const codes = errorCodes.filter((code) => COMMON.includes(code) || problems.includes(code));
  const own = statusesOf(problems);
  const errors = statusesOf(codes).map((each) => [
    each,
    own.includes(each)
      ? describeError(each, codes, components)
      : { $ref: `#/components/responses/${responseName(each)}` },
  ]);
  return {
    operationId: name,
    tags: [name.split('.', 1)[0] ?? name],
    summary,
    description: `${description}\n\nPermission: ${grants(operation).join(' or ')}.`,
    security: [{ rootKey: [] }],
    ...parametersOf(operation),
    requestBody: {
      required: true,
      content: { [JSON_TYPE]: { schema: refer(request, components), example: example.request } },
    },
    responses: {
      [status]: {
        description: status === 202 ? 'Accepted' : 'OK',
        headers: { ...ALWAYS, ...LIMITED, ...(creates !== undefined && referTo('headers', ['Idempotency-Replayed'])) },
        content: describeContent(operation, components),
      },
      ...Object.fromEntries(errors),
    },
  };
}

/** Header fields that change what the operation does. */
function parametersOf(operation: Operation): Pick<ApiOperation, 'parameters'> {
  const names = [
    ...(operation.creates === undefined ? [] : ['Idempotency-Key']),
    ...(isStream(operation) ? ['Last-Event-ID'] : []),
  ];
  return names.length === 0 ? {} : { parameters: Object.values(referTo('parameters', names)) };
}

function describeContent(operation: Operation, components: Map<string, JsonSchema>): Record<string, ApiContent> {
  if (isStream(operation))
    return { [EVENTS_TYPE]: { schema: { type: 'string' }, example: operation.example.response } };
  const example = { meta: { requestId: EXAMPLE_REQUEST }, ...operation.example.result };
  return { [JSON_TYPE]: { schema: refer(operation.response, components), example } };
}

function describePublicRoute(route: PublicRoute, components: Map<string, JsonSchema>) {
  const { name, summary, description } = route;
  const responses = Object.entries(route.responses).map(([status, { description, schema, example }]) => {
    const content = { [JSON_TYPE]: { schema: refer(schema, components), example } };
    return [status, { description, headers: ALWAYS, content }];
  });
  return {
    operationId: name,
    tags: ['liveness'],
    summary,
    description,
    security: [],
    responses: Object.fromEntries(responses),
  };
}

function describeError(
  status: ErrorStatus,
  codes: readonly ProblemCode[],
  components: Map<string, JsonSchema>,
): ApiResponse {
  const mine = codes.filter((code) => ERRORS[code].status === status);
  return {
    description: mine.map((code) => `\`${code}\`: ${ERRORS[code].detail}`).join('\n\n'),
    headers: {
      ...ALWAYS,
      // A 401 comes before the rate limit.
      ...(status !== 401 && LIMITED),
      ...(status === 429 && referTo('headers', ['Retry-After'])),
      ...(mine.includes('request/idempotency_key_in_flight') && {
        'Retry-After': { $ref: '#/components/headers/Retry-After-If-In-Flight' },
      }),
      ...(status === 500 && { 'Retry-After': { $ref: '#/components/headers/Retry-After-If-Unavailable' } }),
    },
    content: {
      [JSON_TYPE]: {
        schema: refer(errorSchema(status), components),
        examples: referTo('examples', mine.map(exampleName)),
      },
    },
  };
}

function statusesOf(codes: readonly ProblemCode[]): ErrorStatus[] {
  return [...new Set(codes.map((code) => ERRORS[code].status))].sort();
}

function responseName(status: ErrorStatus): string {
  return STATUSES[status].title.replaceAll(' ', '');
}

/** An error body, for the documentation. */
export function exampleProblem(code: ProblemCode, naming: { service: string; docsUrl?: string | undefined } = NAMING) {
  const errors = [{ location: 'body.domain', message: 'must have at least 4 characters' }];
  const problem = new Problem(code, code === 'validation/invalid_input' ? { errors } : {});
  return presentProblem(problem, EXAMPLE_REQUEST, naming);
}

function errorSchema(status: ErrorStatus): TSchema {
  const { title, type } = STATUSES[status];
  const base = {
    title: Type.Literal(title),
    detail: Type.String({ description: 'What went wrong in this request.' }),
    status: Type.Literal(status),
    type: Type.String({
      description: `\`${type}\`, or the URI of the problem's page where the operator publishes the documentation.`,
    }),
  };
  const errors = Type.Array(ValidationError, { minItems: 1, maxItems: 100 });
  const error = status === 400 ? Type.Object({ ...base, errors }, closed) : Type.Object(base, closed);
  return Type.Object({ meta: Meta, error }, { ...closed, title: `${responseName(status)}Answer` });
}

/** An operation needs one of these grants. */
export function grants({ permission: { resource, action }, onAll }: Operation): string[] {
  const all = `\`${resource}.*.${action}\``;
  return onAll ? [all] : [all, `\`${resource}.<${resource}_id>.${action}\``];
}

const seconds = { type: 'integer', minimum: 1 };
const count = { type: 'integer', minimum: 0 };

const HEADERS: Record<string, ApiHeader> = {
  'X-Request-Id': { description: 'Equals `meta.requestId`.', required: true, schema: { type: 'string' } },
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
  'Idempotency-Replayed': {
    description: 'This is the result of an earlier request with the same `Idempotency-Key`; nothing was created now.',
    schema: { type: 'string', const: 'true' },
  },
};

const PARAMETERS: Record<string, ApiParameter> = {
  'Idempotency-Key': {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Names this creation, so that it can be repeated: for 24 hours a request with the same key and the same body, by the same root key, gets the first response and creates nothing. A refusal is not kept. Use a random UUID.',
    schema: { type: 'string', pattern: KEY_PATTERN },
  },
  'Last-Event-ID': {
    name: 'Last-Event-ID',
    in: 'header',
    required: false,
    description: 'The id of the last event that was received: what the client has is not sent again.',
    schema: { type: 'string' },
  },
};

const ALWAYS = referTo('headers', ['X-Request-Id']);
const LIMITED = referTo('headers', ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset']);

function referTo(kind: string, names: string[]): Record<string, Reference> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/${kind}/${name}` }]));
}

/** Name of an error's example among the components; it may have no slash. */
export function exampleName(code: ProblemCode): string {
  return code.replace('/', '.');
}

/** The schema in the document. A schema with a title is written once, among the components, and referred to. */
function refer(schema: unknown, components: Map<string, JsonSchema>): JsonSchema {
  const { title, ...rest } = schema as JsonSchema;
  const inner = Object.fromEntries(
    Object.entries(rest).map(([key, value]) => [key, referWithin(key, value, components)]),
  );
  if (typeof title !== 'string') return inner;
  components.set(title, inner);
  return { $ref: `#/components/schemas/${title}` };
}

function referWithin(key: string, value: unknown, components: Map<string, JsonSchema>): unknown {
  if (key === 'items') return refer(value, components);
  if (key !== 'properties') return value;
  return Object.fromEntries(Object.entries(value as object).map(([name, each]) => [name, refer(each, components)]));
}
