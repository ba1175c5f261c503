import type { Delivery } from '../../client/client.ts';

/** The word for a delivery; `retrying`: its last attempt failed, and there will be another. */
export type DeliveryWord = 'failed' | 'retrying' | 'waiting' | 'delivered';

const ORDER: readonly DeliveryWord[] = ['failed', 'retrying', 'waiting', 'delivered'];

export function deliveryWord({ state, lastAttempt }: Pick<Delivery, 'state' | 'lastAttempt'>): DeliveryWord {
  if (state === 'failed') return 'failed';
  if (state === 'delivered') return 'delivered';
  return lastAttempt?.error === undefined ? 'waiting' : 'retrying';
}

/** Those that failed first, then those that do at present; each newest first. */
export function troubleFirst<Item extends Pick<Delivery, 'state' | 'lastAttempt' | 'createdAt'>>(
  deliveries: readonly Item[],
): Item[] {
  const rank = (delivery: Item) => ORDER.indexOf(deliveryWord(delivery));
  return deliveries.toSorted((one, other) => rank(one) - rank(other) || other.createdAt - one.createdAt);
}
