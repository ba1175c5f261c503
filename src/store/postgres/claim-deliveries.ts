import type pg from 'pg';
import type { DueDelivery } from '../contract/store.ts';
import type { ClaimSteps, FirstDelivery, WebhookSecrets } from '../sql/webhooks/delivery-claims.ts';
import type { DueQueue } from '../sql/webhooks/delivery-schedule.ts';

/** The steps of a claim in a transaction of `client`: as many statements for any number of webhooks and queues. */
export function claimSteps(client: pg.ClientBase): ClaimSteps {
  return {
    async findDue(_, wanted, now) {
      const values = [wanted.map(({ webhookId }) => webhookId), wanted.map(({ limit }) => limit), now];
      return (await client.query<DueQueue>({ ...FIND_DUE, values })).rows;
    },
    /** Those that another transaction has locked are skipped. */
    async lease(_, queues, { now, until, lease }) {
      const leased = await client.query<Key>({ ...LEASE, values: [...keysOf(queues), now, until, lease] });
      // A statement of its own, which sees what was committed before the queues were locked.
      const { rows } = await client.query<Key & FirstDelivery>({ ...FIRST, values: keysOf(leased.rows) });
      const firsts = new Map(rows.map(({ webhookId, queue, ...first }) => [keyOf({ webhookId, queue }), first]));
      const held = new Set(leased.rows.map(keyOf));
      return queues
        .filter((due) => held.has(keyOf(due)))
        .map((due) => ({ ...due, first: firsts.get(keyOf(due)) ?? null }));
    },
    async findSecrets(_, webhookIds, now) {
      const { rows } = await client.query<SecretRow>({ ...SECRETS, values: [webhookIds, now] });
      const secrets: WebhookSecrets = new Map();
      for (const { webhookId, id, secret } of rows) {
        secrets.set(webhookId, [...(secrets.get(webhookId) ?? []), { id, secret }]);
      }
      return secrets;
    },
    async deleteQueues(_, queues) {
      await client.query({ ...DELETE, values: keysOf(queues) });
    },
  };
}

type Key = Pick<DueQueue, 'webhookId' | 'queue'>;
type SecretRow = DueDelivery['secrets'][number] & { webhookId: string };

function keysOf(queues: readonly Key[]): [string[], string[]] {
  return [queues.map(({ webhookId }) => webhookId), queues.map(({ queue }) => queue)];
}

function keyOf({ webhookId, queue }: Key): string {
  return `${webhookId} ${queue}`;
}

/** As a range of both columns, for the planner (`sql/certificates/fairness.ts`). */
export const FIND_DUE = {
  name: 'find_due_webhook_queues',
  text: `
    select due.webhook_id as "webhookId", due.queue, due.next_attempt_at as "dueAt"
    from unnest($1::text[], $2::bigint[]) as wanted (webhook_id, most)
    cross join lateral (
      select webhook_id, queue, next_attempt_at from webhook_queues
      where (webhook_id, next_attempt_at) >= (wanted.webhook_id, 0)
        and (webhook_id, next_attempt_at) <= (wanted.webhook_id, $3::bigint)
      order by webhook_id, next_attempt_at limit wanted.most
    ) as due`,
};

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

const SECRETS = {
  name: 'select_webhook_secrets',
  text: `
    select webhook_id as "webhookId", id, secret from webhook_secrets
    where webhook_id = any($1::text[]) and (expires_at is null or expires_at > $2)
    order by expires_at is null desc`,
};

const DELETE = {
  name: 'delete_webhook_queues',
  text: 'delete from webhook_queues where (webhook_id, queue) in (select * from unnest($1::text[], $2::text[]))',
};
