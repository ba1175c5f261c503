import { canonicalName } from '../../domain/name.ts';
import { REDIRECT_STATUSES } from '../../domain/redirect.ts';

/** Why a redirect of another service cannot be one of ours; null: it can. `destinations`: of all names that redirect. */
export function redirectProblem(
  name: string,
  status: number | null,
  destinations: ReadonlyMap<string, string>,
): string | null {
  const next = (from: string | undefined) => {
    const to = from === undefined ? undefined : destinations.get(from);
    return to === undefined ? undefined : (canonicalName(to) ?? to);
  };
  const to = next(name);
  if (to === name) return 'It leads to itself.';
  const seen = new Set<string>();
  for (let at = to; at !== undefined && !seen.has(at); at = next(at)) {
    if (at === name) return 'It leads in a circle, back to the name.';
    seen.add(at);
  }
  if (next(to) !== undefined) return 'Its destination redirects as well. A redirect is one hop: name the last one.';
  if (!REDIRECT_STATUSES.some((known) => known === status))
    return `Its status is ${status ?? 'not known'}, and redirects have ${REDIRECT_STATUSES.join(' or ')}. Set it with "nameplate domains redirect".`;
  return null;
}
