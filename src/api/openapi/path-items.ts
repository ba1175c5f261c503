import { sufficientGrants } from '../../access/permissions.ts';
import type { ProblemCode } from '../errors.ts';
import type { OpenOperation, Operation } from '../operation.ts';
import type { PublicRoute } from '../public-routes.ts';
import { type ApiContent, type ApiOperation, EXAMPLE_REQUEST, JSON_TYPE, type JsonSchema } from './api-document.ts';
import { errorsOf } from './error-responses.ts';
import { ALWAYS, LIMITED, parametersOf } from './header-fields.ts';
import { refer, referTo } from './references.ts';

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
export function describeOperation(operation: Operation, components: Map<string, JsonSchema>): ApiOperation {
  const { permission, onAll, creates, credential, status } = operation;
  const grants = sufficientGrants(permission, onAll).map((grant) => `\`${grant}\``);
  const access = `Permission: ${grants.join(' or ')}.${credential ? ' A session of a set-up link may call it for its domain.' : ''}`;
  const problems = [
    ...operation.problems,
    ...(creates === undefined ? [] : CREATING),
    ...(credential === undefined ? [] : OF_SESSIONS),
  ];
  return {
    ...describeCall(operation, components),
    description: `${operation.description}\n\n${access}`,
    security: [{ rootKey: [] }],
    ...parametersOf(operation),
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
export function describeOpenOperation(operation: OpenOperation, components: Map<string, JsonSchema>): ApiOperation {
  const content = describeContent(operation, components);
  return {
    ...describeCall(operation, components),
    description: operation.description,
    security: [],
    responses: {
      [operation.status]: { description: 'OK', headers: { ...ALWAYS, ...LIMITED }, content },
      ...errorsOf(operation.problems, components, { needsKey: false }),
    },
  };
}

/** What is sent. */
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
export function describePublicRoute(route: PublicRoute, components: Map<string, JsonSchema>): ApiOperation {
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
