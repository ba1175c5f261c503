import type { FindingAction, FindingFields } from '../finding.ts';
import { joinList, quote } from '../text.ts';

/** Phrases that the sentences of findings share. */

/** A finding whose absent fields are empty. */
export type Said = ReturnType<typeof filled>;

export function filled(fields: FindingFields) {
  const { name = '', seen = [], expected = '', nameservers = [], facts = {}, action = NO_ACTION } = fields;
  // A record that was found at another name has its own in the action.
  const at = action.name ?? name;
  return { ...fields, name, seen, first: seen[0] ?? '', expected, nameservers, action, at, ...facts };
}

const NO_ACTION: FindingAction = { kind: 'wait', at: 'zone', zone: '' };

/** Untrusted text in quotation marks, shortened as far as the message needs it. */
export type Quote = (text: string) => string;

/** The nameservers that failed. */
export function failing(nameservers: readonly string[]): string {
  return nameservers.length === 0 ? 'its nameservers' : listServers(nameservers);
}

/** `At Cloudflare`, or where else the zone is edited. */
export function whereOf({ provider, zone }: FindingAction): string {
  return provider === undefined ? `In the DNS settings of ${zone}` : `At ${provider}`;
}

/** Where the nameservers of a zone are set. */
export function delegationOf({ at, zone }: FindingAction): string {
  return at === 'registrar' ? `at the registrar of ${zone}` : `in the NS records of ${zone} in the zone above`;
}

/** The text to type as the name of the record: `` Name: `_service.shop` ``. */
export function typedName({ nameInZone }: FindingAction): string {
  return nameInZone === '' ? 'Name: leave it empty' : `Name: \`${nameInZone}\``;
}

export function typedValue({ valueInZone }: FindingAction): string {
  return `Value: \`${valueInZone}\``;
}

/** Both, as a sentence that ends a fix. */
export function typed(action: FindingAction): string {
  return `${typedName(action)}, ${typedValue(action)}.`;
}

/** Names of nameservers, or their number where they are too long to be named. */
export function listServers(names: readonly string[]): string {
  const listed = joinList(names.map(shown));
  return listed.length <= 120 ? listed : `${names.length} nameserver${names.length === 1 ? '' : 's'} of the zone`;
}

/** A name or an address that a nameserver sent: quoted unless it is plain. */
export function shown(text: string): string {
  return /^[a-z0-9._:-]+$/i.test(text) ? text : quote(text);
}

/** A chain of CNAMEs, with arrows: at most four names of it. */
export function chainOf(chain: readonly string[], quoted: Quote): string {
  const names = chain.map(quoted);
  const shortened = names.length > 4 ? [...names.slice(0, 3), '…', names.at(-1)] : names;
  return shortened.join(' → ');
}

export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
