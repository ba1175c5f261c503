import { describe, expect, it } from 'vitest';
import { prune } from '../../server/src/roles/pruning.ts';
import type { Store, Webhook } from '../../server/src/store/store.ts';
import { RESUMED_AT_ONCE } from '../../server/src/store/webhook/queue.ts';
import { DAY_MS } from '../support/certificates.ts';
import { NOW, type Planted, plant } from '../support/entities.ts';
import { aDeliveryResult, addWebhook, claimDue, saveResults } from '../support/webhooks.ts';
import type { OpenedStore, Subject } from './subject.ts';

const OFF = { disabledAt: NOW, disabledReason: 'requested' } as const;
const KEPT_MS = 14 * DAY_MS;
/** Kept of a webhook. */
const RESPONSES = 100;

export function describeWebhookUpkeep(subject: Subject): void {
  const alone = async (test: (opened: OpenedStore, planted: Planted) => Promise<void>) => {
    const opened = await subject.open();
    await test(opened, await plant(opened.store));
    await opened.close();
  };
  const countOf = async ({ query }: OpenedStore, from: string) =>
    Number((await query(`select count(*) as n from ${from}`))[0]?.n);
  const pruneAll = async ({ store }: OpenedStore) => {
    const config = { eventsKeepMs: DAY_MS, auditKeepMs: DAY_MS, webhookDeliveriesKeepMs: KEPT_MS };
    await prune({ store, config, clock: { now: () => NOW, isTrusted: () => true } });
  };

  describe('a disabled webhook for which thousands of domains wait', () => {
    it('is enabled with all its retries due at once, of 10,000 domains at most', async () =>
      alone(async (opened, { workspace }) => {
        const { store } = opened;
        const { id } = await addWebhook(store, { workspaceId: workspace.id, ...OFF });
        await addDeliveries(opened, id, RESUMED_AT_ONCE + 500, { at: NOW, dueAt: NOW + 60_000 });
        expect((await store.deliveryBacklog()).waiting).toBe(0);
        await store.updateWebhook(workspace.id, id, { enabled: true }, NOW);
        expect(await countOf(opened, `webhook_queues where next_attempt_at = ${NOW}`)).toBe(RESUMED_AT_ONCE);
        expect(await store.deliveryBacklog()).toMatchObject({ waiting: 10_000, oldestAt: NOW });
        expect(await claimDue(store, { limit: 9 })).toHaveLength(9);
      }));

    it('leaves nothing behind once it is deleted and its deliveries are old', async () =>
      alone(async (opened, { workspace }) => {
        const { id } = await addWebhook(opened.store, { workspaceId: workspace.id, ...OFF });
        await addDeliveries(opened, id, 2_500, { at: NOW - KEPT_MS - 1, dueAt: NOW });
        expect(await opened.store.deleteWebhook(workspace.id, id)).toBe('deleted');
        expect(await opened.store.findDueWebhooks(NOW)).toEqual([]);
        await pruneAll(opened);
        expect(await countOf(opened, 'webhook_deliveries')).toBe(0);
        expect(await countOf(opened, 'webhook_queues')).toBe(0);
      }));

    it('keeps what is younger, behind what is too old', async () =>
      alone(async (opened, { workspace }) => {
        const { store, run } = opened;
        const { id } = await addWebhook(store, { workspaceId: workspace.id, ...OFF });
        await addDeliveries(opened, id, 3, { at: NOW - KEPT_MS - 1, dueAt: NOW });
        await run("update webhook_deliveries set queue = 'dom_2' where id = 'dlv_3'");
        await run(`update webhook_deliveries set created_at = ${NOW} where id = 'dlv_3'`);
        await pruneAll(opened);
        await store.updateWebhook(workspace.id, id, { enabled: true }, NOW);
        expect(await claimDue(store)).toMatchObject([{ deliveryId: 'dlv_3', queue: 'dom_2' }]);
      }));
  });

  it('deletes of a backlog of old deliveries everything in one run', async () =>
    alone(async (opened, { workspace }) => {
      const { id } = await addWebhook(opened.store, { workspaceId: workspace.id });
      await addDeliveries(opened, id, 25_000, { at: NOW - KEPT_MS - 1, dueAt: NOW });
      await opened.run(`update webhook_deliveries set outcome = 'delivered', finished_at = ${NOW}`);
      await pruneAll(opened);
      expect(await countOf(opened, 'webhook_deliveries')).toBe(0);
    }));

  it('deletes the bodies of older responses five hundred at a time, with each save that adds one', async () =>
    alone(async (opened, { workspace }) => {
      const { store, run } = opened;
      const { id } = await addWebhook(store, { workspaceId: workspace.id });
      await addDeliveries(opened, id, 1_200, { at: NOW - DAY_MS, dueAt: NOW + DAY_MS / 4 });
      await run("update webhook_deliveries set last_attempt_at = created_at, last_response = 'oops'");
      for (const kept of [701, 202, RESPONSES, RESPONSES]) {
        await failTests(store, { workspaceId: workspace.id, id }, 1, NOW);
        expect(await countOf(opened, 'webhook_deliveries where last_response is not null')).toBe(kept);
      }
    }));

  it('keeps the bodies of the newest responses of a webhook', async () =>
    alone(async (opened, { workspace }) => {
      const { store } = opened;
      const webhook = await addWebhook(store, { workspaceId: workspace.id });
      const other = await addWebhook(store, { workspaceId: workspace.id });
      const fail = (webhookId: string, count: number, from: number) =>
        failTests(store, { workspaceId: workspace.id, id: webhookId }, count, from);
      const untouched = await fail(other.id, 1, NOW);
      const first = await fail(webhook.id, RESPONSES, NOW);
      const then = await fail(webhook.id, 3, NOW + RESPONSES);
      const withBody = await opened.query('select id from webhook_deliveries where last_response is not null');
      expect(withBody.map((row) => row.id).toSorted()).toEqual([...untouched, ...first.slice(3), ...then].toSorted());
      expect(await store.findDelivery(workspace.id, webhook.id, first[0] ?? '')).toMatchObject({
        lastAttempt: { at: NOW, status: 500, response: null },
      });
    }));
}

