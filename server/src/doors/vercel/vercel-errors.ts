import { type Problem, type ProblemCode, presentError } from '../../api/errors.ts';
import { systemClock } from '../../base/clock.ts';

/** An error of the vendor's API: `{ error: { code, message, … } }`. */
export interface VendorError {
  error: { code: string; message: string } & Record<string, unknown>;
}

export function vendorError(code: string, message: string, more: Record<string, unknown> = {}): VendorError {
  return { error: { code, message, ...more } };
}

/** Problems whose status or code the vendor's API has otherwise than `BY_STATUS` says. */
const BY_CODE: Partial<Record<ProblemCode, { status?: number; code: string }>> = {
  'data/domain_already_exists': { code: 'domain_already_in_use' },
  'application/redirect_chain': { status: 400, code: 'bad_request' },
  'application/redirect_destination_not_verified': { status: 400, code: 'bad_request' },
  'data/redirect_destination_not_found': { status: 400, code: 'bad_request' },
};

/** The vendor's API has 403 for bad credentials. */
const BY_STATUS: Record<number, { status?: number; code: string }> = {
  401: { status: 403, code: 'forbidden' },
  403: { code: 'forbidden' },
  404: { code: 'not_found' },
  429: { code: 'rate_limited' },
  500: { code: 'internal_server_error' },
};

/** The status and the body of the vendor's error for a problem. */
export function refusalOf(problem: Problem): { status: number; body: VendorError } {
  const { status = problem.status, code } = BY_CODE[problem.code] ??
    BY_STATUS[problem.status] ?? { code: problem.errors?.some(isAboutName) ? 'invalid_domain' : 'bad_request' };
  return { status, body: vendorError(code, messageOf(problem), moreOf(problem)) };
}

/** The vendor's names of the properties of operations. */
const PROPERTIES: Record<string, string> = { domain: 'name', to: 'redirect', status: 'redirectStatusCode' };

function propertyOf(location: string): string {
  const property = location.replace(/^body\.?/, '');
  return PROPERTIES[property] ?? property;
}

function isAboutName({ location }: { location: string }): boolean {
  return location === 'body.domain' || location === 'body.name';
}

function messageOf(problem: Problem): string {
  const [first] = problem.errors ?? [];
  if (first !== undefined) {
    const property = propertyOf(first.location);
    return `Invalid request: ${property === '' ? 'the body' : `\`${property}\``} ${first.message}.`;
  }
  if (problem.code === 'request/route_not_found') {
    return 'Not found: this server has no such endpoint of the Vercel API. docs/compat-vercel.md lists those that it has.';
  }
  return presentError(problem, { service: '' }).detail;
}

function moreOf({ code, status, headers }: Problem): Record<string, unknown> {
  if (status === 401) return code === 'authentication/missing' ? { missingToken: true } : { invalidToken: true };
  if (status !== 429) return {};
  const seconds = Number(headers['RateLimit-Reset'] ?? headers['Retry-After'] ?? 1);
  const resetMs = systemClock.now() + seconds * 1000;
  const total = Number(headers['RateLimit-Limit'] ?? 0);
  return { limit: { total, remaining: 0, reset: Math.ceil(resetMs / 1000), resetMs } };
}
