import type { Domain } from '../../domain/domain.ts';
import { anotherTokenIn } from '../../domain/findings/txt-difference.ts';
import type { Observation } from '../../domain/observation.ts';
import type { CheckStore, TargetStore } from '../../store/store.ts';

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

/** Hosts of one check that are looked up. */
const MAX_HOSTS = 5;

/** Which hosts that the name leads to are shared targets of the workspace. Its own target is none of them. */
export async function sharedTargetsIn(
  store: Pick<TargetStore, 'findSharedTarget'>,
  { workspaceId, target }: Domain,
  { routing }: Observation,
): Promise<string[]> {
  const chains = routing.nameservers.flatMap(({ answers }) => answers.flatMap(({ chain }) => chain));
  if (chains.includes(target)) return [];
  const hosts = [...new Set(chains)].slice(0, MAX_HOSTS);
  const found = await Promise.all(hosts.map((host) => store.findSharedTarget(workspaceId, host)));
  return found.flatMap((each) => each?.host ?? []);
}
