import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { surviveIssuing } from '../../certificates/live/kill.ts';
import { createIssuingSite, type IssuingSite } from '../../certificates/live/site.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres.ts';
import { chooseSeed, seeded } from '../../support/seeded-random.ts';
import { onPostgres } from '../../support/server-data.ts';

let postgres: PostgresServer;
let site: IssuingSite;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.close());
afterEach(() => site.close());

/** Lease. */
const leaseMs = 10_000;

test('100 times kill -9 at every step of issuing, on one node: every name is certified, none ordered twice at a time, and renewed certificates are served', async () => {
  site = await createIssuingSite({ leaseMs });
  const survived = await surviveIssuing(site, { kills: 100, nodes: 1, random: seeded(chooseSeed()), waiting: 40 });
  console.log(survived);
  expect(survived.kills).toBeGreaterThanOrEqual(100);
}, 3_600_000);

test('100 times kill -9 at every step of issuing, on two nodes: every name is certified, none ordered twice at a time, and renewed certificates are served', async () => {
  site = await createIssuingSite({ leaseMs, data: onPostgres(postgres) });
  const survived = await surviveIssuing(site, { kills: 100, nodes: 2, random: seeded(chooseSeed()), waiting: 40 });
  console.log(survived);
  expect(survived.kills).toBeGreaterThanOrEqual(100);
}, 3_600_000);
