import type { DomainEventType } from '../../domain/domain-event.ts';
import type { WebhookEvent, WebhookEventType } from '../../domain/webhook-message.ts';
import type { Paged, PageRequest } from '../tree/tree-store.ts';

/** A receiver of events. Contains no secret. */
export interface Webhook {
  /** `wh_…` */
  id: string;
  workspaceId: string;
  url: string;
  /** Types of the events that it is sent; null: all, future ones too. */
  types: DomainEventType[] | null;
  createdAt: number;
  updatedAt: number | null;
  /** Since when nothing is sent; null: it is enabled. */
  disabledAt: number | null;
  /** Null while it is enabled. */
  disabledReason: WebhookDisabledReason | null;
  /** First failed attempt to deliver an event since the last delivery; null: there was none. Tests that fail do not count. */
  failingSince: number | null;
}

/** `requested`: by `webhooks.updateWebhook`. `failing`: nothing was delivered for days (`saveDelivery`). */
export type WebhookDisabledReason = 'requested' | 'failing';

export interface WebhookSecret {
  /** `whs_…` */
  id: string;
  /** `whsec_…`, UTF-8. A secret. */
  secret: Uint8Array;
  createdAt: number;
}

export interface WebhookChanges {
  /** Adds a webhook with its secret. `limit`: the workspace has `limit` webhooks already. */
  createWebhook(webhook: Webhook, secret: WebhookSecret, limit: number): Promise<'created' | 'limit'>;

  /**
   * Changes the given fields; resolves with the webhook after the change, null when there is none. `enabled: true` clears `failingSince` and
   * makes its waiting deliveries due, of 10,000 domains at most; those of others keep the time of their next attempt. `false` disables it (`requested`), and the deliveries wait. Where it is in
   * that state already, `enabled` changes nothing.
   */
  updateWebhook(
    workspaceId: string,
    webhookId: string,
    change: { url?: string | undefined; types?: DomainEventType[] | null | undefined; enabled?: boolean | undefined },
    now: number,
  ): Promise<Webhook | null>;

  /** Deletes the webhook with its secrets; its deliveries are no longer sent or listed, and `pruneDeliveries` deletes them. */
  deleteWebhook(workspaceId: string, webhookId: string): Promise<'deleted' | 'missing'>;

  /** Adds the secret that signs from now on. The one before also signs until `previousExpiresAt`; any older one is deleted. */
  rotateWebhookSecret(
    workspaceId: string,
    webhookId: string,
    secret: WebhookSecret,
    previousExpiresAt: number,
  ): Promise<'rotated' | 'missing'>;
}

export interface WebhookStore extends WebhookChanges {
  findWebhook(workspaceId: string, webhookId: string): Promise<Webhook | null>;
  listWebhooks(workspaceId: string, page: PageRequest): Promise<Paged<Webhook>>;
}

/** Asks for a page of the deliveries of a webhook. */
export interface DeliveryPageRequest extends PageRequest {
  /** Only those in this state. */
  state?: Delivery['state'] | undefined;
}

/** An event for one webhook: an entry of the outbox, and afterwards of the log. */
export interface Delivery {
  /** `dlv_…` */
  id: string;
  webhookId: string;
  /** `evt_…`, the same in every attempt and repetition. */
  eventId: string;
  type: WebhookEventType;
  /** Null in a test. */
  domainId: string | null;
  /** Its name; null in a test. */
  domainName: string | null;
  state: 'waiting' | 'delivered' | 'failed';
  /** Attempts made. */
  attempts: number;
  lastAttempt: DeliveryAttempt | null;
  /** When it is due; null: it is finished, its webhook is disabled, or an earlier one of its queue is waiting. While leased: when the lease expires. */
  nextAttemptAt: number | null;
  /** The event's. */
  happenedAt: number;
  createdAt: number;
  finishedAt: number | null;
}

export interface DeliveryAttempt {
  at: number;
  durationMs: number;
  /** HTTP status; null: there was no response. */
  status: number | null;
  /** Why it delivered nothing, for people; null: it delivered. */
  error: string | null;
  /** Body of the response, as text: at most 64 KiB. Null: there was none, or it was not kept. */
  response: string | null;
}

/** An enabled webhook for which a queue is due. */
export interface DueWebhook {
  webhookId: string;
  /** How many of its queues are due, counted up to 20. */
  due: number;
  /** When its most overdue queue became due: `now - dueAt` is how late that is. `now` where it goes ahead of others. */
  dueAt: number;
  /** The last attempt to deliver an event failed. */
  isFailing: boolean;
}

