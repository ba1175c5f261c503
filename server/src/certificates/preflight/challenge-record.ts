import type { EndLookup, Resolver } from '../../dns/resolver.ts';
import { challengeName } from '../../domain/wildcard.ts';
import type { Blocker } from '../policy/blocker.ts';
import type { ChallengePlace } from '../policy/challenge-place.ts';

type TxtLookup = EndLookup<{ values: string[] }>;

/**
 * Why the challenge record of a name does not lead to its place in our zones; null: it does. Only the end of the chain
 * counts, so a CNAME to the label of another domain is as wrong as any other. Rejects with the signal's reason.
 */
export async function checkChallengeRecord(
  resolver: Pick<Resolver, 'lookupTxt'>,
  hostname: string,
  place: ChallengePlace | null,
  signal: AbortSignal,
): Promise<Blocker | null> {
  if (place === null) return { reason: 'no_challenge_record', place };
  const found = await resolver.lookupTxt(challengeName(hostname), { signal });
  signal.throwIfAborted();
  return judgeChallengeRecord(hostname, place, found);
}

export function judgeChallengeRecord(hostname: string, place: ChallengePlace, found: TxtLookup): Blocker | null {
  const end = found.chain.at(-1) ?? null;
  if (end !== null && place.names.includes(end)) {
    if (found.kind !== 'unreadable') return null;
    return { reason: 'dns_servers_failing', faults: [{ server: end, seen: found.reason }] };
  }
  if (found.kind === 'unreadable') {
    return { reason: 'dns_unreadable', record: 'challenge', name: challengeName(hostname), seen: found };
  }
  if (found.kind === 'absent' && end === null) return { reason: 'no_challenge_record', place };
  return { reason: 'challenge_elsewhere', place, end };
}
