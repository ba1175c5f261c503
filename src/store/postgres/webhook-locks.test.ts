import pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { anIssuedCertificate, aSave, DAY_MS, verify } from '../../../test/support/certificates.ts';
import { NOW, plant } from '../../../test/support/entities.ts';
import { addressOf, createMigratedDatabase } from '../../../test/support/postgres.ts';
import { aDeliveryClaim, aDeliveryResult, addWebhook } from '../../../test/support/webhooks.ts';
import type { Store } from '../contract/store.ts';
import { lockKey } from './advisory-locks.ts';
import { postgresStore } from './postgres.ts';

// What happens while another node has changed something and has not committed yet.

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
      const claimed = await store.claimDeliveries(aDeliveryClaim({ now: NOW + 90 * DAY_MS }));
      if (claimed.length === 0) break;
      messages.push(...claimed);
      const results = claimed.map((each) => aDeliveryResult(each));
      await store.saveDeliveries({ results, now: NOW, disableIfFailingSince: 0, startAgainIfQuietSince: 0 });
    }
    const last = messages.at(-1);
    expect(last).toMatchObject({ type, message: { domain: { id: domain.id, verificationError: 'changed' } } });
  },
);

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
