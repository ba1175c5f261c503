import type { SelfCheckAnswer } from '../../domain/certificate-state.ts';

/**
 * Which addresses of a name have to answer before a certificate is ordered. Pure. A CA connects to one address of each
 * family (IPv4, IPv6), of several in turn: where one of several does not answer, most validations succeed.
 */

/** `all`: every address. `any`: every one but those that do not answer, where another one of their family does. */
export type AddressPolicy = 'any' | 'all';

export interface JudgedAddress extends Pick<SelfCheckAnswer, 'address' | 'outcome'> {
  /** The address sent bytes, whatever they were. */
  responded: boolean;
  /** This machine has no route to the address. */
  noRoute: boolean;
}

const DAY_MS = 24 * 3_600_000;

/**
 * For a day after a CA has failed to validate the name, `all`. A failure that lies ahead by more was written by a clock
 * that was wrong.
 */
export function addressPolicy(
  configured: AddressPolicy,
  authorizationFailedAt: number | null,
  now: number,
): AddressPolicy {
  const isRecent = authorizationFailedAt !== null && Math.abs(now - authorizationFailedAt) < DAY_MS;
  return isRecent ? 'all' : configured;
}

/** The addresses that do not answer, and need not. */
export function toleratedAddresses<A extends JudgedAddress>(addresses: readonly A[], policy: AddressPolicy): A[] {
  const ours = addresses.filter(({ outcome }) => outcome === 'ours');
  return addresses.filter((one) => {
    if (one.outcome !== 'unreachable' || one.responded) return false;
    // An address that this machine cannot reach proves nothing, if another one is ours.
    if (one.noRoute) return ours.length > 0;
    return policy === 'any' && ours.some(({ address }) => isIpv6(address) === isIpv6(one.address));
  });
}

function isIpv6(address: string): boolean {
  return address.includes(':');
}
