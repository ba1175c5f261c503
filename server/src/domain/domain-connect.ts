import type { Domain } from './domain.ts';
import { baseName, isWildcard } from './wildcard.ts';

/**
 * Domain Connect, synchronous flow (draft-ietf-dconn-domainconnect-03): a DNS provider that knows our template publishes
 * the records of a domain itself, once the customer agrees there.
 */

/** The operator's settings that templates are made of. */
export interface ConnectSettings {
  /** A domain of the operator: the id of the service provider, and where public keys are published. */
  providerId: string;
  /** The id of the template for subdomains; those of the others begin with it. */
  serviceId: string;
  service: string;
  cnameZone: string;
  /** Null: wildcards need no record for their certificate. Undefined: they get none. */
  challengeZone: string | null | undefined;
  edgeAddresses: readonly string[];
}

/** Each has its own template, because a provider applies all records of one. */
export const TEMPLATE_KINDS = ['subdomain', 'apex', 'wildcard'] as const;
export type TemplateKind = (typeof TEMPLATE_KINDS)[number];

/** A record of a template, in the words of the draft. `%…%` are variables; `host` is relative to the name that is connected. */
interface TemplateRecord {
  type: 'A' | 'AAAA' | 'CNAME' | 'TXT';
  host: string;
  pointsTo?: string;
  data?: string;
  ttl: number;
  txtConflictMatchingMode?: 'Prefix';
  txtConflictMatchingPrefix?: string;
}

const TTL_SECONDS = 300;

export function templateId({ serviceId }: Pick<ConnectSettings, 'serviceId'>, kind: TemplateKind): string {
  return kind === 'subdomain' ? serviceId : `${serviceId}-${kind}`;
}

/** Null: there is none, because no address is known that an apex could have, or no certificate for wildcards. */
export function templateRecords(kind: TemplateKind, settings: ConnectSettings): TemplateRecord[] | null {
  const { service, cnameZone, challengeZone, edgeAddresses } = settings;
  const ttl = TTL_SECONDS;
  const prefix = `${service}-domain-verify=`;
  // Another value with the prefix is of a former attempt, or of a former owner.
  const conflicts = { txtConflictMatchingMode: 'Prefix', txtConflictMatchingPrefix: prefix } as const;
  const ownership = { type: 'TXT', host: `_${service}`, data: `${prefix}%token%`, ttl, ...conflicts } as const;
  const target = `%target%.${cnameZone}`;
  if (kind === 'subdomain') return [{ type: 'CNAME', host: '@', pointsTo: target, ttl }, ownership];
  if (kind === 'apex') {
    const addresses = edgeAddresses.map((pointsTo) => {
      const type = pointsTo.includes(':') ? ('AAAA' as const) : ('A' as const);
      return { type, host: '@', pointsTo, ttl };
    });
    return addresses.length === 0 ? null : [...addresses, ownership];
  }
  if (challengeZone === undefined) return null;
  const challenge = { type: 'CNAME', host: '_acme-challenge', pointsTo: `%target%.${challengeZone}`, ttl } as const;
  return [
    { type: 'CNAME', host: '*', pointsTo: target, ttl },
    ownership,
    ...(challengeZone === null ? [] : [challenge]),
  ];
}

/** Names the record of a key; the value of `key` in a link. An id has an underscore, which only begins such labels. */
export function keyLabel(keyId: string): string {
  return `_${keyId.replace('_', '-')}`;
}

/** Octets of the key in one TXT record: with what is before them they fit into one string. */
const PART = 230;

/** The TXT records of a public key (SPKI, DER), in any order. */
export function keyRecords(publicKey: Uint8Array): string[] {
  const text = Buffer.from(publicKey).toString('base64');
  const parts = text.match(new RegExp(`.{1,${PART}}`, 'g')) ?? [];
  return parts.map((part, at) => `p=${at + 1},a=RS256,d=${part}`);
}

/** The name that a template is applied to, and the values of its variables. */
export interface TemplateUse {
  kind: TemplateKind;
  /** The zone. */
  domain: string;
  /** Below the zone; empty for the zone itself. */
  host: string;
  variables: Record<string, string>;
}

/** Null where the records of the template would not be those of the domain. */
export function connectionOf(domain: Domain, zone: string, settings: ConnectSettings): TemplateUse | null {
  const { name, target, token, service } = domain;
  const kind = isWildcard(name) ? 'wildcard' : domain.kind;
  const base = baseName(name);
  if (base !== zone && !base.endsWith(`.${zone}`)) return null;
  const host = base.slice(0, -zone.length - 1);
  const label = target.slice(0, target.indexOf('.'));
  const isOurs = target === `${label}.${settings.cnameZone}` && service === settings.service;
  if (!isOurs || templateRecords(kind, settings) === null) return null;
  if (kind === 'wildcard' && domain.challengeZone !== settings.challengeZone) return null;
  // A zone has no CNAME at its own name, and an apex is one.
  if (kind !== 'wildcard' && (host === '') !== (kind === 'apex')) return null;
  return { kind, domain: zone, host, variables: kind === 'apex' ? { token } : { target: label, token } };
}

/** The query that is signed, without its `?`. `back`: where the provider sends the browser; null: it closes its window. */
export function connectQuery(
  { domain, host, variables }: TemplateUse,
  back: { redirectUri: string; state: string } | null,
): string {
  return new URLSearchParams({
    domain,
    ...(host !== '' && { host }),
    ...variables,
    ...(back && { redirect_uri: back.redirectUri, state: back.state }),
  }).toString();
}
