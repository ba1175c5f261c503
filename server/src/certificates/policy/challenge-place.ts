import { isWildcard } from '../../domain/wildcard.ts';

/** Our DNS servers, which answer DNS-01 challenges. */
export interface OwnDns {
  challengeZone: string | null;
  /** Null: it is not delegated to our servers. */
  cnameZone: string | null;
  servers: readonly { name: string; addresses: readonly string[] }[];
}

/** A name's place in our zones. */
export interface ChallengePlace {
  /** The label of its domain. */
  label: string;
  /** The names at which our servers answer its challenges, and where its challenge record may lead. The first is the one to publish. */
  names: readonly string[];
  /** The record that leads there: at `_acme-challenge`, or the wildcard itself. */
  record: 'challenge' | 'wildcard';
}

/** Null: no zone of ours has challenges of the name. `host`: the host of its domain in our zones (`DueCertificate`); null: the operator's own name. */
export function challengePlace(hostname: string, host: string | null, own: OwnDns | null): ChallengePlace | null {
  if (own === null || host === null) return null;
  const label = host.slice(0, host.indexOf('.'));
  const { challengeZone, cnameZone } = own;
  const inChallengeZone = challengeZone === null ? [] : [`${label}.${challengeZone}`];
  const inCnameZone = cnameZone !== null && host.endsWith(`.${cnameZone}`) ? [host] : [];
  if (inChallengeZone.length + inCnameZone.length === 0) return null;
  const record = isWildcard(hostname) && inCnameZone.length > 0 ? 'wildcard' : 'challenge';
  const names = record === 'wildcard' ? [...inCnameZone, ...inChallengeZone] : [...inChallengeZone, ...inCnameZone];
  return { label, names, record };
}
