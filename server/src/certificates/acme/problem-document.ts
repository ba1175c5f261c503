import { joinList, quote, truncate } from '../../domain/text.ts';
import { CaProblem, type CaProblemKind } from '../issuer.ts';
import type { CaResponse } from './ca-transport.ts';

/** The errors of a CA (RFC 8555 section 6.7). */

export const ERROR_PREFIX = 'urn:ietf:params:acme:error:';

/** By types of RFC 8555 section 6.7 and RFC 9773 section 7.4. For others the status decides. */
const KINDS: ReadonlyMap<string, CaProblemKind> = new Map([
  ['accountDoesNotExist', 'account'],
  ['badPublicKey', 'account'],
  ['badSignatureAlgorithm', 'account'],
  ['externalAccountRequired', 'account'],
  ['invalidContact', 'account'],
  ['unsupportedContact', 'account'],
  ['userActionRequired', 'account'],
  ['rateLimited', 'rate_limited'],
  ['badNonce', 'unavailable'],
  ['orderNotReady', 'unavailable'],
  ['serverInternal', 'unavailable'],
  ['connection', 'authorization_failed'],
  ['dns', 'authorization_failed'],
  ['incorrectResponse', 'authorization_failed'],
  ['tls', 'authorization_failed'],
]);

/** Longest detail, in characters, for customers and for operators, whose detail may contain a long link. */
const SHOWN_LIMIT = 300;
const LOGGED_LIMIT = 2000;
const SUBPROBLEMS = 3;

/** A problem document (RFC 7807). */
export interface ProblemDocument {
  /** Null: it has none. */
  type: string | null;
  detail: string;
}

/** A response with a status other than 2xx. */
export class AcmeError extends CaProblem {
  readonly status: number;
  /** The longer detail, for the log. */
  readonly detail: string | null;

  constructor(
    { status, detail }: { status: number; detail: string | null },
    ...problem: ConstructorParameters<typeof CaProblem>
  ) {
    super(...problem);
    this.status = status;
    this.detail = detail;
  }

  is(type: string): boolean {
    return this.type === ERROR_PREFIX + type;
  }

  /** Whether the CA may no longer accept the account. */
  get concernsAccount(): boolean {
    return this.is('accountDoesNotExist') || this.is('unauthorized');
  }
}

export function acmeErrorOf(host: string, { status, body }: CaResponse, retryAfterMs: number | null): AcmeError {
  const document = readProblem(parseJson(body));
  if (document === null) {
    const kind = status === 429 ? 'rate_limited' : 'unavailable';
    const message = `${host} answered with status ${status}, and gave no reason.`;
    return new AcmeError({ status, detail: null }, kind, message, { retryAfterMs });
  }
  const { type } = document;
  const detail = quote(document.detail, LOGGED_LIMIT);
  const message = problemMessage(host, document);
  return new AcmeError({ status, detail }, kindOf(document, status), message, { retryAfterMs, type });
}

function kindOf({ type }: ProblemDocument, status: number): CaProblemKind {
  const known = type?.startsWith(ERROR_PREFIX) ? KINDS.get(type.slice(ERROR_PREFIX.length)) : undefined;
  if (known !== undefined) return known;
  if (status === 429) return 'rate_limited';
  return status >= 500 ? 'unavailable' : 'refused';
}

/** Bounded and escaped. */
export function problemMessage(host: string, { type, detail }: ProblemDocument): string {
  const name = type === null ? '' : ` (${quote(type.replace(ERROR_PREFIX, '')).slice(1, -1)})`;
  return truncate(`${host} answered: ${quote(detail, SHOWN_LIMIT)}${name}.`);
}

/**
 * Null: not a problem document. The details of subproblems (RFC 8555 section 6.7.1) are joined; their type counts if
 * there is no other.
 */
export function readProblem(value: unknown): ProblemDocument | null {
  if (!isObject(value)) return null;
  const subproblems = Array.isArray(value.subproblems) ? value.subproblems.filter(isObject) : [];
  const details = [value, ...subproblems].map(({ detail }) => detail).filter((one) => typeof one === 'string');
  const types = [value, ...subproblems].map(({ type }) => type).filter((one) => typeof one === 'string');
  const type = types.find((one) => one !== `${ERROR_PREFIX}compound`) ?? types[0] ?? null;
  if (type === null && details.length === 0) return null;
  return { type, detail: joinList(details, SUBPROBLEMS) };
}

/** Undefined: not JSON. */
export function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
