import type { AccessStore } from './access-store.ts';
import type { CertificateStore } from './certificate-store.ts';
import type { ChangeStore } from './change-store.ts';
import type { CheckStore } from './check-store.ts';
import type { DomainStore } from './domain-store.ts';
import type { EdgeStore } from './edge-store.ts';
import type { RequestStore } from './request-store.ts';
import type { SecretStore } from './secret-store.ts';
import type { TreeStore } from './tree-store.ts';

export type * from './access-store.ts';
export type * from './certificate-store.ts';
export type * from './change-store.ts';
export type * from './check-store.ts';
export type * from './domain-store.ts';
export type * from './edge-store.ts';
export type * from './request-store.ts';
export type * from './secret-store.ts';
export type * from './tree-store.ts';

/**
 * The store contract: use cases, never a transaction handed out. Every engine passes `test/contract/store.ts`. Its parts lie in `contract/`.
 *
 * What callers may rely on, unless a method says otherwise:
 * - Each method is one atomic step: all of it happened or none of it, and a reader never sees half of it.
 * - A write that has resolved is durable: it survives `kill -9` and a power cut. Methods marked (unsynced) survive only `kill -9`.
 * - A read sees every write that had resolved, in this process, before the read began.
 * - Everything a cache may hold is announced in the `changes` log, in the same atomic step as the change.
 * - An expected outcome (lost race, name held) is a value. A rejection means the engine failed (`StoreUnavailable`), and a write that
 *   was rejected may or may not have happened. Any other rejection is a mistake of the program (an id used twice); nothing happened.
 * - All times are Unix milliseconds and come from the caller.
 */
export interface Store
  extends AccessStore,
    TreeStore,
    DomainStore,
    CheckStore,
    CertificateStore,
    EdgeStore,
    SecretStore,
    ChangeStore,
    RequestStore {
  /** Resolves when the store can be read and written; rejects with the reason otherwise. For `/readyz` and `doctor`. */
  ping(): Promise<void>;
  /** Finishes writes that were asked for, then lets go of everything. Methods called afterwards reject. */
  close(): Promise<void>;
}

/** The engine could not do what was asked (busy, full, away, closed). `cause` is the engine's own error. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable';
}
