import type { Domain } from '../domain.ts';
import { FINDING_CODES, type Finding, type FindingCode, type FindingFields, type FindingSeverity } from '../finding.ts';
import type { Observation } from '../observation.ts';
import { readObservation } from '../read-observation.ts';
import { isProvenByRouting, isShared } from '../shared-target.ts';
import { type CheckMemory, claimOf } from '../status.ts';
import { absentFindings } from './absent-findings.ts';
import { apexFindings } from './apex-findings.ts';
import { challengeFindings } from './challenge-findings.ts';
import { misplacedFindings } from './misplaced-findings.ts';
import { chainFindings, nameserverFindings } from './nameserver-findings.ts';
import { ownershipFindings } from './ownership-findings.ts';
import { limitedTexts, viewOf } from './record-view.ts';
import { routingFindings } from './routing-findings.ts';
import { withSentences } from './sentences.ts';
import { serviceFindings } from './service-findings.ts';
import type { FindingContext, Subject } from './subject.ts';
import { zoneFailures, zoneFindings } from './zone-findings.ts';

/** Whose records were looked at, as the check began. */
export interface Observed {
  domain: Domain;
  /** Another workspace's verified domain of the same name. */
  incumbent: Domain | null;
  memory: CheckMemory;
}

/**
 * Everything that is wrong in what was seen, and what is good to know: blocking mistakes first, among them the most specific first. One mistake
 * is one finding.
 */
export function findingsOf(observed: Observed, observation: Observation, context: FindingContext): Finding[] {
  const subject = subjectOf(observed, observation, context);
  const failures = zoneFailures(subject);
  const found = failures.length > 0 ? failures : allOf(subject);
  const inOrder = found.toSorted((a, b) => rankOf(a) - rankOf(b));
  return inOrder.map((finding) => withSentences(limited(finding)));
}

/** Nameservers that are kept. */
const MAX_NAMESERVERS = 20;

/** Nameservers choose how much they send. */
function limited({ seen, nameservers, ...finding }: FindingFields): FindingFields {
  return {
    ...finding,
    ...(seen && { seen: limitedTexts(seen) }),
    ...(nameservers && { nameservers: nameservers.slice(0, MAX_NAMESERVERS) }),
  };
}

function subjectOf(observed: Observed, observation: Observation, context: FindingContext): Subject {
  const { domain, incumbent } = observed;
  const reading = readObservation(observed, observation);
  const ownership = viewOf(domain, 'ownership', observation, reading);
  const routing = viewOf(domain, 'routing', observation, reading);
  const claim = incumbent === null ? undefined : claimOf({ domain, incumbent }, reading);
  const proves =
    (routing.isRight && isProvenByRouting(domain)) ||
    (ownership.isRight && (domain.kind === 'apex' || routing.reading.kind === 'hidden'));
  const isProven = proves && (claim === undefined || (ownership.isRight && claim.incumbentGone && !claim.olderClaim));
  const { isTarget: isOwn = (host: string) => !isShared(domain) && isBeside(domain.target, host) } = context;
  const { sharedTargets = [] } = context;
  const isTarget = (host: string) => host !== domain.target && (isOwn(host) || sharedTargets.includes(host));
  return { domain, observation, reading, claim, ownership, routing, isProven, isTarget, context };
}

/** Whether two hosts are directly below the same zone. */
function isBeside(target: string, host: string): boolean {
  const dot = target.indexOf('.');
  return dot > 0 && host.includes('.') && host.slice(host.indexOf('.')) === target.slice(dot);
}

function allOf(subject: Subject): FindingFields[] {
  const others = [...nameserverFindings(subject), ...serviceFindings(subject)];
  // A name that is not attached yet has no records that could be right or wrong.
  if (subject.domain.token === '') return [...zoneFindings(subject), ...others];
  // Its records will be others when it is added anew.
  if (subject.claim?.olderClaim) return others.filter(({ code }) => code === 'held_elsewhere');
  const seen = [
    zoneFindings,
    misplacedFindings,
    ownershipFindings,
    routingFindings,
    apexFindings,
    chainFindings,
    challengeFindings,
  ].flatMap((rule) => rule(subject));
  const mistakes = seen.filter(({ severity }) => severity !== 'info');
  const explained = new Set(mistakes.map(({ record }) => record));
  // Both records are at the other's name.
  if (mistakes.some(({ code }) => code === 'records_swapped')) explained.add('routing');
  const absent = absentFindings(subject).filter(({ record }) => !explained.has(record));
  // A TXT record that is at another name, or wrong, is not missing.
  const hasOther = mistakes.some(({ record, code }) => record === 'ownership' && code !== 'proxied_without_txt');
  const told = hasOther ? seen.filter(({ code }) => code !== 'proxied_without_txt') : seen;
  return [...told, ...absent, ...others];
}

/** Told after all others: what may be right already, or follows from something else. */
const LEAST_SPECIFIC: readonly FindingCode[] = [
  'wildcard_answers',
  'record_below_cut',
  'record_missing',
  'txt_missing',
  'challenge_missing',
  'held_elsewhere',
];

/** Told before all others: nothing else works before they are fixed. */
const MOST_SPECIFIC: readonly FindingCode[] = ['zone_not_registered', 'zone_parked', 'dnssec_bogus'];

const SEVERITIES: readonly FindingSeverity[] = ['blocking', 'warning', 'info'];

function rankOf({ code, severity }: FindingFields): number {
  const among = FINDING_CODES.length;
  const last = LEAST_SPECIFIC.indexOf(code);
  const first = MOST_SPECIFIC.indexOf(code);
  const specificity = first >= 0 ? first - among : last >= 0 ? among + last : FINDING_CODES.indexOf(code);
  return SEVERITIES.indexOf(severity) * 4 * among + specificity;
}
