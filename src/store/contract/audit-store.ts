import type { AccessStore } from './access-store.ts';
import type { CertificateStore } from './certificate-store.ts';
import type { DeletedStore } from './deleted-store.ts';
import type { DomainStore } from './domain-store.ts';
import type { RedirectStore } from './redirect-store.ts';
import type { SecretStore } from './secret-store.ts';
import type { SetupStore } from './setup-store.ts';
import type { SuspensionStore } from './suspension-store.ts';
import type { Paged, PageRequest, TreeStore } from './tree-store.ts';
import type { DeliveryStore, WebhookStore } from './webhook-store.ts';

/** The parts of the store that have changes. */
type Changeable = AccessStore &
  SetupStore &
  TreeStore &
  DomainStore &
  DeletedStore &
  RedirectStore &
  SuspensionStore &
  WebhookStore &
  DeliveryStore &
  CertificateStore &
  SecretStore;

/** The methods that change something for a caller of the API or a command. Nothing else may call them: roles change domains by what they observe, which is in the timeline. */
export const CHANGE_METHODS = [
  'createWorkspace',
  'setWorkspaceDisabled',
  'setWorkspaceLimits',
  'deleteWorkspace',
  'createRootKey',
  'setRootKeyDisabled',
  'revokeRootKey',
  'replaceSigningKey',
  'createSetupLink',
  'revokeSetupLink',
  'saveSetupPage',
  'createProject',
  'deleteProject',
  'createApp',
  'deleteApp',
  'createEnvironment',
  'deleteEnvironment',
  'createDeployment',
  'createDomain',
  'createDomains',
  'retryVerification',
  'deleteDomain',
  'restoreDomain',
  'moveDomain',
  'suspendDomain',
  'resumeDomain',
  'setWorkspaceSuspension',
  'setRedirect',
  'removeRedirect',
  'createWebhook',
  'updateWebhook',
  'deleteWebhook',
  'rotateWebhookSecret',
  'addTestDelivery',
  'redeliver',
  'importCertificate',
  'renewCertificate',
  'replaceRevoked',
  'resumeCas',
  'forgetSecrets',
] as const satisfies (keyof Changeable)[];

export type ChangeMethod = (typeof CHANGE_METHODS)[number];
export type Changes = Pick<Changeable, ChangeMethod>;
export type ChangeArgs<Method extends ChangeMethod> = Parameters<Changeable[Method]>;
export type ChangeOutcome<Method extends ChangeMethod> = Awaited<ReturnType<Changeable[Method]>>;

export type AuthorKind = 'root_key' | 'dashboard_token' | 'setup_link' | 'command';

/** Who changes something, with what and from where. */
export interface Author {
  kind: AuthorKind;
  /** Id of the root key or set-up link, subject of the dashboard token, user of the operating system. */
  actor: string;
  /** The operation or command: `domains.createDomain`, `keys create`. */
  action: string;
  /** Address of the client; of a command, name of the host on which it ran. */
  from: string;
  /** Of the request; null: a command. */
  requestId: string | null;
}

/** What was done to one thing, by whom. It holds no secrets. */
export interface AuditEntry extends Author {
  /** `aud_…` */
  id: string;
  at: number;
  /** Null: what was changed belongs to no workspace. */
  workspaceId: string | null;
  /** Id of what was changed; of a certificate, its name. */
  target: string;
  /** Name or slug of what was changed, if it has one that is no secret. */
  targetName: string | null;
  /** What it was changed to, in short. */
  detail: Record<string, unknown>;
}

/** Absent: any. All compare exactly. */
export interface AuditFilter {
  actor?: string | undefined;
  action?: string | undefined;
  /** Id or name of what was changed. */
  target?: string | undefined;
}

export interface AuditStore {
  /** Carries out a change, and in the same transaction adds one entry for each thing that it changed; none where its outcome is that nothing did. */
  recorded<Method extends ChangeMethod>(
    by: Author,
    method: Method,
    ...args: ChangeArgs<Method>
  ): Promise<ChangeOutcome<Method>>;

  /**
   * Entries of a workspace, or all, newest first. With a filter it looks at a fixed number of entries at most: the page may have fewer than its limit, or none, and still
   * a next page.
   */
  listAuditEntries(workspaceId: string | undefined, page: PageRequest & AuditFilter): Promise<Paged<AuditEntry>>;

  /** Deletes at most `limit` entries made earlier, oldest first. Resolves with their number. (unsynced) */
  pruneAuditEntries(before: number, limit: number): Promise<number>;
}

/** The changes of a store that name `by`. */
export function changesBy(store: Pick<AuditStore, 'recorded'>, by: Author): Changes {
  const method =
    (name: ChangeMethod) =>
    (...args: unknown[]) =>
      store.recorded(by, name, ...(args as never));
  // One function for each method, of its type.
  return Object.fromEntries(CHANGE_METHODS.map((name) => [name, method(name)])) as unknown as Changes;
}
