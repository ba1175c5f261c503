import { isUtf8 } from 'node:buffer';
import { Ajv, type ValidateFunction } from 'ajv';
import type { FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify';
import { parse } from 'secure-json-parse';
import { quote } from '../domain/text.ts';
import { Problem, type Violation } from './errors.ts';
import { explainPattern } from './schemas.ts';

/** Reports every violation, with the value it is about, and changes none. JavaScript's whole numbers fit an int64. */
const ajv = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true, verbose: true, formats: { int64: true } });

/**
 * Compiles a schema at the first request that needs it: to compile all of them would take a fifth of the CPU time of
 * the start.
 */
export const compileValidator: FastifySchemaCompiler<object> = ({ schema }) => {
  let validate: ValidateFunction | undefined;
  return (value) => {
    validate ??= ajv.compile(schema);
    return validate(value) || { error: validate.errors ?? [] };
  };
};

/** Checks a value against a schema. The check throws a `Problem` that names each violation. */
export function checkerOf(schema: object): (value: unknown) => void {
  const validate = compileValidator({ schema, method: 'POST', url: '', httpPart: 'body' });
  return (value) => {
    const checked = validate(value) as true | { error: FastifySchemaValidationError[] };
    if (checked === true) return;
    throw new Problem('validation/invalid_input', { errors: violations(checked.error, value === undefined) });
  };
}

/** Most violations of one response, so that a hostile body gets no response larger than itself. */
const MAX_VIOLATIONS = 100;

/** A `Problem` with one violation. */
export function invalid(location: string, message: string, fix?: string): Problem {
  return new Problem('validation/invalid_input', {
    errors: [{ location, message, ...(fix !== undefined && { fix }) }],
  });
}

/** Parses a body: JSON in UTF-8 that sets no prototype. Throws a `Problem`. */
export function parseBody(body: Buffer): unknown {
  if (body.length === 0) throw invalid('body', 'must not be empty', 'send a JSON object');
  if (!isUtf8(body)) throw invalid('body', 'must be encoded in UTF-8');
  const value = parseJson(body.toString());
  // Bounds the work of validation, which reports every violation.
  if (isObject(value) && Object.keys(value).length > MAX_VIOLATIONS) {
    throw invalid('body', `must have at most ${MAX_VIOLATIONS} properties`);
  }
  return value;
}

function parseJson(text: string): unknown {
  try {
    return parse(text, { protoAction: 'error', constructorAction: 'error' });
  } catch (error) {
    const poisoned = error instanceof Error && error.message.includes('forbidden prototype property');
    if (poisoned)
      throw invalid('body', 'must not set the prototype of an object', 'remove "__proto__" or "constructor"');
    throw invalid('body', 'must be valid JSON', 'send a JSON object');
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Ajv's errors as violations. */
export function violations(errors: readonly FastifySchemaValidationError[], bodyIsMissing: boolean): Violation[] {
  const found = errors.slice(0, MAX_VIOLATIONS).flatMap((error): Violation | Violation[] => {
    const location = locate(error.instancePath);
    // Ajv's `verbose` adds `data`: the value.
    const { params, data } = error as FastifySchemaValidationError & { data?: unknown };
    switch (error.keyword) {
      case 'required':
        return { location: `${location}.${params.missingProperty}`, message: 'must be present' };
      case 'additionalProperties':
        return unknownProperty(location, String(params.additionalProperty));
      case 'type':
        if (bodyIsMissing) return { location, message: 'must be present', fix: 'send a JSON object' };
        return { location, message: `must be ${TYPES[String(params.type)] ?? `of type ${params.type}`}` };
      case 'minLength':
        return { location, message: `must have at least ${params.limit} characters` };
      case 'maxLength':
        return { location, message: `must have at most ${params.limit} characters` };
      case 'propertyNames':
        // The error of the name itself comes with it.
        return [];
      case 'maxProperties':
        return { location, message: `must have at most ${params.limit} properties` };
      case 'minProperties':
        return { location, message: `must have at least ${params.limit} properties` };
      case 'minimum':
        return { location, message: `must be at least ${params.limit}` };
      case 'maximum':
        return { location, message: `must be at most ${params.limit}` };
      case 'pattern':
        return explainPattern(String(params.pattern), String(data)).map((told) => ({ location, ...told }));
      default:
        return { location, message: error.message ?? 'must be valid' };
    }
  });
  return found.slice(0, MAX_VIOLATIONS);
}

const TYPES: Record<string, string> = {
  object: 'a JSON object',
  string: 'a string',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  null: 'null',
  'string,object': 'a string or a JSON object',
  'string,null': 'a string or null',
  'object,null': 'a JSON object or null',
  'boolean,null': 'true, false or null',
};

function unknownProperty(location: string, name: string): Violation {
  const place = /^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/.test(name) ? `.${name}` : `[${quote(name)}]`;
  return {
    location: location + place,
    message: 'must not be there: the operation has no such property',
    fix: 'remove it',
  };
}

/** `body.domain` for Ajv's `/domain`. */
function locate(instancePath: string): string {
  return `body${instancePath.replaceAll('/', '.')}`;
}
