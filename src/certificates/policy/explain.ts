import type { CaaRecord, CertificateReason, SelfCheckAnswer } from '../../domain/certificate-state.ts';
import type { UnreadableObservation } from '../../domain/observation.ts';
import { joinList, quote, truncate } from '../../domain/text.ts';
import { describeUnreadable } from '../../domain/verification-error.ts';
import type { CaLimit } from '../../store/contract/store.ts';
import type { CaaVerdict } from './judge-caa.ts';

/** What keeps a certificate from being issued, with what was seen of it. */
export type Obstacle =
  /** `chain`: the CNAMEs on the way to nowhere. */
  | { reason: 'no_address'; chain: string[] }
  | { reason: 'dns_unreadable'; record: 'address' | 'CAA'; name: string; seen: Omit<UnreadableObservation, 'kind'> }
  /** `end`: where the name's CNAMEs lead, which has the addresses; null: the name has them itself. */
  | { reason: keyof typeof OUTCOMES; answers: SelfCheckAnswer[]; end: string | null }
  /** `at`: the name that has the record: ours, one above it, or one that a CNAME leads to. */
  | {
      reason: 'caa_forbids';
      at: string;
      record: CaaRecord;
      because: Forbidden['because'];
      ca: string;
      account: string | null;
    }
  | { reason: 'budget_spent'; by: CaLimit['name']; ca: string; registeredDomain: string }
  /** `said`: the CA's or our own words, bounded and safe to show. */
  | { reason: CaReason; said: string };

type Forbidden = Extract<CaaVerdict, { kind: 'forbidden' }>;
type CaReason = Extract<CertificateReason, `ca_${string}` | 'authorization_failed'>;

/** What is the matter, where, and what to do about it, for whoever owns the name. At most 512 characters. */
export function explain(hostname: string, obstacle: Obstacle): string {
  return truncate(explained(hostname, obstacle));
}

function explained(hostname: string, obstacle: Obstacle): string {
  switch (obstacle.reason) {
    case 'no_address': {
      const end = obstacle.chain.at(-1);
      if (end === undefined) return `${hostname} has no address. Publish its routing record: ${ROUTING}.`;
      return `${hostname} leads to ${quote(end)}, which has no address. Let it lead to the target of its routing record.`;
    }
    case 'dns_unreadable': {
      const what = obstacle.record === 'CAA' ? 'CAA records, without which no certificate may be issued' : 'addresses';
      return `${describeUnreadable(obstacle.name, obstacle.seen)} It was asked for its ${what}.`;
    }
    case 'address_not_public':
    case 'unreachable':
    case 'answered_by_another':
      return answersReason(hostname, obstacle);
    case 'caa_forbids':
      return caaReason(hostname, obstacle);
    case 'budget_spent':
      return budgetReason(hostname, obstacle);
    case 'ca_rate_limited':
      return `Too much was asked of the certificate authority, so we wait. ${obstacle.said}`;
    case 'ca_unavailable':
      return `The certificate authority does not answer as it should, so we ask again later. ${obstacle.said}`;
    case 'ca_account':
      return `The certificate authority does not accept our account, which is for the operator to mend. ${obstacle.said}`;
    case 'authorization_failed':
      return `The certificate authority did not find our answer at ${hostname}. See that all of its addresses lead to us, from everywhere, on port 80. ${obstacle.said}`;
    case 'ca_refused':
      return `The certificate authority does not issue for ${hostname}. ${obstacle.said}`;
    default:
      return obstacle satisfies never;
  }
}

const ROUTING = 'a CNAME, or at an apex an ALIAS';

const OUTCOMES = {
  address_not_public: 'not_public',
  unreachable: 'unreachable',
  answered_by_another: 'another',
} as const;

function answersReason(
  hostname: string,
  { reason, answers, end }: Extract<Obstacle, { reason: keyof typeof OUTCOMES }>,
): string {
  const wrong = answers.filter(({ outcome }) => outcome === OUTCOMES[reason]);
  const addresses = joinList(wrong.map(({ address }) => address));
  const seen = wrong[0]?.seen ?? null;
  const saw = seen === null ? '' : `: ${seen}`;
  const types = new Set(wrong.map(({ address }) => (address.includes(':') ? 'AAAA' : 'A')));
  const plural = wrong.length > 1;
  const record = `the ${[...types].join(' and ')} record${plural ? 's' : ''}`;
  const has = `${hostname}${end === null ? '' : ` leads to ${quote(end)}, which`} has the address${plural ? 'es' : ''} ${addresses}`;
  const right = joinList(answers.flatMap(({ outcome, address }) => (outcome === 'ours' ? [address] : [])));
  const mend = mendingOf(record, right, end);
  switch (reason) {
    case 'address_not_public':
      return `${has}, where nobody on the Internet can reach it. ${mend}`;
    case 'unreachable':
      return `${has}, where nobody answers on port 80${saw}. ${mend}`;
    case 'answered_by_another':
      return `${has}, where somebody else answers${saw}. ${mend}`;
    default:
      return reason satisfies never;
  }
}

/** What is to be done about records that lead elsewhere; `right`: addresses that lead to us. */
function mendingOf(record: string, right: string, end: string | null): string {
  if (end !== null) {
    if (right !== '') return `Whoever runs ${quote(end)} has to remove ${record}; ${right} is right.`;
    return 'Let it lead to the target of its routing record. Where it does already, that is for the operator to mend.';
  }
  return right === '' ? `Replace ${record} by its routing record: ${ROUTING}.` : `Remove ${record}; ${right} is right.`;
}

function caaReason(hostname: string, obstacle: Extract<Obstacle, { reason: 'caa_forbids' }>): string {
  const { at, record, because, ca, account } = obstacle;
  const { critical, tag, value } = record;
  const isAbove = hostname === at || hostname.endsWith(`.${at}`);
  const whose = isAbove ? at : `${quote(at)}, which a CNAME leads to,`;
  const seen = `The CAA record ${critical ? 128 : 0} ${quote(tag).slice(1, -1)} ${quote(value)} of ${whose}`;
  switch (because) {
    case 'other':
      return `${seen} does not allow ${ca} to issue for ${hostname}. Add beside it: 0 issue "${ca}".`;
    case 'unknown':
      return `${seen} is critical, and unknown to certificate authorities, so that none may issue for ${hostname}. Remove it.`;
    case 'account': {
      const ours = account === null ? 'we have none there yet' : `ours is ${account}`;
      return `${seen} does not allow our account at ${ca} to issue for ${hostname}; ${ours}. Correct its accounturi, or leave that out.`;
    }
    case 'method':
      return `${seen} does not allow ${ca} to prove by http-01 whose name ${hostname} is. Add http-01 to its validationmethods, or leave them out.`;
    default:
      return because satisfies never;
  }
}

function budgetReason(
  hostname: string,
  { by, ca, registeredDomain }: Extract<Obstacle, { reason: 'budget_spent' }>,
): string {
  const goesOn = 'It is ordered as soon as there is room.';
  switch (by) {
    case 'orders':
      return `As many certificates as we may order from ${ca} for now have been ordered. ${goesOn}`;
    case 'failures':
      return `As many attempts as we may make at ${ca} have failed for ${hostname} lately. It is tried again as soon as there is room.`;
    case 'certificates':
      return `As many certificates as we may order from ${ca} for names of ${registeredDomain} have been issued lately. ${goesOn}`;
    case 'duplicates':
      return `As many certificates as we may order from ${ca} for ${hostname} have been issued lately. ${goesOn}`;
    default:
      return by satisfies never;
  }
}
