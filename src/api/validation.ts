import { isUtf8 } from 'node:buffer';
import type { FastifySchemaValidationError } from 'fastify';
import { parse } from 'secure-json-parse';
import { quote } from '../domain/text.ts';
import { Problem, type Violation } from './errors.ts';
import { PATTERN_RULES } from './schemas.ts';

/** Most violations of one answer, so that a hostile body gets no longer answer than it is itself. */
const MOST_VIOLATIONS = 100;

/** A refusal of the request with one violated rule. */
export function invalid(location: string, message: string, fix?: string): Problem {
  return new Problem('validation/invalid_input', { errors: [{ location, message, fix }] });
}

/** Reads a body: one JSON object in UTF-8, which sets nobody's prototype. Throws a `Problem` that says what it is instead. */
export function parseBody(body: Buffer): unknown {
  if (body.length === 0) throw invalid('body', 'must not be empty', 'send a JSON object');
  if (!isUtf8(body)) throw invalid('body', 'must be encoded in UTF-8');
  const value = parseJson(body.toString());
  // Bounds the work that one body can ask of the validation of all its violations.
  if (isObject(value) && Object.keys(value).length > MOST_VIOLATIONS) {
    throw invalid('body', `must have at most ${MOST_VIOLATIONS} properties`);
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

/** What a request violates of its schema, in words. */
export function violations(errors: readonly FastifySchemaValidationError[], bodyIsMissing: boolean): Violation[] {
  return errors.slice(0, MOST_VIOLATIONS).map((error) => {
    const location = locate(error.instancePath);
    const { params } = error;
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
      case 'minimum':
        return { location, message: `must be at least ${params.limit}` };
      case 'maximum':
        return { location, message: `must be at most ${params.limit}` };
      case 'pattern':
        return { location, message: PATTERN_RULES[String(params.pattern)] ?? `must match ${params.pattern}` };
      default:
        return { location, message: error.message ?? 'must be valid' };
    }
  });
}

const TYPES: Record<string, string> = {
  object: 'a JSON object',
  string: 'a string',
  integer: 'a whole number',
  boolean: 'true or false',
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
