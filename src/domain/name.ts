import { getDomain } from 'tldts';
import { type ToASCIIOptions, toASCII, toUnicode } from 'tr46';
import type { DomainKind } from './domain.ts';
import { ownershipName } from './records.ts';
import { shown } from './text.ts';

/** Whose names nobody may add. */
export interface NamePolicy {
  /** The operator's word: the ownership record of a name stands at `_<service>.<name>`. */
  service: string;
  /** The operator's own names, the CNAME zone among them, in lower-case ASCII without a final dot. Everything below them is refused too. */
  reserved: readonly string[];
}

/** The rule that a refused name breaks. */
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

export interface Refusal {
  ok: false;
  rule: NameRule;
  /** The rule in words, beginning with "must", and the offending part; safe to show. */
  message: string;
  /** What to send instead, where that can be told. */
  fix?: string;
}

export type ParsedName = { ok: true; name: string; kind: DomainKind } | Refusal;

/** Longest name, in characters of its ASCII form: 255 octets on the wire (RFC 1035 section 2.3.4). */
const NAME_LIMIT = 253;

const LABEL = '(?!..--)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';

/** Names that IDNA leaves as they are. Most are, and a match costs a hundredth of IDNA processing. */
const PLAIN = new RegExp(`^(?!.{${NAME_LIMIT + 1}})${LABEL}(?:\\.${LABEL})+$`);

/** A last label that nothing reads as the end of an IPv4 address (URL standard, "ends in a number"), after at least one more. */
const ENDING = /\.(?!\d+$|0x[0-9a-f]*$)[^.]{2,}$/;

/** IDNA would read these as dots (RFC 3490 section 3.1). Few programs do, so a name copied from here would not work elsewhere. */
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

/**
 * The canonical form of a domain name, lower-case ASCII (A-labels), by which it is stored and looked up; null if the text is not the name of
 * a domain. All spellings of one name have one canonical form. Whether somebody may add the name is for `parseName` to say.
 */
export function canonicalName(input: string): string | null {
  const name = PLAIN.test(input) ? input : asciiName(input);
  return name !== null && ENDING.test(name) ? name : null;
}

/** Parses the name of a domain to add: exactly as given, nothing is trimmed (docs: Names at creation). Takes any text. */
export function parseName(input: string, policy: NamePolicy): ParsedName {
  const name = canonicalName(input);
  const parsed = name === null ? explain(input) : admit(name, policy);
  if (parsed.ok || isTooLong(input)) return parsed;
  const meant = canonicalName(bare(mapped(input)));
  return meant !== null && admit(meant, policy).ok ? { ...parsed, fix: `use ${shown(meant)}` } : parsed;
}

function asciiName(input: string): string | null {
  // Nothing but a dot becomes a dot here, so that an id, which has none, costs no IDNA processing.
  if (!input.includes('.') || FULL_STOP.test(input) || isTooLong(input)) return null;
  return toASCII(input, IDNA_STRICT);
}

/** Bounds all work on text that is not plain. In characters, like the API's limit, so up to two UTF-16 units each. */
function isTooLong(input: string): boolean {
  return input.length > 2 * NAME_LIMIT || [...input].length > NAME_LIMIT;
}

/** Judges a canonical name: whether it may be added, and what kind it is. */
function admit(name: string, { service, reserved }: NamePolicy): ParsedName {
  const unicode = name.includes('xn--') ? toUnicode(name).domain : name;
  // IDNA lets typographic quotation marks pass; they come from copied text, never from a registry.
  const misspelt = misspelling(name, [SPECIAL_USE]) ?? misspelling(unicode, [QUOTATION_MARK]);
  if (misspelt !== undefined) return misspelt;

  const own = reserved.find((each) => name === each || name.endsWith(`.${each}`));
  if (own !== undefined) return refuse('reserved', 'must not be a name that this service keeps for itself', own);

  const registrable = registrableDomain(name);
  if (registrable === null) {
    return refuse('public_suffix', 'must not be a public suffix, below which anyone may have a name', name);
  }
  if (ownershipName({ name, service }).length > NAME_LIMIT) {
    const must = `must not have more than ${NAME_LIMIT} characters together with the label of its ownership record`;
    return refuse('ownership_too_long', must, `_${service}.`);
  }
  return { ok: true, name, kind: registrable === name ? 'apex' : 'subdomain' };
}

