import { LRUCache } from 'lru-cache';
import type { DeliveryClaim, DueDelivery } from '../store/contract/store.ts';
import {
  FIRST_OF_WEBHOOK,
  type Load,
  limitOfClaim,
  limitOfWebhook,
  limitOfWorkspace,
  nextLimitOfWebhook,
} from './policy/concurrency.ts';

/** The deliveries in flight in one process, and how many more may be. */
export interface DeliveriesInFlight {
  add(due: DueDelivery): void;
  /** The receiver has no request any more; the result is to be saved. `load`: what the attempt said about the receiver; null: nothing. */
  answered(due: DueDelivery, load: Load | null): void;
  /** The result is saved. */
  remove(): void;
  /** Deliveries that wait for a receiver, or for their result to be saved. */
  size(): number;
  /** Whether a receiver takes so little that its deliveries wait for each other. */
  isSlow(webhookId: string): boolean;
  /** For the next claim, of so many at most. */
  room(batch: number): Pick<DeliveryClaim, 'limit' | 'perWebhook' | 'perWorkspace' | 'inFlight'>;
}

interface WebhookInFlight {
  workspaceId: string;
  /** Deliveries that wait for its receiver. */
  count: number;
  /** How many may. */
  limit: number;
}

/** Webhooks without anything in flight whose limit is known: so many slow ones, and so many others. */
const IDLE = 500;

/** `most`: of all. */
export function deliveriesInFlight(most: number): DeliveriesInFlight {
  const active = new Map<string, WebhookInFlight>();
  // Apart, so that no number of others makes a slow one forgotten: it would take ten places again instead of one.
  const slow = new LRUCache<string, WebhookInFlight>({ max: IDLE });
  const quick = new LRUCache<string, WebhookInFlight>({ max: IDLE });
  let size = 0;

  function limitOf(webhookId: string): number {
    const known = active.get(webhookId) ?? slow.get(webhookId) ?? quick.get(webhookId);
    return known?.limit ?? FIRST_OF_WEBHOOK;
  }

  return {
    add({ webhookId, workspaceId }) {
      const limit = limitOf(webhookId);
      const count = active.get(webhookId)?.count ?? 0;
      active.set(webhookId, { workspaceId, count: count + 1, limit });
      for (const idle of [slow, quick]) idle.delete(webhookId);
      size += 1;
    },
    answered({ webhookId, workspaceId }, load) {
      const before = active.get(webhookId);
      if (before === undefined) return;
      const limit = load === null ? before.limit : nextLimitOfWebhook(before.limit, load);
      const after = { workspaceId, count: before.count - 1, limit };
      if (after.count > 0) {
        active.set(webhookId, after);
        return;
      }
      active.delete(webhookId);
      if (limit < FIRST_OF_WEBHOOK) slow.set(webhookId, after);
      if (limit > FIRST_OF_WEBHOOK) quick.set(webhookId, after);
    },
    remove() {
      size -= 1;
    },
    size: () => size,
    isSlow: (webhookId) => limitOf(webhookId) < FIRST_OF_WEBHOOK,
    room(batch) {
      const free = most - size;
      const perWorkspace = limitOfWorkspace(free);
      const ofWebhook = (limit: number) => limitOfWebhook(limit, perWorkspace);
      return {
        limit: Math.min(batch, limitOfClaim(free)),
        perWebhook: ofWebhook(FIRST_OF_WEBHOOK),
        perWorkspace,
        inFlight: [active, slow, quick].flatMap((some) =>
          [...some.entries()].map(([webhookId, { workspaceId, count, limit }]) => ({
            webhookId,
            workspaceId,
            count,
            most: ofWebhook(limit),
          })),
        ),
      };
    },
  };
}
