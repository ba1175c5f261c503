import type { SiteWord } from './site-state.ts';
import { names } from './text-domains.ts';

const number = new Intl.NumberFormat('en');

/** Every text of the first page, in English. */
export const HOME_TEXT = {
  groups: {
    us: 'Waiting for us',
    ca: 'Waiting for a CA',
    owner: 'Waiting for their owners',
  },
  nobody: 'Nobody needs you',
  nobodyText: 'Every name is live, or has been added only just now.',
  /** Sentences for names about which the API says no more. */
  sentences: {
    live: 'Visitors reach it.',
    live_in_part: 'Some of its addresses lead elsewhere.',
    redirects: 'It redirects.',
    suspended: 'It is suspended.',
    ready_to_switch: 'Its certificate is in use: its DNS may lead here now.',
    waiting_for_records: 'Its DNS records have not been found yet.',
    records_wrong: 'Its DNS has a mistake.',
    waiting_for_certificate: 'Its certificate has not been issued yet.',
    certificate_stopped: 'Its certificate cannot be issued.',
    not_looked_at: 'It is verified, and has not been looked at from outside yet.',
    unreachable: 'Visitors do not reach it.',
    checks_ended: 'Its records were not found in time, and the checks have ended.',
  } satisfies Record<SiteWord, string>,
  check: 'Check now',
  checked: 'A check has begun.',
  open: 'Open',
  makeLink: 'Make set-up link',
  linkOf: (name: string) => `the set-up link of ${name}`,
  copyLink: 'Copy set-up link',
  more: (count: number) => `Show ${number.format(count)} more`,
  some: 'Not all names were looked at. Their list:',
  states: 'Names by state',
  total: 'All',
  certificates: 'Certificates',
  due: 'Certificates that end, by week',
  dueText: 'Each is renewed before its end without anybody; one that is not is listed above.',
  dueSome: (count: number) => `Of the first ${number.format(count)} names with a certificate.`,
  thisWeek: 'This week',
  inWeeks: (weeks: number) => (weeks === 1 ? 'In 1 week' : `In ${weeks} weeks`),
  noneDue: 'No certificate ends in the next 13 weeks.',
  budget: 'Orders at the CA',
  /** `left`: null where it is not known, 0 where there is nothing to wait for. */
  budgetWaiting: (waiting: number, left: string | 0 | null) => {
    if (waiting === 0) return 'No name waits for an order.';
    const wait = `${names(waiting)} ${waiting === 1 ? 'waits' : 'wait'} for an order`;
    if (left === null) return `${wait}.`;
    return left === 0 ? `${wait}; the limits allow all of them now.` : `${wait}; the last of them for at most ${left}.`;
  },
  pace: (count: number, window: string, cas: number) =>
    `The limits allow ${names(count)} in ${window}, at ${cas === 1 ? 'one CA' : `${cas} CAs together`}.`,
  noLimits: 'No CA has limits here.',
  fits: (count: number, time: string) => `${names(count)} more are ordered within ${time}, at most.`,
} as const;
