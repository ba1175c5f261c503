import type { DeliveryResult, DeliveryStore, DueDelivery } from '../store/store.ts';

/** An attempt to deliver an event, whose result is stored. */
export interface ReportedAttempt {
  due: DueDelivery;
  result: DeliveryResult;
}

type WorkedStore = Pick<DeliveryStore, 'findDueWebhooks' | 'leaseDelivery' | 'saveDelivery'>;

/** A store for the delivery worker that also reports each attempt. */
export function reportAttempts(store: WorkedStore, onAttempt: (attempt: ReportedAttempt) => void): WorkedStore {
  const leased = new Map<string, DueDelivery>();
  return {
    findDueWebhooks: store.findDueWebhooks,
    async leaseDelivery(...args) {
      const due = await store.leaseDelivery(...args);
      if (due !== null) leased.set(due.deliveryId, due);
      return due;
    },
    async saveDelivery(result, rule) {
      const saved = await store.saveDelivery(result, rule);
      const due = leased.get(result.deliveryId);
      leased.delete(result.deliveryId);
      if (due !== undefined && result.attempt !== null) onAttempt({ due, result });
      return saved;
    },
  };
}
