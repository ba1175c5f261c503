import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { anIssuedCertificate, aSave, DAY_MS, verify } from '../../../../../test/support/certificates.ts';
import { attach, NOW, plant } from '../../../../../test/support/entities.ts';
import { addressOf, createMigratedDatabase } from '../../../../../test/support/postgres.ts';
import { aDeliveryResult, addWebhook, claimDue, saveResults } from '../../../../../test/support/webhooks.ts';
import type { Store } from '../../store.ts';
import { lockKey } from './lock-queue.ts';
import { postgresStore } from './postgres.ts';

// Another node has changed something here, and has not committed yet.

let store: Store;
let other: pg.Client;

beforeEach(async () => {
  const url = await createMigratedDatabase();
  store = await postgresStore({ address: addressOf(url) });
  other = new pg.Client({ connectionString: url });
  await other.connect();
});
afterEach(async () => {
  await other.end();
  await store.close();
});

/** Runs `work` while the other node has run `sql`; it commits once `work` is done, or waits for it. */
async function duringTransaction<T>(sql: string, work: () => Promise<T>): Promise<T> {
  await other.query(`begin; ${sql}`);
  let isDone = false;
  const working = work().finally(() => {
    isDone = true;
  });
  const waiting = "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  while (!isDone && (await other.query(waiting)).rowCount === 0);
  await other.query('commit');
  return working;
}

/** A domain whose certificate is claimed, and the claimed certificate. */
async function setUp() {
  const { workspace, environment } = await plant(store);
  const types = ['certificate.issued', 'certificate.expiring'] as const;
  await addWebhook(store, { workspaceId: workspace.id, types: [...types] });
  const domain = await verify(store, environment);
  const [due] = await store.claimCertificates({ now: NOW, limit: 1, leaseMs: DAY_MS, newNames: true });
  if (due === undefined) throw new Error('no certificate is due');
  return { domain, due };
}

const issued = anIssuedCertificate({ notBefore: NOW, notAfter: NOW + 90 * DAY_MS });

it.for([
  ['is issued', 'certificate.issued'],
  ['is imported', 'certificate.issued'],
  ['expires', 'certificate.expiring'],
] as const)(
  'the event of a certificate that %s has the domain as the events before it left it',
  async ([how, type]) => {
    const { domain, due } = await setUp();
    const perform = {
      'is issued': () => store.saveCertificate(aSave(due, { state: 'issued', issued })),
      'is imported': () => store.importCertificate(domain.name, issued, NOW),
      expires: () => store.recordExpiring(NOW + 89 * DAY_MS, 9),
    };
    if (how === 'expires') await perform['is issued']();
    const change = `select pg_advisory_xact_lock(${lockKey(domain.id)});
    update domains set verification_error = 'changed', revision = revision + 1 where id = '${domain.id}'`;
    await duringTransaction<unknown>(change, perform[how]);
    const messages = [];
    for (;;) {
      const claimed = await claimDue(store, { now: NOW + 90 * DAY_MS });
      if (claimed.length === 0) break;
      messages.push(...claimed);
      const results = claimed.map((each) => aDeliveryResult(each));
      await saveResults(store, results, NOW);
    }
    const last = messages.at(-1);
    expect(last).toMatchObject({ type, message: { domain: { id: domain.id, verificationError: 'changed' } } });
  },
);

it('the event of a certificate that expires is left to the next run where another domain has got its name', async () => {
  const { domain, due } = await setUp();
  await store.saveCertificate(aSave(due, { state: 'issued', issued }));
  const { environment } = await plant(store);
  const { id } = await attach(store, environment);
  const change = `select pg_advisory_xact_lock(${lockKey(domain.id)});
    delete from monitors where domain_id = '${domain.id}';
    delete from live_checks where domain_id = '${domain.id}';
    update routes set domain_id = '${id}' where hostname = '${domain.name}'`;
  const now = NOW + 89 * DAY_MS;
  const expiring = async () =>
    (await other.query("select domain_id from events where type = 'certificate.expiring'")).rows.map(
      (row) => row.domain_id,
    );
  await duringTransaction(change, () => store.recordExpiring(now, 9));
  expect(await expiring()).toEqual([]);
  await store.recordExpiring(now, 9);
  expect(await expiring()).toEqual([id]);
});

it('a change of a webhook does not undo that it is disabled meanwhile', async () => {
  const { workspace } = await plant(store);
  const { id } = await addWebhook(store, { workspaceId: workspace.id });
  const disable = `update webhooks set disabled_at = 1, disabled_reason = 'failing', failing_since = 1 where id = '${id}'`;
  const url = 'https://new.example.com/';
  const changed = { url, disabledAt: 1, disabledReason: 'failing', failingSince: 1, updatedAt: NOW };
  const update = () => store.updateWebhook(workspace.id, id, { url }, NOW);
  expect(await duringTransaction(disable, update)).toMatchObject(changed);
  expect(await store.findWebhook(workspace.id, id)).toMatchObject(changed);
});

it('a body that a newer attempt has stored is not deleted as that of an older one', async () => {
  const { workspace } = await plant(store);
  const { id } = await addWebhook(store, { workspaceId: workspace.id });
  await other.query(`
    insert into webhook_deliveries (id, webhook_id, queue, event_id, type, happened_at, created_at, attempts, last_attempt_at, last_response)
    select 'dlv_' || n, '${id}', 'dom_' || n, 'evt_' || n, 'webhook.test', 0, 0, 1, n, 'older' from generate_series(1, 100) as n`);
  await store.addTestDelivery(workspace.id, id, NOW);
  const [due] = await claimDue(store);
  if (due === undefined) throw new Error('nothing is due');
  const results = [aDeliveryResult(due, { outcome: { kind: 'failed' } })];
  const save = () => saveResults(store, results, NOW);
  const attempted = `update webhook_deliveries set last_attempt_at = ${NOW + 1}, last_response = 'newer' where id = 'dlv_1'`;
  await duringTransaction(attempted, save);
  expect(await store.findDelivery(workspace.id, id, 'dlv_1')).toMatchObject({ lastAttempt: { response: 'newer' } });
});

it('a queue that another node holds is passed over, and those behind it are leased', async () => {
  const { workspace, environment } = await plant(store);
  const { id } = await addWebhook(store, { workspaceId: workspace.id });
  const [held, free] = [await attach(store, environment, { createdAt: NOW - 1 }), await attach(store, environment)];
  const hold = `select 1 from webhook_queues where webhook_id = '${id}' and queue = '${held.id}' for update`;
  const lease = () => store.leaseDelivery(id, { now: NOW, leaseMs: 1000 });
  expect(await duringTransaction(hold, lease)).toMatchObject({ queue: free.id });
  expect(await lease()).toMatchObject({ queue: held.id });
});
