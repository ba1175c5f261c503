import type { LookOptions } from '../dns/resolver.ts';
import type { CheckMemory } from '../domain/status.ts';

/**
 * `routine`: one nameserver is asked for each record, and the others only where that decides something. `thorough`: every nameserver is asked, and
 * for what else there is around the records unless they prove the domain. `diagnosis`: that too. `name`: as a diagnosis, of a name that is not attached.
 */
export type Depth = 'routine' | 'thorough' | 'diagnosis' | 'name';

export interface ObserveOptions {
  depth: Depth;
  /** What is in flight when it aborts is `unreadable`. */
  signal: AbortSignal;
  /** Yields numbers in [0, 1). */
  random: () => number;
  /** A record that nameservers disagreed on in the last check is asked for at all of them. */
  memory?: Pick<CheckMemory, 'ownershipDoubt' | 'routingDoubt'>;
}

/** While an observation runs. */
export type Asking = ObserveOptions & LookOptions;
