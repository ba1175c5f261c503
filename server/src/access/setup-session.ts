import type { Clock } from '../base/clock.ts';
import { createCache, createLoadingCache, type LoadingCache } from '../store/cache/cache.ts';
import type { ChangeFeed } from '../store/cache/change-feed.ts';
import type { DomainStore, FoundSetupLink, LinkPurpose, SetupStore, Workspace } from '../store/store.ts';
import type { Standing } from './authenticate.ts';
import type { Principal } from './root-key-cache.ts';
import { hashSecret } from './secret-text.ts';
import { type VerifiedSession, verifySession } from './session-token.ts';
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

/** Finds the rights of a customer's credential. The functions reject with `StoreUnavailable`. */
export interface SetupSessions {
  /**
   * Authenticates the token of a session: its signature, and the link as it is now, which the change feed keeps fresh.
   */
  check(token: string): Promise<Standing>;
  /** Whether its signature was checked before, and it has not expired. */
  isKnown(token: string): boolean;
  /** By a link, as the store has it now. */
  standingOf(link: FoundSetupLink): Promise<Standing>;
}

/** The permission of a session beside that to read its domain. */
const MORE: Record<LinkPurpose, string> = { setup: 'verify_domain', support: 'read_usage' };

/** Most links, and most tokens of sessions, cached. */
const CAPACITY = 10_000;

export function createSetupSessions(deps: SetupSessionDeps): SetupSessions {
  const { store, clock, changes, workspaces, verifySignature } = deps;
  const links = createLoadingCache<FoundSetupLink>({
    changes,
    capacity: CAPACITY,
    read: (linkId) => store.findSetupLink(linkId),
    // Changes of a domain do not count here: they are frequent, and a deletion is seen at the domain itself.
    keysOf: ({ kind, key }) => (kind === 'setup_link' ? [key] : []),
  });

  /**
   * Sessions whose token was verified, by its SHA-256: a signature costs more than all else of a request. Forged tokens
   * evict none.
   */
  const verified = createCache<VerifiedSession>({
    changes,
    capacity: CAPACITY,
    keysOf: ({ kind }, entries) => (kind === 'signing_key' ? [...entries].map(([key]) => key) : []),
  });

  function knownAs(key: string): VerifiedSession | undefined {
    const known = verified.get(key);
    return known && known.expiresAt > clock.now() ? known : undefined;
  }

  async function verify(token: string): Promise<VerifiedSession | null> {
    const key = hashSecret(token);
    const known = knownAs(key);
    if (known !== undefined) return known;
    return verified.load(
      () => verifySession(token, verifySignature),
      (session) => (session === null ? undefined : key),
    );
  }

  async function standingOf(link: FoundSetupLink): Promise<Standing> {
    const { id: linkId, workspaceId, purpose, domainId, domainName, expiresAt } = link;
    const error = setupLinkError(link, clock.now());
    if (error !== null) return { ok: false, code: error };
    const workspace = await workspaces.load(workspaceId);
    if (workspace === null) return { ok: false, code: 'authentication/setup_link_not_found' };
    if (workspace.disabledAt !== null) return { ok: false, code: 'authorization/setup_workspace_disabled' };
    const domain = await store.findDomainById(workspaceId, domainId);
    if (domain === null) return { ok: false, code: 'authentication/setup_link_not_found' };
    // The domain's environment, not that of the cached link: the domain may have been moved since.
    const { environmentId } = domain;
    const grants = new Set(['read_domain', MORE[purpose]].map((action) => `environment.${environmentId}.${action}`));
    const session = { linkId, purpose, domainId, domainName, expiresAt };
    const { limits } = workspace;
    const principal: Principal = { kind: 'setup_link', workspaceId, actor: linkId, grants, limits, session };
    return { ok: true, principal, expiresAt };
  }

  return {
    async check(token) {
      const session = await verify(token);
      if (session === null) return { ok: false, code: 'authentication/key_not_found' };
      const link = await links.load(session.link.id);
      if (link === null) return { ok: false, code: 'authentication/setup_link_not_found' };
      if (link.workspaceId !== session.link.workspaceId || link.domainId !== session.link.domainId)
        return { ok: false, code: 'authentication/key_not_found' };
      const standing = await standingOf(link);
      return standing.ok ? { ...standing, expiresAt: Math.min(session.expiresAt, link.expiresAt) } : standing;
    },
    isKnown: (token) => knownAs(hashSecret(token)) !== undefined,
    standingOf,
  };
}
