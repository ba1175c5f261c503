import { registeredDomain } from './name.ts';
import { PARKING_PROVIDERS } from './parking.ts';

/**
 * DNS providers, by the nameservers that they give to zones, and what their panels want people to type. Pure data. Nameservers that several
 * providers share (nsone.net: NS1, Netlify, Squarespace; googledomains.com: Google Cloud, Squarespace) name none of them.
 */

export interface DnsProvider {
  id: string;
  name: string;
  /** Suffixes of the names of its nameservers, or patterns where the suffix alone is shared. */
  nameservers: readonly (string | RegExp)[];
  /** The name that its panel wants for a record at the zone itself. */
  apex: '@' | 'empty';
  /** A host name without a final dot, entered as a value, gets the zone appended. */
  appendsZoneToValues?: true;
  /** How it calls a record that leads an apex to a host; absent: it has none, or that is not known. */
  apexRecord?: 'ALIAS' | 'ANAME' | 'CNAME';
  /** It can proxy a name, so that its records cannot be read back. */
  proxies?: true;
  /** Where records are edited. */
  panel?: string;
  /** Records cannot be published there: it shows advertisements for domains nobody uses, or is a registrar's, for registrations that have ended. */
  parking?: 'parked' | 'expired';
  /** A nameserver that has every zone of the provider. */
  forAllZones?: string;
}

const PROVIDERS: readonly DnsProvider[] = [
  {
    id: 'cloudflare',
    name: 'Cloudflare',
    nameservers: ['ns.cloudflare.com'],
    apex: '@',
    apexRecord: 'CNAME',
    proxies: true,
    panel: 'https://dash.cloudflare.com',
  },
  {
    id: 'route53',
    name: 'Amazon Route 53',
    nameservers: [/\.awsdns-\d+\.(?:com|net|org|co\.uk)$/],
    apex: 'empty',
    panel: 'https://console.aws.amazon.com/route53',
  },
  {
    id: 'godaddy',
    name: 'GoDaddy',
    nameservers: ['domaincontrol.com'],
    apex: '@',
    panel: 'https://dcc.godaddy.com',
  },
  {
    id: 'namecheap',
    name: 'Namecheap',
    nameservers: ['registrar-servers.com'],
    forAllZones: 'dns1.registrar-servers.com',
    apex: '@',
    apexRecord: 'ALIAS',
    panel: 'https://ap.www.namecheap.com',
  },
  {
    id: 'squarespace',
    name: 'Squarespace',
    nameservers: ['squarespacedns.com'],
    apex: '@',
    panel: 'https://account.squarespace.com/domains',
  },
  {
    id: 'ionos',
    name: 'IONOS',
    nameservers: [/(?:^|\.)ui-dns\.(?:com|de|org|biz)$/],
    apex: '@',
    panel: 'https://my.ionos.com/domains',
  },
  {
    id: 'ovh',
    name: 'OVHcloud',
    nameservers: ['ovh.net', 'ovh.ca', 'anycast.me'],
    apex: 'empty',
    appendsZoneToValues: true,
    panel: 'https://www.ovh.com/manager',
  },
  {
    id: 'gandi',
    name: 'Gandi',
    nameservers: ['gandi.net'],
    apex: '@',
    appendsZoneToValues: true,
    apexRecord: 'ALIAS',
    panel: 'https://admin.gandi.net',
  },
  {
    id: 'hetzner',
    name: 'Hetzner',
    nameservers: ['ns.hetzner.com', 'ns.hetzner.de', 'first-ns.de', 'second-ns.de', 'second-ns.com'],
    forAllZones: 'hydrogen.ns.hetzner.com',
    apex: '@',
    appendsZoneToValues: true,
    panel: 'https://console.hetzner.com',
  },
  {
    id: 'digitalocean',
    name: 'DigitalOcean',
    nameservers: ['digitalocean.com'],
    forAllZones: 'ns1.digitalocean.com',
    apex: '@',
    panel: 'https://cloud.digitalocean.com/networking/domains',
  },
  {
    id: 'vercel',
    name: 'Vercel',
    nameservers: ['vercel-dns.com', 'zeit.world'],
    forAllZones: 'ns1.vercel-dns.com',
    apex: 'empty',
    apexRecord: 'ALIAS',
    panel: 'https://vercel.com/dashboard/domains',
  },
  {
    id: 'azure',
    name: 'Azure DNS',
    nameservers: [/\.azure-dns\.(?:com|net|org|info)$/],
    apex: '@',
    panel: 'https://portal.azure.com',
  },
  {
    id: 'namecom',
    name: 'name.com',
    nameservers: ['name.com'],
    apex: '@',
    apexRecord: 'ANAME',
    panel: 'https://www.name.com',
  },
  {
    id: 'porkbun',
    name: 'Porkbun',
    nameservers: ['ns.porkbun.com', 'porkbun.com'],
    apex: 'empty',
    apexRecord: 'ALIAS',
    panel: 'https://porkbun.com/account/domains',
  },
  {
    id: 'strato',
    name: 'STRATO',
    nameservers: ['rzone.de'],
    apex: '@',
    panel: 'https://www.strato.de/apps/CustomerService',
  },
  {
    id: 'hostinger',
    name: 'Hostinger',
    nameservers: ['dns-parking.com'],
    apex: '@',
    apexRecord: 'ALIAS',
    panel: 'https://hpanel.hostinger.com',
  },
  {
    id: 'wix',
    name: 'Wix',
    nameservers: ['wixdns.net'],
    apex: 'empty',
    panel: 'https://manage.wix.com/account/domains',
  },
  { id: 'bluehost', name: 'Bluehost', nameservers: ['bluehost.com'], apex: '@', panel: 'https://my.bluehost.com' },
  {
    id: 'dnsimple',
    name: 'DNSimple',
    nameservers: ['dnsimple.com', 'dnsimple-edge.net', 'dnsimple-edge.org'],
    apex: 'empty',
    apexRecord: 'ALIAS',
    panel: 'https://dnsimple.com',
  },
  { id: 'dnsmadeeasy', name: 'DNS Made Easy', nameservers: ['dnsmadeeasy.com'], apex: 'empty', apexRecord: 'ANAME' },
  ...PARKING_PROVIDERS,
];

