import type { DeliveryResult, DeliveryStore, DueDelivery } from '../store/contract/store.ts';

/** An attempt to deliver an event, whose result is stored. */
export interface ReportedAttempt {
  due: DueDelivery;
  result: DeliveryResult;
}

type WorkedStore = Pick<DeliveryStore, 'claimDeliveries' | 'saveDeliveries'>;

/** A store for the delivery worker that also reports each attempt. */
export function reportAttempts(store: WorkedStore, onAttempt: (attempt: ReportedAttempt) => void): WorkedStore {
  const claimed = new Map<string, DueDelivery>();
  return {
    async claimDeliveries(claim) {
      const due = await store.claimDeliveries(claim);
      for (const one of due) claimed.set(one.deliveryId, one);
      return due;
    },
    async saveDeliveries(save) {
      const saved = await store.saveDeliveries(save);
      for (const result of save.results) {
        const due = claimed.get(result.deliveryId);
        claimed.delete(result.deliveryId);
        if (due !== undefined && result.attempt !== null) onAttempt({ due, result });
      }
      return saved;
    },
  };
}
