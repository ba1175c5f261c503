import { isRead } from '../../../../client/operation-kinds.ts';
import { sufficientGrants } from '../../access/permissions.ts';
import type { ProblemCode } from '../errors.ts';
import { mayNamePermission } from '../find.ts';
import { isStream, madeOnceBy, type OpenOperation, type Operation, operationIdOf } from '../operation.ts';
import { openOperations, operations } from '../operations.ts';
import { type PublicRoute, publicRoutes } from '../public-routes.ts';
import {
  type ApiContent,
  type ApiDocument,
  type ApiOperation,
  EXAMPLE_REQUEST,
  JSON_TYPE,
  type JsonSchema,
} from './api-document.ts';
import { ALWAYS, ERROR_CODE, HEADERS, LIMITED, PARAMETERS, parametersOf, refer, referTo } from './components.ts';
import { codesOf, errorExamples, errorsOf, sharedErrors } from './error-responses.ts';
import { describeWebhooks } from './webhook-section.ts';

const EVENTS_TYPE = 'text/event-stream';

/** Errors of operations that create. */
const CREATING: readonly ProblemCode[] = ['request/idempotency_key_in_flight', 'request/idempotency_key_reused'];

/** Errors of sessions of set-up links. */
const OF_SESSIONS: readonly ProblemCode[] = [
  'authentication/setup_link_not_found',
  'authentication/setup_link_expired',
  'authentication/setup_link_revoked',
  'authorization/setup_workspace_disabled',
  'authorization/origin_not_allowed',
];

function needsOf({ needs = [] }: Operation): string {
  return needs
    .map(({ permission: { resource, action }, where }) => ` Also \`${resource}.*.${action}\` ${where}.`)
    .join('');
}

function sessionsOf({ sessions }: Operation): string {
  if (sessions === undefined) return '';
  const [only] = sessions.length === 1 ? sessions : [];
  const links = only === undefined ? 'a set-up or support link' : `a ${only === 'support' ? 'support' : 'set-up'} link`;
  return ` A session of ${links} may call it for its domain.`;
}

/** An operation of the API. Schemas with a title are written into `components`. */
function describeOperation(operation: Operation, components: Map<string, JsonSchema>): ApiOperation {
  const { permission, onAll, sessions, status } = operation;
  const takesKey = madeOnceBy(operation) !== undefined;
  const grants = sufficientGrants(permission, onAll !== undefined).map((grant) => `\`${grant}\``);
  const access = `Permission: ${grants.join(' or ')}.${needsOf(operation)}${sessionsOf(operation)}`;
  const problems = [
    ...operation.problems,
    ...(mayNamePermission(operation) ? (['authorization/insufficient_permissions'] as const) : []),
    ...(takesKey ? CREATING : []),
    ...(sessions === undefined ? [] : OF_SESSIONS),
  ];
  return {
    ...describeCall(operation, components),
    description: `${operation.description}\n\n${access}`,
    security: [{ rootKey: [] }, ...(sessions === undefined ? [] : [{ setupSession: [] }])],
    ...parametersOf(operation),
    ...annotationsOf(operation),
    'x-error-codes': codesOf(problems),
    responses: {
      [status]: {
        description: status === 202 ? 'Accepted' : 'OK',
        headers: { ...ALWAYS, ...LIMITED, ...(takesKey && referTo('headers', ['Idempotency-Replayed'])) },
        content: describeContent(operation, components),
      },
      ...errorsOf(problems, components),
    },
  };
}

/** An operation that needs no key. */
function describeOpenOperation(operation: OpenOperation, components: Map<string, JsonSchema>): ApiOperation {
  const content = describeContent(operation, components);
  return {
    ...describeCall(operation, components),
    description: operation.description,
    security: [],
    'x-error-codes': codesOf(operation.problems, { needsKey: false }),
    responses: {
      [operation.status]: { description: 'OK', headers: { ...ALWAYS, ...LIMITED }, content },
      ...errorsOf(operation.problems, components, { needsKey: false }),
    },
  };
}

/** How pages follow each other, and what may be repeated: generators of clients cannot read it from schemas. */
function annotationsOf(operation: Operation) {
  const takesKey = madeOnceBy(operation) !== undefined;
  const isHarmless = takesKey || isRead(operation.name);
  const isList = !isStream(operation) && operation.example.result.pagination !== undefined;
  return {
    ...(isList && { 'x-pagination': PAGES }),
    'x-retries': { statusCodes: isHarmless ? ['429', '5XX'] : ['429'], connectionErrors: isHarmless },
    ...(takesKey && { 'x-idempotency': { header: 'Idempotency-Key' } }),
  };
}

