import type pg from 'pg';
import type { FirstDelivery, LeaseSlots, QueueLeaser } from '../sql/webhooks/delivery-claims.ts';
import type { DueQueue } from '../sql/webhooks/delivery-schedule.ts';

/** Leases queues in a transaction of `client`, all at once. Those that another transaction has locked are skipped. */
export function queueLeaser(client: pg.ClientBase): QueueLeaser {
  return async (_, queues, { now, until, lease }: LeaseSlots) => {
    if (queues.length === 0) return [];
    const keys = [queues.map(({ webhookId }) => webhookId), queues.map(({ queue }) => queue)];
    const leased = await client.query<Key>({ ...LEASE, values: [...keys, now, until, lease] });
    // A statement of its own, which sees what was committed before the queues were locked.
    const heldKeys = [leased.rows.map(({ webhookId }) => webhookId), leased.rows.map(({ queue }) => queue)];
    const { rows } = await client.query<Key & FirstDelivery>({ ...FIRST, values: heldKeys });
    const firsts = new Map(rows.map(({ webhookId, queue, ...first }) => [keyOf({ webhookId, queue }), first]));
    const held = new Set(leased.rows.map(keyOf));
    return queues
      .filter((due) => held.has(keyOf(due)))
      .map((due) => ({ ...due, first: firsts.get(keyOf(due)) ?? null }));
  };
}

type Key = Pick<DueQueue, 'webhookId' | 'queue'>;

function keyOf({ webhookId, queue }: Key): string {
  return `${webhookId} ${queue}`;
}

const LEASE = {
  name: 'lease_webhook_queues',
  text: `
    with due as (
      select webhook_id, queue from webhook_queues
      where (webhook_id, queue) in (select * from unnest($1::text[], $2::text[])) and next_attempt_at <= $3
      for update skip locked
    )
    update webhook_queues set next_attempt_at = $4, lease = $5 from due
    where webhook_queues.webhook_id = due.webhook_id and webhook_queues.queue = due.queue
    returning due.webhook_id as "webhookId", due.queue`,
};

const FIRST = {
  name: 'select_first_deliveries',
  text: `
    select leased.webhook_id as "webhookId", leased.queue, deliveries.id as "deliveryId", deliveries.event_id as "eventId", deliveries.type,
      deliveries.message, deliveries.happened_at as "happenedAt", deliveries.created_at as "waitingSince", deliveries.attempts,
      webhooks.workspace_id as "workspaceId", webhooks.url
    from unnest($1::text[], $2::text[]) as leased (webhook_id, queue)
    join webhooks on webhooks.id = leased.webhook_id
    cross join lateral (
      select * from webhook_deliveries
      where webhook_id = leased.webhook_id and queue = leased.queue and finished_at is null order by seq limit 1
    ) as deliveries`,
};
