import type { Domain } from '../domain/domain.ts';
import type { AddressReading } from '../domain/recheck.ts';
import { ownHost } from '../domain/shared-target.ts';
import { anyNameOf } from '../domain/wildcard.ts';
import type { CheckedAddress, SelfChecker } from './observation/self-check.ts';

/**
 * Reads whether the addresses of a domain answer as ours. None counts as another's unless the addresses of its target, or of a host of ours if that is shared, answer as ours at the same time: otherwise our
 * edge is down, or out of reach from here, and nothing is known. Of a wildcard, the addresses of a name below it are read. Rejects with the store's error.
 */
export async function readAddresses(
  checkSelf: SelfChecker,
  domain: Domain,
  signal: AbortSignal,
  random: () => number,
  cnameZone: string,
): Promise<AddressReading> {
  const name = anyNameOf(domain.name, random);
  try {
    const own = await checkSelf(name, signal);
    if (own.kind === 'unreadable') return { kind: 'unreadable' };
    const answers = own.kind === 'checked' ? own.answers : [];
    if (answers.some(isOurs)) return answers.some(isAnother) ? { kind: 'partly', answers } : { kind: 'ours' };
    const control = await checkSelf(name, signal, ownHost(domain, cnameZone));
    const isReachable = control.kind === 'checked' && control.answers.some(isOurs);
    return isReachable ? { kind: 'elsewhere', answers } : { kind: 'unchecked' };
  } catch (error) {
    if (signal.aborted) return { kind: 'unreadable' };
    throw error;
  }
}

function isOurs({ outcome }: CheckedAddress): boolean {
  return outcome === 'ours';
}

/** One that does not answer at all is no other server: it may be out of reach from here alone. */
function isAnother({ outcome }: CheckedAddress): boolean {
  return outcome === 'another' || outcome === 'not_public';
}