/** Tests of a webhook that fail, the first at `from`. Resolves with the ids of the deliveries. */
async function failTests(
  store: Store,
  { workspaceId, id }: Pick<Webhook, 'workspaceId' | 'id'>,
  count: number,
  from: number,
) {
  for (let i = 0; i < count; i++) await store.addTestDelivery(workspaceId, id, NOW);
  const due = await claimDue(store);
  const results = due.map((each, i) => aDeliveryResult(each, { outcome: { kind: 'failed' }, at: from + i }));
  await saveResults(store, results);
  return due.map(({ deliveryId }) => deliveryId);
}

/** Waiting deliveries, each in a queue of its own, past the store. */
async function addDeliveries(
  { run }: OpenedStore,
  webhookId: string,
  count: number,
  { at, dueAt }: { at: number; dueAt: number },
): Promise<void> {
  const columns = 'id, webhook_id, queue, event_id, type, happened_at, created_at, attempts';
  const values = `'dlv_' || n, '${webhookId}', 'dom_' || n, 'evt_' || n, 'webhook.test', ${at}, ${at}, 0`;
  await run(`insert into webhook_deliveries (${columns}) ${numbered(count, values)}`);
  const queues = `'${webhookId}', 'dom_' || n, ${dueAt}`;
  await run(`insert into webhook_queues (webhook_id, queue, next_attempt_at) ${numbered(count, queues)}`);
}

/** A select of these values for each n from 1 to `count`. */
function numbered(count: number, values: string): string {
  return `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count}) select ${values} from numbers`;
}
