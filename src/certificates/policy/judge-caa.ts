import type { CaaRecord } from '../../domain/certificate-state.ts';

/** Which CAs the owner of a name allows (RFC 8659, RFC 8657). Pure. */

/** How a CA identifies itself to CAA. */
export interface CaIdentity {
  /** Names of the CA, of which a record has to say one. */
  names: readonly string[];
  /** URL of our account; null while there is none. */
  accountUrl: string | null;
}

/** `record`: of several that forbid the CA, the first that names it, or else the first. */
export type CaaVerdict =
  | { kind: 'allowed' }
  /** `unknown`: a critical property that nobody understands. `other`: another CA is named, or none. `account`: another account. `method`: another way of proof. */
  | { kind: 'forbidden'; because: 'unknown' | 'other' | 'account' | 'method'; record: CaaRecord };

/** Properties that CAs understand, of which all but `issue` say nothing about a plain name. */
const UNDERSTOOD = ['issue', 'issuewild', 'issuemail', 'iodef'];

/** How we prove that a name is ours (RFC 8657 section 4). */
const METHOD = 'http-01';

/** The names at which CAA records are looked for: the set of the first that has one counts (RFC 8659 section 3). The root is not among them. */
export function caaNames(hostname: string): string[] {
  const labels = hostname.split('.');
  return labels.map((_, index) => labels.slice(index).join('.'));
}

/** What the relevant set says about a plain name; `issuewild` is none of its concern. */
export function judgeCaa(records: readonly CaaRecord[], ca: CaIdentity): CaaVerdict {
  const unknown = records.find(({ critical, tag }) => critical && !UNDERSTOOD.includes(tag));
  if (unknown !== undefined) return { kind: 'forbidden', because: 'unknown', record: unknown };
  const judged = records
    .filter(({ tag }) => tag === 'issue')
    .map((record) => ({ record, because: obstacleIn(record.value, ca) }));
  const nearest = judged.find(({ because }) => because !== 'other') ?? judged[0];
  if (nearest === undefined || judged.some(({ because }) => because === null)) return { kind: 'allowed' };
  return { kind: 'forbidden', because: nearest.because ?? 'other', record: nearest.record };
}

function obstacleIn(value: string, { names, accountUrl }: CaIdentity): 'other' | 'account' | 'method' | null {
  const issue = parseIssue(value);
  if (issue === null || !names.some((name) => name.toLowerCase() === issue.domain)) return 'other';
  // What is said twice is not satisfied by anything.
  const [accounts, methods] = ['accounturi', 'validationmethods'].map((tag) => issue.parameters.get(tag) ?? []);
  if (accounts?.some((account) => account !== accountUrl || accounts.length > 1)) return 'account';
  if (methods?.some((list) => !list.split(',').includes(METHOD) || methods.length > 1)) return 'method';
  return null;
}

interface IssueValue {
  /** Lower case; empty: no CA. */
  domain: string;
  /** The values of each parameter by its tag in lower case. */
  parameters: Map<string, string[]>;
}

const LABEL = '[a-z0-9](?:-*[a-z0-9])*';
const DOMAIN = new RegExp(`^(?:${LABEL}(?:\\.${LABEL})*)?$`, 'i');
const PARAMETER = new RegExp(`^(${LABEL})[ \\t]*=[ \\t]*([!-:<-~]*)$`, 'i');

/** The value of an `issue` property (RFC 8659 section 4.2); null where it is malformed, which forbids every CA. */
function parseIssue(value: string): IssueValue | null {
  const [domain = '', ...rest] = value.split(';').map((part) => part.trim());
  if (!DOMAIN.test(domain)) return null;
  const parameters = new Map<string, string[]>();
  // A semicolon may end the value.
  if (rest.at(-1) === '') rest.pop();
  for (const part of rest) {
    const [, tag, text = ''] = PARAMETER.exec(part) ?? [];
    if (tag === undefined) return null;
    const key = tag.toLowerCase();
    parameters.set(key, [...(parameters.get(key) ?? []), text]);
  }
  return { domain: domain.toLowerCase(), parameters };
}
