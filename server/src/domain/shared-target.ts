import type { Domain } from './domain.ts';
import { isSameAddress } from './ip-address.ts';

/** Shared targets: hosts of a platform to which the names of all its customers lead (docs/guides/verification.md, Shared targets). */

/** A target as domains have it. */
export type DomainTarget = Pick<Domain, 'target' | 'sharedAddresses'>;

/** The addresses that lead to the shared target of a domain; empty for a target of its own. */
export function sharedAddressesOf({ sharedAddresses }: Pick<Domain, 'sharedAddresses'>): string[] {
  return sharedAddresses === null ? [] : JSON.parse(sharedAddresses);
}

export function isShared({ sharedAddresses }: Pick<Domain, 'sharedAddresses'>): boolean {
  return sharedAddresses !== null;
}

/** Whether the routing record alone can prove the domain: that of an apex does by the addresses of a shared target. */
export function isProvenByRouting(domain: Pick<Domain, 'kind' | 'sharedAddresses'>): boolean {
  return domain.kind === 'subdomain' || isShared(domain);
}

/** Whether any of the addresses is one of the shared target. */
export function isAnyShared(domain: Pick<Domain, 'sharedAddresses'>, addresses: readonly string[]): boolean {
  const shared = sharedAddressesOf(domain);
  return addresses.some((address) => shared.some((each) => isSameAddress(each, address)));
}

/** Whether all of the addresses, and at least one, are those of the shared target. */
export function areShared(domain: Pick<Domain, 'sharedAddresses'>, addresses: readonly string[]): boolean {
  const shared = sharedAddressesOf(domain);
  const isOne = (address: string) => shared.some((each) => isSameAddress(each, address));
  return addresses.length > 0 && addresses.every(isOne);
}

/** Whether two hosts are the same, or one is above the other: who has the upper one decides about the lower. */
export function areInLine(a: string, b: string): boolean {
  return a === b || a.endsWith(`.${b}`) || b.endsWith(`.${a}`);
}

/** The label that a domain has in our own zones. That of a shared target would be one label of many domains, so it is made of the token. */
export function ownLabel({ target, token, sharedAddresses }: DomainTarget & Pick<Domain, 'token'>): string {
  if (sharedAddresses === null) return target.slice(0, target.indexOf('.'));
  return `s${token.toLowerCase().slice(0, 19)}`;
}

/** A host that leads to our edge for this domain alone: its own target, or one with its label in the CNAME zone. */
export function ownHost(domain: DomainTarget & Pick<Domain, 'token'>, cnameZone: string): string {
  return isShared(domain) ? `${ownLabel(domain)}.${cnameZone}` : domain.target;
}
