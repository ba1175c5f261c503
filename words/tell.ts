import type { Certificate, CertificateProblem, Finding } from '../client/client.ts';
import type { Wording } from './english.ts';
import { fixOf } from './fixes.ts';
import type { Known } from './known.ts';
import { MESSAGES } from './messages.ts';
import { type Fields, type Item, type SentenceKey, type Style, saidIn } from './said.ts';

/** Says a finding, or the problem of a certificate, in any language: from its code and its fields alone. */

/** Returns whole sentences, the most important first. No message: the code is not known here. */
export function tellFinding(fields: Fields, wording: Wording, style: Style): { message: string[]; fix: string[] } {
  if (!Object.hasOwn(MESSAGES, fields.code)) return { message: [], fix: [] };
  const said = saidIn(fields, wording, style);
  const each = (items: Item[]) => items.map((item) => said.say([item]));
  const message = MESSAGES[fields.code as Known<Finding['code']>];
  return { message: each(typeof message === 'function' ? message(said) : message), fix: each(fixOf(said)) };
}

type Reason = Known<CertificateProblem['reason']>;

const PROBLEMS: Record<Reason, SentenceKey> = {
  no_address: 'certificateNoAddress',
  dns_unreadable: 'certificateUnread',
  address_not_public: 'certificatePrivate',
  unreachable: 'certificateUnreachable',
  answered_by_another: 'certificateOther',
  caa_forbids: 'certificateCaa',
  no_challenge_record: 'certificateNoRecord',
  challenge_elsewhere: 'certificateRecordElsewhere',
  challenge_not_seen: 'certificateNotSeen',
  dns_servers_failing: 'certificateLater',
  budget_spent: 'certificateLater',
  ca_rate_limited: 'certificateLater',
  ca_unavailable: 'certificateLater',
  ca_account: 'certificateLater',
  not_issued_here: 'certificateLater',
  authorization_failed: 'certificateUnproved',
  ca_refused: 'certificateRefused',
};

/** Outcomes of our own request to each address, by the reason that they give. */
const OUTCOMES: Partial<Record<string, string>> = {
  address_not_public: 'not_public',
  unreachable: 'unreachable',
  answered_by_another: 'another',
};

/** Says why there is no certificate. Null: the reason is not known here. */
export function tellProblem(certificate: Certificate, wording: Wording, style: Style): string | null {
  const { domain, problem: { reason } = { reason: '' }, selfCheck } = certificate;
  if (!Object.hasOwn(PROBLEMS, reason)) return null;
  const answers = selfCheck?.answers.filter(({ outcome }) => outcome === OUTCOMES[reason]) ?? [];
  const seen = answers.map(({ address }) => address);
  const said = saidIn({ code: '', severity: '', name: domain, seen, retryable: true }, wording, style);
  return said.say([PROBLEMS[reason as Reason]]);
}
