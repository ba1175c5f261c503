import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { onPostgres } from '../crash/data.ts';
import { chooseSeed, seeded } from '../crash/random.ts';
import { START_LIMIT_MS } from '../fixtures/debian.ts';
import { type PostgresServer, startPostgres } from '../fixtures/postgres.ts';
import { surviveIssuing } from './live/kill.ts';
import { createIssuingSite, type IssuingSite } from './live/site.ts';

let postgres: PostgresServer;
let site: IssuingSite;
beforeAll(async () => {
  postgres = await startPostgres();
}, START_LIMIT_MS);
afterAll(() => postgres.close());
afterEach(() => site.close());

/** A crash leaves a certificate alone for as long. */
const leaseMs = 10_000;

test('kill -9 at any step of issuing, on one node: every name is certified, none ordered twice at a time, and what is renewed is served', async () => {
  site = await createIssuingSite({ leaseMs });
  const survived = await surviveIssuing(site, { kills: 5, nodes: 1, random: seeded(chooseSeed()) });
  console.log(survived);
  expect(survived.kills).toBeGreaterThanOrEqual(5);
}, 240_000);

test('kill -9 at any step of issuing, on two nodes: every name is certified, none ordered twice at a time, and what is renewed is served', async () => {
  site = await createIssuingSite({ leaseMs, data: onPostgres(postgres) });
  const survived = await surviveIssuing(site, { kills: 5, nodes: 2, random: seeded(chooseSeed()) });
  console.log(survived);
  expect(survived.kills).toBeGreaterThanOrEqual(5);
}, 240_000);