const PAGES = {
  type: 'cursor',
  cursor: '$request.body#/cursor',
  nextCursor: '$response.body#/pagination/cursor',
  items: '$response.body#/data',
} as const;

/** Describes the request. */
function describeCall(
  { name, summary, request, example }: Operation | OpenOperation,
  components: Map<string, JsonSchema>,
) {
  return {
    operationId: operationIdOf(name),
    tags: [name.split('.', 1)[0] ?? name],
    summary,
    requestBody: {
      required: true as const,
      content: { [JSON_TYPE]: { schema: refer(request, components), example: example.request } },
    },
  };
}

function describeContent(
  operation: Operation | OpenOperation,
  components: Map<string, JsonSchema>,
): Record<string, ApiContent> {
  if ('open' in operation)
    return { [EVENTS_TYPE]: { schema: { type: 'string' }, example: operation.example.response } };
  const example = { meta: { requestId: EXAMPLE_REQUEST }, ...operation.example.result };
  return { [JSON_TYPE]: { schema: refer(operation.response, components), example } };
}

/** A route that needs no key. */
function describePublicRoute(route: PublicRoute, components: Map<string, JsonSchema>): ApiOperation {
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

/** Version of the HTTP API (spec: Versioning). Its major number is part of every path. */
export const API_VERSION = '2.0.0';

const TAGS: Record<string, string> = {
  domains: 'Custom domains: their verification, certificates, redirects and set-up links.',
  projects: 'Projects hold apps.',
  apps: 'Apps hold environments.',
  environments: 'An environment holds domains. Its current deployment sets where their traffic goes.',
  deployments: 'A deployment sets the origin that the traffic of an environment goes to.',
  webhooks: 'Webhooks send the events of the workspace to your URLs.',
  targets: "Shared targets of the workspace: hosts of your platform that your customers' names already lead to.",
  usage: 'Requests and bytes that the edge served for each domain, by hour, for dashboards and billing.',
  audit: 'The audit log records who changed what in the workspace, when and from where.',
  keys: 'Root keys of the workspace. A key cannot grant permissions that it lacks.',
  tokens: 'Short-lived dashboard tokens, which you create with a root key.',
  workspaces: 'Workspaces that your workspace creates, such as one for each customer.',
  setup: 'Sessions and branding of the page that a set-up link opens for a customer.',
  liveness: 'Health checks. They need no key.',
};

/** Where the API is, as far as the committed document knows. */
const ANY_SERVER = {
  url: 'https://{host}',
  description: 'Your installation.',
  variables: {
    host: { default: 'api.example.net', description: 'Host of the API, with its port if that is not 443.' },
  },
};

/**
 * The OpenAPI 3.1 document of the API, generated from the schemas of requests, responses and events and from the error
 * table. `baseUrl`: where the API is, without a final slash.
 */
export function openApiDocument(baseUrl?: string): ApiDocument {
  const components = new Map<string, JsonSchema>([['ErrorCode', ERROR_CODE]]);
  const responses = sharedErrors(components);
  const paths: ApiDocument['paths'] = {};
  for (const operation of operations)
    paths[`/v2/${operation.name}`] = { post: describeOperation(operation, components) };
  for (const operation of openOperations)
    paths[`/v2/${operation.name}`] = { post: describeOpenOperation(operation, components) };
  for (const route of publicRoutes) paths[route.path] = { get: describePublicRoute(route, components) };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Nameplate API',
      version: API_VERSION,
      description:
        'Custom domains for your platform. Operations are POST requests with a JSON object as the body. Every response has an envelope: `{meta, data}`, `{meta, data, pagination}` for lists, or `{meta, error}`. Properties without a value are absent, never null. Later releases may add types of events, values to an `x-extensible-enum`, and properties to response objects, except where a schema has `additionalProperties: false`. Ignore those that you do not know. If you send an `Idempotency-Key`, you can safely repeat a request that creates something.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [baseUrl === undefined ? ANY_SERVER : { url: baseUrl, description: 'This installation.' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: describeWebhooks(components),
    components: {
      schemas: Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
      responses,
      examples: errorExamples(),
      headers: HEADERS,
      parameters: PARAMETERS,
      securitySchemes: {
        rootKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            'A root key: `Authorization: Bearer <ROOT_KEY>`. The dashboard sends a short-lived token (JWT) instead.',
        },
        setupSession: {
          type: 'http',
          scheme: 'bearer',
          description:
            'The session token of a set-up link, from `setup.openSession`, in the same header. It works for the domain of the link alone, and for two minutes.',
        },
      },
    },
  };
}
