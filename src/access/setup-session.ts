import { createLoadingCache, type LoadingCache } from '../cache/cache.ts';
import type { ChangeFeed } from '../cache/change-feed.ts';
import type { Clock } from '../clock.ts';
import type { DomainStore, FoundSetupLink, SetupStore, Workspace } from '../store/contract/store.ts';
import type { Standing } from './authenticate.ts';
import { verifySession } from './session-token.ts';
import { setupLinkError } from './setup-link.ts';
import type { VerifySignature } from './signed-token.ts';

interface SetupSessionDeps {
  /** Finds a domain from a cache: it is looked at with each request. */
  store: Pick<SetupStore, 'findSetupLink'> & Pick<DomainStore, 'findDomainById'>;
  clock: Clock;
  changes: ChangeFeed | undefined;
  workspaces: LoadingCache<Workspace>;
  verifySignature: VerifySignature;
}

/** Most links cached. */
const LINKS = 10_000;

/** Checks session tokens: the signature, and the link as it is now, which the change feed keeps fresh. Rejects with `StoreUnavailable`. */
export function sessionCheck(deps: SetupSessionDeps): (token: string) => Promise<Standing> {
  const { store, clock, changes, workspaces, verifySignature } = deps;
  const links = createLoadingCache<FoundSetupLink>({
    changes,
    capacity: LINKS,
    read: (linkId) => store.findSetupLink(linkId),
    // Not those of a domain, which change often: that it was deleted is seen by the domain itself.
    keysOf: ({ kind, key }) => (kind === 'setup_link' ? [key] : []),
  });

  return async (token) => {
    const session = await verifySession(token, verifySignature);
    if (session === null) return { ok: false, code: 'authentication/key_not_found' };
    const link = await links.load(session.link.id);
    const error = setupLinkError(link, clock.now());
    if (link === null || error !== null) return { ok: false, code: error ?? 'authentication/setup_link_not_found' };
    const workspace = await workspaces.load(link.workspaceId);
    if (workspace === null || link.workspaceId !== session.link.workspaceId || link.domainId !== session.link.domainId)
      return { ok: false, code: 'authentication/key_not_found' };
    if (workspace.disabledAt !== null) return { ok: false, code: 'authorization/workspace_disabled' };
    if ((await store.findDomainById(link.workspaceId, link.domainId)) === null)
      return { ok: false, code: 'authentication/setup_link_not_found' };
    const { id: linkId, workspaceId, domainId, domainName, environmentId } = link;
    const grants = new Set([`environment.${environmentId}.read_domain`, `environment.${environmentId}.verify_domain`]);
    const limits = workspace.limits;
    const principal = { workspaceId, actor: linkId, grants, limits, session: { linkId, domainId, domainName } };
    return { ok: true, principal, expiresAt: Math.min(session.expiresAt, link.expiresAt) };
  };
}
