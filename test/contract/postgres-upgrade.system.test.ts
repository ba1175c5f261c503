import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import type { DueDelivery, Store } from '../../src/store/contract/store.ts';
import * as postgres from '../../src/store/postgres/postgres.ts';
import * as sqlite from '../../src/store/sqlite/sqlite.ts';
import { failingRule } from '../../src/webhooks/policy/retry-schedule.ts';
import { DAY_MS } from '../support/certificates.ts';
import { NOW, plant } from '../support/entities.ts';
import { addressOf, createMigratedDatabase, sharedPostgres } from '../support/postgres.ts';
import { UNDO_AFTER_SETUP_LINKS } from '../support/undo-newest-migration.ts';
import { aDeliveryClaim, aDeliveryResult, addWebhook } from '../support/webhooks.ts';

interface Engine {
  open(): Promise<Store>;
  migrate(): Promise<string[]>;
  query(sql: string): Promise<unknown>;
  remove(): Promise<void>;
}

const ENGINES: [string, () => Promise<Engine>][] = [
  [
    'SQLite',
    async () => {
      const directory = await mkdtemp(join(tmpdir(), 'nameplate-upgrade-'));
      const path = join(directory, 'nameplate.db');
      return {
        open: () => sqlite.sqliteStore({ path }),
        migrate: () => sqlite.migrate(path),
        async query(sql) {
          const db = new DatabaseSync(path, { timeout: 5000 });
          try {
            if (!sql.startsWith('select')) return db.exec(sql);
            return Object.values(db.prepare(sql).get() ?? {})[0];
          } finally {
            db.close();
          }
        },
        remove: () => rm(directory, { recursive: true }),
      };
    },
  ],
  [
    'PostgreSQL',
    async () => {
      const url = await createMigratedDatabase();
      const address = addressOf(url);
      return {
        open: () => postgres.postgresStore({ address }),
        migrate: () => postgres.migrate(address),
        async query(sql) {
          const rows: Record<string, unknown>[] | undefined = await sharedPostgres().run(url, sql);
          const [value] = Object.values(rows?.[0] ?? {});
          return typeof value === 'string' ? Number(value) : value;
        },
        remove: async () => {},
      };
    },
  ],
];

const SINCE = NOW - 3 * DAY_MS;
const OFF = { disabledAt: SINCE, disabledReason: 'requested' } as const;

it.each(ENGINES)(
  'an upgrade keeps what webhooks of 0010-setup-links have: that they fail, what waits, and bodies, on %s',
  async (_, create) => {
    const { open, migrate, query, remove } = await create();
    const before = await open();
    const { workspace } = await plant(before);
    const failing = await addWebhook(before, { workspaceId: workspace.id, failingSince: SINCE });
    const off = await addWebhook(before, { workspaceId: workspace.id, ...OFF });
    await before.close();
    const deliveries = (from: number, count: number, values: string) =>
      query(`
        insert into webhook_deliveries (id, webhook_id, queue, event_id, type, happened_at, created_at, attempts, last_attempt_at, last_response, outcome, finished_at)
        with recursive numbers (n) as (select ${from} union all select n + 1 from numbers where n < ${from + count - 1})
        select 'dlv_' || n, ${values} from numbers`);
    const waiting = (id: string) =>
      `'${id}', 'dom_' || n, 'evt_' || n, 'domain.created', ${SINCE}, ${SINCE}, 0, cast(null as bigint), cast(null as text), cast(null as text), cast(null as bigint)`;
    await deliveries(1, 1, waiting(failing.id));
    await query(
      `insert into webhook_queues (webhook_id, queue, next_attempt_at, waiting_since) values ('${failing.id}', 'dom_1', ${NOW}, ${SINCE})`,
    );
    await deliveries(11, 3, waiting(off.id));
    await query(
      `insert into webhook_queues (webhook_id, queue) select webhook_id, queue from webhook_deliveries where webhook_id = '${off.id}'`,
    );
    await deliveries(
      101,
      150,
      `'${failing.id}', 'dom_9', 'evt_' || n, 'domain.created', ${SINCE}, ${SINCE}, 1, ${SINCE} + n, 'oops', 'failed', ${NOW}`,
    );
    await query(UNDO_AFTER_SETUP_LINKS);

    expect(await migrate()).toEqual([
      '0011-webhook-upkeep',
      '0012-setup-link-actors',
      '0013-delivery-states',
      '0014-inherited-certificates',
      '0015-redirects',
      '0016-deleted-domains',
      '0017-suspensions',
      '0018-audit',
      '0019-waiting-certificates',
      '0020-suspended-names',
    ]);
    const store = await open();
    expect(await store.findWebhook(workspace.id, failing.id)).toEqual(failing);
    expect(await store.updateWebhook(workspace.id, off.id, { enabled: true }, NOW)).toMatchObject({ disabledAt: null });
    const due: DueDelivery[] = await store.claimDeliveries(aDeliveryClaim());
    expect(due.map(({ deliveryId }) => deliveryId).toSorted()).toEqual(['dlv_1', 'dlv_11', 'dlv_12', 'dlv_13']);
    const results = due.map((each) => aDeliveryResult(each, { outcome: { kind: 'failed' } }));
    expect(await store.saveDeliveries({ results, now: NOW, ...failingRule(NOW) })).toEqual({ disabled: [failing.id] });
    expect(await store.findWebhook(workspace.id, off.id)).toMatchObject({ disabledAt: null, failingSince: NOW });
    const bodies = `select count(*) from webhook_deliveries where last_response is not null and webhook_id`;
    expect(await query(`${bodies} = '${failing.id}'`)).toBe(100);
    expect(await query(`${bodies} = '${off.id}'`)).toBe(3);
    await store.close();
    await remove();
  },
);
