import { getDomain } from 'tldts';
import { type ToASCIIOptions, toASCII, toUnicode } from 'tr46';
import type { DomainKind } from './domain.ts';
import { ownershipName } from './records.ts';
import { quote } from './text.ts';
import { baseName, challengeName, isWildcard, wildcardOf } from './wildcard.ts';

/** Names that nobody may add. */
export interface NamePolicy {
  /** The label of ownership records: `_<service>.<name>`. */
  service: string;
  /** The operator's own names, the CNAME zone among them, in lower-case ASCII without a final dot. Names below them are refused too. */
  reserved: readonly string[];
  /** No certificate could be had for a wildcard. */
  refusesWildcards?: boolean;
}

/** The rule that an invalid name breaks. */
export type NameRule =
  | 'empty'
  | 'too_long'
  | 'full_stop'
  | 'white_space'
  | 'control_character'
  | 'quotation_mark'
  | 'scheme'
  | 'user'
  | 'ip_address'
  | 'port'
  | 'path'
  | 'query'
  | 'fragment'
  | 'wildcard'
  | 'no_certificate'
  | 'underscore'
  | 'trailing_dot'
  | 'empty_label'
  | 'hyphen_at_edge'
  | 'hyphen_pair'
  | 'combining_mark'
  | 'character'
  | 'special_use'
  | 'single_label'
  | 'last_label_short'
  | 'last_label_numeric'
  | 'punycode'
  | 'joiner'
  | 'bidi'
  | 'label_too_long'
  | 'reserved'
  | 'public_suffix'
  | 'ownership_too_long';

export interface InvalidName {
  ok: false;
  rule: NameRule;
  /** The rule, beginning with "must", and the offending part; safe to print. */
  message: string;
  /** The name to send instead, if it is certain. */
  fix?: string;
}

/** A name that may be added. */
export interface NewName {
  ok: true;
  /** Canonical form. */
  name: string;
  kind: DomainKind;
}

export type ParsedName = NewName | InvalidName;

/** Longest name, in characters of its ASCII form: 255 octets on the wire (RFC 1035 section 2.3.4). */
const NAME_LIMIT = 253;

const LABEL = '(?!..--)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';

/** Names that IDNA does not change: most are, and a match costs a hundredth of IDNA processing. */
const PLAIN = new RegExp(`^(?!.{${NAME_LIMIT + 1}})${LABEL}(?:\\.${LABEL})+$`);

/** At least two labels, of which the last cannot be the end of an IPv4 address (URL standard, "ends in a number"). */
const ENDING = /\.(?!\d+$|0x[0-9a-f]*$)[^.]{2,}$/;

/** IDNA reads these as dots (RFC 3490 section 3.1), but few programs do, so a name copied from here would not work elsewhere. */
const FULL_STOP = /[\u3002\uff0e\uff61]/;

/** UTS #46, non-transitional: emoji and symbols pass, as they do in browsers; `ß` is not `ss`. */
const IDNA: ToASCIIOptions = { useSTD3ASCIIRules: true, checkHyphens: true };
const IDNA_STRICT: ToASCIIOptions = { ...IDNA, checkJoiners: true, checkBidi: true, verifyDNSLength: true };

const PUBLIC_SUFFIX_LIST = {
  allowPrivateDomains: true,
  extractHostname: false,
  validateHostname: false,
  detectIp: false,
};

const ICANN_SUFFIXES = { ...PUBLIC_SUFFIX_LIST, allowPrivateDomains: false };

/**
 * The canonical form of a domain name, lower-case ASCII (A-labels), under which it is stored and looked up; null if the
 * text is not a domain name. All spellings of one name have one canonical form. A wildcard is `*.` and a name. `parseName` decides whether it may be added.
 */
export function canonicalName(input: string): string | null {
  const name = PLAIN.test(input) ? input : isWildcard(input) ? wildcardName(input) : asciiName(input);
  return name !== null && ENDING.test(name) ? name : null;
}

function wildcardName(input: string): string | null {
  const written = baseName(input);
  const base = PLAIN.test(written) ? written : asciiName(written);
  return base === null || base.length > NAME_LIMIT - 2 || !ENDING.test(base) ? null : `*.${base}`;
}

