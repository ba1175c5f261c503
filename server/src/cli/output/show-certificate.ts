import type { Static } from 'typebox';
import type { CertificateSchema } from '../../api/domains/getCertificate.ts';
import { systemClock } from '../../base/clock.ts';
import { type Column, dateTime, factLines, paint, printable, shortDuration, table } from './output.ts';

/** A certificate as the API returns it. */
export type ShownCertificate = Static<typeof CertificateSchema>;
type SelfCheckRow = NonNullable<ShownCertificate['selfCheck']>['answers'][number];

const OUTCOMES: Record<SelfCheckRow['outcome'], string> = {
  ours: 'this edge',
  another: 'another server',
  unreachable: 'no response',
  not_public: 'not tried: not a public address',
};

const SELF_CHECK_COLUMNS: Column<SelfCheckRow>[] = [
  { title: 'Address', text: ({ address }) => address },
  {
    title: 'Response from',
    text: ({ outcome }) => OUTCOMES[outcome],
    style: ({ outcome }) => (outcome === 'ours' ? 'green' : 'yellow'),
  },
  { title: 'Details', text: ({ seen = '' }) => seen },
];

export function describeCertificate(certificate: ShownCertificate, now = systemClock.now()): string {
  const { selfCheck } = certificate;
  const facts = factsOf(certificate, now);
  return [
    headline(certificate),
    ...(facts.length === 0 ? [] : ['']),
    ...factLines(facts),
    ...(selfCheck === undefined
      ? []
      : ['', `Self-check over HTTP at ${dateTime(selfCheck.at)}:`, table(SELF_CHECK_COLUMNS, selfCheck.answers)]),
  ].join('\n');
}

function factsOf(
  { problem, failures, nextTryAt, challenge, issued, staged }: ShownCertificate,
  now: number,
): [string, string][] {
  const facts: [string, string][] = [];
  if (problem) facts.push(['Problem', problem.message], ['Reason', `${problem.reason}, since ${dateTime(problem.at)}`]);
  if (failures > 0) facts.push(['Failures', `${failures} in a row`]);
  if (nextTryAt !== undefined) facts.push([issued ? 'Next check' : 'Next attempt', moment(nextTryAt, now)]);
  if (challenge !== undefined) facts.push(['Challenge', challenge]);
  if (staged) facts.push(['Kept until then', `the one that was uploaded, valid to ${dateTime(staged.notAfter)}`]);
  if (issued === undefined) return facts;
  const { issuer, source, fallback, serialNumber, fingerprint, notBefore, notAfter, renewal } = issued;
  const isImported = source === 'imported';
  const when = renewal.source === 'ari' ? 'as the CA suggests' : 'when a third of its lifetime is left';
  facts.push(
    ['Issuer', issuer],
    ...(fallback ? [['Fallback', `${fallback.issuer}, until ${dateTime(fallback.notAfter)}`] as [string, string]] : []),
    [
      'Valid',
      `${dateTime(notBefore)} to ${dateTime(notAfter)}, ${notAfter > now ? 'expires' : 'expired'} ${fromNow(notAfter, now)}`,
    ],
    [
      isImported ? 'Managed one' : 'Renewal',
      `${moment(renewal.renewAt, now)}, ${isImported ? 'in place of this one' : when} (${dateTime(renewal.startsAt)} to ${dateTime(renewal.endsAt)})`,
    ],
    ['Serial', serialNumber],
    ['SHA-256', fingerprint],
  );
  if (renewal.explanationUrl !== undefined) facts.push(["CA's notice", renewal.explanationUrl]);
  return facts;
}

function headline({ domain, domainId, state, issued, staged, problem }: ShownCertificate): string {
  const name = printable(domain);
  if (state === 'none')
    return `${name} has no certificate yet: it is ${staged ? 'put in use' : 'ordered'} once the domain is verified (${domainId}).`;
  const current = issued === undefined ? '' : '; the current one stays in use';
  const meaning: Record<typeof state, string> = {
    wanted: `it is about to be ordered${current}`,
    waiting_for_routing: `it is not ordered yet, because the CA would refuse it${current}`,
    ordering: 'the order at the CA is in progress',
    issued: 'it is in use',
    renewing: `it is in use, and its renewal is ${problem === undefined ? 'in progress' : 'blocked'}`,
    failed: `the CA did not issue it, and it is tried again${current}`,
  };
  return `The certificate of ${name} is ${paint(stateStyle(state), state)}: ${meaning[state]} (${domainId}).`;
}

export function stateStyle(state: ShownCertificate['state']): 'green' | 'red' | 'yellow' {
  if (state === 'issued' || state === 'renewing') return 'green';
  return state === 'failed' ? 'red' : 'yellow';
}

/** `2026-11-20 20:14, in 3 h 2 min`, or `now` if that time has passed. */
function moment(at: number, now: number): string {
  return at <= now ? 'now' : `${dateTime(at)}, in ${shortDuration(at - now)}`;
}

/** `in 59 d 3 h`, or `2 d 1 h ago`. */
export function fromNow(at: number, now: number): string {
  return at > now ? `in ${shortDuration(at - now)}` : `${shortDuration(now - at)} ago`;
}
