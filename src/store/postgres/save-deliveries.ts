import type pg from 'pg';
import type { DeliveryResult, DeliveryStore } from '../contract/store.ts';
import type { Transaction } from '../sql/statement.ts';
import { attemptSlots, saveHealth } from '../sql/webhooks/delivery-results.ts';

type Save = Parameters<DeliveryStore['saveDeliveries']>[0];

/** `left`: results whose queue another transaction has locked, or whose lease is lost. They are not saved. */
interface SavedDeliveries {
  disabled: string[];
  left: DeliveryResult[];
}

/** Saves results in a transaction of `client`, all at once. */
export async function saveTogether(
  tx: Transaction,
  client: pg.ClientBase,
  { results, now, disableIfFailingSince }: Save,
): Promise<SavedDeliveries> {
  const held = await releaseQueues(client, results, now);
  const isHeld = ({ deliveryId }: DeliveryResult) => held.has(deliveryId);
  const saved = results.filter(isHeld);
  await updateDeliveries(client, saved, now);
  await advanceQueues(client, saved);
  const disabled = await saveHealth(tx, saved, now, disableIfFailingSince);
  return { disabled, left: results.filter((result) => !isHeld(result)) };
}

/** Ids of the deliveries whose queues it has locked. It waits for no lock: a transaction that adds events holds those of several queues. */
async function releaseQueues(client: pg.ClientBase, results: readonly DeliveryResult[], now: number) {
  const dueAt = results.map(({ outcome }) => (outcome.kind === 'retry' ? outcome.nextAttemptAt : now));
  const { rows } = await client.query<{ deliveryId: string }>({
    ...RELEASE,
    values: [...keysOf(results), results.map(({ lease }) => lease), results.map(({ deliveryId }) => deliveryId), dueAt],
  });
  return new Set(rows.map(({ deliveryId }) => deliveryId));
}

async function updateDeliveries(client: pg.ClientBase, results: readonly DeliveryResult[], now: number): Promise<void> {
  const attempts = results.flatMap((result) => (result.attempt ? [attemptSlots(result, result.attempt, now)] : []));
  const column = <Key extends keyof (typeof attempts)[number]>(key: Key) => attempts.map((each) => each[key]);
  if (attempts.length > 0) {
    const values = [
      column('webhookId'),
      column('deliveryId'),
      column('at'),
      column('durationMs'),
      column('status'),
      column('error'),
      column('response'),
      column('outcome'),
      column('finishedAt'),
    ];
    await client.query({ ...UPDATE, values });
  }
  const givenUp = results.filter(({ attempt, outcome }) => attempt === null && outcome.kind === 'failed');
  if (givenUp.length === 0) return;
  const ids = [givenUp.map(({ webhookId }) => webhookId), givenUp.map(({ deliveryId }) => deliveryId)];
  await client.query({ ...GIVE_UP, values: [...ids, now] });
}

/** In a statement of its own, which sees what was added before the queues were locked. */
async function advanceQueues(client: pg.ClientBase, results: readonly DeliveryResult[]): Promise<void> {
  const finished = results.filter(({ outcome: { kind } }) => kind === 'delivered' || kind === 'failed');
  if (finished.length > 0) await client.query({ ...ADVANCE, values: keysOf(finished) });
}

function keysOf(results: readonly DeliveryResult[]): [string[], string[]] {
  return [results.map(({ webhookId }) => webhookId), results.map(({ queue }) => queue)];
}

const RELEASE = {
  name: 'release_webhook_queues',
  text: `
    with held as (
      select queues.webhook_id, queues.queue, saved.delivery_id, saved.due_at
      from webhook_queues as queues
      join unnest($1::text[], $2::text[], $3::bigint[], $4::text[], $5::bigint[]) as saved (webhook_id, queue, lease, delivery_id, due_at)
        on queues.webhook_id = saved.webhook_id and queues.queue = saved.queue and queues.lease = saved.lease
      for update of queues skip locked
    )
    update webhook_queues as queues set lease = null, next_attempt_at = held.due_at from held
    where queues.webhook_id = held.webhook_id and queues.queue = held.queue
    returning held.delivery_id as "deliveryId"`,
};

const UPDATE = {
  name: 'update_webhook_deliveries',
  text: `
    update webhook_deliveries as deliveries set
      attempts = deliveries.attempts + 1, last_attempt_at = saved.at, last_duration_ms = saved.duration_ms, last_status = saved.status,
      last_error = saved.error, last_response = saved.response, outcome = saved.outcome, finished_at = saved.finished_at
    from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[], $7::text[], $8::text[], $9::bigint[])
      as saved (webhook_id, id, at, duration_ms, status, error, response, outcome, finished_at)
    where deliveries.webhook_id = saved.webhook_id and deliveries.id = saved.id`,
};

const GIVE_UP = {
  name: 'give_up_webhook_deliveries',
  text: `
    update webhook_deliveries as deliveries set outcome = 'failed', finished_at = $3
    from unnest($1::text[], $2::text[]) as saved (webhook_id, id)
    where deliveries.webhook_id = saved.webhook_id and deliveries.id = saved.id`,
};

const ADVANCE = {
  name: 'advance_webhook_queues',
  text: `
    with next as (
      select saved.webhook_id, saved.queue, deliveries.created_at
      from unnest($1::text[], $2::text[]) as saved (webhook_id, queue)
      left join lateral (
        select created_at from webhook_deliveries
        where webhook_id = saved.webhook_id and queue = saved.queue and finished_at is null order by seq limit 1
      ) as deliveries on true
    ), ended as (
      delete from webhook_queues as queues using next
      where queues.webhook_id = next.webhook_id and queues.queue = next.queue and next.created_at is null
    )
    update webhook_queues as queues set waiting_since = next.created_at from next
    where queues.webhook_id = next.webhook_id and queues.queue = next.queue and next.created_at is not null`,
};
