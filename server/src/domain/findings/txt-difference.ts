import type { FindingCode, FindingFacts } from '../finding.ts';

/** How a TXT value differs from the one that belongs there. */
export interface TxtDifference extends Pick<FindingFacts, 'reason' | 'difference' | 'isQuoted' | 'owner'> {
  code: Extract<FindingCode, `txt_${string}`>;
}

interface Expected {
  service: string;
  token: string;
  /** The whole value. */
  value: string;
  /** Name of the domain that another token belongs to; null: it is not known. */
  domainOfToken: (token: string) => string | null;
}

const QUOTES = /["'`\\\u2018-\u201f\u00ab\u00bb\u2039\u203a\u300c\u300d]/gu;
const INVISIBLE = /[\s\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu;

/** Fewest characters of a part by which a truncated value is recognized. */
const RECOGNIZABLE = 8;

/** Most characters mistyped, until a value counts as another one. */
const MISTYPED = 2;

/** Compares character by character. Null: the value has nothing to do with the one that belongs there, and may stay beside it. */
export function txtDifference(seen: string, expected: Expected): TxtDifference | null {
  const { value } = expected;
  const unquoted = seen.replaceAll(QUOTES, '');
  const visible = seen.replaceAll(INVISIBLE, '');
  if (unquoted.replaceAll(INVISIBLE, '') === value) {
    if (unquoted !== seen) return { code: 'txt_quoted' };
    return { code: 'txt_invisible', difference: { found: seen.match(INVISIBLE)?.[0] ?? ' ' } };
  }
  if (decodings(visible).some((decoded) => decoded.replaceAll(QUOTES, '') === value)) {
    return { code: 'txt_encoded' };
  }
  // Quotation marks around another value are the smaller mistake of two.
  const bare = visible.replaceAll(QUOTES, '');
  const difference = differenceOf(bare, expected);
  if (difference === null || bare === visible) return difference;
  return { ...difference, isQuoted: true };
}

function differenceOf(seen: string, expected: Expected): TxtDifference | null {
  const { value } = expected;
  if (seen.toLowerCase() === value.toLowerCase()) {
    return { code: 'txt_case', difference: firstDifference(seen, value) };
  }
  return truncation(seen, expected) ?? anotherToken(seen, expected) ?? likeness(seen, expected);
}

function truncation(seen: string, { value, token }: Expected): TxtDifference | null {
  if (seen.length < RECOGNIZABLE && seen !== token) return null;
  if (value.startsWith(seen)) return { code: 'txt_truncated', reason: 'end_missing' };
  if (value.endsWith(seen)) return { code: 'txt_truncated', reason: 'beginning_missing' };
  return null;
}

/** The token of another domain in a value, or of this one before it was added anew; null: there is none. */
export function anotherTokenIn(seen: string, { service, token }: Pick<Expected, 'service' | 'token'>): string | null {
  const bare = seen.replaceAll(INVISIBLE, '').replaceAll(QUOTES, '');
  const prefix = `${service}-domain-verify=`;
  const rest = bare.startsWith(prefix) ? bare.slice(prefix.length) : '';
  if (rest.length !== token.length || !/^[A-Za-z0-9]+$/.test(rest)) return null;
  return [...rest].filter((character, i) => character !== token[i]).length <= MISTYPED ? null : rest;
}

function anotherToken(seen: string, expected: Expected): TxtDifference | null {
  const another = anotherTokenIn(seen, expected);
  if (another === null) return null;
  const owner = expected.domainOfToken(another);
  return owner === null ? { code: 'txt_stale' } : { code: 'txt_other_domain', owner };
}

/** Something that resembles the value, with other differences. */
function likeness(seen: string, { service, token, value }: Expected): TxtDifference | null {
  if (seen.includes(value)) return { code: 'txt_wrong_value', reason: 'text_beside' };
  const plain = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  const resembles = plain(seen).includes(plain(`${service}-domain-verify`)) || (token !== '' && seen.includes(token));
  if (!resembles) return null;
  const at = seen.indexOf(`${service}-domain-verify=`);
  if (at > 0) return { code: 'txt_wrong_value', reason: 'text_before' };
  return { code: 'txt_wrong_value', reason: 'other_character', difference: firstDifference(seen, value) };
}

/** Without `found` the rest is missing, without `expected` more follows. */
function firstDifference(seen: string, value: string): NonNullable<FindingFacts['difference']> {
  const [a, b] = [[...seen], [...value]];
  const at = b.findIndex((character, i) => a[i] !== character);
  if (at === -1) return { position: b.length + 1 };
  const [found, expected] = [a[at], b[at]];
  return { position: at + 1, ...(found !== undefined && { found }), ...(expected !== undefined && { expected }) };
}

const ENTITIES: Record<string, string> = { amp: '&', equals: '=', quot: '"', lt: '<', gt: '>', hyphen: '-', dash: '-' };

/** Undoes what URLs, HTML, JSON and e-mail make of characters: once and twice, because they are often encoded twice. */
function decodings(text: string): string[] {
  const once = decodeOnce(text);
  return [once, decodeOnce(once)];
}

function decodeOnce(text: string): string {
  const character = (hex: string) => String.fromCodePoint(Math.min(Number.parseInt(hex, 16), 0x10ffff));
  return text
    .replaceAll(/&#x([\da-f]{1,6});/gi, (_, hex: string) => character(hex))
    .replaceAll(/&#(\d{1,7});/g, (_, decimal: string) => character(Number(decimal).toString(16)))
    .replaceAll(/&([a-z]{2,6});/gi, (whole, name: string) => ENTITIES[name.toLowerCase()] ?? whole)
    .replaceAll(/\\u\{?([\da-f]{4})\}?/gi, (_, hex: string) => character(hex))
    .replaceAll(/\\(\d{3})/g, (_, decimal: string) => character(Number(decimal).toString(16)))
    .replaceAll(/[%=]([2-7][\da-f])/gi, (_, hex: string) => character(hex));
}
