import type { SelfCheckAnswer } from './certificate-state.ts';
import type { Domain } from './domain.ts';
import type { Recheck } from './recheck.ts';
import { ownershipName, ownershipValue } from './records.ts';
import { joinList, quote, TEXT_LIMIT, truncate } from './text.ts';
import { describeBlocker } from './verification-error.ts';

/** The messages of `verificationError` for domains that were verified: what was lost, and what to do. At most 512 characters. */

/** Why a verified domain is unhealthy. `removalDays`: it fails when nothing leads to us for so many days; null: it stays as it is. */
export function describeDrift(domain: Domain, seen: Recheck, removalDays: number | null): string {
  const message = describeLoss(domain, seen);
  if (removalDays === null) return message;
  return fitting([message, `If that lasts for ${removalDays} days, ${domain.name} is no longer served here.`]);
}

/** Why a domain failed that was verified. */
export function describeRemoval({ name }: Domain, days: number): string {
  return truncate(
    `${name} did not lead here for ${days} days: neither of its records was there, and none of its addresses answered as ours. It is no longer served. To serve it again, publish its records and verify the domain again.`,
  );
}

function describeLoss(domain: Domain, seen: Recheck): string {
  const { addresses, ownership, routing } = seen;
  const owned = ownership.kind === 'matched' || ownership.kind === 'unconfirmed';
  // The routing record of an apex is its addresses.
  const decides = domain.kind === 'apex' || (owned && routing.kind === 'hidden');
  if (!decides || (addresses.kind !== 'elsewhere' && addresses.kind !== 'partly')) return describeRecords(domain, seen);
  const sentences = describeAddresses(domain, addresses.answers);
  return fitting(owned ? sentences : [...sentences, describeRecords(domain, seen)]);
}

function describeRecords(domain: Domain, seen: Recheck): string {
  return describeBlocker(domain, seen) ?? truncate(describeMissing(domain, seen));
}

function describeAddresses({ kind, name, target }: Domain, answers: SelfCheckAnswer[]): string[] {
  const record = kind === 'apex' ? 'an ALIAS (or ANAME)' : 'a CNAME';
  const fix = `Point it to ${target} by ${record} record; if a provider proxies it, set ${target} as the origin there.`;
  const wrong = answers.filter(({ outcome }) => outcome !== 'ours');
  if (wrong.length === 0) return [`${name} has no address any more, so nobody reaches it.`, fix];
  const several = wrong.length > 1;
  const has = `${name} has the address${several ? 'es' : ''} ${joinList(wrong.map(({ address }) => address))}`;
  const isDead = wrong.every(({ outcome }) => outcome === 'unreachable');
  if (isDead) return [`${has}, where nothing answers.`, fix];
  const seen = wrong.find(({ outcome }) => outcome === 'another')?.seen;
  return [`${has}, which lead${several ? '' : 's'} to another server${seen ? ` (${seen})` : ''}.`, fix];
}

/** The record that is needed and is not there: where one of two is enough, the routing record. */
function describeMissing(domain: Domain, { routing }: Recheck): string {
  const { kind, name, target } = domain;
  return kind === 'subdomain' && routing.kind !== 'hidden'
    ? `There is no CNAME record at ${name} any more. Publish it again, with the value ${target}.`
    : `There is no TXT record at ${ownershipName(domain)} any more. Publish it again, with the value ${quote(ownershipValue(domain))}.`;
}

/** Whole sentences only: as many as fit, the first in any case. */
function fitting([first = '', ...others]: string[]): string {
  return truncate(
    others.reduce((text, next) => (text.length + 1 + next.length <= TEXT_LIMIT ? `${text} ${next}` : text), first),
  );
}
