import type { Domain } from '../../client/client.ts';
import type { DnsPanel, Entry, PROVIDERS } from './provider-panel.ts';

/** A mistake that customers make with the two records, as they enter it in the panel of a provider. */
export interface CustomerMistake {
  /** The customer's mistake, in words. */
  what: string;
  provider: keyof typeof PROVIDERS;
  /** The text of the page about the mistake. */
  says: RegExp;
  entries(right: RightEntries): Entry[];
  /** The domain is the zone itself; below it unless given. */
  isApex?: true;
  /** Nothing is below the zone that leads here, so that it is verified and not served. */
  isNotServed?: true;
  /** The provider takes what zone files may not contain. */
  lenient?: true;
  /** Nameservers of the zone; one unless given. */
  nameservers?: 1 | 2;
  /** Makes a mistake in the zone as a whole. */
  besides?(panel: DnsPanel): Promise<void>;
}

/** The two records as the customer should have entered them, and what was at hand besides. */
export interface RightEntries {
  routing: Entry;
  ownership: Entry;
  /** Fully qualified name of the domain. */
  name: string;
  zone: string;
  /** The records of another domain of the same customer. */
  other: Domain['dnsRecords'];
}

const FORMER_HOST = 'shops.oldhost.test.';
const FORMER_ADDRESS = '127.0.0.9';
/** An address of Cloudflare. */
const PROXY_ADDRESS = '104.16.132.229';

const DS_OF_ANOTHER_KEY = `12345 13 2 ${'00'.repeat(32)}`;

type Provider = CustomerMistake['provider'];
type Entries = CustomerMistake['entries'];

const mistake = (
  provider: Provider,
  what: string,
  says: RegExp,
  entries: Entries,
  more: Partial<CustomerMistake> = {},
): CustomerMistake => ({ what, provider, says, entries, ...more });

/** The value of the CNAME, and no TXT record. */
const cname = (provider: Provider, what: string, says: RegExp, value: (right: RightEntries) => string) =>
  mistake(provider, what, says, (right) => [{ ...right.routing, value: value(right) }]);

/** The TXT record of an apex, which leads here by its address. */
const txt = (provider: Provider, what: string, says: RegExp, value: (right: string, all: RightEntries) => string) =>
  mistake(
    provider,
    what,
    says,
    (right) => [right.routing, { ...right.ownership, value: value(right.ownership.value, right) }],
    { isApex: true },
  );

