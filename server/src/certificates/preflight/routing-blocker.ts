import type { SelfCheck, SelfCheckAnswer } from '../../domain/certificate-state.ts';
import type { CheckedAddress, SelfCheckResult } from '../../verification/observation/self-check.ts';
import { type AddressPolicy, toleratedAddresses } from '../policy/address-rule.ts';
import type { Blocker } from '../policy/blocker.ts';

/** The self-check of a name, and its consequence for the certificate. */
export interface CheckedRouting {
  /** Null: there was no address to check. */
  selfCheck: SelfCheck | null;
  /** Null: a CA would get our challenge response. */
  blocker: Blocker | null;
  /** Addresses that do not answer, and need not. */
  tolerated: string[];
}

/** For machines that cannot reach their own public address: they know no blocker. */
export const UNCHECKED_ROUTING: CheckedRouting = { selfCheck: null, blocker: null, tolerated: [] };

/**
 * Reads from the self-check of a name how an HTTP-01 validation would go. This finds wrong routing without an order at
 * the CA.
 */
export function checkedRouting(hostname: string, result: SelfCheckResult, policy: AddressPolicy): CheckedRouting {
  switch (result.kind) {
    case 'unreadable': {
      const blocker = { reason: 'dns_unreadable', record: 'address', name: hostname, seen: result.seen } as const;
      return { selfCheck: null, blocker, tolerated: [] };
    }
    case 'no_address':
      return { selfCheck: null, blocker: { reason: 'no_address', chain: result.chain }, tolerated: [] };
    case 'checked': {
      const answers = result.answers.map(toAnswer);
      const tolerated = toleratedAddresses(result.answers, policy).map(({ address }) => address);
      const counted = result.answers.filter(({ address }) => !tolerated.includes(address));
      const blocker = blockerIn(counted, answers, result.chain.at(-1) ?? null);
      return { selfCheck: { at: result.at, answers }, blocker, tolerated };
    }
    default:
      return result satisfies never;
  }
}

/** A CA may connect to any of the addresses. */
function blockerIn(checked: CheckedAddress[], answers: SelfCheckAnswer[], end: string | null): Blocker | null {
  const has = (wanted: SelfCheckAnswer['outcome']) => checked.some(({ outcome }) => outcome === wanted);
  if (has('not_public')) return { reason: 'address_not_public', answers, end };
  if (has('another')) return { reason: 'answered_by_another', answers, end };
  return has('unreachable') ? { reason: 'unreachable', answers, end } : null;
}

function toAnswer({ address, outcome, seen }: CheckedAddress): SelfCheckAnswer {
  return { address, outcome, seen };
}
