import type { FindingCode } from '../finding.ts';

/** How a TXT value differs from the one that belongs there. */
export interface TxtDifference {
  code: Extract<FindingCode, `txt_${string}`>;
  /** What is wrong about the value, as the end of a sentence that begins with it. */
  what: string;
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
    if (unquoted !== seen) return { code: 'txt_quoted', what: 'with quotation marks that do not belong to it' };
    return { code: 'txt_invisible', what: `with ${invisibleIn(seen)} that does not belong to it` };
  }
  if (decodings(visible).some((decoded) => decoded.replaceAll(QUOTES, '') === value)) {
    return { code: 'txt_encoded', what: 'in which a program has replaced characters by codes' };
  }
  // Quotation marks around another value are the smaller mistake of two.
  const bare = visible.replaceAll(QUOTES, '');
  const difference = differenceOf(bare, expected);
  if (difference === null || bare === visible) return difference;
  return { ...difference, what: `in quotation marks that do not belong to it, and ${difference.what}` };
}

function differenceOf(seen: string, expected: Expected): TxtDifference | null {
  const { value } = expected;
  if (seen.toLowerCase() === value.toLowerCase()) {
    return { code: 'txt_case', what: `with upper and lower case mixed up: ${firstDifference(seen, value)}` };
  }
  return truncation(seen, expected) ?? anotherToken(seen, expected) ?? likeness(seen, expected);
}

function truncation(seen: string, { value, token }: Expected): TxtDifference | null {
  if (seen.length < RECOGNIZABLE && seen !== token) return null;
  if (value.startsWith(seen)) return { code: 'txt_truncated', what: 'of which the end is missing' };
  if (value.endsWith(seen)) return { code: 'txt_truncated', what: 'of which the beginning is missing' };
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
  if (owner !== null) return { code: 'txt_other_domain', what: `which is the value of ${owner}` };
  return { code: 'txt_stale', what: OF_UNKNOWN };
}

const OF_UNKNOWN = 'which looks like the value of another domain, or of this one before it was deleted and added again';

/** A message for a customer, who must not learn of other customers: without the name of the domain that a value belongs to. */
export function withoutOwner(message: string): string {
  return message.replaceAll(/which is the value of (?!the )[a-z0-9.-]*[a-z0-9]/g, OF_UNKNOWN);
}

/** Something that resembles the value, with other differences. */
function likeness(seen: string, { service, token, value }: Expected): TxtDifference | null {
  if (seen.includes(value)) return { code: 'txt_wrong_value', what: 'with other text beside it' };
  const plain = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  const resembles = plain(seen).includes(plain(`${service}-domain-verify`)) || (token !== '' && seen.includes(token));
  if (!resembles) return null;
  const at = seen.indexOf(`${service}-domain-verify=`);
  if (at > 0) return { code: 'txt_wrong_value', what: 'with other text before it, and with another token' };
  return { code: 'txt_wrong_value', what: `in which ${firstDifference(seen, value)}` };
}

/** `character 31 is "O" instead of "0"`. */
function firstDifference(seen: string, value: string): string {
  const [a, b] = [[...seen], [...value]];
  const at = b.findIndex((character, i) => a[i] !== character);
  const [is, must] = [a[at], b[at]];
  if (at === -1) return `more text follows after character ${b.length}`;
  if (is === undefined) return `everything after character ${at} is missing`;
  return `character ${at + 1} is ${printable(is)} instead of ${printable(must ?? '')}`;
}

function printable(character: string): string {
  if (character === '"') return 'a quotation mark';
  return /^[!-~]$/.test(character) ? `"${character}"` : codePoint(character);
}

function invisibleIn(seen: string): string {
  const [first = ' '] = seen.match(INVISIBLE) ?? [];
  if (first === ' ') return 'a space';
  if (first === '\t') return 'a tab';
  if (first === '\n' || first === '\r') return 'a line break';
  return `an invisible character (${codePoint(first)})`;
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
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
