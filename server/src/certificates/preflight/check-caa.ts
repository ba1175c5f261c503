import type { Resolver } from '../../dns/resolver.ts';
import { type CaIdentity, caaNames, judgeCaa } from '../../domain/caa.ts';
import type { ChallengeType } from '../../domain/certificate-state.ts';
import { baseName, isWildcard } from '../../domain/wildcard.ts';
import type { Blocker } from '../policy/blocker.ts';

/**
 * Whether the CAA records of a name allow a CA to issue for it; null: they do. The relevant set is that of the name or
 * of its closest parent that has one (RFC 8659 section 3), for a wildcard from its base name on; a set that cannot be read
 * forbids every CA. The target of the challenge record plays no part. Rejects with the signal's reason.
 */
export async function checkCaa(
  resolver: Pick<Resolver, 'lookupCaa'>,
  hostname: string,
  ca: CaIdentity,
  challenge: ChallengeType,
  signal: AbortSignal,
): Promise<Blocker | null> {
  const [caName] = ca.names;
  if (caName === undefined) return null;
  for (const name of caaNames(baseName(hostname))) {
    const found = await resolver.lookupCaa(name, { signal });
    signal.throwIfAborted();
    if (found.kind === 'unreadable') return { reason: 'dns_unreadable', record: 'CAA', name, seen: found };
    if (found.kind !== 'found') continue;
    const verdict = judgeCaa(found.records, ca, { wildcard: isWildcard(hostname), challenge });
    if (verdict.kind === 'allowed') return null;
    const { record, because } = verdict;
    const at = found.chain.at(-1) ?? name;
    return { reason: 'caa_forbids', at, record, because, ca: caName, account: ca.accountUrl, challenge };
  }
  return null;
}
