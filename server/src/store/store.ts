import type { AccessStore, SetupStore } from './access/access-store.ts';
import type { DashboardStore } from './access/dashboard-store.ts';
import type { AuditStore, Changes, IdempotencyStore } from './audit/audit-store.ts';
import type { CertificateStore } from './certificate/certificate-store.ts';
import type { DnsStore } from './certificate/dns-store.ts';
import type { CheckStore, LiveStore, MonitorStore } from './check/check-store.ts';
import type { DeletedStore, DomainStore, EventStore, RedirectStore, SuspensionStore } from './domain/domain-store.ts';
import type { EdgeStore } from './domain/edge-store.ts';
import type { TargetStore } from './domain/target-store.ts';
import type { TreeStore } from './tree/tree-store.ts';
import type { BackupStore, ChangeStore, PoolUsage, RequestStore, SecretStore } from './upkeep-store.ts';
import type { UsageStore } from './usage/usage-store.ts';
import type { DeliveryStore, WebhookStore } from './webhook/webhook-store.ts';

export type * from './access/access-store.ts';
export type * from './access/dashboard-store.ts';
export type * from './audit/audit-store.ts';
export type * from './certificate/certificate-store.ts';
export { OPERATOR } from './certificate/certificate-store.ts';
export type * from './certificate/dns-store.ts';
export type * from './check/check-store.ts';
export type * from './domain/domain-store.ts';
export type * from './domain/edge-store.ts';
export type * from './domain/target-store.ts';
export type * from './tree/tree-store.ts';
export type * from './upkeep-store.ts';
export type * from './usage/usage-store.ts';
export { addChunk, addCount, chunkOf, countsOf, newChunk } from './usage/usage-store.ts';
export type * from './webhook/webhook-store.ts';

/**
 * The store contract: use cases, so that no caller holds a transaction. Every engine passes `test/store/store.ts`.
 *
 * Guarantees, unless a method says otherwise:
 * - Each method is atomic: all of it happens or nothing, and no reader sees half of it.
 * - A write that has resolved is durable: it survives `kill -9` and a power cut. Methods marked (unsynced) survive only `kill -9`.
 * - A read sees every write that had resolved, in this process, before the read began.
 * - A change to anything that caches hold is written to the change log in the same transaction.
 * - An expected outcome (lost race, name held) is a value. A rejection with `StoreUnavailable` means that the engine failed: a rejected write
 *   may or may not have happened. Any other rejection is a bug in the caller (an id used twice), and nothing happened.
 * - All times are Unix milliseconds and come from the caller.
 */
export interface Store
  extends AccessStore,
    SetupStore,
    DashboardStore,
    TreeStore,
    DomainStore,
    DeletedStore,
    TargetStore,
    CheckStore,
    MonitorStore,
    LiveStore,
    EventStore,
    WebhookStore,
    DeliveryStore,
    CertificateStore,
    RedirectStore,
    SuspensionStore,
    EdgeStore,
    DnsStore,
    SecretStore,
    ChangeStore,
    RequestStore,
    IdempotencyStore,
    UsageStore,
    AuditStore,
    BackupStore {
  /** Resolves when the store can be read and written; otherwise rejects with the reason. May take as long as a write. For `/readyz` and `doctor`. */
  ping(): Promise<void>;
  /** The connections of this process, or of this thread of it, to the database server, for metrics: of each pool; none where the store is a file. */
  poolUsage(): Promise<PoolUsage[]>;
  /** The clock of the database server, Unix ms; null where the store is a file. */
  serverTime(): Promise<number | null>;
  /** Finishes writes in flight, then closes files and connections. Methods called later reject. */
  close(): Promise<void>;
}

/** A store without the ways to change something that would leave no entry in the audit log. */
export type AuditedStore = Omit<Store, keyof Changes | 'changesBy' | 'changesOnce'>;

/** The engine failed (busy, disk full, unreachable, closed). The message says what to do; `cause` is the engine's own error. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable';
}

/** Writes fail until somebody frees space on the disk of the database. */
export class StoreFull extends StoreUnavailable {}

/** The database cannot be opened for now, as when its server is down. Nobody has to change a setting before it can be again, as a rule. */
export class StoreUnreachable extends StoreUnavailable {}

/** A secret can be neither sealed nor unsealed, for want of a key. The message says what to do; `cause` is a `SealingError`. */
export class SealingUnavailable extends StoreUnavailable {}
