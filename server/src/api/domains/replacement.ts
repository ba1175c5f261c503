import Type from 'typebox';
import type { Domain } from '../../domain/domain.ts';
import type { Replacing } from '../../store/store.ts';
import type { Find, Need } from '../find.ts';
import type { HandlerContext } from '../operation.ts';

/** The option `replaceUnverified` of the operations that attach names. */

export const replaceUnverified = Type.Optional(
  Type.Boolean({
    description:
      'If true, a domain of the workspace that holds the name and was never verified makes room for the new one. It is deleted, and its timeline has `domain.deleted` with the reason `replaced`. Later, domains.restoreDomain can bring it back. The key needs `replace_domain` on its environment; otherwise the name is a conflict (409). So is a domain that is or was verified, as far back as its events are kept. So is one whose ownership record is found while its checks run.',
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
