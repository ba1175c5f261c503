import type { Brand } from '../../domain/brand.ts';
import type { Paged, PageRequest } from './tree-store.ts';

/** Lets whoever has its token see one domain, and have it checked, until it expires. */
export interface SetupLink {
  /** `link_…` */
  id: string;
  workspaceId: string;
  domainId: string;
  createdAt: number;
  expiresAt: number;
  revokedAt: number | null;
  /** Id of the root key, or subject of the dashboard token; null where that is not known. At most 255 characters are kept. */
  createdBy: string | null;
  revokedBy: string | null;
}

/** A link, with what never changes of its domain. */
export interface FoundSetupLink extends SetupLink {
  domainName: string;
  environmentId: string;
}

/** What a workspace shows to its customers, and where. */
export interface SetupPage {
  brand: Brand;
  /** Of the pages that may use sessions of links, besides the server's own. */
  origins: string[];
}

export interface SetupChanges {
  /** `tokenHash`: SHA-256, 32 bytes. `limit`: the domain has this many links that have neither expired, when this one is made, nor been revoked. */
  createSetupLink(
    link: SetupLink,
    tokenHash: Uint8Array,
    limit: number,
  ): Promise<'created' | 'domain_missing' | 'limit'>;
  /** False when there is no such link. Of several revocations the first is kept. Logs the change `setup_link`. */
  revokeSetupLink(linkId: string, revokedAt: number, revokedBy: string): Promise<boolean>;
  /** Replaces what is given. Null when there is no such workspace. Logs the change `workspace`. */
  saveSetupPage(workspaceId: string, change: Partial<SetupPage>): Promise<SetupPage | null>;
}

export interface SetupStore extends SetupChanges {
  /** Also one that has expired or was revoked; null when there is none, or its domain was deleted. */
  findSetupLinkByToken(tokenHash: Uint8Array): Promise<FoundSetupLink | null>;
  findSetupLink(linkId: string): Promise<FoundSetupLink | null>;
  /** Links of a domain in order of creation, those that have expired or were revoked too. */
  listSetupLinks(workspaceId: string, domainId: string, page: PageRequest): Promise<Paged<SetupLink>>;
  /** Deletes at most `limit` links that expired before. Resolves with their number. (unsynced) */
  pruneSetupLinks(before: number, limit: number): Promise<number>;

  /** Empty unless it was saved. */
  findSetupPage(workspaceId: string): Promise<SetupPage>;
  /** Whether any workspace has this origin. */
  isSetupOrigin(origin: string): Promise<boolean>;
}
