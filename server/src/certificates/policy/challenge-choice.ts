import type { ChallengeType } from '../../domain/certificate-state.ts';
import type { Blocker } from './blocker.ts';

/** Which challenge proves control over a name: chosen at each order, by what is there. Pure. */

export interface ChallengeFacts {
  wildcard: boolean;
  /** Why DNS-01 would fail; null: the challenge record leads to our label. */
  record: Blocker | null;
  /** Why HTTP-01 would fail; null: our response was fetched. Absent: not checked yet. */
  http?: Blocker | null;
  /** The same for TLS-ALPN-01. */
  tls?: Blocker | null;
  /** Types that this CA does not offer, or that failed before it was told, each with the reason. */
  refusals: ReadonlyMap<ChallengeType, Blocker>;
}

/** `check`: the choice needs that fact. `blocker`: no type would succeed. */
export type ChallengeChoice = { challenge: ChallengeType } | { blocker: Blocker } | { check: 'http' | 'tls' };

export function chooseChallenge({ wildcard, record, http, tls, refusals }: ChallengeFacts): ChallengeChoice {
  if (record === null && !refusals.has('dns-01')) return { challenge: 'dns-01' };
  // Without TLS-ALPN-01, what is in the way of HTTP-01 is what can be mended.
  const refusal = refusals.get('dns-01') ?? refusals.get('http-01');
  if (wildcard) return { blocker: refusal ?? record ?? NEVER };
  if (!refusals.has('http-01')) {
    if (http === undefined) return { check: 'http' };
    if (http === null) return { challenge: 'http-01' };
  }
  if (isOnlyHttp(http) && !refusals.has('tls-alpn-01')) {
    if (tls === undefined) return { check: 'tls' };
    if (tls === null) return { challenge: 'tls-alpn-01' };
  }
  // Where the challenge record is right and our DNS servers fail, the name's addresses are not the mistake.
  const isOurs = record?.reason === 'dns_servers_failing';
  return { blocker: refusal ?? (isOurs ? record : (http ?? record ?? NEVER)) };
}

/** Whether the same addresses may still answer us at the port of HTTPS: port 80 is closed, or another server has it. */
function isOnlyHttp(http: Blocker | null | undefined): boolean {
  return http?.reason === 'unreachable' || http?.reason === 'answered_by_another';
}

/** A record that is right is chosen unless it is refused, so there is a refusal. */
const NEVER: Blocker = { reason: 'ca_refused', message: 'No challenge is possible.' };
