import { Problem, type ProblemCode } from '../../api/errors.ts';

/** The vendor's envelope and its error codes, as its documentation has them. */

interface VendorError {
  /** The code of the vendor. */
  code: number;
  message: string;
}

export function enveloped(result: unknown, messages: VendorError[] = []) {
  return { success: true, errors: [], messages, result };
}

/** A refusal with a code of the vendor. Its status is that of `problem`. */
export class CloudflareProblem extends Problem {
  readonly vendor: VendorError;

  constructor(problem: ProblemCode, code: number, message: string) {
    super(problem, { detail: message });
    this.vendor = { code, message };
  }
}

/** Refuses a thing that the vendor allows. */
export function notAllowed(code: number, message: string): CloudflareProblem {
  return new CloudflareProblem('authorization/forbidden', code, message);
}

export function badInput(code: number, message: string): CloudflareProblem {
  return new CloudflareProblem('validation/invalid_input', code, message);
}

export const HOSTNAME_NOT_FOUND = [1436, 'The custom hostname was not found.'] as const;

/** Errors of the operations that the vendor has a code for. */
const CODES: Partial<Record<ProblemCode, readonly [code: number, message: string]>> = {
  'authorization/forbidden': [1409, 'Reserved custom hostnames are not supported.'],
  'data/domain_already_exists': [1406, 'Duplicate custom hostname found.'],
  'data/domain_not_found': HOSTNAME_NOT_FOUND,
  'limits/custom_domain_limit_exceeded': [1405, 'Quota exceeded.'],
  'request/route_not_found': [7000, 'No route for that URI'],
  'data/environment_not_found': [7003, 'Could not route to that zone, perhaps your object identifier is invalid?'],
  'application/internal': [1500, 'Internal Server Error'],
};

const BY_STATUS: Partial<Record<number, readonly [code: number, message: string]>> = {
  401: [10_000, 'Authentication error'],
  403: [10_000, 'Authentication error'],
  429: [971, 'Please wait and consider throttling your request speed'],
};

/** By the place of the first violation in the input of an operation. */
const INVALID: Record<string, number> = { 'body.domain': 1407, 'body.metadata': 1401 };
const UNDECODABLE = 1400;

/** Violations that one message names. */
const MOST_NAMED = 3;

export function refused(problem: Problem, requestId: string) {
  const error = problem instanceof CloudflareProblem ? problem.vendor : translated(problem, requestId);
  return { success: false, errors: [error], messages: [], result: null };
}

function translated(problem: Problem, requestId: string): VendorError {
  const { code, status, errors, detail } = problem;
  if (errors !== undefined) {
    const { location = '' } = errors[0] ?? {};
    const place = Object.keys(INVALID).find((each) => location.startsWith(each)) ?? '';
    const named = errors.slice(0, MOST_NAMED).map((each) => `${each.location.replace(/^body\./, '')} ${each.message}`);
    return { code: INVALID[place] ?? UNDECODABLE, message: `Check your input: ${named.join('; ')}.` };
  }
  const [vendorCode, message] = CODES[code] ?? BY_STATUS[status] ?? [UNDECODABLE, 'The request was refused.'];
  const more = code === 'application/internal' ? `Request id: ${requestId}.` : (detail ?? `(${code})`);
  return { code: vendorCode, message: `${message} ${more}` };
}
