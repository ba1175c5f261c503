import type { Finding } from '../client/client.ts';
import type { Wording } from './english.ts';
import type { Told } from './sentence.ts';

/** A finding as sentences mention it: its fields as text, in a language and a style. */

/** How a text shows what sentences mention: pages mark values, the API quotes untrusted ones. */
export interface Style {
  /** A name or an address. */
  name(text: string): string;
  /** Any text that was found in the DNS. */
  value(text: string): string;
  /** A CAA record, as zone files have it. */
  caa(text: string): string;
  /** The text to type at a provider. */
  typed(text: string): string;
  list(texts: string[]): string;
  /** Unix ms. */
  time(at: number): string;
  duration(seconds: number): string;
}

export type Fields = Omit<Finding, 'message' | 'fix'>;
export type SentenceKey = keyof Wording['findings'];
export type Item = SentenceKey | [key: SentenceKey, changes: Partial<Told>];
export type Action = NonNullable<Finding['action']>;
export type Facts = NonNullable<Finding['facts']>;
export type Saying = Item[] | Choice;
export type Choice = (said: Said) => Item[];

/** A finding with its facts, whose absent lists are empty, and how it is said. */
export interface Said extends Fields, Facts {
  seen: string[];
  nameservers: string[];
  at: string;
  action: Action;
  style: Style;
  /** As one text. */
  say(items: Item[]): string;
}

/** Names of a chain that are shown, and nameservers whose answers are. */
export const MOST = 4;

const NO_ACTION: Action = { kind: 'wait', at: 'zone', zone: '' };

export function saidIn(fields: Fields, wording: Wording, style: Style): Said {
  const { name = '', seen = [], nameservers = [], facts = {}, action = NO_ACTION } = fields;
  // A record that was found at another name has its own in the action.
  const said = { ...facts, ...fields, seen, nameservers, action, style, at: action.name ?? name, say };
  const told = fieldsOf(said, wording);
  // Sentences contain these, which contain other fields.
  if (nameservers.length === 0) told.servers = say(['itsNameservers']);
  told.where = say([action.provider === undefined ? 'inZone' : 'atProvider']);
  told.delegation = say([action.at === 'registrar' ? 'atRegistrar' : 'inZoneAbove']);
  return said;

  function say(items: Item[]): string {
    const sentences = items.map((item) => {
      const [key, changes] = typeof item === 'string' ? [item, {}] : item;
      const sentence = wording.findings[key];
      return typeof sentence === 'string' ? sentence : sentence({ ...told, ...changes });
    });
    return sentences.join(wording.space);
  }
}

function fieldsOf(said: Said, { tag }: Wording): Told {
  const { style, action, seen } = said;
  const one = (text = '') => (text === '' ? '' : style.name(text));
  const typed = (text = '') => (text === '' ? '' : style.typed(text));
  const { position = 1, found, expected } = said.difference ?? {};
  const values = seen.map(style.value);
  return {
    type: action.type ?? '',
    removes: style.list(action.removes ?? []),
    at: one(said.at),
    name: one(said.name),
    otherName: one(said.otherName),
    zone: one(action.zone),
    ownZone: one(said.zone),
    zoneAbove: one(said.zoneAbove),
    expected: one(said.expected),
    first: values[0] ?? '',
    chain: chainOf(values),
    values: style.list(values),
    addresses: namesOf(seen, style),
    count: seen.length,
    servers: namesOf(said.nameservers, style),
    seenServers: withProvider(namesOf(seen, style), said.seenProvider),
    onlyDelegated: namesOf(said.onlyDelegated, style),
    onlyInZone: namesOf(said.onlyInZone, style),
    answer: '',
    provider: said.provider ?? action.provider ?? '',
    proxy: said.proxy ?? '',
    host: one(said.host),
    owner: one(said.owner),
    position: String(position),
    before: String(position - 1),
    found: printable(found, style),
    wanted: printable(expected, style),
    until: style.time(said.until ?? 0),
    lasting: style.duration(said.ttlSeconds ?? 0),
    entered: typed(action.nameInZone),
    value: typed(action.value),
    typeInZone: action.typeInZone ?? '',
    flags: typed(action.flags),
    tag: typed(action.tag),
    where: '',
    delegation: '',
    plural: (count, forms) => forms[new Intl.PluralRules(tag).select(count)] ?? forms.other,
  };
}

export function namesOf(names: readonly string[] = [], style: Style): string {
  return style.list(names.map(style.name));
}

export function withProvider(servers: string, provider: string | undefined): string {
  return provider === undefined ? servers : `${servers} (${provider})`;
}

export function chainOf(values: readonly string[]): string {
  const shown = values.length > MOST ? [...values.slice(0, MOST - 1), '…', ...values.slice(-1)] : values;
  return shown.join(' → ');
}

function printable(character = '', { value }: Style): string {
  if (/^[!-~]$/.test(character)) return value(character);
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

export const when = (condition: unknown, items: Item[]): Item[] => (condition ? items : []);
