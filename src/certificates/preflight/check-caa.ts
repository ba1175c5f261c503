import type { Resolver } from '../../dns/resolver.ts';
import type { CaaRecord } from '../../domain/certificate-state.ts';
import type { Obstacle } from '../policy/explain.ts';
import { type CaIdentity, caaNames, judgeCaa } from '../policy/judge-caa.ts';

/** Why no certificate of a CA may be issued for a name, by its CAA records; null: it may. Rejects with the signal's reason. */
export async function whyForbidden(
  resolver: Pick<Resolver, 'lookupCaa'>,
  hostname: string,
  ca: CaIdentity,
  signal: AbortSignal,
): Promise<Obstacle | null> {
  const [name = ''] = ca.names;
  if (name === '') return null;
  const found = await findCaa(resolver, hostname, signal);
  if ('reason' in found) return found;
  const verdict = judgeCaa(found.records, ca);
  if (verdict.kind === 'allowed') return null;
  const { record, because } = verdict;
  return { reason: 'caa_forbids', at: found.at, record, because, ca: name, account: ca.accountUrl };
}

/** The set of the first name on the way up that has one (RFC 8659 section 3). A CAA set that cannot be read forbids everything. */
async function findCaa(
  resolver: Pick<Resolver, 'lookupCaa'>,
  hostname: string,
  signal: AbortSignal,
): Promise<{ at: string; records: CaaRecord[] } | Extract<Obstacle, { reason: 'dns_unreadable' }>> {
  for (const name of caaNames(hostname)) {
    const found = await resolver.lookupCaa(name, { signal });
    signal.throwIfAborted();
    if (found.kind === 'unreadable') return { reason: 'dns_unreadable', record: 'CAA', name, seen: found };
    if (found.kind === 'found') return { at: found.chain.at(-1) ?? name, records: found.records };
  }
  return { at: hostname, records: [] };
}