export const CUSTOMER_MISTAKES: CustomerMistake[] = [
  mistake('cloudflare', 'has published nothing yet', /Copy each name and value/, () => []),
  mistake(
    'godaddy',
    'entered the whole name, and the panel appends the zone',
    /it belongs at shop\..*The DNS provider adds .* to every name/,
    ({ routing, name }) => [{ ...routing, name }],
  ),
  mistake('godaddy', 'entered both whole names', /The TXT record is at/, ({ routing, ownership, name }) => [
    { ...routing, name },
    { ...ownership, name: `_service.${name}` },
  ]),
  mistake('route53', 'published the CNAME at www of the name', /is at www\./, ({ routing }) => [
    { ...routing, name: `www.${routing.name}` },
  ]),
  mistake(
    'unknown',
    'published the target as a TXT record',
    /in a record of the type TXT; it belongs in a CNAME/,
    ({ routing }) => [{ ...routing, type: 'TXT' }],
  ),
  cname('cloudflare', 'left the CNAME of the former host', /It has to lead to/, () => FORMER_HOST),
  cname(
    'namecheap',
    'took the target of another domain',
    /not the target of this domain/,
    ({ other }) => other[0]?.value ?? '',
  ),
  mistake('hetzner', 'left out the final dot, and the panel appends the zone', /added the zone/, ({ routing }) => [
    { ...routing, value: routing.value.replace(/\.$/, '') },
  ]),
  cname(
    'cloudflare',
    'entered https:// before the target',
    /web address \(URL\)/,
    ({ routing }) => `https://${routing.value}`,
  ),
  cname('godaddy', 'entered an address as the value of the CNAME', /IP address, not a host name/, () => FORMER_ADDRESS),
  cname('route53', 'copied a space before the target', /white space/, ({ routing }) => ` ${routing.value}`),
  cname('unknown', 'entered the target in quotation marks', /quotation marks/, ({ routing }) => `"${routing.value}"`),
  cname(
    'namecheap',
    'entered the TXT value as the value of the CNAME',
    /is the value of the TXT record/,
    ({ ownership }) => ownership.value,
  ),
  mistake(
    'godaddy',
    'left the address of the former server',
    /has the address .*, not a CNAME record/,
    ({ routing }) => [{ ...routing, type: 'A', value: FORMER_ADDRESS }],
  ),
  mistake(
    'unknown',
    'left the address of the former server beside the CNAME',
    /other records beside it/,
    ({ routing }) => [routing, { ...routing, type: 'A', value: FORMER_ADDRESS }],
    { lenient: true },
  ),
  mistake(
    'unknown',
    'left the CNAME of the former host beside the new one',
    /other records beside it/,
    ({ routing }) => [routing, { ...routing, value: FORMER_HOST }],
    { lenient: true },
  ),
  mistake(
    'cloudflare',
    'has the orange cloud on, and no TXT record',
    /Only a TXT record can verify/,
    ({ routing }) => [{ ...routing, type: 'A', value: PROXY_ADDRESS }],
    { isNotServed: true },
  ),
  mistake('godaddy', 'has a wildcard that leads elsewhere', /a wildcard record/, ({ routing }) => [
    { ...routing, name: '*', value: FORMER_HOST },
  ]),
  mistake(
    'namecheap',
    'entered the names of the two records the wrong way round',
    /names of the two records are exchanged/,
    ({ routing, ownership }) => [
      { ...routing, name: ownership.name },
      { ...ownership, name: routing.name },
    ],
  ),
  mistake(
    'cloudflare',
    'published the CNAME at the name of the TXT record',
    /A TXT record has to be there instead/,
    ({ routing, ownership }) => [routing, { ...routing, type: 'CNAME', name: ownership.name, value: FORMER_HOST }],
    { isApex: true },
  ),
  mistake(
    'godaddy',
    'left out the underscore of the TXT name',
    /The TXT record is at service\./,
    ({ routing, ownership }) => [routing, { ...ownership, name: ownership.name.slice(1) }],
    { isApex: true },
  ),
  mistake(
    'route53',
    'published no TXT record for an apex',
    /The other one is still missing/,
    ({ routing }) => [routing],
    {
      isApex: true,
    },
  ),
  mistake(
    'route53',
    'has an apex at a provider without ALIAS records',
    /Does your provider have none of these/,
    () => [],
    {
      isApex: true,
    },
  ),
  mistake(
    'godaddy',
    'lets another certificate authority alone issue',
    /The domain allows other certificate authorities only/,
    ({ routing }) => [routing, { type: 'CAA', name: '@', value: '0 issue "other.test"' }],
  ),
  txt('cloudflare', 'mistyped one character of the TXT value', /Character 46 is/, (right) => withOtherEnd(right)),
  txt('godaddy', 'entered the TXT value in quotation marks', /quotation marks/, (right) => `"${right}"`),
  txt('namecheap', 'typed the TXT value in lower case', /Upper and lower case are mixed up/, (right) =>
    right.toLowerCase(),
  ),
  txt('hetzner', 'copied a space after the TXT value', /a space that does not belong to it/, (right) => `${right} `),
  txt('unknown', 'copied a part of the TXT value', /Its end is missing/, (right) => right.slice(0, -5)),
  txt(
    'route53',
    'took the TXT value of another domain',
    /looks like the value of another domain/,
    (_right, { other }) => other[1]?.value ?? '',
  ),
  mistake(
    'namecheap',
    'left the address of the former server at an apex',
    /has the address 127\.0\.0\.9/,
    ({ routing, ownership }) => [{ ...routing, type: 'A', value: FORMER_ADDRESS }, ownership],
    { isApex: true },
  ),
  mistake(
    'unknown',
    'entered a CNAME at an apex, beside its other records',
    /is a CNAME to shops\.oldhost\.test/,
    ({ routing, ownership }) => [{ ...routing, type: 'CNAME', value: FORMER_HOST }, ownership],
    { isApex: true, lenient: true },
  ),
  mistake('unknown', 'has the record at one of two nameservers only', /do not agree/, ({ routing }) => [routing], {
    nameservers: 2,
    besides: (panel) => panel.leaveBehind(1),
  }),
  mistake('unknown', 'kept the DS record of the former provider', /DNSSEC/, ({ routing }) => [routing], {
    besides: (panel) => panel.setDs([DS_OF_ANOTHER_KEY]),
  }),
];

/** The last character another one of the same kind. */
function withOtherEnd(text: string): string {
  return `${text.slice(0, -1)}${text.endsWith('x') ? 'y' : 'x'}`;
}
