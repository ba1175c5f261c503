import Type from 'typebox';
import { canonicalName, type NewName } from '../../domain/name.ts';
import type { DomainTarget } from '../../domain/shared-target.ts';
import { isWildcard } from '../../domain/wildcard.ts';
import type { Environment, EnvironmentPath, TargetStore } from '../../store/store.ts';
import { Problem } from '../errors.ts';
import type { Find, Need } from '../find.ts';
import type { ApiSettings } from '../operation.ts';
import { invalid } from '../validation.ts';

/** The option `target` of the operations that attach names. */

export const sharedTarget = Type.Optional(
  Type.String({
    minLength: 4,
    maxLength: 253,
    description:
      "A shared target of the workspace (targets.listTargets). It is the value of the routing record, in place of the domain's own target. Use it for names that your platform already serves. The key needs `use_shared_target` on the environment, because a name that already leads there is verified at once.",
  }),
);

export const sharedTargetUse: Need = {
  permission: { resource: 'environment', action: 'use_shared_target' },
  where: 'on the environment, if the request has a `target`',
};

/** The shared target that a caller names, and may use; undefined where it names none. Rejects with a `Problem`. */
export async function findTarget(
  named: string | undefined,
  path: EnvironmentPath,
  { workspaceId }: Environment,
  find: Find,
  store: Pick<TargetStore, 'findSharedTarget'>,
): Promise<DomainTarget | undefined> {
  if (named === undefined) return undefined;
  await find.environment(path, sharedTargetUse);
  const host = canonicalName(named);
  const found = host === null ? null : await store.findSharedTarget(workspaceId, host);
  if (found === null) throw new Problem('data/target_not_found');
  return { target: found.host, sharedAddresses: JSON.stringify(found.addresses) };
}

/** The same, with the problem as a value. */
export function findTargetOrProblem(
  ...args: Parameters<typeof findTarget>
): Promise<DomainTarget | Problem | undefined> {
  return findTarget(...args).catch((error: unknown) => {
    if (error instanceof Problem) return error;
    throw error;
  });
}

/** Why one of the names cannot have the target; null: all can. */
export function targetProblem(
  names: readonly (NewName | null)[],
  shared: DomainTarget | undefined,
  location: string,
  settings: Pick<ApiSettings, 'challengeZone'>,
): Problem | null {
  if (shared === undefined) return null;
  const own = names.find((each) => each?.name === shared.target);
  if (own) return invalid(location, `must not be the name itself: ${own.name}`);
  // The wildcard's own record leads challenges to the platform.
  const isWithoutZone = settings.challengeZone === undefined && names.some((each) => each && isWildcard(each.name));
  return isWithoutZone
    ? invalid(
        location,
        'must not be set for a wildcard, unless the operator of this service has NAMEPLATE_CHALLENGE_ZONE',
      )
    : null;
}
