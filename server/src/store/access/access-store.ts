import type { Brand } from '../../domain/brand.ts';
import type { App, Environment, Paged, PageRequest, Project } from '../tree/tree-store.ts';

export interface Workspace {
  /** `ws_…` */
  id: string;
  name: string;
  disabledAt: number | null;
  limits: WorkspaceLimits;
  createdAt: number;
}

/** Overrides of the configured defaults for one workspace. */
export interface WorkspaceLimits {
  /** Requests per window, by operation (`domains.getDomain`) or `*`. `limit: 0` blocks the operation. */
  rates: Record<string, RateLimit>;
  /** Most domains the workspace may hold; null: no limit. */
  domains: number | null;
}

export interface RateLimit {
  limit: number;
  windowMs: number;
}

export interface RootKey {
  /** `key_…` */
  id: string;
  workspaceId: string;
  name: string;
  /** First characters of the key, for telling keys apart; never enough to use one. */
  start: string;
  /** Grants as given, compared exactly. */
  permissions: string[];
  expiresAt: number | null;
  disabledAt: number | null;
  createdAt: number;
}

/** A key in a list. */
export interface ListedRootKey extends RootKey {
  /** Up to an hour earlier than the last request that it authenticated; null: none yet. */
  lastUsedAt: number | null;
  /** Id of the key of this workspace that made it, also if that is gone; null: another workspace, or a command, did. */
  createdBy: string | null;
  /** Id of the key that a rotation made in its place. */
  replacedBy: string | null;
}

/** A key that another key makes: neither disabled nor rotated. */
export type MadeKey = Omit<RootKey, 'workspaceId' | 'disabledAt'>;

/** A workspace that a key makes, with one environment. All are new. */
export interface MadeWorkspace {
  id: string;
  name: string;
  tree: { project: Project; app: App; environment: Environment };
  createdAt: number;
}

/** Why a key makes nothing: it is gone or has expired, it is disabled, or its workspace is; or what it makes would expire after it. */
export type MakerProblem = 'maker_missing' | 'maker_disabled' | 'workspace_disabled' | 'outlives_maker';

/** That a key authenticated a request, Unix ms. */
export interface KeyUse {
  keyId: string;
  at: number;
}

/** A key pair that signs dashboard tokens (Ed25519). */
export interface SigningKey {
  /** `sig_…`, the `kid` of the tokens it signs. */
  id: string;
  /** SPKI, DER. */
  publicKey: Uint8Array;
  /** PKCS #8, DER. A secret. */
  privateKey: Uint8Array;
  createdAt: number;
  /** When another key replaced it; null while it is the one that signs. */
  retiredAt: number | null;
}

/** A key pair that signs links to DNS providers (Domain Connect; RSA, 2048 bits). */
export interface ConnectKey {
  /** `dck_…`; the name of its record is made of it. */
  id: string;
  /** SPKI, DER. */
  publicKey: Uint8Array;
  /** PKCS #8, DER. A secret. */
  privateKey: Uint8Array;
  createdAt: number;
}

/** A key with its workspace: all that authentication reads. */
export interface StoredPrincipal {
  key: RootKey;
  workspace: Workspace;
}

export interface AccessChanges {
  createWorkspace(workspace: Workspace): Promise<void>;
  /** False when there is no such workspace. Logs the change `workspace`. Disabling twice keeps the first time. */
  setWorkspaceDisabled(workspaceId: string, disabledAt: number | null): Promise<boolean>;
  /** Replaces the workspace's limits. False when there is no such workspace. Logs the change `workspace`. */
  setWorkspaceLimits(workspaceId: string, limits: WorkspaceLimits): Promise<boolean>;
  /**
   * Deletes the workspace with its keys, webhooks and brand; `not_empty` while it has projects. The timelines of its domains stay for as long as others do. Logs the
   * change `workspace`, and `root_key` for each key.
   */
  deleteWorkspace(workspaceId: string): Promise<'deleted' | 'not_empty' | 'missing'>;

