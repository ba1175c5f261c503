import type { QueryLimits } from '../../dns/resolver.ts';
import type { CheckMemory } from '../../domain/status.ts';

/**
 * `routine`: one nameserver is asked for each record; only where that tells anything new, or decides something, as `thorough`. `recheck`: the same of a
 * verified domain, where a match is nothing new. `thorough`: every nameserver is asked, and for what else there is around the records unless they prove
 * the domain. `deciding`: as `thorough`, by looks that nobody off the path can forge; every new match is looked at so. `diagnosis`: as
 * `thorough`. `name`: as a diagnosis, of a name that is not attached.
 */
export type Depth = 'routine' | 'recheck' | 'thorough' | 'deciding' | 'diagnosis' | 'name';

export interface ObserveOptions {
  depth: Depth;
  /** What is in flight when it aborts is `unreadable`. */
  signal: AbortSignal;
  /** Yields numbers in [0, 1). */
  random: () => number;
  /** Of the last check: a record that nameservers disagreed on is asked for at all of them. */
  memory?: Pick<CheckMemory, 'ownershipDoubt' | 'routingDoubt' | 'fingerprint'>;
}

/** While an observation runs. */
export type Asking = ObserveOptions & QueryLimits;
