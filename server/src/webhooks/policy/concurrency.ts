import type { DueWebhook } from '../../store/store.ts';

/**
 * Chooses the webhooks whose deliveries are begun. Pure. A dead receiver holds a place for ten seconds, so no webhook
 * may take all of them.
 */

/** Most deliveries of one webhook in flight. */
const MOST_OF_WEBHOOK = 20;

/**
 * The webhooks of which a delivery is begun, each as often as it has one, in this order. `inFlight`: how many each has;
 * `places`: how many all may have. A webhook that does not fail and has nothing in flight gets any free place. Half of
 * the places are for everything else: a second delivery of a webhook, and those that fail, which have one in flight at
 * a time. So a webhook with many places leaves half of them to others.
 */
export function chooseWebhooks(
  due: readonly DueWebhook[],
  inFlight: ReadonlyMap<string, number>,
  places: number,
): DueWebhook[] {
  const wanted = due.flatMap((webhook) => {
    const count = inFlight.get(webhook.webhookId) ?? 0;
    const most = webhook.isFailing ? 1 : MOST_OF_WEBHOOK;
    const more = Math.max(0, Math.min(webhook.due, most - count));
    return Array.from({ length: more }, (_, i) => ({ webhook, rank: count + i }));
  });
  wanted.sort((a, b) => a.rank - b.rank || a.webhook.dueAt - b.webhook.dueAt);
  const { first = [], others = [] } = Object.groupBy(wanted, ({ webhook, rank }) =>
    rank === 0 && !webhook.isFailing ? 'first' : 'others',
  );
  const taken = [...inFlight.values()].reduce((sum, count) => sum + count, 0);
  const begun = first.slice(0, Math.max(0, places - taken));
  const shared = Math.max(0, Math.floor(places / 2) - taken - begun.length);
  return [...begun, ...others.slice(0, shared)].map(({ webhook }) => webhook);
}
