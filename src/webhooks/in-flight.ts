import { LRUCache } from 'lru-cache';
import type { DeliveryClaim, DueDelivery } from '../store/contract/store.ts';
import {
  freeShared,
  LEAST_OF_WEBHOOK,
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
  /** Whether the last attempt got no answer, so that the deliveries of a webhook wait for each other. */
  isSlow(webhookId: string): boolean;
  /** For the next claim, of so many at most. */
  room(batch: number): Pick<DeliveryClaim, 'limit' | 'beyondFirst' | 'perWebhook' | 'perWorkspace' | 'inFlight'>;
}

interface WebhookInFlight {
  workspaceId: string;
  /** Deliveries that wait for its receiver. */
  count: number;
  /** How many may. */
  limit: number;
  /** Of the last attempt; null: there was none. */
  load: Load | null;
}

/** Webhooks without anything in flight of which something is known. One that is forgotten begins anew, with as little as a dead one. */
const IDLE = 1000;

/** `places`: for all deliveries. */
export function deliveriesInFlight(places: number): DeliveriesInFlight {
  const active = new Map<string, WebhookInFlight>();
  const idle = new LRUCache<string, WebhookInFlight>({ max: IDLE });
  let size = 0;

  return {
    add({ webhookId, workspaceId }) {
      const known = active.get(webhookId) ?? idle.get(webhookId);
      const { count = 0, limit = LEAST_OF_WEBHOOK, load = null } = known ?? {};
      active.set(webhookId, { workspaceId, count: count + 1, limit, load });
      idle.delete(webhookId);
      size += 1;
    },
    answered({ webhookId }, load) {
      const before = active.get(webhookId);
      if (before === undefined) return;
      const after = { ...before, count: before.count - 1 };
      if (load !== null) Object.assign(after, { limit: nextLimitOfWebhook(before.limit, load), load });
      if (after.count > 0) {
        active.set(webhookId, after);
        return;
      }
      active.delete(webhookId);
      if (after.load !== null) idle.set(webhookId, after);
    },
    remove() {
      size -= 1;
    },
    size: () => size,
    isSlow: (webhookId) => (active.get(webhookId) ?? idle.get(webhookId))?.load === 'overloaded',
    room(batch) {
      const workspaces = new Set([...active.values()].map(({ workspaceId }) => workspaceId));
      const free = freeShared(places, size, workspaces.size);
      const perWorkspace = limitOfWorkspace(free);
      const ofWebhook = (limit: number) => limitOfWebhook(limit, perWorkspace);
      const known = [...active, ...[...idle.entries()].filter(([, { limit }]) => limit > LEAST_OF_WEBHOOK)];
      return {
        limit: Math.min(batch, places - size),
        beyondFirst: limitOfClaim(free),
        perWebhook: ofWebhook(LEAST_OF_WEBHOOK),
        perWorkspace,
        inFlight: known.map(([webhookId, { workspaceId, count, limit }]) => ({
          webhookId,
          workspaceId,
          count,
          most: ofWebhook(limit),
        })),
      };
    },
  };
}