/** The provider that runs all of these nameservers; undefined where they are unknown, or of several providers. */
export function providerOf(nameservers: readonly string[]): DnsProvider | undefined {
  const [first, ...rest] = nameservers.map(providerOfOne);
  return rest.every((other) => other === first) ? first : undefined;
}

/** One that runs these nameservers, where none of them has zones that records can be published in. */
export function parkingOf(nameservers: readonly string[]): DnsProvider | undefined {
  const found = nameservers.map(providerOfOne);
  return found.every((provider) => provider?.parking !== undefined) ? found[0] : undefined;
}

/** Nameservers of well-known providers that have the zones of all their customers, besides the provider of these. */
export function otherNameservers(nameservers: readonly string[]): string[] {
  const asked = nameservers.map(providerOfOne);
  return PROVIDERS.flatMap((provider) => (asked.includes(provider) ? [] : (provider.forAllZones ?? [])));
}

function providerOfOne(nameserver: string): DnsProvider | undefined {
  return PROVIDERS.find(({ nameservers }) =>
    nameservers.some((one) => (typeof one === 'string' ? isBelow(nameserver, one) : one.test(nameserver))),
  );
}

function isBelow(name: string, suffix: string): boolean {
  return name === suffix || name.endsWith(`.${suffix}`);
}

/**
 * A name as a provider's panel wants it: without the zone; `@` for the zone itself, or nothing. Of an unknown provider, as most want it. No
 * customer types into the zone of a registry: where a name has none below it, it will be that of the registered domain.
 */
export function nameInZone(name: string, found: string, provider?: DnsProvider): string {
  const zone = ownZone(found, name);
  if (name === zone) return provider?.apex === 'empty' ? '' : '@';
  return name.endsWith(`.${zone}`) ? name.slice(0, -zone.length - 1) : name;
}

/** The zone that was found for a name, or its registered domain where that is below. */
export function ownZone(zone: string, name: string): string {
  const registered = registeredDomain(name);
  return registered.endsWith(`.${zone}`) ? registered : zone;
}

/** A host as a provider's panel wants it in the value of a CNAME. */
export function hostAsValue(host: string, provider?: DnsProvider): string {
  return provider?.appendsZoneToValues ? `${host}.` : host;
}
