import type { ChallengeType } from '../../domain/certificate-state.ts';
import type { Blocker } from './blocker.ts';

/** Which challenge proves control over a name: chosen at each order, by what is there. Pure. */

export interface ChallengeFacts {
  wildcard: boolean;
  /** Why DNS-01 would fail; null: the challenge record leads to our label. */
  record: Blocker | null;
  /** Why HTTP-01 would fail; null: our response was fetched. Absent: not checked yet. */
  http?: Blocker | null;
  /** Types that this CA does not offer, or that failed before it was told, each with the reason. */
  refusals: ReadonlyMap<ChallengeType, Blocker>;
}

/** `check`: the choice needs that fact. `blocker`: no type would succeed. */
export type ChallengeChoice = { challenge: ChallengeType } | { blocker: Blocker } | { check: 'http' };

export function chooseChallenge({ wildcard, record, http, refusals }: ChallengeFacts): ChallengeChoice {
  if (record === null && !refusals.has('dns-01')) return { challenge: 'dns-01' };
  const [refusal] = refusals.values();
  if (wildcard) return { blocker: refusal ?? record ?? NEVER };
  if (!refusals.has('http-01')) {
    if (http === undefined) return { check: 'http' };
    if (http === null) return { challenge: 'http-01' };
  }
  // Where the challenge record is right and our DNS servers fail, the name's addresses are not the mistake.
  const isOurs = record?.reason === 'dns_servers_failing';
  return { blocker: refusal ?? (isOurs ? record : (http ?? record ?? NEVER)) };
}

/** A record that is right is chosen unless it is refused, so there is a refusal. */
const NEVER: Blocker = { reason: 'ca_refused', message: 'No challenge is possible.' };
