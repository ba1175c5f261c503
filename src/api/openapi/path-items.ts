import { sufficientGrants } from '../../access/permissions.ts';
import type { ProblemCode } from '../errors.ts';
import { isStream, type Operation } from '../operation.ts';
import type { PublicRoute } from '../public-routes.ts';
import { type ApiContent, type ApiOperation, EXAMPLE_REQUEST, JSON_TYPE, type JsonSchema } from './api-document.ts';
import { errorsOf } from './error-responses.ts';
import { ALWAYS, LIMITED, parametersOf } from './header-fields.ts';
import { refer, referTo } from './references.ts';

const EVENTS_TYPE = 'text/event-stream';

/** Errors of operations that create. */
const CREATING: readonly ProblemCode[] = ['request/idempotency_key_in_flight', 'request/idempotency_key_reused'];

/** An operation of the API. Schemas with a title are written into `components`. */
export function describeOperation(operation: Operation, components: Map<string, JsonSchema>): ApiOperation {
  const { name, summary, description, permission, onAll, creates, request, status, example } = operation;
  const grants = sufficientGrants(permission, onAll).map((grant) => `\`${grant}\``);
  const problems = creates === undefined ? operation.problems : [...operation.problems, ...CREATING];
  return {
    operationId: name,
    tags: [name.split('.', 1)[0] ?? name],
    summary,
    description: `${description}\n\nPermission: ${grants.join(' or ')}.`,
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
      ...errorsOf(problems, components),
    },
  };
}

function describeContent(operation: Operation, components: Map<string, JsonSchema>): Record<string, ApiContent> {
  if (isStream(operation))
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