/** A due delivery, leased to one caller. */
export interface DueDelivery extends WebhookEvent {
  deliveryId: string;
  /** `WebhookEvent.webhookId` and this name the queue: id of the domain, or of this delivery if it waits for no other. */
  queue: string;
  /** Fencing token: a result under a lease that has been stolen is ignored. */
  lease: string;
  workspaceId: string;
  url: string;
  /** Those that sign now: the current one first; two during a rotation. Empty where any of them cannot be unsealed. */
  secrets: Pick<WebhookSecret, 'id' | 'secret'>[];
  eventId: string;
  /** Null in a test. */
  domainId: string | null;
  /** Since when it waits: creation of the event; of a repetition, when it was asked for. */
  waitingSince: number;
  /** Attempts made so far. */
  attempts: number;
}

export interface DeliveryResult extends Pick<DueDelivery, 'webhookId' | 'queue' | 'deliveryId' | 'lease' | 'type'> {
  outcome:
    | { kind: 'delivered' }
    | { kind: 'retry'; nextAttemptAt: number }
    /** Given up: it is skipped. */
    | { kind: 'failed' }
    /** Nothing was attempted: due again at once. */
    | { kind: 'released' };
  /** Null where nothing was attempted. */
  attempt: DeliveryAttempt | null;
}

export interface DeliveryChanges {
  /**
   * Adds a delivery of the type `webhook.test`, due at once and ahead of all others of the webhook. `disabled`: nothing was added, since the webhook is disabled. `missing`: there is
   * no such webhook.
   */
  addTestDelivery(workspaceId: string, webhookId: string, now: number): Promise<AddedDelivery>;

  /**
   * Sends an event again, ahead of all others of the webhook. Of a delivery that waits: the first of its queue is due at once. Of one that is
   * finished: adds a delivery of the same event in a queue of its own. `disabled`: as above. `missing`: there is no such delivery.
   */
  redeliver(workspaceId: string, webhookId: string, deliveryId: string, now: number): Promise<AddedDelivery>;
}

/**
 * The outbox. The transaction of a change adds a delivery for each enabled webhook of the workspace that subscribes to the event
 * (`outbox.ts`); where there is none, the change costs no statement more.
 *
 * Deliveries to one webhook about one domain form a queue, in the order in which the changes were committed. Only the first of a queue is ever
 * due, and one caller at most has it. A test and a repetition are a queue each.
 */
export interface DeliveryStore extends DeliveryChanges {
  /**
   * The enabled webhooks for which anything is due, in any order. An entry further ahead than `furthestAttemptAt` was scheduled by a clock that was wrong,
   * and is due. Cheap: its cost grows with the webhooks for which anything waits, not with what waits for each.
   */
  findDueWebhooks(now: number): Promise<DueWebhook[]>;

  /**
   * Leases the most overdue queue of a webhook to the caller until `now + leaseMs`; null: nothing is due. A lease that has expired can be stolen, so a
   * crash costs `leaseMs` and perhaps a second attempt. (unsynced)
   */
  leaseDelivery(webhookId: string, lease: { now: number; leaseMs: number }): Promise<DueDelivery | null>;

  /**
   * Saves the result of a leased delivery; ignored where the lease is no longer held.
   * `delivered`, `failed`: the delivery is finished, and the next of its queue is due at `now`. `retry`: it is due at `nextAttemptAt`, and so
   * are those behind it. `released`: it is due at `now`. Bodies of responses are kept of the newest 100 of a webhook.
   *
   * An attempt that delivered clears `failingSince` of the webhook. A failed attempt to deliver an event (not a test) sets it to `now` if it is
   * null, or if the one before was made earlier than `startAgainIfQuietSince`. A webhook is disabled (`failing`) when an event is given up and it
   * fails since `disableIfFailingSince` or earlier: its deliveries wait. Resolves with whether it was. (unsynced): a result lost in a power
   * cut means one more attempt.
   */
  saveDelivery(
    result: DeliveryResult,
    rule: { now: number; disableIfFailingSince: number; startAgainIfQuietSince: number },
  ): Promise<{ disabled: boolean }>;

  /** For metrics, cheap: deliveries of enabled webhooks that wait, at most 10,000 of them; since when the first in any queue has waited. */
  deliveryBacklog(): Promise<{
    waiting: number;
    oldestAt: number | null;
    failingWebhooks: number;
    disabledWebhooks: number;
  }>;

  findDelivery(workspaceId: string, webhookId: string, deliveryId: string): Promise<Delivery | null>;
  /**
   * Deliveries of one webhook, newest first, without `lastAttempt.response`; `next` is the id at which the next page starts. A page costs the same, however many
   * there are, and in whatever state.
   */
  listDeliveries(workspaceId: string, webhookId: string, page: DeliveryPageRequest): Promise<Paged<Delivery>>;

  /** Deletes the oldest deliveries created before `before`, waiting ones too, at most `limit`, and queues in which nothing waits any more. Resolves with their number. (unsynced) */
  pruneDeliveries(before: number, limit: number): Promise<number>;
}

/** `deliveryId`: of the delivery that is due. */
export type AddedDelivery = { kind: 'added'; deliveryId: string } | { kind: 'disabled' } | { kind: 'missing' };
