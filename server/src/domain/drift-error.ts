import type { SelfCheckAnswer } from './certificate-state.ts';
import type { Domain } from './domain.ts';
import type { Finding, FindingCode } from './finding.ts';
import type { Recheck } from './recheck.ts';
import { joinList, TEXT_LIMIT } from './text.ts';
import { describeFinding } from './verification-error.ts';

/** The messages of `verificationError` for domains that were verified: what was lost, and what to do. At most 512 characters, in whole sentences. */

/** Why a verified domain is unhealthy. `removalDays`: it fails when nothing leads to us for so many days; null: it stays as it is. */
export function describeDrift(domain: Domain, seen: Recheck, removalDays: number | null): string {
  const warning = `If that lasts for ${removalDays} days, the domain is no longer served here.`;
  return whole([...describeLoss(domain, seen), ...(removalDays === null ? [] : [warning])]);
}

/** Why a domain failed that was verified. */
export function describeRemoval({ name }: Domain, days: number): string {
  return `${name} did not lead here for ${days} days: neither of its records was there, and none of its addresses answered as ours. It is no longer served. To serve it again, publish its records and verify the domain again.`;
}

/** They keep a domain from being served, but are not what makes it unhealthy. */
const BESIDE_THE_LOSS: readonly FindingCode[] = ['caa_forbids', 'apex_elsewhere'];

/** Texts of whole sentences, the most important first. */
function describeLoss(domain: Domain, { addresses, findings, ownership, routing }: Recheck): string[] {
  const owned = ownership.kind === 'matched' || ownership.kind === 'unconfirmed';
  // The routing record of an apex is its addresses.
  const decides = domain.kind === 'apex' || (owned && routing.kind === 'hidden');
  const isElsewhere = decides && (addresses.kind === 'elsewhere' || addresses.kind === 'partly');
  const lost = isElsewhere ? describeAddresses(domain, addresses.answers) : [];
  const mistake = firstMistake(findings, isElsewhere);
  if (mistake !== undefined && (!owned || lost.length === 0)) return [...lost, describeFinding(mistake)];
  return lost.length > 0 ? lost : [`${domain.name} does not lead here any more.`];
}

/** The first finding that blocks. Where the addresses are told, what it says of them is not told again. */
function firstMistake(findings: readonly Finding[], isElsewhere: boolean): Finding | undefined {
  return findings.find(
    ({ code, severity, record }) =>
      severity === 'blocking' &&
      record !== 'challenge' &&
      !BESIDE_THE_LOSS.includes(code) &&
      !(isElsewhere && record === 'routing'),
  );
}

function describeAddresses({ kind, name, target }: Domain, answers: SelfCheckAnswer[]): string[] {
  const record = kind === 'apex' ? 'an ALIAS (or ANAME)' : 'a CNAME';
  const fix = `Point it to ${target} by ${record} record; if a provider proxies it, set that host as the origin there.`;
  const wrong = answers.filter(({ outcome }) => outcome !== 'ours');
  if (wrong.length === 0) return withFix([`${name} has no address any more, so nobody reaches it.`], fix);
  const several = wrong.length > 1;
  const has = `${name} has the address${several ? 'es' : ''} ${joinList(wrong.map(({ address }) => address))}`;
  const isDead = wrong.every(({ outcome }) => outcome === 'unreachable');
  if (isDead) return withFix([`${has}, where nothing answers.`], fix);
  const seen = wrong.find(({ outcome }) => outcome === 'another')?.seen;
  const leads = `${has}, which lead${several ? '' : 's'} to another server`;
  return withFix([...(seen ? [`${leads} (${seen}).`] : []), `${leads}.`], fix);
}

/** The longest text that fits beside the fix. */
function withFix(texts: string[], fix: string): string[] {
  const short = 'The name has no address that leads here.';
  const text = [...texts, short].find((each) => `${each} ${fix}`.length <= TEXT_LIMIT) ?? short;
  return [`${text} ${fix}`];
}

/** As many texts as fit, the first in any case: none is cut. */
function whole([first = '', ...others]: string[]): string {
  return others.reduce((text, next) => (text.length + 1 + next.length <= TEXT_LIMIT ? `${text} ${next}` : text), first);
}
