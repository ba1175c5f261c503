import type { SelfCheckAnswer } from './certificate-state.ts';
import type { Domain } from './domain.ts';
import type { Recheck } from './recheck.ts';
import { ownershipName, ownershipValue } from './records.ts';
import { joinList, quote, TEXT_LIMIT } from './text.ts';
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
  return `${name} did not lead here for ${days} days: neither of its records was there, and none of its addresses answered as ours. It is no longer served. To serve it again, publish its records and verify the domain again.`;
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
  return describeBlocker(domain, seen) ?? describeMissing(domain, seen);
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

function describeMissing(domain: Domain, { routing, ownership }: Recheck): string {
  const { kind, name, target } = domain;
  const missing = [
    ...(kind === 'subdomain' && routing.kind === 'absent' ? [`no CNAME record at ${name}`] : []),
    ...(ownership.kind === 'absent' ? [`no TXT record at ${ownershipName(domain)}`] : []),
  ];
  const publish =
    kind === 'subdomain' && routing.kind !== 'hidden'
      ? `Publish the CNAME record with the value ${target} again.`
      : `Publish the TXT record with the value ${quote(ownershipValue(domain))} again.`;
  return `There is ${joinList(missing)} any more. ${publish}`;
}

/** Whole sentences only: as many as fit, the first in any case. */
function fitting([first = '', ...others]: string[]): string {
  return others.reduce((text, next) => (text.length + 1 + next.length <= TEXT_LIMIT ? `${text} ${next}` : text), first);
}