  /** `workspace_missing` when the workspace does not exist. Logs the change `root_key`, since "unknown" may be cached too. */
  createRootKey(key: RootKey, keyHash: Uint8Array): Promise<'created' | 'workspace_missing'>;
  /** False when there is no such key. Logs the change `root_key`. Disabling twice keeps the first time. */
  setRootKeyDisabled(keyId: string, disabledAt: number | null): Promise<boolean>;
  /** Deletes the key. False when there is no such key. Logs the change `root_key`. */
  revokeRootKey(keyId: string): Promise<boolean>;
  /** Makes a key in the workspace of its maker. Logs the change `root_key`. The caller compares the permissions: those of a key never change. */
  createKeyBy(makerId: string, key: MadeKey, keyHash: Uint8Array): Promise<'created' | MakerProblem>;
  /**
   * Makes a key with the name, permissions and expiry of another one, which expires at `overlapEndsAt` unless it does before. `not_rotatable`: that one was
   * rotated before, is disabled, or has expired. `makerId`: null for a command. Logs the change `root_key` for both.
   */
  rotateRootKey(
    makerId: string | null,
    keyId: string,
    successor: Pick<RootKey, 'id' | 'start' | 'createdAt'>,
    keyHash: Uint8Array,
    overlapEndsAt: number,
  ): Promise<'rotated' | 'missing' | 'not_rotatable' | MakerProblem>;
  /** Adds an entry to the audit log: a key makes a token, of which the store keeps nothing. */
  recordToken(
    makerId: string,
    token: { subject: string; permissions: string[]; expiresAt: number; createdAt: number },
  ): Promise<'recorded' | MakerProblem>;
  /** Makes a workspace with its first key. It has the limits of the workspace of its maker, which is its parent. Logs the change `root_key`. */
  createChildWorkspace(
    makerId: string,
    child: MadeWorkspace,
    key: MadeKey,
    keyHash: Uint8Array,
  ): Promise<'created' | MakerProblem>;
  /**
   * Makes `after` the key that signs, in place of `before` (null: of none), which retires at `after.createdAt`; deletes keys retired before
   * `deleteRetiredBefore`. `stale`, and nothing was changed, when `before` is not the one that signs. Logs the change `signing_key` for each
   * of them.
   */
  replaceSigningKey(
    before: string | null,
    after: SigningKey,
    deleteRetiredBefore: number,
  ): Promise<'replaced' | 'stale'>;
  /** Adds a key, and deletes all but the newest three. */
  addConnectKey(key: ConnectKey): Promise<'added'>;
}

export interface AccessStore extends AccessChanges {
  /** The key with this SHA-256 (32 bytes) and its workspace; null when there is none, or it was revoked. */
  findPrincipal(keyHash: Uint8Array): Promise<StoredPrincipal | null>;
  findWorkspace(workspaceId: string): Promise<Workspace | null>;
  /** In order of creation. */
  listWorkspaces(): Promise<Workspace[]>;
  /** Keys of one workspace, or all; in order of creation. Without revoked keys. */
  listRootKeys(workspaceId?: string): Promise<ListedRootKey[]>;
  /** Also one that has expired; null when there is none, or it was revoked. */
  findRootKey(keyId: string): Promise<ListedRootKey | null>;
  /** In order of creation. */
  listKeysOfWorkspace(workspaceId: string, page: PageRequest): Promise<Paged<ListedRootKey>>;
  /** Those that keys of this workspace made, in order of creation. */
  listChildWorkspaces(parentId: string, page: PageRequest): Promise<Paged<Workspace>>;
  /** Keeps the latest use of each. Logs no change. (unsynced) */
  saveKeyUses(uses: readonly KeyUse[]): Promise<void>;

  /** Newest first. */
  listConnectKeys(): Promise<ConnectKey[]>;
  findSigningKey(keyId: string): Promise<SigningKey | null>;
  /** The key that signs now; null before the first. */
  findCurrentSigningKey(): Promise<SigningKey | null>;
}

/** `setup`: its page is for the owner of the domain, who may have it checked. `support`: for somebody who helps, and reads alone. */
export type LinkPurpose = 'setup' | 'support';

/** Lets whoever has its token see one domain, until it expires. */
export interface SetupLink {
  /** `link_…` */
  id: string;
  workspaceId: string;
  domainId: string;
  purpose: LinkPurpose;
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

/** The brand of a workspace, and the pages that may show it. */
export interface SetupPage {
  brand: Brand;
  /** The origins of pages that may use sessions of links, besides the server's own. */
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
  revokeSetupLink(linkId: string, revokedAt: number): Promise<boolean>;
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
