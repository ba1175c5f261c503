import type { DueWebhook } from '../../store/contract/store.ts';

/** Whose deliveries are begun. Pure. Each waits for its receiver, ten seconds if that is dead, so no webhook may take all places. */

/** Most deliveries of one webhook in flight. */
const MOST_OF_WEBHOOK = 20;

/**
 * The webhooks of which one delivery more is begun, in this order. `inFlight`: how many each has; `places`: how many all may have. A webhook that does not fail
 * and has nothing in flight gets any place that is free. Half of the places are for everything else: a second delivery of a webhook, and those that fail,
 * which have one in flight at a time. So whoever takes many places leaves half of them to others.
 */
export function chooseWebhooks(
  due: readonly DueWebhook[],
  inFlight: ReadonlyMap<string, number>,
  places: number,
): DueWebhook[] {
  const countOf = ({ webhookId }: DueWebhook) => inFlight.get(webhookId) ?? 0;
  const waiting = due.toSorted((a, b) => countOf(a) - countOf(b) || a.dueAt - b.dueAt);
  const isFirst = (each: DueWebhook) => !each.isFailing && countOf(each) === 0;
  const mayHaveMore = (each: DueWebhook) => countOf(each) < (each.isFailing ? 1 : MOST_OF_WEBHOOK);
  const taken = [...inFlight.values()].reduce((sum, count) => sum + count, 0);
  const first = waiting.filter(isFirst).slice(0, Math.max(0, places - taken));
  const shared = Math.max(0, Math.floor(places / 2) - taken - first.length);
  return [...first, ...waiting.filter((each) => !isFirst(each) && mayHaveMore(each)).slice(0, shared)];
}
