import Type from 'typebox';
import type { Domain } from '../../domain/domain.ts';
import type { Replacing } from '../../store/store.ts';
import type { Find, Need } from '../find.ts';
import type { HandlerContext } from '../operation.ts';

/** The option `replaceUnverified` of the operations that attach names. */

export const replaceUnverified = Type.Optional(
  Type.Boolean({
    description:
      'If true, the new domain replaces a domain of the workspace that has the same name and was never verified. That domain is deleted, and its timeline gets a `domain.deleted` event with the reason `replaced`. domains.restoreDomain can restore it later. The name is refused as a conflict (409) in three cases. The key lacks `replace_domain` on the environment of the other domain. Or the other domain is verified, or its kept events show that it once was. Or its ownership record was found, and its verification window is still open.',
  }),
);

export const replacement: Need = {
  permission: { resource: 'environment', action: 'replace_domain' },
  where: 'on the environment of a domain that `replaceUnverified` replaces',
};

/** The domains that hold the names of new ones, and that the caller may replace; undefined where it does not ask to. */
export async function findReplaceable(
  input: { replaceUnverified?: boolean },
  domains: readonly Domain[],
  find: Find,
  { store, clock, settings }: Pick<HandlerContext, 'store' | 'clock' | 'settings'>,
): Promise<Replacing | undefined> {
  if (!input.replaceUnverified) return undefined;
  const found = await Promise.all(domains.map(({ workspaceId, name }) => store.findReplaceable(workspaceId, name)));
  const holders = found.flatMap((holder) => (holder && find.may(replacement, holder.environmentId) ? [holder] : []));
  return { holders, keptUntil: clock.now() + settings.deletedKeepMs };
}
