import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { ERRORS, type ErrorStatus, type ProblemCode, STATUSES } from '../../server/src/api/errors.ts';
import type { ApiDocument, ApiResponse } from '../../server/src/api/openapi/api-document.ts';

/** An answer of the API. */
export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** Empty if the answer is not JSON. */
  body: AnswerBody;
}

export interface AnswerBody {
  meta?: { requestId: string };
  data?: unknown;
  pagination?: { cursor?: string; hasMore: boolean };
  error?: { title: string; detail: string; status: number; type: string; errors?: ViolationShown[] };
}

interface ViolationShown {
  location: string;
  message: string;
  fix?: string;
}

/** The committed document: what is promised, whatever the code says. */
export const document: ApiDocument = JSON.parse(readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8'));

const ajv = new Ajv2020({
  strict: false,
  allErrors: true,
  formats: { int64: { type: 'number', validate: Number.isSafeInteger } },
});
ajv.addSchema(strict(document), 'openapi');
const validators = new Map<string, ValidateFunction>();

/**
 * The document with every object closed, and no other values of enums: clients have to bear what a later release adds,
 * but a server adds nothing that its own document does not name.
 */
export function strict<Node>(node: Node): Node {
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map(strict) as Node;
  const copy: Record<string, unknown> = Object.fromEntries(
    Object.entries(node).map(([key, each]) => [key, strict(each)]),
  );
  if (copy.type === 'object' && 'properties' in copy) copy.additionalProperties ??= false;
  if (Array.isArray(copy['x-extensible-enum'])) copy.enum = copy['x-extensible-enum'];
  return copy as Node;
}

/** Holds an answer against openapi.json: status, headers and body. Returns it. */
export function judge(method: string, path: string, answer: Answer): Answer {
  const { status, headers, text, body } = answer;
  if (headers['content-type']?.startsWith('text/html')) return answer;
  if (/^\/(docs|llms\.txt|$)/.test(path) && status < 400) return answer;
  if (headers['content-type'] === 'text/event-stream') return judgeStream(method, path, answer);
  if (headers['content-type'] !== 'application/json; charset=utf-8') {
    throw new Error(`${method} ${path} answered with the content type ${headers['content-type']}`);
  }
  if (method === 'HEAD' || path === '/openapi.json') return answer;

  const { pointer, response } = promised(method, path, status);
  const validate = validator(`${pointer}/content/application~1json/schema`);
  if (!validate(body)) throw new Error(`${method} ${path} ${status}: ${ajv.errorsText(validate.errors)}\n${text}`);
  for (const [name, reference] of Object.entries(response.headers)) judgeHeader(name, reference.$ref, headers);
  if (headers['retry-after'] !== undefined && !('Retry-After' in response.headers))
    throw new Error(`${method} ${path} ${status} never promised Retry-After`);
  if (body.meta !== undefined && body.meta.requestId !== headers['x-request-id']) throw new Error('two request ids');
  if (body.error !== undefined && body.error.status !== status) throw new Error('two statuses');
  if (body.error !== undefined) judgeCode(method, path, answer);
  if ((status === 405) !== (headers.allow !== undefined)) throw new Error('Allow belongs to 405');
  return answer;
}

function judgeStream(method: string, path: string, answer: Answer): Answer {
  const { response } = promised(method, path, answer.status);
  if (!('text/event-stream' in response.content)) throw new Error(`${method} ${path} never promised events`);
  for (const [name, reference] of Object.entries(response.headers)) judgeHeader(name, reference.$ref, answer.headers);
  return answer;
}

/** Holds a refusal against openapi.json where nobody knows what was asked for. Returns it. */
export function judgeError(answer: Answer): Answer {
  const status = answer.status as ErrorStatus;
  const name = STATUSES[status]?.title.replaceAll(' ', '');
  const validate = validator(`#/components/schemas/${name}Response`);
  if (!validate(answer.body)) throw new Error(`${status}: ${ajv.errorsText(validate.errors)}\n${answer.text}`);
  if (answer.body.meta?.requestId !== answer.headers['x-request-id']) throw new Error('two request ids');
  codeOf(answer);
  return answer;
}

/** Holds the code of an error against those that openapi.json lists for the operation. */
function judgeCode(method: string, path: string, answer: Answer): void {
  const code = codeOf(answer);
  const listed = document.paths[path]?.[method === 'GET' ? 'get' : 'post']?.['x-error-codes'];
  if (listed?.includes(code) || /^request\/(route|method|timeout|header)/.test(code)) return;
  if (listed !== undefined || code !== 'validation/invalid_input')
    throw new Error(`${method} ${path} never promised the error ${code}`);
}

/** The code of an error response, which has the status of the table. */
function codeOf({ status, headers }: Answer): ProblemCode {
  const code = headers['nameplate-error-code'] as ProblemCode;
  if (ERRORS[code]?.status !== status) throw new Error(`${status} has the error code ${code}`);
  return code;
}

function promised(method: string, path: string, status: number): { pointer: string; response: ApiResponse } {
  const operation = document.paths[path]?.[method === 'GET' ? 'get' : 'post'];
  const right = operation !== undefined && status !== 405;
  const described = right ? operation.responses[status] : shared(status);
  if (described === undefined)
    throw new Error(`${method} ${path} never promised to answer ${status}: run npm run generate`);
  if ('$ref' in described) {
    const name = described.$ref.replace('#/components/responses/', '');
    const response = document.components.responses[name];
    if (response === undefined) throw new Error(`openapi.json has no ${described.$ref}`);
    return { pointer: described.$ref, response };
  }
  const member = method === 'GET' ? 'get' : 'post';
  return { pointer: `#/paths/${path.replaceAll('/', '~1')}/${member}/responses/${status}`, response: described };
}

/** The answer with this status to what reaches no operation. */
function shared(status: number) {
  const names: Record<number, string> = {
    400: 'BadRequest',
    404: 'NotFound',
    405: 'MethodNotAllowed',
    408: 'RequestTimeout',
    431: 'RequestHeaderFieldsTooLarge',
  };
  const name = names[status];
  return name === undefined ? undefined : { $ref: `#/components/responses/${name}` };
}

function judgeHeader(name: string, reference: string, headers: IncomingHttpHeaders): void {
  const header = document.components.headers[reference.replace('#/components/headers/', '')];
  const value = headers[name.toLowerCase()];
  if (value === undefined) {
    if (header?.required) throw new Error(`${name} is missing`);
    return;
  }
  const validate = validator(`${reference}/schema`);
  const read = header?.schema.type === 'integer' ? Number(value) : value;
  if (!validate(read)) throw new Error(`${name}: ${value}: ${ajv.errorsText(validate.errors)}`);
}

function validator(pointer: string): ValidateFunction {
  const known = validators.get(pointer);
  if (known) return known;
  const made = ajv.compile({ $ref: `openapi${pointer}` });
  validators.set(pointer, made);
  return made;
}
