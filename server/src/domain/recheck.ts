import type { SelfCheckAnswer } from './certificate-state.ts';
import type { Finding } from './finding.ts';
import type { Reading } from './reading.ts';

/** The results of one re-check of a verified domain: `monitoring.ts` judges it. */
export interface Recheck extends Pick<Reading, 'ownership' | 'routing' | 'challenge'> {
  addresses: AddressReading;
  /** The mistakes in its DNS, the most important first. */
  findings: readonly Finding[];
}

/** How the addresses of a name answer our self-check. */
export type AddressReading =
  /** At least one is ours, and no other server answers. */
  | { kind: 'ours' }
  /** At least one is ours, and another server answers at others. */
  | { kind: 'partly'; answers: SelfCheckAnswer[] }
  /** None is ours; there may be none at all. */
  | { kind: 'elsewhere'; answers: SelfCheckAnswer[] }
  /** The addresses could not be looked up. */
  | { kind: 'unreadable' }
  /** No self-check was needed, or none can be made. */
  | { kind: 'unchecked' };
