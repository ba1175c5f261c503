import type { Static } from 'typebox';
import type { CertificateSchema } from '../api/domains/present-certificate.ts';
import { systemClock } from '../clock.ts';
import { type Column, harmless, paint, span, table, when, wrap } from './output.ts';

/** How a certificate stands, as the API answers it. */
export type ShownCertificate = Static<typeof CertificateSchema>;
type Answer = NonNullable<ShownCertificate['selfCheck']>['answers'][number];

const ANSWERS: Column<Answer>[] = [
  { title: 'Address', text: ({ address }) => address },
  {
    title: 'Answered',
    text: ({ outcome }) => OUTCOMES[outcome],
    style: ({ outcome }) => (outcome === 'ours' ? 'green' : 'yellow'),
  },
  { title: 'Seen', text: ({ seen = '' }) => seen },
];

const OUTCOMES: Record<Answer['outcome'], string> = {
  ours: 'we did',
  another: 'somebody else',
  unreachable: 'nobody',
  not_public: 'not asked: not on the Internet',
};

/** Everything about one certificate. */
export function describeCertificate(certificate: ShownCertificate, now = systemClock.now()): string {
  const { domain, domainId, state, selfCheck } = certificate;
  const facts = factsOf(certificate, now);
  const width = Math.max(...facts.map(([title]) => title.length));
  const indent = width + 4;
  return [
    `The certificate of ${harmless(domain)} is ${paint(stateStyle(state), state)}: ${meaningOf(certificate)} (${domainId}).`,
    ...(facts.length === 0 ? [] : ['']),
    ...facts.map(([title, text]) => `  ${paint('dim', title.padEnd(width))}  ${wrap(harmless(text), indent)}`),
    ...(selfCheck === undefined ? [] : ['', asked(domain, selfCheck.at), table(ANSWERS, selfCheck.answers)]),
  ].join('\n');
}

function asked(domain: string, at: number): string {
  return `Asked for over HTTP at ${when(at)}, ${harmless(domain)} was answered by:`;
}

function factsOf({ problem, failures, nextTryAt, issued }: ShownCertificate, now: number): [string, string][] {
  const facts: [string, string][] = [];
  if (problem) facts.push(['Problem', problem.message], ['Reason', `${problem.reason}, since ${when(problem.at)}`]);
  if (failures > 0) facts.push(['Failures', `${failures} in a row`]);
  if (nextTryAt !== undefined) facts.push([issued ? 'Next look' : 'Next try', moment(nextTryAt, now)]);
  if (issued === undefined) return facts;
  const { issuer, serialNumber, fingerprint, notBefore, notAfter, renewal } = issued;
  const why = renewal.source === 'ari' ? 'as the CA suggests' : 'a third of its lifetime before its end';
  facts.push(
    ['Issuer', issuer],
    ['Valid', `${when(notBefore)} to ${when(notAfter)}, ${expiry(notAfter, now)}`],
    ['Renewal', `${moment(renewal.renewAt, now)}, ${why} (${when(renewal.startsAt)} to ${when(renewal.endsAt)})`],
    ['Serial', serialNumber],
    ['SHA-256', fingerprint],
  );
  if (renewal.explanationUrl !== undefined) facts.push(['The CA says', renewal.explanationUrl]);
  return facts;
}

function meaningOf({ state, issued, problem }: ShownCertificate): string {
  const served = issued === undefined ? '' : '; the one in use is served on';
  switch (state) {
    case 'none':
      return 'the domain is not verified, so nobody wants one';
    case 'wanted':
      return `it is about to be looked at${served}`;
    case 'waiting_for_routing':
      return `the CA would refuse, so it is not asked yet${served}`;
    case 'ordering':
      return 'the CA is asked for it';
    case 'issued':
      return 'it is in use';
    case 'renewing':
      return `it is in use, and ${problem === undefined ? 'its successor is being obtained' : 'something stands in the way of its successor'}`;
    case 'failed':
      return `the CA did not issue, and is asked again${served}`;
    default:
      return state satisfies never;
  }
}

export function stateStyle(state: ShownCertificate['state']): 'green' | 'red' | 'yellow' {
  switch (state) {
    case 'issued':
    case 'renewing':
      return 'green';
    case 'failed':
      return 'red';
    case 'none':
    case 'wanted':
    case 'waiting_for_routing':
    case 'ordering':
      return 'yellow';
    default:
      return state satisfies never;
  }
}

/** `2026-11-20 20:14, in 3 h 2 min`; for what is overdue `at once`. */
function moment(at: number, now: number): string {
  return at <= now ? 'at once' : `${when(at)}, in ${span(at - now)}`;
}

/** `expires in 59 d 3 h`, or how long ago it did. */
function expiry(notAfter: number, now: number): string {
  return `${notAfter > now ? 'expires' : 'expired'} ${fromNow(notAfter, now)}`;
}

/** `in 59 d 3 h`, or `2 d 1 h ago`. */
export function fromNow(at: number, now: number): string {
  return at > now ? `in ${span(at - now)}` : `${span(now - at)} ago`;
}
