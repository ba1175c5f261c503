import type { Site } from '../../client/client.ts';
import { OWNER_FIXABLE } from '../../words/reasons.ts';
import { liveProblems } from './live-problems.ts';
import { ofApi, type Said, sayFinding, sayReason } from './said.ts';
import { type DashboardTexts, TEXT } from './text.ts';

/** The one word for a site, from what visitors get rather than from the store alone. */
export type SiteWord = keyof DashboardTexts['words'];

/** Who has to do something: the owner of the name, us (the platform and its server), a CA; nobody where all is well. */
export type Turn = 'owner' | 'us' | 'ca' | 'nobody';

export interface SiteState {
  word: SiteWord;
  turn: Turn;
  /** Unix ms; null: not known. */
  since: number | null;
  /** The mistake; null: nothing is, or nothing is known. */
  problem: Said | null;
}

/** Reasons that lie with the CA, or with its limits. */
const CAS = ['ca_rate_limited', 'ca_unavailable', 'ca_refused', 'budget_spent'];

/** Judges a site for its row in the list. */
export function siteState(site: Site): SiteState {
  const { domain, suspension, live } = site;
  if (suspension !== undefined) {
    const { suspendedAt: since, status, by } = suspension;
    return { word: 'suspended', turn: 'us', since, problem: { text: TEXT.suspended(status, by === 'operator') } };
  }
  if (domain.status !== 'verified') return unverified(site);
  if (live?.state === 'live') {
    const word = site.redirect === undefined ? 'live' : 'redirects';
    return { word, turn: 'nobody', since: live.since, problem: mistakeIn(domain) };
  }
  const certificate = certificateState(site);
  if (certificate !== null) return certificate;
  if (live === undefined)
    return { word: 'not_looked_at', turn: 'nobody', since: domain.updatedAt ?? null, problem: null };
  const [finding] = site.findings ?? [];
  const seen = TEXT.outside(live.state, liveProblems(live));
  const problem =
    finding === undefined
      ? (ofApi(domain.verificationError, seen ?? TEXT.home.sentences.records_wrong) ??
        (seen === null ? null : { text: seen }))
      : sayFinding(finding);
  const turn = live.problem?.startsWith('certificate_') || site.findings === undefined ? 'us' : 'owner';
  return { word: live.state === 'partly_live' ? 'live_in_part' : 'unreachable', turn, since: live.since, problem };
}

function unverified({ domain, readyToSwitch }: Site): SiteState {
  const problem = mistakeIn(domain);
  const since = domain.updatedAt ?? domain.createdAt;
  if (readyToSwitch) return { word: 'ready_to_switch', turn: 'owner', since, problem };
  if (domain.status === 'failed') return { word: 'checks_ended', turn: 'owner', since, problem };
  const word = problem === null ? 'waiting_for_records' : 'records_wrong';
  return { word, turn: 'owner', since: domain.createdAt, problem };
}

function mistakeIn({ status, verificationError }: Site['domain']): Said | null {
  const { checks_ended: ended, records_wrong: wrong } = TEXT.home.sentences;
  return ofApi(verificationError, status === 'failed' ? ended : wrong);
}

/** Null: there is a certificate, so that it is not what is missing. */
function certificateState({ certificate: { state, problem, notAfter }, domain }: Site): SiteState | null {
  if (notAfter !== undefined) return null;
  const since = domain.updatedAt ?? null;
  if (problem === undefined || state === 'wanted' || state === 'ordering')
    return { word: 'waiting_for_certificate', turn: 'ca', since, problem: sayReason(problem ?? {}) };
  const turn = OWNER_FIXABLE.has(problem.reason) ? 'owner' : CAS.includes(problem.reason) ? 'ca' : 'us';
  return { word: 'certificate_stopped', turn, since, problem: sayReason(problem) };
}
