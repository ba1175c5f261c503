import { joinList, quote, truncate } from '../../domain/text.ts';
import { CaProblem, type CaProblemKind } from '../issuer.ts';
import type { CaResponse } from './ca-transport.ts';

/** What a CA says when it does not do what was asked (RFC 8555 section 6.7), in our words and its own. */

export const ERROR_PREFIX = 'urn:ietf:params:acme:error:';

/** What each type of RFC 8555 section 6.7 and RFC 9773 section 7.4 is to us. Of others the status decides. */
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

/** So much of the CA's own words is told to customers, and to operators, for whom there may be a long link in them. */
const TOLD_LIMIT = 300;
const LOGGED_LIMIT = 2000;
const SUBPROBLEMS = 3;

/** A problem document (RFC 7807), as far as it is used. */
export interface ProblemDocument {
  /** Null: it names none. */
  type: string | null;
  detail: string;
}

/** The CA answered with a status that is no success. */
export class Refusal extends CaProblem {
  readonly status: number;
  /** The CA's own words, for the log: longer than those of the message. */
  readonly words: string | null;

  constructor(
    { status, words }: { status: number; words: string | null },
    ...problem: ConstructorParameters<typeof CaProblem>
  ) {
    super(...problem);
    this.status = status;
    this.words = words;
  }

  is(type: string): boolean {
    return this.type === ERROR_PREFIX + type;
  }

  /** Whether it may mean that the CA no longer accepts the account. */
  get concernsAccount(): boolean {
    return this.is('accountDoesNotExist') || this.is('unauthorized');
  }
}

/** What an answer that is no success says. `retryAfterMs`: what it asks for. */
export function refusalOf(host: string, answer: CaResponse, retryAfterMs: number | null): Refusal {
  const { status } = answer;
  const document = readProblem(parseJson(answer.body));
  if (document === null) {
    const kind = status === 429 ? 'rate_limited' : 'unavailable';
    const message = `${host} answered with status ${status}, and no reason.`;
    return new Refusal({ status, words: null }, kind, message, { retryAfterMs });
  }
  const { type, detail } = document;
  const words = quote(detail, LOGGED_LIMIT);
  return new Refusal({ status, words }, kindOf(document, status), said(host, document), { retryAfterMs, type });
}

function kindOf({ type }: ProblemDocument, status: number): CaProblemKind {
  const known = type?.startsWith(ERROR_PREFIX) ? KINDS.get(type.slice(ERROR_PREFIX.length)) : undefined;
  if (known !== undefined) return known;
  if (status === 429) return 'rate_limited';
  return status >= 500 ? 'unavailable' : 'refused';
}

/** Who said what, bounded and escaped. */
export function said(host: string, { type, detail }: ProblemDocument): string {
  const name = type === null ? '' : ` (${quote(type.replace(ERROR_PREFIX, '')).slice(1, -1)})`;
  return truncate(`${host} said: ${quote(detail, TOLD_LIMIT)}${name}.`);
}

/** Null: it is no problem document. Subproblems (RFC 8555 section 6.7.1) are part of the detail, and the first gives a type where there is none. */
export function readProblem(value: unknown): ProblemDocument | null {
  if (!isObject(value)) return null;
  const subproblems = Array.isArray(value.subproblems) ? value.subproblems.filter(isObject) : [];
  const details = [value, ...subproblems].map(({ detail }) => detail).filter((one) => typeof one === 'string');
  const types = [value, ...subproblems].map(({ type }) => type).filter((one) => typeof one === 'string');
  const type = types.find((one) => one !== `${ERROR_PREFIX}compound`) ?? types[0] ?? null;
  if (type === null && details.length === 0) return null;
  return { type, detail: joinList(details, SUBPROBLEMS) };
}

/** Undefined for what is no JSON. */
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