/** Parses any text as the name of a domain to add; nothing is trimmed. */
export function parseName(input: string, policy: NamePolicy): ParsedName {
  const name = canonicalName(input);
  const parsed = name === null ? explainInvalid(input, policy) : applyPolicy(name, policy);
  if (parsed.ok || isTooLong(input)) return parsed;
  const meant = canonicalName(stripUrl(mapped(input)));
  return meant !== null && applyPolicy(meant, policy).ok ? { ...parsed, fix: `use ${quote(meant)}` } : parsed;
}

function asciiName(input: string): string | null {
  // Without a dot it has one label only. Ids such as `dom_…` end here, before IDNA processing.
  if (!input.includes('.') || FULL_STOP.test(input) || isTooLong(input)) return null;
  return toASCII(input, IDNA_STRICT);
}

/** Limits the work on text that is not plain. In characters, like the API's limit: up to two UTF-16 units each. */
function isTooLong(input: string): boolean {
  return input.length > 2 * NAME_LIMIT || [...input].length > NAME_LIMIT;
}

/** Whether a canonical name may be added, and what kind it is. */
function applyPolicy(name: string, policy: NamePolicy): ParsedName {
  if (isWildcard(name)) return applyWildcardPolicy(name, policy);
  const { service, reserved } = policy;
  const unicode = name.includes('xn--') ? toUnicode(name).domain : name;
  // IDNA allows typographic quotation marks; they come from copied text, never from a registry.
  const broken = firstBroken([SPECIAL_USE], name) ?? firstBroken([QUOTATION_MARK], unicode);
  if (broken !== undefined) return broken;

  const own = reserved.find((each) => name === each || name.endsWith(`.${each}`));
  if (own !== undefined) return invalidName('reserved', 'must not be a name that this service keeps for itself', own);

  const registrable = registrableDomain(name);
  if (registrable === null) {
    return invalidName('public_suffix', 'must not be a public suffix, below which anyone may have a name', name);
  }
  if (ownershipName({ name, service }).length > NAME_LIMIT) {
    const must = `must not have more than ${NAME_LIMIT} characters together with the label of its ownership record`;
    return invalidName('ownership_too_long', must, `_${service}.`);
  }
  return { ok: true, name, kind: registrable === name ? 'apex' : 'subdomain' };
}

/** A wildcard is at a name that could be added itself, and stands for no public suffix and no reserved name. */
function applyWildcardPolicy(name: string, policy: NamePolicy): ParsedName {
  const base = baseName(name);
  const parsed = applyPolicy(base, policy);
  if (!parsed.ok) return parsed;
  const own = policy.reserved.find((each) => wildcardOf(each) === name);
  if (own !== undefined)
    return invalidName('reserved', 'must not stand for a name that this service keeps for itself', own);
  // Each name below it is one, although the base name is none: `*.compute.amazonaws.com`.
  if (registrableDomain(`a.${base}`) === null) return invalidName('public_suffix', PUBLIC_SUFFIX_BELOW, name);
  if (challengeName(name).length > NAME_LIMIT) {
    const must = `must not have more than ${NAME_LIMIT} characters together with the label of its challenge record`;
    return invalidName('ownership_too_long', must, challengeName(''));
  }
  if (policy.refusesWildcards) return invalidName('no_certificate', NO_CERTIFICATE, name);
  return { ok: true, name, kind: 'subdomain' };
}

const NO_CERTIFICATE =
  'must not be a wildcard, for which no certificate could be had (the operator of this service has not set NAMEPLATE_CHALLENGE_ZONE)';

const PUBLIC_SUFFIX_BELOW = 'must not be a wildcard of a public suffix, below which anyone may have a name';

/** A rule about how a name is written. */
interface SyntaxRule {
  rule: NameRule;
  /** Finds the part that breaks the rule, in the text after `mapped`. */
  offence: RegExp;
  must: string;
}

const SPECIAL_USE: SyntaxRule = {
  rule: 'special_use',
  offence: /(?<![^.])(?:localhost|local|internal|onion|arpa)$/,
  must: 'must not be a special-use name, or below one',
};

