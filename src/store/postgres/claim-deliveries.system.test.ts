import pg from 'pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { attach, NOW, plant } from '../../../test/support/entities.ts';
import { addressOf, createMigratedDatabase } from '../../../test/support/postgres.ts';
import { aDeliveryClaim, addWebhook } from '../../../test/support/webhooks.ts';
import { deliveryClaimer } from '../sql/webhooks/delivery-claims.ts';
import { claimSteps, FIND_DUE } from './claim-deliveries.ts';
import { postgresStore } from './postgres.ts';
import { settingsFor, TIMEOUTS } from './postgres-connection.ts';
import { transact } from './transaction.ts';

let client: pg.Client;
let url: string;

beforeAll(async () => {
  url = await createMigratedDatabase();
  client = new pg.Client(settingsFor(addressOf(url), TIMEOUTS));
  await client.connect();
});
afterAll(() => client.end());

/** Claims everything that is due. Resolves with the claimed deliveries, and the number of statements that it took. */
async function claimAll() {
  const query = vi.spyOn(client, 'query');
  const claim = deliveryClaimer();
  const due = await transact(
    { withClient: (use) => use(client as pg.PoolClient) },
    {
      locks: [],
      synced: false,
      newId: () => '',
      now: NOW,
      perform: async (tx) => (await claim(tx, aDeliveryClaim(), claimSteps(client))).due,
      onChange() {},
    },
    () => 0,
  );
  const statements = query.mock.calls.length;
  query.mockRestore();
  return { due, statements };
}

it('a claim takes as many statements for many webhooks as for one', async () => {
  const store = await postgresStore({ address: addressOf(url) });
  const addDue = async (workspaces: number) => {
    for (let i = 0; i < workspaces; i++) {
      const { workspace, environment } = await plant(store);
      await addWebhook(store, { workspaceId: workspace.id });
      await attach(store, environment);
    }
  };
  await addDue(1);
  const one = await claimAll();
  await addDue(12);
  const many = await claimAll();
  await store.close();
  expect([one.due.length, many.due.length]).toEqual([1, 12]);
  expect(many.due.every(({ secrets }) => secrets.length === 1)).toBe(true);
  expect(many.statements).toBe(one.statements);
});

it('due queues are found in the order of an index, however many there are', async () => {
  for (const setting of ['enable_seqscan', 'enable_sort', 'enable_bitmapscan'])
    await client.query(`set ${setting} = off`);
  await client.query(`prepare due as ${FIND_DUE.text}`);
  const { rows } = await client.query("explain execute due ('{a}', '{1}', 1)");
  const plan = rows.map((row) => String(row['QUERY PLAN']));
  expect(plan.some((line) => line.includes('webhook_queues_by_webhook_id_next_attempt_at'))).toBe(true);
  expect(plan.filter((line) => /Sort|Seq Scan/.test(line))).toEqual([]);
});
