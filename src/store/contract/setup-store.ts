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

export interface SetupStore {
  /** `tokenHash`: SHA-256, 32 bytes. */
  createSetupLink(link: SetupLink, tokenHash: Uint8Array): Promise<'created' | 'domain_missing'>;
  /** Also one that has expired or was revoked; null when there is none, or its domain was deleted. */
  findSetupLinkByToken(tokenHash: Uint8Array): Promise<FoundSetupLink | null>;
  findSetupLink(linkId: string): Promise<FoundSetupLink | null>;
  /** Links of a domain in order of creation, those that have expired or were revoked too. */
  listSetupLinks(workspaceId: string, domainId: string, page: PageRequest): Promise<Paged<SetupLink>>;
  /** False when there is no such link. Revoking twice keeps the first time. Logs the change `setup_link`. */
  revokeSetupLink(linkId: string, revokedAt: number): Promise<boolean>;
  /** Deletes at most `limit` links that expired before. Resolves with their number. (unsynced) */
  pruneSetupLinks(before: number, limit: number): Promise<number>;

  /** Empty unless it was saved. */
  findSetupPage(workspaceId: string): Promise<SetupPage>;
  /** Replaces what is given. Null when there is no such workspace. Logs the change `workspace`. */
  saveSetupPage(workspaceId: string, change: Partial<SetupPage>): Promise<SetupPage | null>;
  /** Whether any workspace has this origin. */
  isSetupOrigin(origin: string): Promise<boolean>;
}
