import type { Author } from './audit-store.ts';
import type { DomainStore } from './domain-store.ts';
import type { SetupStore } from './setup-store.ts';
import type { TreeStore } from './tree-store.ts';
import type { WebhookStore } from './webhook-store.ts';

/** How long the result of a creation is kept for repeats. */
export const IDEMPOTENCY_KEPT_MS = 24 * 3_600_000;

/** The methods that create what a client asks for: those that `createOnce` carries out. */
type Creations = Pick<TreeStore, 'createProject' | 'createApp' | 'createEnvironment' | 'createDeployment'> &
  Pick<DomainStore, 'createDomain' | 'createDomains'> &
  Pick<SetupStore, 'createSetupLink'> &
  Pick<WebhookStore, 'createWebhook'>;

export type CreateMethod = keyof Creations;
export type CreateArgs<Method extends CreateMethod> = Parameters<Creations[Method]>;
export type CreateOutcome<Method extends CreateMethod> = Awaited<ReturnType<Creations[Method]>>;

/** A creation that may be asked for several times, and happens once. */
export interface Once {
  /** Who asks for what under which key: the same for a request and its repeats, and for no other. */
  id: string;
  /** Of the input. A repeat has the same one. */
  fingerprint: string;
  /** What the caller made for the creation, such as its id. Repeats get it back. */
  made: Uint8Array;
  /** Whether `made` holds a secret, which is sealed where it is kept. */
  secret: boolean;
  at: number;
  /** Of the entries that the creation leaves; a repeat leaves none. */
  by: Author;
}

export type OnceResult<Outcome> =
  | { kind: 'first'; outcome: Outcome }
  /** Of the first time; nothing was done now. */
  | { kind: 'repeated'; outcome: Outcome; made: Uint8Array }
  | { kind: 'other_input' | 'in_flight' };

export interface IdempotencyStore {
  /**
   * Carries out a method, unless it was carried out under the same `id` in the last 24 hours and created something. Its outcome is kept in the same
   * transaction as what it creates, so that neither is ever there without the other; an outcome that created nothing is not kept.
   * `other_input`: the id was used with another fingerprint. `in_flight`: another node is carrying it out now; an engine with one writer waits instead.
   */
  createOnce<Method extends CreateMethod>(
    once: Once,
    method: Method,
    ...args: CreateArgs<Method>
  ): Promise<OnceResult<CreateOutcome<Method>>>;

  /** Deletes at most `limit` results that were kept earlier, oldest first. Resolves with their number. (unsynced) */
  pruneIdempotencyKeys(before: number, limit: number): Promise<number>;
}
