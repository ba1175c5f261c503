import type { Domain } from '../../domain/domain.ts';
import { anotherTokenIn } from '../../domain/findings/txt-difference.ts';
import type { Observation } from '../../domain/observation.ts';
import type { CheckStore } from '../../store/store.ts';

/** Tokens of one check that are looked up. */
const MAX_TOKENS = 3;

/** Finds out which of the workspace's other domains the tokens belong to that were seen in place of the domain's own. */
export async function tokenOwners(
  store: Pick<CheckStore, 'findNameByToken'>,
  domain: Domain,
  observation: Observation,
): Promise<(token: string) => string | null> {
  const names = new Map<string, string | null>();
  for (const token of anotherTokens(domain, observation))
    names.set(token, await store.findNameByToken(domain.workspaceId, token));
  return (token) => names.get(token) ?? null;
}

/** Where the TXT record belongs, and where it was published by mistake. */
function anotherTokens(domain: Domain, { ownership, probes = [] }: Observation): string[] {
  const misplaced = probes.filter(({ record }) => record === 'ownership').map(({ answer }) => answer);
  const answers = [...ownership.nameservers.flatMap(({ answers: given }) => given), ...misplaced];
  const values = new Set(answers.flatMap((answer) => (answer.kind === 'found' ? answer.values : [])));
  const tokens = [...values].flatMap((value) => anotherTokenIn(value, domain) ?? []);
  return [...new Set(tokens)].slice(0, MAX_TOKENS);
}
