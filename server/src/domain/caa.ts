import type { CaaRecord, ChallengeType } from './certificate-state.ts';

/** Which CAs the owner of a name allows (RFC 8659, RFC 8657). Pure. */

/** How a CA identifies itself in CAA records. */
export interface CaIdentity {
  /** The CA's issuer domain names. */
  names: readonly string[];
  /** URL of our account; null: we have none yet. */
  accountUrl: string | null;
}

/** The certificate that a CA is asked for. */
export interface CaaRequest {
  wildcard: boolean;
  /** The validation method (RFC 8657 section 4). */
  challenge: ChallengeType;
}

/** `record`: of several that forbid the CA, the first that names it, or else the first. */
export type CaaVerdict =
  | { kind: 'allowed' }
  /**
   * `unknown`: a critical property that CAs do not understand. `other`: only other CAs are named, or none. `account`: another account.
   * `method`: another validation method.
   */
  | { kind: 'forbidden'; because: 'unknown' | 'other' | 'account' | 'method'; record: CaaRecord };

/** Properties that CAs understand. */
const UNDERSTOOD = ['issue', 'issuewild', 'issuemail', 'iodef'];

const USUAL: CaaRequest = { wildcard: false, challenge: 'http-01' };

/** The names whose CAA records are looked up: the first set found is the relevant one (RFC 8659 section 3). Without the root. */
export function caaNames(hostname: string): string[] {
  const labels = hostname.split('.');
  return labels.map((_, index) => labels.slice(index).join('.'));
}

/** Whether the relevant set allows the CA to issue. For a wildcard, `issuewild` counts in place of `issue` (RFC 8659 section 4.3). */
export function judgeCaa(records: readonly CaaRecord[], ca: CaIdentity, request = USUAL): CaaVerdict {
  const unknown = records.find(({ critical, tag }) => critical && !UNDERSTOOD.includes(tag));
  if (unknown !== undefined) return { kind: 'forbidden', because: 'unknown', record: unknown };
  const isWild = request.wildcard && records.some(({ tag }) => tag === 'issuewild');
  const judged = records
    .filter(({ tag }) => tag === (isWild ? 'issuewild' : 'issue'))
    .map((record) => ({ record, because: whyForbidden(record.value, ca, request.challenge) }));
  const nearest = judged.find(({ because }) => because !== 'other') ?? judged[0];
  if (nearest === undefined || judged.some(({ because }) => because === null)) return { kind: 'allowed' };
  return { kind: 'forbidden', because: nearest.because ?? 'other', record: nearest.record };
}

function whyForbidden(
  value: string,
  { names, accountUrl }: CaIdentity,
  challenge: ChallengeType,
): 'other' | 'account' | 'method' | null {
  const issue = parseIssue(value);
  if (issue === null || !names.some((name) => name.toLowerCase() === issue.domain)) return 'other';
  // A parameter that occurs twice is never satisfied.
  const [accounts, methods] = ['accounturi', 'validationmethods'].map((tag) => issue.parameters.get(tag) ?? []);
  if (accounts?.some((account) => account !== accountUrl || accounts.length > 1)) return 'account';
  if (methods?.some((list) => !list.split(',').includes(challenge) || methods.length > 1)) return 'method';
  return null;
}

interface IssueValue {
  /** Lower case; empty: no CA. */
  domain: string;
  /** The values of each parameter, by its tag in lower case. */
  parameters: Map<string, string[]>;
}

const LABEL = '[a-z0-9](?:-*[a-z0-9])*';
const DOMAIN = new RegExp(`^(?:${LABEL}(?:\\.${LABEL})*)?$`, 'i');
const PARAMETER = new RegExp(`^(${LABEL})[ \\t]*=[ \\t]*([!-:<-~]*)$`, 'i');

/** The value of an `issue` property (RFC 8659 section 4.2); null: malformed, which forbids every CA. */
function parseIssue(value: string): IssueValue | null {
  const [domain = '', ...rest] = value.split(';').map((part) => part.trim());
  if (!DOMAIN.test(domain)) return null;
  const parameters = new Map<string, string[]>();
  // The value may end in a semicolon.
  if (rest.at(-1) === '') rest.pop();
  for (const part of rest) {
    const [, tag, text = ''] = PARAMETER.exec(part) ?? [];
    if (tag === undefined) return null;
    const key = tag.toLowerCase();
    parameters.set(key, [...(parameters.get(key) ?? []), text]);
  }
  return { domain: domain.toLowerCase(), parameters };
}
