import type { AccessChanges, SetupChanges } from '../access/access-store.ts';
import type { DashboardChanges } from '../access/dashboard-store.ts';
import type { CertificateChanges } from '../certificate/certificate-store.ts';
import type { DeletedChanges, DomainChanges, RedirectChanges, SuspensionChanges } from '../domain/domain-store.ts';
import type { TargetChanges } from '../domain/target-store.ts';
import type { Paged, PageRequest, TreeChanges } from '../tree/tree-store.ts';
import type { SecretChanges } from '../upkeep-store.ts';
import type { DeliveryChanges, WebhookChanges } from '../webhook/webhook-store.ts';

/**
 * The changes that a caller of the API or a command may make. Each change is one `defineChange` beside its SQL (`engine/change.ts`). Roles change domains by what they
 * observe, which is in the timeline.
 */
export interface Changes
  extends AccessChanges,
    SetupChanges,
    DashboardChanges,
    TreeChanges,
    DomainChanges,
    DeletedChanges,
    RedirectChanges,
    SuspensionChanges,
    TargetChanges,
    WebhookChanges,
    DeliveryChanges,
    CertificateChanges,
    SecretChanges {}

/** Who calls. With `once`, the call may be a repeat. */
export interface Call {
  by: Author;
  once?: Once | undefined;
}

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
  /** That of the request; null: a command. */
  requestId: string | null;
}

/** One thing that was changed, and by whom. It holds no secrets. */
export interface AuditEntry extends Author {
  /** `aud_…` */
  id: string;
  at: number;
  /** Null: what was changed belongs to no workspace. */
  workspaceId: string | null;
  /** Id of the resource that was changed; for a certificate, its name. */
  target: string;
  /** Name or slug of what was changed, if it has one that is no secret. */
  targetName: string | null;
  /** Its values after the change, in short. */
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
  /** The changes as `by` makes them: each adds an entry for everything it changed, in its own transaction; none where its outcome is that nothing did. */
  changesBy(by: Author): Changes;

  /**
   * The same. With `once`, a change is carried out unless it was carried out under the same `id` in the last 24 hours and changed something. Its outcome is kept
   * in the same transaction as what it changes, so that neither is ever there without the other; an outcome that changed nothing is not kept.
   * `other_input`: the id was used with another fingerprint. `in_flight`: another node is carrying it out now; an engine with one writer waits instead.
   */
  changesOnce(call: Call): OnceChanges;

  /**
   * Entries of a workspace, or all, newest first. With a filter it looks at a fixed number of entries at most: the page may have fewer than its limit, or none, and still
   * a next page.
   */
  listAuditEntries(workspaceId: string | undefined, page: PageRequest & AuditFilter): Promise<Paged<AuditEntry>>;

  /** Deletes at most `limit` entries made earlier, oldest first. Resolves with their number. (unsynced) */
  pruneAuditEntries(before: number, limit: number): Promise<number>;
}

/** How long the result of a creation is kept for repeats. */
export const IDEMPOTENCY_KEPT_MS = 24 * 3_600_000;

/** A change that may be asked for several times, and happens once. */
export interface Once {
  /** Who asks for what under which key: the same for a request and its repeats, and for no other. */
  id: string;
  /** A hash of the input. A repeat has the same one. */
  fingerprint: string;
  /** Made by the caller for the change, such as an id. Repeats get it back. */
  made: Uint8Array;
  /** Whether `made` holds a secret, which is sealed where it is kept. */
  secret: boolean;
  at: number;
}

export type OnceResult<Outcome> =
  | { kind: 'first'; outcome: Outcome }
  /** The result of the first time; nothing was done now. */
  | { kind: 'repeated'; outcome: Outcome; made: Uint8Array }
  | { kind: 'other_input' | 'in_flight' };

/** `Changes`, each of which may be a repeat. */
export type OnceChanges = {
  [Name in keyof Changes]: (
    ...args: Parameters<Changes[Name]>
  ) => Promise<OnceResult<Awaited<ReturnType<Changes[Name]>>>>;
};

export interface IdempotencyStore {
  /** Deletes at most `limit` results that were kept earlier, oldest first. Resolves with their number. (unsynced) */
  pruneIdempotencyKeys(before: number, limit: number): Promise<number>;
}
