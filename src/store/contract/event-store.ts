import type { DomainStatus } from '../../domain/domain.ts';
import type { CertificateAfter, DomainEventType } from '../../domain/domain-event.ts';
import type { RedirectChange } from '../../domain/redirect.ts';
import type { SuspensionStatus } from '../../domain/suspension.ts';
import type { Paged } from './tree-store.ts';

/** An entry of a domain's timeline: a change, never an attempt that changed nothing. Written in the transaction of the change. */
export interface DomainEvent {
  /** `evt_…` */
  id: string;
  domainId: string;
  workspaceId: string;
  type: DomainEventType;
  data: DomainEventData;
  /** Who asked for it: id of a root key or of a set-up link, or subject of a dashboard token; null: nobody did. */
  actor: string | null;
  createdAt: number;
}

/** The domain after the change, and what changed. */
export interface DomainEventData {
  name: string;
  environmentId: string;
  status: DomainStatus;
  routingVerified: boolean;
  ownershipVerified: boolean;
  verificationError: string | null;
  /** In `record.seen` and `record.lost`. */
  record?: 'ownership' | 'routing';
  /** In the same: the values of the record, as far as they are known; text from the DNS, bounded. */
  seen?: string[];
  /** The certificate after the change, in events of type `certificate.*`. */
  certificate?: CertificateAfter;
  /** In events of type `redirect.*`. */
  redirect?: RedirectChange;
  /** In `domain.moved`: ids of the environments. */
  move?: { from: string; to: string };
  /** In `domain.suspended`; in `domain.resumed` what it was. */
  suspension?: { status: SuspensionStatus };
}

export interface EventStore {
  /**
   * Timeline of one domain, newest first. `next` is the cursor of the following page; a page does not change when events are added. It outlives
   * the domain.
   */
  listDomainEvents(
    workspaceId: string,
    domainId: string,
    page: { limit: number; cursor?: string | undefined },
  ): Promise<Paged<DomainEvent>>;

  /** Deletes the oldest events written before `before` (Unix ms), at most `limit`. Resolves with their number. (unsynced) */
  pruneEvents(before: number, limit: number): Promise<number>;
}
