import { sufficientGrants } from '../../access/permissions.ts';
import type { ProblemCode } from '../errors.ts';
import type { OpenOperation, Operation } from '../operation.ts';
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

/** An operation of the API. Schemas with a title are written into `components`. */
function describeOperation(operation: Operation, components: Map<string, JsonSchema>): ApiOperation {
  const { permission, onAll, creates, credential, status } = operation;
  const grants = sufficientGrants(permission, onAll !== undefined).map((grant) => `\`${grant}\``);
  const access = `Permission: ${grants.join(' or ')}.${credential ? ' A session of a set-up link may call it for its domain.' : ''}`;
  const problems = [
    ...operation.problems,
    ...(onAll === 'workspace' ? (['authorization/insufficient_permissions'] as const) : []),
    ...(creates === undefined ? [] : CREATING),
    ...(credential === undefined ? [] : OF_SESSIONS),
  ];
  return {
    ...describeCall(operation, components),
    description: `${operation.description}\n\n${access}`,
    security: [{ rootKey: [] }],
    ...parametersOf(operation),
    'x-error-codes': codesOf(problems),
    responses: {
      [status]: {
        description: status === 202 ? 'Accepted' : 'OK',
        headers: { ...ALWAYS, ...LIMITED, ...(creates !== undefined && referTo('headers', ['Idempotency-Replayed'])) },
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

/** Describes the request. */
function describeCall(
  { name, summary, request, example }: Operation | OpenOperation,
  components: Map<string, JsonSchema>,
) {
  return {
    operationId: name,
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
  domains: 'Custom domains and their verification.',
  projects: 'Projects hold apps.',
  apps: 'Apps hold environments.',
  environments: 'Environments hold domains. Their current deployment serves them.',
  deployments: 'Deployments say where the traffic of an environment goes.',
  webhooks: 'Webhooks send the events of the workspace to a URL of yours.',
  usage: 'What the edge served for each domain, by hour: for dashboards and bills.',
  audit: 'The audit log has who changed what in the workspace, when and from where.',
  setup: 'The page that a set-up link shows to a customer: its sessions, and its brand.',
  liveness: 'Health checks. They need no key.',
};

/**
 * The OpenAPI 3.1 document of the API, generated from the schemas of requests and responses and from the error table.
 */
export function openApiDocument(): ApiDocument {
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
        'Custom domains for your platform. Operations are POST requests with JSON objects as bodies. Every response has an envelope: `{meta, data}`, `{meta, data, pagination}` for lists, or `{meta, error}`. Properties that have no value are absent, never null. A creation with an `Idempotency-Key` can be repeated without creating twice.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
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
      },
    },
  };
}
