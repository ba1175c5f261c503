import type { Site } from '../../client/client.ts';
import { type SiteState, siteState, type Turn } from './site-state.ts';

const MINUTE = 60_000;
/** How long a name may wait without a problem before somebody is needed, by whose turn it is. */
const NORMAL_WAIT_MS: Record<Turn, number> = {
  owner: 60 * MINUTE,
  us: 10 * MINUTE,
  ca: 10 * MINUTE,
  nobody: Number.POSITIVE_INFINITY,
};

export interface Stuck {
  site: Site;
  state: SiteState;
}

/** The names that somebody has to do something about, by whom, the oldest first. `now`: Unix ms. */
export function stuckNames(sites: Iterable<Site>, now: number): Record<'us' | 'owner' | 'ca', Stuck[]> {
  const stuck: Record<Turn, Stuck[]> = { us: [], owner: [], ca: [], nobody: [] };
  const seen = new Set<string>();
  for (const site of sites) {
    const state = siteState(site);
    if (seen.has(site.domain.id) || !isStuck(state, now)) continue;
    seen.add(site.domain.id);
    stuck[state.turn].push({ site, state });
  }
  for (const group of Object.values(stuck))
    group.sort((one, other) => (one.state.since ?? 0) - (other.state.since ?? 0));
  return stuck;
}

/** Suspended names are so on purpose. */
function isStuck({ word, turn, since, problem }: SiteState, now: number): boolean {
  if (word === 'suspended' || turn === 'nobody') return false;
  return problem !== null || word === 'checks_ended' || now - (since ?? 0) >= NORMAL_WAIT_MS[turn];
}

/** The first sentence of a text: it ends with a full stop before a space, since names have full stops in them, or with a Japanese one. */
export function firstSentence(text: string): string {
  return text.replace(/(。|\.(?=\s)).*$/s, '$1');
}

/** Counts times by week, from the week that now is in; those that are over count in it. Unix ms. */
export function byWeek(times: Iterable<number>, now: number, weeks: number): number[] {
  const counts = Array.from({ length: weeks }, () => 0);
  for (const time of times) {
    const week = Math.max(0, Math.floor((time - now) / (7 * 24 * 60 * MINUTE)));
    if (week < weeks) counts[week] = (counts[week] ?? 0) + 1;
  }
  return counts;
}
