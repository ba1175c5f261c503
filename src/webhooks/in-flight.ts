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
  /** For the next claim, of so many at most. */
  room(batch: number): Pick<DeliveryClaim, 'limit' | 'perWebhook' | 'perWorkspace' | 'inFlight'>;
}

interface WebhookInFlight {
  workspaceId: string;
  count: number;
}

/** Webhooks whose limit is known: those that were sent something last. */
const LIMITS = 500;

/** `most`: of all. */
export function deliveriesInFlight(most: number): DeliveriesInFlight {
  const webhooks = new Map<string, WebhookInFlight>();
  const limits = new LRUCache<string, { workspaceId: string; limit: number }>({ max: LIMITS });
  let size = 0;

  function limitOf(webhookId: string): number {
    return limits.peek(webhookId)?.limit ?? FIRST_OF_WEBHOOK;
  }

  return {
    add({ webhookId, workspaceId }) {
      const before = webhooks.get(webhookId);
      webhooks.set(webhookId, { workspaceId, count: (before?.count ?? 0) + 1 });
      size += 1;
    },
    answered({ webhookId, workspaceId }, load) {
      const count = (webhooks.get(webhookId)?.count ?? 1) - 1;
      if (count === 0) webhooks.delete(webhookId);
      else webhooks.set(webhookId, { workspaceId, count });
      if (load !== null) limits.set(webhookId, { workspaceId, limit: nextLimitOfWebhook(limitOf(webhookId), load) });
    },
    remove() {
      size -= 1;
    },
    size: () => size,
    room(batch) {
      const free = most - size;
      const perWorkspace = limitOfWorkspace(free);
      const ofWebhook = (limit: number) => limitOfWebhook(limit, perWorkspace);
      const known = new Map(webhooks);
      for (const [webhookId, { workspaceId }] of limits.entries())
        if (!known.has(webhookId)) known.set(webhookId, { workspaceId, count: 0 });
      return {
        limit: Math.min(batch, limitOfClaim(free)),
        perWebhook: ofWebhook(FIRST_OF_WEBHOOK),
        perWorkspace,
        inFlight: [...known].map(([webhookId, about]) => ({
          webhookId,
          ...about,
          most: ofWebhook(limitOf(webhookId)),
        })),
      };
    },
  };
}
