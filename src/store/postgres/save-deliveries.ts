import type pg from 'pg';
import type { DeliveryResult, DeliveryStore } from '../contract/store.ts';
import { attemptSlots } from '../sql/webhooks/delivery-results.ts';
import { type HealthSave, healthOf, type WebhookHealth } from '../sql/webhooks/webhook-health.ts';

type Save = Parameters<DeliveryStore['saveDeliveries']>[0];

/** `left`: results whose queue another transaction has locked, or whose lease is lost. They are not saved. */
interface SavedDeliveries {
  disabled: string[];
  left: DeliveryResult[];
}

/** Saves results in a transaction of `client`, all at once. */
export async function saveTogether(client: pg.ClientBase, { results, ...about }: Save): Promise<SavedDeliveries> {
  const { now } = about;
  const held = await releaseQueues(client, results, now);
  const isHeld = ({ deliveryId }: DeliveryResult) => held.has(deliveryId);
  const saved = results.filter(isHeld);
  await updateDeliveries(client, saved, now);
  await advanceQueues(client, saved);
  const disabled = await saveHealth(client, healthOf(saved), about);
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

/** The statements of `sql/webhooks/webhook-health.ts`, for all webhooks at once. */
async function saveHealth(
  client: pg.ClientBase,
  { delivered, failed, gaveUp }: WebhookHealth,
  { now, disableIfFailingSince, startAgainIfQuietSince }: HealthSave,
): Promise<string[]> {
  // In one order, so that two transactions do not wait for each other. Nearly always there is none: those that work are not written.
  const { rows } = await client.query<{ id: string }>({ ...LOCK_CHANGING, values: [failed, delivered] });
  if (rows.length === 0) return [];
  await client.query({ ...CLEAR_FAILING, values: [delivered] });
  await client.query({ ...SET_FAILING, values: [failed, now, startAgainIfQuietSince] });
  const disabled = await client.query<{ id: string }>({ ...DISABLE, values: [gaveUp, now, disableIfFailingSince] });
  return disabled.rows.map(({ id }) => id);
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

const LOCK_CHANGING = {
  name: 'lock_changing_webhooks',
  text: `
    select id from webhooks
    where id = any($1::text[]) or (id = any($2::text[]) and failing_since is not null)
    order by id for no key update`,
};

const CLEAR_FAILING = {
  name: 'clear_failing_webhooks',
  text: 'update webhooks set failing_since = null where id = any($1::text[]) and failing_since is not null',
};

const SET_FAILING = {
  name: 'set_failing_webhooks',
  text: `
    update webhooks set last_failed_at = $2::bigint,
      failing_since = case when failing_since is null or last_failed_at < $3::bigint then $2::bigint else failing_since end
    where id = any($1::text[])`,
};

const DISABLE = {
  name: 'disable_failing_webhooks',
  text: `
    update webhooks set disabled_at = $2, disabled_reason = 'failing'
    where id = any($1::text[]) and failing_since <= $3 and disabled_at is null
    returning id`,
};
