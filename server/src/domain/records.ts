import type { Domain } from './domain.ts';
import { isShared, sharedAddressesOf } from './shared-target.ts';
import { baseName, challengeRecordOf, isWildcard } from './wildcard.ts';

/** Advised TTL of the records, in seconds. */
const RECORD_TTL_SECONDS = 60;

/** One DNS record that a domain needs (spec: DnsRecord). */
export interface DnsRecord {
  type: 'CNAME' | 'ALIAS' | 'TXT';
  name: string;
  value: string;
  /** Seconds. */
  ttl: number;
  verified: boolean;
  note: string;
}

type Named = Pick<Domain, 'name' | 'service'>;

/** Name of the ownership record: the domain, of a wildcard its base name, prefixed with the service's own label. */
export function ownershipName({ name, service }: Named): string {
  return `_${service}.${baseName(name)}`;
}

/** Exact value of the ownership record. */
export function ownershipValue({ service, token }: Pick<Domain, 'service' | 'token'>): string {
  return `${service}-domain-verify=${token}`;
}

/** Addresses named in a note, which keeps it within 512 characters (spec: DnsRecord). */
export const MAX_NAMED_ADDRESSES = 6;

/**
 * The note of an apex's routing record. `edgeAddresses`: IP addresses that lead to the edge, for providers without such a record; the first
 * six are named.
 */
export function apexRoutingNote(edgeAddresses: readonly string[]): string {
  const named = edgeAddresses.slice(0, MAX_NAMED_ADDRESSES);
  const ipv4 = named.filter((address) => !address.includes(':'));
  const ipv6 = named.filter((address) => address.includes(':'));
  const records = [ipv4.length > 0 && `A ${ipv4.join(', ')}`, ipv6.length > 0 && `AAAA ${ipv6.join(', ')}`];
  const addresses = records.filter((part) => part !== false).join(' and ');
  const instead = addresses === '' ? '' : ` If there is none, publish ${addresses} instead.`;
  return `Routes traffic. An apex domain cannot have a CNAME: use the record that your provider calls ALIAS, ANAME or flattened CNAME.${instead} It stays unverified, because the published value cannot be read back; the TXT record verifies the domain.`;
}

/** The same with a shared target. `addresses`: those that lead there, and verify the domain. */
function sharedApexNote(addresses: readonly string[]): string {
  const instead =
    addresses.length === 0
      ? ' It may stay unverified, because the published value cannot be read back; the TXT record verifies the domain.'
      : ` If there is none, publish ${addresses.slice(0, MAX_NAMED_ADDRESSES).join(', ')} as A and AAAA records. These addresses verify the domain.`;
  return `Routes traffic. An apex domain cannot have a CNAME: use the record that your provider calls ALIAS, ANAME or flattened CNAME.${instead}`;
}

const APEX_ROUTING_NOTE = apexRoutingNote([]);

/**
 * The records a domain needs, routing first (spec: Shape of the records of a domain). Same values for as long as it exists. A wildcard may have a
 * third one, for its certificate. `apexNote` is from `apexRoutingNote`.
 */
export function dnsRecords(
  domain: Domain,
  apexNote = APEX_ROUTING_NOTE,
): [routing: DnsRecord, ownership: DnsRecord, ...challenge: DnsRecord[]] {
  const routing: DnsRecord = {
    type: domain.kind === 'apex' ? 'ALIAS' : 'CNAME',
    name: domain.name,
    value: domain.target,
    ttl: RECORD_TTL_SECONDS,
    verified: domain.routingVerifiedAt !== null,
    note:
      domain.kind === 'apex'
        ? isShared(domain)
          ? sharedApexNote(sharedAddressesOf(domain))
          : apexNote
        : `Routes traffic${isWildcard(domain.name) ? ` of all names one label below ${baseName(domain.name)}` : ''} and verifies the domain. If your provider hides it (Cloudflare: orange cloud), it cannot be read back and stays unverified; publish the TXT record too.`,
  };
  const ownership: DnsRecord = {
    type: 'TXT',
    name: ownershipName(domain),
    value: ownershipValue(domain),
    ttl: RECORD_TTL_SECONDS,
    verified: domain.ownershipVerifiedAt !== null,
    note:
      domain.kind === 'apex' && sharedAddressesOf(domain).length === 0
        ? 'Proves that you own the domain. Required for an apex domain. Copy the value as it is, with its prefix.'
        : 'Proves that you own the domain. Needed when your provider hides the CNAME record (Cloudflare: orange cloud), or when another account of this service holds the domain. Copy the value as it is, with its prefix.',
  };
  const challenge = isWildcard(domain.name) ? challengeDnsRecord(domain, null) : null;
  return challenge === null ? [routing, ownership] : [routing, ownership, challenge];
}

/**
 * The record that lets a certificate be ordered over DNS; null: there is none to publish. A wildcard needs it; any other domain may have it. `zone`: the
 * zone for challenges that is set now.
 */
export function challengeDnsRecord(domain: Domain, zone: string | null): DnsRecord | null {
  const record = challengeRecordOf(domain, zone);
  return (
    record && {
      type: 'CNAME',
      ...record,
      ttl: RECORD_TTL_SECONDS,
      verified: domain.challengeVerifiedAt !== null,
      note: `${isWildcard(domain.name) ? '' : 'Optional: with the TXT record, the certificate is ready before you change anything else. '}Lets this service get and renew the certificate. Publish it at ${record.name} exactly, and do not let your provider proxy it (Cloudflare: grey cloud, "DNS only").`,
    }
  );
}