const QUOTATION_MARK: SyntaxRule = {
  rule: 'quotation_mark',
  offence: /[\p{Quotation_Mark}`]/u,
  must: 'must not contain a quotation mark',
};

/** In order: what was typed around a name, then its labels. */
const TEXT_RULES: readonly SyntaxRule[] = [
  { rule: 'white_space', offence: /\s+/, must: 'must not contain white space' },
  { rule: 'control_character', offence: /\p{Cc}/u, must: 'must not contain a control character' },
  QUOTATION_MARK,
  { rule: 'scheme', offence: /^(?:[a-z][a-z0-9+.-]*:)?\/\//, must: 'must be a name without a scheme' },
  { rule: 'user', offence: /^[^/?#]*@/, must: 'must be a name without a user' },
  {
    rule: 'ip_address',
    offence: /^\[.*|^[0-9a-f]*:[0-9a-f]*:[0-9a-f:.]*|^(?:\d+|0x[0-9a-f]*)(?:\.(?:\d+|0x[0-9a-f]*))*(?=\.?(?:$|[:/]))/,
    must: 'must be a name, not an IP address',
  },
  { rule: 'port', offence: /(?<=^[^:/?#]+):\d*(?![^/?#])/, must: 'must be a name without a port' },
  { rule: 'path', offence: /(?<=^[^?#]*)[/\\].*/, must: 'must be a name without a path' },
  { rule: 'query', offence: /(?<=^[^#]*)\?.*/, must: 'must be a name without a query' },
  { rule: 'fragment', offence: /#.*/, must: 'must be a name without a fragment' },
  {
    rule: 'wildcard',
    offence: /[^.]*\*[^.]*/,
    must: 'must have "*" only as its whole first label, which stands for one label ("*.example.com")',
  },
  { rule: 'underscore', offence: /[^.]*_[^.]*/, must: 'must not have an underscore in a label' },
  { rule: 'trailing_dot', offence: /\.$/, must: 'must not end with a dot' },
  { rule: 'empty_label', offence: /^\.|\.\.+/, must: 'must not have an empty label' },
  {
    rule: 'hyphen_at_edge',
    offence: /(?<![^.])(?:-[^.]*|(?!xn--)[^.]*-(?![^.]))/,
    must: 'must not begin or end a label with a hyphen',
  },
  {
    rule: 'hyphen_pair',
    offence: /(?<![^.])(?!xn)[^.]{2}--[^.]*/u,
    must: 'must not have hyphens as the third and fourth characters of a label',
  },
  { rule: 'combining_mark', offence: /(?<![^.])\p{M}[^.]*/u, must: 'must not begin a label with a combining mark' },
];

const LAST_LABEL_RULES: readonly SyntaxRule[] = [
  SPECIAL_USE,
  { rule: 'single_label', offence: /^[^.]+$/, must: 'must have at least two labels with a dot between them' },
  {
    rule: 'last_label_short',
    offence: /(?<=\.)[a-z0-9]$/,
    must: 'must have at least two characters in its last label',
  },
  {
    rule: 'last_label_numeric',
    offence: /(?<=\.)(?:\d+|0x[0-9a-f]*)$/,
    must: 'must not have a number as its last label',
  },
];

/** IDNA's rules for whole labels. Each is applied on top of those before it: the first that fails is reported. */
const IDNA_CHECKS: readonly { rule: NameRule; check: ToASCIIOptions; must: string }[] = [
  { rule: 'punycode', check: {}, must: 'must not have a label with invalid Punycode' },
  {
    rule: 'joiner',
    check: { checkJoiners: true },
    must: 'must not have a zero-width joiner or non-joiner where the script has no use for one',
  },
  {
    rule: 'bidi',
    check: { checkBidi: true },
    must: 'must not mix left-to-right and right-to-left characters (RFC 5893)',
  },
  {
    rule: 'label_too_long',
    check: { verifyDNSLength: true },
    must: 'must not have a label of more than 63 characters in ASCII form',
  },
];

/** Why a text is not a domain name. `canonicalName` has already decided that it is not. */
function explainInvalid(input: string, policy: NamePolicy): InvalidName {
  if (isTooLong(input)) return tooLong();
  // Only what follows its first label can be wrong.
  if (isWildcard(input) && !isWildcard(baseName(input))) return explainBase(baseName(input), policy);
  const fullStop = FULL_STOP.exec(input);
  if (fullStop !== null) return invalidName('full_stop', 'must have plain dots (".") between its labels', fullStop[0]);

  const text = mapped(input);
  if (text === '') return { ok: false, rule: 'empty', message: 'must not be empty' };
  const broken = firstBroken(TEXT_RULES, text);
  if (broken !== undefined) return broken;
  const badCharacter = [...text].find((character) => toASCII(`a${character}`, { useSTD3ASCIIRules: true }) === null);
  if (badCharacter !== undefined)
    return invalidName('character', 'must have letters, digits and hyphens only', badCharacter);
  return firstBroken(LAST_LABEL_RULES, text) ?? invalidLabel(text);
}

function explainBase(base: string, policy: NamePolicy): InvalidName {
  const parsed = parseName(base, policy);
  if (parsed.ok) return tooLong();
  const { fix: _, ...broken } = parsed;
  return broken.rule === 'single_label' ? invalidName('public_suffix', PUBLIC_SUFFIX_BELOW, `*.${base}`) : broken;
}

function firstBroken(rules: readonly SyntaxRule[], text: string): InvalidName | undefined {
  for (const { rule, offence, must } of rules) {
    const found = offence.exec(text);
    if (found !== null) return invalidName(rule, must, found[0]);
  }
  return undefined;
}

/** Reports the label that breaks an IDNA rule, or the whole name where only the combination of its labels does. */
function invalidLabel(text: string): InvalidName {
  let options = IDNA;
  for (const { rule, check, must } of IDNA_CHECKS) {
    options = { ...options, ...check };
    const invalid = [...text.split('.'), text].find((part) => toASCII(part, options) === null);
    if (invalid === text && rule === 'label_too_long') break;
    if (invalid !== undefined) return invalidName(rule, must, invalid);
  }
  return tooLong();
}

function tooLong(): InvalidName {
  return { ok: false, rule: 'too_long', message: `must not have more than ${NAME_LIMIT} characters in ASCII form` };
}

function invalidName(rule: NameRule, must: string, part: string): InvalidName {
  return { ok: false, rule, message: `${must}: ${quote(part)}` };
}

/** The text after IDNA's mapping (UTS #46 section 4, steps 1 and 2), with Punycode left as it is. */
function mapped(input: string): string {
  const characters = Array.from(input, (character) => toUnicode(character).domain);
  return characters.join('').normalize('NFC');
}

/** The host name in a pasted URL or e-mail address. */
function stripUrl(text: string): string {
  return text
    .replace(/^[\s\p{Cc}\p{Quotation_Mark}`<]+|[\s\p{Cc}\p{Quotation_Mark}`>]+$/gu, '')
    .replace(/^(?:[a-z][a-z0-9+.-]*:)?\/\//, '')
    .replace(/[/?#\\].*$/s, '')
    .replace(/^.*@/s, '')
    .replace(/:\d*$/, '')
    .replace(/\.+$/, '')
    .replace(/^(?:\*\.){2,}/, '*.')
    .replace(/^\*(?=[^.*])/, '*.');
}

/** The part of a canonical name that its owner registered, by the public suffix list; null when there is none. */
export function registrableDomain(name: string): string | null {
  return getDomain(name, PUBLIC_SUFFIX_LIST);
}

/**
 * The domain that a registry delegates, and the suffix that the registry runs: `acme.co.uk` and `co.uk`. By the ICANN section of the public suffix list
 * alone: below `github.io` it is `github.io` that is delegated. Null for a suffix itself.
 */
export function registryDelegation(name: string): { domain: string; suffix: string } | null {
  const domain = getDomain(name, ICANN_SUFFIXES);
  return domain === null ? null : { domain, suffix: domain.slice(domain.indexOf('.') + 1) };
}

/** The domain that a registry delegates and that holds the name; the name itself where there is none. */
export function registeredDomain(name: string): string {
  return registryDelegation(name)?.domain ?? name;
}

/** The name as people write it: with U-labels in place of A-labels. */
export function unicodeName(name: string): string {
  return name.includes('xn--') ? toUnicode(name, IDNA).domain : name;
}
