import type { Store } from '../contract/store.ts';
import type { writes } from './use-cases.ts';

/** Whether the contract promises that a write survives a power cut, so that it is answered only once it is on the disk. */
export function isDurable(
  name: keyof typeof writes | 'addRequests' | 'claimCertificates' | 'claimDue' | 'ping',
  args: unknown[],
): boolean {
  switch (name) {
    case 'addRequests':
    case 'claimCertificates':
    case 'claimDue':
    case 'extendLease':
    case 'pruneChallenges':
    case 'pruneChanges':
    case 'pruneRequests':
    case 'pruneLedger':
    case 'putChallenge':
    case 'ping':
      return false;
    case 'saveTransition': {
      const [{ before, after }] = args as Parameters<Store['saveTransition']>;
      return after.status !== before.status;
    }
    default:
      return true;
  }
}
