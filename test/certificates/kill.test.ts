import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type embedded, onPostgres } from '../crash/data.ts';
import { chooseSeed, seeded } from '../crash/random.ts';
import { START_LIMIT_MS } from '../fixtures/debian.ts';
import { type PostgresServer, startPostgres } from '../fixtures/postgres.ts';
import { surviveIssuing } from './live/kill.ts';
import { createIssuingSite } from './live/site.ts';

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.close());

async function survive(nodes: number, data?: typeof embedded): Promise<void> {
  // A crash leaves a certificate alone for as long.
  const site = await createIssuingSite({ leaseMs: 10_000, ...(data && { data }) });
  try {
    const survived = await surviveIssuing(site, { kills: 5, nodes, random: seeded(chooseSeed()), waiting: 12 });
    console.log(survived);
    expect(survived.kills).toBeGreaterThanOrEqual(5);
  } finally {
    await site.close();
  }
}

// Most of their time goes by with waiting for the CA.
describe.concurrent('kill -9 at any step of issuing: every name is certified, none ordered twice at a time, and what is renewed is served', () => {
  test('on one node', () => survive(1), START_LIMIT_MS);
  test('on two nodes', () => survive(2, onPostgres(postgres)), START_LIMIT_MS);
});
