import Type, { type TSchema } from 'typebox';
import {
  ERROR_CODE_HEADER,
  ERRORS,
  type ErrorNaming,
  type ErrorStatus,
  errorCodes,
  Problem,
  type ProblemCode,
  presentProblem,
  STATUSES,
} from '../errors.ts';
import { lacksPermission } from '../find.ts';
import { closed, Meta, ValidationError } from '../schemas.ts';
import { invalid } from '../validation.ts';
import { type ApiDocument, type ApiResponse, EXAMPLE_REQUEST, JSON_TYPE, type JsonSchema } from './api-document.ts';
import { ALWAYS, LIMITED, refer, referTo } from './components.ts';

/** Errors of every operation. */
const COMMON: readonly ProblemCode[] = [
  'validation/invalid_input',
  'authentication/missing',
  'authentication/malformed',
  'authentication/key_not_found',
  'authorization/key_disabled',
  'authorization/workspace_disabled',
  'authorization/setup_session',
  'request/body_too_large',
  'limits/rate_limited',
  'limits/overloaded',
  'application/internal',
];

/** Errors of every operation that needs no key. */
const COMMON_WITHOUT_KEY = COMMON.filter((code) => !/^auth/.test(code));

/** Errors of requests that reach no operation. */
const OUTSIDE: readonly ProblemCode[] = [
  'request/route_not_found',
  'request/page_not_built',
  'request/method_not_allowed',
  'request/timeout',
  'request/header_too_large',
];

const NAMING = { service: 'service' };

/** Example values for the parts that differ from one occurrence to the next. */
const OCCURRENCES: Partial<Record<ProblemCode, Problem>> = {
  'validation/invalid_input': invalid('body.domain', 'must have at least 4 characters'),
  'authorization/insufficient_permissions': lacksPermission({
    permission: { resource: 'project', action: 'create_project' },
    onAll: true,
  }),
};

/** The responses that operations share. */
export function sharedErrors(components: Map<string, JsonSchema>): ApiDocument['components']['responses'] {
  const codes = [...COMMON, ...OUTSIDE];
  const responses = statusesOf(codes).map((status) => [responseName(status), describe(status, codes, components)]);
  return Object.fromEntries(responses);
}

/** The codes of all errors of an operation, in the order of the table. */
export function codesOf(problems: readonly ProblemCode[], { needsKey = true } = {}): ProblemCode[] {
  const common = needsKey ? COMMON : COMMON_WITHOUT_KEY;
  return errorCodes.filter((code) => common.includes(code) || problems.includes(code));
}

/** The error responses of an operation by their status. A status of which it has an error of its own (`problems`) is written out. */
export function errorsOf(
  problems: readonly ProblemCode[],
  components: Map<string, JsonSchema>,
  { needsKey = true } = {},
): Record<string, ApiResponse | { $ref: string }> {
  const codes = codesOf(problems, { needsKey });
  const own = statusesOf(problems);
  const errors = statusesOf(codes).map((status) => [
    status,
    own.includes(status)
      ? describe(status, codes, components)
      : { $ref: `#/components/responses/${responseName(status)}` },
  ]);
  return Object.fromEntries(errors);
}

/** An example of each error, by `exampleName`. */
export function errorExamples(): ApiDocument['components']['examples'] {
  return Object.fromEntries(errorCodes.map((code) => [exampleName(code), { value: exampleProblem(code) }]));
}

/** An error body, for the documentation. */
export function exampleProblem(code: ProblemCode, naming: ErrorNaming = NAMING) {
  return presentProblem(OCCURRENCES[code] ?? new Problem(code), EXAMPLE_REQUEST, naming);
}

/** Name of an error's example among the components; it may have no slash. */
export function exampleName(code: ProblemCode): string {
  return code.replace('/', '.');
}

/** The response with this status, which has one of these codes. */
function describe(
  status: ErrorStatus,
  codes: readonly ProblemCode[],
  components: Map<string, JsonSchema>,
): ApiResponse {
  const mine = codes.filter((code) => ERRORS[code].status === status);
  return {
    description: mine.map((code) => `\`${code}\`: ${ERRORS[code].detail}`).join('\n\n'),
    headers: {
      ...ALWAYS,
      ...referTo('headers', [ERROR_CODE_HEADER]),
      // A 401 comes before the rate limit.
      ...(status !== 401 && LIMITED),
      ...(status === 429 && referTo('headers', ['Retry-After'])),
      ...(mine.includes('authentication/setup_link_expired') &&
        referTo('headers', ['Nameplate-Support', 'Nameplate-Support-Name'])),
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

function errorSchema(status: ErrorStatus): TSchema {
  const { title, type } = STATUSES[status];
  const base = {
    title: Type.Literal(title),
    detail: Type.String({ description: 'The problem of this request.' }),
    status: Type.Literal(status),
    type: Type.String({
      description: `\`${type}\`, or the URI of the problem's page where the operator publishes the documentation.`,
    }),
  };
  const errors = Type.Array(ValidationError, { minItems: 1, maxItems: 100 });
  const error = status === 400 ? Type.Object({ ...base, errors }, closed) : Type.Object(base, closed);
  return Type.Object({ meta: Meta, error }, { ...closed, title: `${responseName(status)}Response` });
}

function statusesOf(codes: readonly ProblemCode[]): ErrorStatus[] {
  return [...new Set(codes.map((code) => ERRORS[code].status))].sort();
}

function responseName(status: ErrorStatus): string {
  return STATUSES[status].title.replaceAll(' ', '');
}
