import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { NOW, plant } from '../../../test/support/entities.ts';
import { addressOf, createMigratedDatabase } from '../../../test/support/postgres.ts';
import { aDeliveryClaim, aDeliveryResult, addWebhook } from '../../../test/support/webhooks.ts';
import type { Store } from '../contract/store.ts';
import { postgresStore } from './postgres.ts';

// Upkeep is done beside claims and saves, in transactions of its own: what fails there is reported, and they go on.

let store: Store;
let other: pg.Client;
let failures: string[];

beforeEach(async () => {
  const url = await createMigratedDatabase();
  failures = [];
  store = await postgresStore({ address: addressOf(url), onUpkeepFailed: (error) => failures.push(String(error)) });
  other = new pg.Client({ connectionString: url });
  await other.connect();
});
afterEach(async () => {
  await other.end();
  await store.close();
});

const OFF = { disabledAt: NOW, disabledReason: 'requested' } as const;

/** Makes each update of a table fail for whose rows the condition is true. */
async function refuse(table: string, condition: string): Promise<void> {
  await other.query(`
    create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
    create trigger refuse before update on ${table} for each row when (${condition}) execute function refuse()`);
}

/** A webhook with a test that waits. */
async function setUp() {
  const { workspace } = await plant(store);
  const { id } = await addWebhook(store, { workspaceId: workspace.id });
  await store.addTestDelivery(workspace.id, id, NOW);
  return { workspaceId: workspace.id, id };
}

it('results are saved where the bodies of older responses cannot be deleted', async () => {
  const { workspaceId, id } = await setUp();
  await other.query(`
    insert into webhook_deliveries (id, webhook_id, queue, event_id, type, happened_at, created_at, attempts, last_attempt_at, last_response)
    select 'dlv_' || n, '${id}', 'dom_1', 'evt_' || n, 'webhook.test', 0, 0, 1, n, 'oops' from generate_series(1, 100) as n`);
  await refuse('webhook_deliveries', 'new.last_response is null and old.last_response is not null');
  const [due] = await store.claimDeliveries(aDeliveryClaim());
  if (due === undefined) throw new Error('nothing is due');
  const results = [aDeliveryResult(due, { outcome: { kind: 'failed' } })];
  const saving = store.saveDeliveries({ results, now: NOW, disableIfFailingSince: 0, startAgainIfQuietSince: 0 });
  expect(await saving).toEqual({ disabled: [] });
  expect(await store.findDelivery(workspaceId, id, due.deliveryId)).toMatchObject({ state: 'failed' });
  expect(failures).toEqual([expect.stringContaining('refused')]);
});

it('what is due is claimed where queues of another webhook cannot be parked', async () => {
  const { id } = await setUp();
  const { workspaceId, id: off } = await setUp();
  await store.updateWebhook(workspaceId, off, { enabled: false }, NOW);
  await refuse('webhook_queues', 'new.next_attempt_at is null');
  expect(await store.claimDeliveries(aDeliveryClaim())).toMatchObject([{ webhookId: id }]);
  expect(failures).toEqual([expect.stringContaining('refused')]);
});

it('what is due is claimed where queues of another webhook cannot be resumed', async () => {
  const { id } = await setUp();
  const { workspace } = await plant(store);
  const off = await addWebhook(store, { workspaceId: workspace.id, ...OFF });
  await other.query(`insert into webhook_queues (webhook_id, queue) values ('${off.id}', 'dom_1')`);
  await store.updateWebhook(workspace.id, off.id, { enabled: true }, NOW);
  await refuse('webhook_queues', 'old.next_attempt_at is null');
  expect(await store.claimDeliveries(aDeliveryClaim())).toMatchObject([{ webhookId: id }]);
  expect(failures).toEqual([expect.stringContaining('refused')]);
});
