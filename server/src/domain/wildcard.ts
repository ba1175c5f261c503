import type { Domain } from './domain.ts';
import { ownLabel } from './shared-target.ts';

/** Wildcard domains: `*.shop.example.com` is each name that is one label below `shop.example.com`. */

const PREFIX = '*.';

export function isWildcard(name: string): boolean {
  return name.startsWith(PREFIX);
}

/** `shop.example.com` of `*.shop.example.com`; any other name as it is. */
export function baseName(name: string): string {
  return isWildcard(name) ? name.slice(PREFIX.length) : name;
}

/** The wildcard domain that would serve a host name: `*.example.com` of `shop.example.com`. Null below a top-level domain. */
export function wildcardOf(hostname: string): string | null {
  const parent = hostname.slice(hostname.indexOf('.') + 1);
  return parent.includes('.') ? `${PREFIX}${parent}` : null;
}

/** A name that a domain serves: of a wildcard one below it, with a label that nobody can have published a record for and no cache can have. */
export function anyNameOf(name: string, random: () => number): string {
  return isWildcard(name) ? `${randomLabel(random)}.${baseName(name)}` : name;
}

/** At most 12 characters. `random` yields numbers in [0, 1). */
export function randomLabel(random: () => number): string {
  return `np${Math.floor(random() * 2 ** 47).toString(36)}`;
}

/** A CA looks for the answer to a DNS-01 challenge there, for a wildcard at its base name (RFC 8555 section 8.4). */
export function challengeName(name: string): string {
  return `_acme-challenge.${baseName(name)}`;
}

/** Where the CNAME at `challengeName` has to lead, for our DNS servers to answer: the domain's own label, in the zone for challenges. */
export function challengeTarget(domain: Parameters<typeof ownLabel>[0], challengeZone: string): string {
  return `${ownLabel(domain)}.${challengeZone}`;
}

/**
 * The CNAME that leads a CA's challenge of a domain to our DNS servers; null: there is none to publish, or its name would be longer than DNS allows.
 * `zone`: the zone for challenges that is set now, for all but wildcards, which keep theirs.
 */
export function challengeRecordOf(
  domain: Pick<Domain, 'name' | 'target' | 'token' | 'sharedAddresses' | 'challengeZone'>,
  zone: string | null,
): { name: string; value: string } | null {
  const inZone = isWildcard(domain.name) ? domain.challengeZone : zone;
  // A name that is not attached has no target.
  if (inZone === null || domain.target === '') return null;
  const name = challengeName(domain.name);
  return name.length > 253 ? null : { name, value: challengeTarget(domain, inZone) };
}
