import type { Changes } from './audit-store.ts';

/** How long the result of a creation is kept for repeats. */
export const IDEMPOTENCY_KEPT_MS = 24 * 3_600_000;

/** A change that may be asked for several times, and happens once. */
export interface Once {
  /** Who asks for what under which key: the same for a request and its repeats, and for no other. */
  id: string;
  /** Of the input. A repeat has the same one. */
  fingerprint: string;
  /** What the caller made for the change, such as an id. Repeats get it back. */
  made: Uint8Array;
  /** Whether `made` holds a secret, which is sealed where it is kept. */
  secret: boolean;
  at: number;
}

export type OnceResult<Outcome> =
  | { kind: 'first'; outcome: Outcome }
  /** Of the first time; nothing was done now. */
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
