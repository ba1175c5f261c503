import type { SelfCheck, SelfCheckAnswer } from '../../domain/certificate-state.ts';
import type { CheckedAddress, SelfCheckResult } from '../../selfcheck/self-check.ts';
import type { Blocker } from '../policy/blocker.ts';

/** What the routing of a name means for its certificate. */
export interface CheckedRouting {
  /** Null: there was no address to check. */
  selfCheck: SelfCheck | null;
  /** Null: a CA would get our challenge response. */
  blocker: Blocker | null;
}

/** For machines that cannot reach their own public address: nothing is known, so nothing is in the way. */
export const UNCHECKED_ROUTING: CheckedRouting = { selfCheck: null, blocker: null };

/** What a CA that validates a name by HTTP-01 would meet, by the self-check of the name. Finds wrong routing at no cost at the CA. */
export function checkedRouting(hostname: string, result: SelfCheckResult): CheckedRouting {
  switch (result.kind) {
    case 'unreadable': {
      const blocker = { reason: 'dns_unreadable', record: 'address', name: hostname, seen: result.seen } as const;
      return { selfCheck: null, blocker };
    }
    case 'no_address':
      return { selfCheck: null, blocker: { reason: 'no_address', chain: result.chain } };
    case 'checked': {
      const answers = result.answers.map(toAnswer);
      return {
        selfCheck: { at: result.at, answers },
        blocker: blockerIn(result.answers, answers, result.chain.at(-1) ?? null),
      };
    }
    default:
      return result satisfies never;
  }
}

/** A CA may connect to any of the addresses. One without a route from here proves nothing, if another is ours. */
function blockerIn(checked: CheckedAddress[], answers: SelfCheckAnswer[], end: string | null): Blocker | null {
  const isReached = checked.some(({ outcome }) => outcome === 'ours');
  const has = (wanted: SelfCheckAnswer['outcome']) =>
    checked.some(({ outcome, noRoute }) => outcome === wanted && !(noRoute && isReached));
  if (has('not_public')) return { reason: 'address_not_public', answers, end };
  if (has('another')) return { reason: 'answered_by_another', answers, end };
  return has('unreachable') ? { reason: 'unreachable', answers, end } : null;
}

function toAnswer({ address, outcome, seen }: CheckedAddress): SelfCheckAnswer {
  return { address, outcome, seen };
}
