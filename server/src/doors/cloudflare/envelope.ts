import { type Problem, type ProblemCode, presentError } from '../../api/errors.ts';
import { VendorProblem } from '../door.ts';

/** The vendor's envelope and its error codes, as its documentation has them. */

export function enveloped(result: unknown, messages: { code: number; message: string }[] = []) {
  return { success: true, errors: [], messages, result };
}

/** Refuses a thing that the vendor allows. */
export function notAllowed(code: number, message: string): Problem {
  return new VendorProblem('authorization/forbidden', code, message);
}

export function badInput(code: number, message: string): Problem {
  return new VendorProblem('validation/invalid_input', code, message);
}

/** Errors of the operations that the vendor has a code for. */
const CODES: Partial<Record<ProblemCode, readonly [code: number, message: string]>> = {
  'authorization/forbidden': [1409, 'Reserved custom hostnames are not supported.'],
  'data/domain_already_exists': [1406, 'Duplicate custom hostname found.'],
  'data/domain_not_found': [1436, 'The custom hostname was not found.'],
  'limits/custom_domain_limit_exceeded': [1405, 'Quota exceeded.'],
  'request/route_not_found': [7000, 'No route for that URI.'],
  'data/environment_not_found': [7003, 'Could not route to that zone, perhaps your object identifier is invalid?'],
  'application/internal': [1500, 'Internal Server Error.'],
};

const BY_STATUS: Partial<Record<number, readonly [code: number, message: string]>> = {
  401: [10_000, 'Authentication error.'],
  403: [10_000, 'Authentication error.'],
  429: [971, 'Please wait and consider throttling your request speed.'],
};

/** By the place of the first violation in the input of an operation. */
const INVALID: [place: string, code: number][] = [
  ['body.domain', 1407],
  ['body.metadata', 1401],
  ['query', 1434],
];
const UNDECODABLE = 1400;

/** Violations that one message names. */
const MOST_NAMED = 3;

export function refused(problem: Problem, requestId: string) {
  return { success: false, errors: [errorOf(problem, requestId)], messages: [], result: null };
}

function errorOf(problem: Problem, requestId: string): { code: number; message: string } {
  const { detail } = presentError(problem, { service: '' });
  if (problem instanceof VendorProblem) return { code: problem.vendorCode, message: detail };
  const { code, status, errors } = problem;
  if (errors !== undefined) {
    const [, vendorCode = UNDECODABLE] = INVALID.find(([place]) => errors[0]?.location.startsWith(place)) ?? [];
    const named = errors.slice(0, MOST_NAMED).map((each) => `${each.location.replace(/^body\./, '')} ${each.message}`);
    return { code: vendorCode, message: `Check your input: ${named.join('; ')}.` };
  }
  const [vendorCode, message] = CODES[code] ?? BY_STATUS[status] ?? [UNDECODABLE, 'The request was refused.'];
  const named = code === 'application/internal' ? ` Request id: ${requestId}.` : '';
  return { code: vendorCode, message: `${message} ${detail}${named}` };
}