/** A rule about how a name is written. */
interface Spelling {
  rule: NameRule;
  /** Finds the part that breaks the rule, in the text as `mapped` leaves it. */
  offence: RegExp;
  must: string;
}

const SPECIAL_USE: Spelling = {
  rule: 'special_use',
  offence: /(?<![^.])(?:localhost|local|internal|onion|arpa)$/,
  must: 'must not be a special-use name, or below one',
};

const QUOTATION_MARK: Spelling = {
  rule: 'quotation_mark',
  offence: /[\p{Quotation_Mark}`]/u,
  must: 'must not contain a quotation mark',
};

/** In this order: what was typed around a name, then its labels, then the name as a whole. */
const SPELLINGS: readonly Spelling[] = [
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
  { rule: 'wildcard', offence: /[^.]*\*[^.]*/, must: 'must be one name, not a wildcard' },
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

const ENDINGS: readonly Spelling[] = [
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

/** What IDNA judges in whole labels. Each check is tried on top of those before it: the first that fails is the one to name. */
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

/** Says why a text is not the name of a domain. It decides nothing: `canonicalName` has decided already. */
function explain(input: string): Refusal {
  if (isTooLong(input)) return tooLong();
  const stop = FULL_STOP.exec(input);
  if (stop !== null) return refuse('full_stop', 'must have plain dots (".") between its labels', stop[0]);

  const text = mapped(input);
  if (text === '') return { ok: false, rule: 'empty', message: 'must not be empty' };
  const misspelt = misspelling(text, SPELLINGS);
  if (misspelt !== undefined) return misspelt;
  const stranger = [...text].find((character) => toASCII(`a${character}`, { useSTD3ASCIIRules: true }) === null);
  if (stranger !== undefined) return refuse('character', 'must have letters, digits and hyphens only', stranger);
  return misspelling(text, ENDINGS) ?? unfitLabel(text);
}

function misspelling(text: string, spellings: readonly Spelling[]): Refusal | undefined {
  for (const { rule, offence, must } of spellings) {
    const found = offence.exec(text);
    if (found !== null) return refuse(rule, must, found[0]);
  }
  return undefined;
}

/** The label that IDNA refuses; or the whole name, where labels are refused only for standing together. */
function unfitLabel(text: string): Refusal {
  let options = IDNA;
  for (const { rule, check, must } of IDNA_CHECKS) {
    options = { ...options, ...check };
    const unfit = [...text.split('.'), text].find((part) => toASCII(part, options) === null);
    if (unfit === text && rule === 'label_too_long') break;
    if (unfit !== undefined) return refuse(rule, must, unfit);
  }
  return tooLong();
}

function tooLong(): Refusal {
  return { ok: false, rule: 'too_long', message: `must not have more than ${NAME_LIMIT} characters in ASCII form` };
}

function refuse(rule: NameRule, must: string, part: string): Refusal {
  return { ok: false, rule, message: `${must}: ${shown(part)}` };
}

/** The text after IDNA's mapping (UTS #46 section 4, steps 1 and 2), with Punycode left as it is. */
function mapped(input: string): string {
  const characters = Array.from(input, (character) => toUnicode(character).domain);
  return characters.join('').normalize('NFC');
}

/** The name within a pasted address: without what surrounds it. */
function bare(text: string): string {
  return text
    .replace(/^[\s\p{Cc}\p{Quotation_Mark}`<]+|[\s\p{Cc}\p{Quotation_Mark}`>]+$/gu, '')
    .replace(/^(?:[a-z][a-z0-9+.-]*:)?\/\//, '')
    .replace(/[/?#\\].*$/s, '')
    .replace(/^.*@/s, '')
    .replace(/:\d*$/, '')
    .replace(/\.+$/, '');
}

/** The part of a canonical name that its owner registered, by the public suffix list; null when there is none. */
export function registrableDomain(name: string): string | null {
  return getDomain(name, PUBLIC_SUFFIX_LIST);
}
