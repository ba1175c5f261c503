import { type Problem, type ProblemCode, presentError } from '../../api/errors.ts';
import { VendorProblem } from '../door.ts';

/** The status with which the vendor's API has a problem, where it is another. Its credentials are forbidden, not unauthorized. */
const STATUS: Partial<Record<ProblemCode | number, number>> = {
  401: 403,
  'application/redirect_chain': 400,
  'application/redirect_destination_not_verified': 400,
  'data/redirect_destination_not_found': 400,
};

const CODES: Record<number, string> = {
  403: 'forbidden',
  404: 'not_found',
  429: 'rate_limited',
  500: 'internal_server_error',
};

/** The status and the body of the vendor's error for a problem: `{ error: { code, message } }`. */
export function refusalOf(problem: Problem): { status: number; body: object } {
  const status =
    problem instanceof VendorProblem ? 400 : (STATUS[problem.code] ?? STATUS[problem.status] ?? problem.status);
  const code = problem instanceof VendorProblem ? problem.vendorCode : codeOf(problem, status);
  const isOfKey =
    problem.status === 401 && (problem.code === 'authentication/missing' ? 'missingToken' : 'invalidToken');
  return { status, body: { error: { code, message: messageOf(problem), ...(isOfKey && { [isOfKey]: true }) } } };
}

function codeOf({ code, errors }: Problem, status: number): string {
  if (code === 'data/domain_already_exists') return 'domain_already_in_use';
  const isAboutName = errors?.some(({ location }) => ['body.domain', 'body.name'].includes(location));
  return CODES[status] ?? (isAboutName ? 'invalid_domain' : 'bad_request');
}

/** The vendor's names of the properties of operations. */
const PROPERTIES = new Map([
  ['domain', 'name'],
  ['to', 'redirect'],
  ['status', 'redirectStatusCode'],
]);

function messageOf(problem: Problem): string {
  const [first] = problem.errors ?? [];
  if (first !== undefined) {
    const property = first.location.replace(/^body\.?/, '');
    const shown = property === '' ? 'the body' : `\`${PROPERTIES.get(property) ?? property}\``;
    return `Invalid request: ${shown} ${first.message}.`;
  }
  if (problem.code === 'request/route_not_found') {
    return 'Not found: this server has no such endpoint of the Vercel API. docs/reference/compat-vercel.md lists those that it has.';
  }
  return presentError(problem, { service: '' }).detail;
}
