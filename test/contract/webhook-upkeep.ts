import { describe, expect, it } from 'vitest';
import { prune } from '../../src/roles/pruning.ts';
import type { Store, Webhook } from '../../src/store/contract/store.ts';
import { DAY_MS } from '../support/certificates.ts';
import { NOW, type Planted, plant } from '../support/entities.ts';
import { aDeliveryClaim, aDeliveryResult, addWebhook, LEASE_MS } from '../support/webhooks.ts';
import type { OpenedStore, Subject } from './subject.ts';

const OFF = { disabledAt: NOW, disabledReason: 'requested' } as const;
const QUEUES = 2500;
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

  describe('a disabled webhook for which thousands of domains wait', () => {
    const setUp = async (opened: OpenedStore, { workspace }: Planted) => {
      const { id } = await addWebhook(opened.store, { workspaceId: workspace.id, ...OFF });
      await addDeliveries(opened, id, QUEUES, NOW);
      await opened.run(`insert into webhook_queues (webhook_id, queue) ${numbered(QUEUES, `'${id}', 'dom_' || n`)}`);
      return id;
    };
    const claimOne = (store: Store) => store.claimDeliveries(aDeliveryClaim({ limit: 1 }));

    it('is enabled at once; what waits is due a thousand queues at a time, also after a crash in between', async () =>
      alone(async (opened, planted) => {
        const id = await setUp(opened, planted);
        let { store } = opened;
        await store.updateWebhook(planted.workspace.id, id, { enabled: true }, NOW);
        for (const waiting of [0, 1000, 2000, QUEUES]) {
          expect((await store.deliveryBacklog()).waiting).toBe(waiting);
          if (waiting === QUEUES) break;
          store = await opened.reopen();
          expect(await claimOne(store)).toHaveLength(1);
        }
        expect(await countOf(opened, 'changed_webhooks')).toBe(0);
        const claimed = new Set<string>();
        const claim = aDeliveryClaim({ now: NOW + LEASE_MS, limit: 500, perWebhook: 500, perWorkspace: 500 });
        for (;;) {
          const due = await store.claimDeliveries(claim);
          if (due.length === 0) break;
          for (const { deliveryId } of due) claimed.add(deliveryId);
        }
        expect(claimed.size).toBe(QUEUES);
      }));

    it('is deleted at once; its queues are deleted a thousand at a time, also after a crash in between', async () =>
      alone(async (opened, planted) => {
        const id = await setUp(opened, planted);
        let { store } = opened;
        expect(await store.deleteWebhook(planted.workspace.id, id)).toBe('deleted');
        expect(await countOf(opened, 'webhook_queues where next_attempt_at is not null')).toBe(0);
        for (const left of [QUEUES, 1500, 500, 0]) {
          expect(await countOf(opened, 'webhook_queues')).toBe(left);
          if (left === 0) break;
          store = await opened.reopen();
          expect(await claimOne(store)).toEqual([]);
        }
        expect(await countOf(opened, 'changed_webhooks')).toBe(0);
      }));

    it('that is disabled again in between keeps what was not resumed yet', async () =>
      alone(async (opened, planted) => {
        const id = await setUp(opened, planted);
        const { store } = opened;
        const set = (enabled: boolean) => store.updateWebhook(planted.workspace.id, id, { enabled }, NOW);
        await set(true);
        expect(await claimOne(store)).toHaveLength(1);
        await set(false);
        expect(await claimOne(store)).toEqual([]);
        expect(await claimOne(store)).toEqual([]);
        // The lease of the first.
        expect(await countOf(opened, 'webhook_queues where next_attempt_at is not null')).toBe(1);
        expect(await countOf(opened, 'changed_webhooks')).toBe(0);
        await set(true);
        for (let i = 0; i < 3; i++) expect(await claimOne(store)).toHaveLength(1);
        expect((await store.deliveryBacklog()).waiting).toBe(QUEUES);
      }));
  });

  it('deletes of a backlog of old deliveries everything in one run', async () =>
    alone(async (opened, { workspace }) => {
      const { id } = await addWebhook(opened.store, { workspaceId: workspace.id });
      await addDeliveries(opened, id, 25_000, NOW - 14 * DAY_MS - 1);
      const config = { eventsKeepMs: DAY_MS, auditKeepMs: DAY_MS, webhookDeliveriesKeepMs: 14 * DAY_MS };
      await prune({ store: opened.store, config, clock: { now: () => NOW, isTrusted: () => true } });
      expect(await countOf(opened, 'webhook_deliveries')).toBe(0);
    }));

  it('deletes the bodies of older responses five hundred at a time, with each save that adds one', async () =>
    alone(async (opened, { workspace }) => {
      const { store, run } = opened;
      const { id } = await addWebhook(store, { workspaceId: workspace.id });
      await addDeliveries(opened, id, 1_200, NOW - DAY_MS);
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
  const due = await store.claimDeliveries(aDeliveryClaim({ limit: 500, perWebhook: 500, perWorkspace: 500 }));
  const results = due.map((each, i) => aDeliveryResult(each, { outcome: { kind: 'failed' }, at: from + i }));
  await store.saveDeliveries({ results, now: NOW, disableIfFailingSince: 0, startAgainIfQuietSince: 0 });
  return due.map(({ deliveryId }) => deliveryId);
}

/** Waiting deliveries, each in a queue of its own, past the store. */
async function addDeliveries({ run }: OpenedStore, webhookId: string, count: number, at: number): Promise<void> {
  const columns = 'id, webhook_id, queue, event_id, type, happened_at, created_at, attempts';
  const values = `'dlv_' || n, '${webhookId}', 'dom_' || n, 'evt_' || n, 'webhook.test', ${at}, ${at}, 0`;
  await run(`insert into webhook_deliveries (${columns}) ${numbered(count, values)}`);
}

/** A select of these values for each n from 1 to `count`. */
function numbered(count: number, values: string): string {
  return `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count}) select ${values} from numbers`;
}
