import { expect, test } from 'vitest';
import { DAY_MS, logged, whileDomainsWait } from '../crash/wrong-clock.ts';
import { sharedPostgres } from '../support/postgres.ts';
import { onPostgres } from '../support/server-data.ts';

// Real nodes on PostgreSQL, whose server's clock is right. Checks are a second apart.

test.each([
  ['starts a day ahead', DAY_MS, 0],
  ['starts a day behind', -DAY_MS, 0],
  ['jumps a day ahead', 0, DAY_MS],
])(
  'a node whose clock %s checks by that of the database, beside a right one and alone, and fails no domain',
  async (_, aheadMs, stepMs) => {
    const server = onPostgres(sharedPostgres());
    await whileDomainsWait(
      1000,
      async (site) => {
        const right = await site.serve();
        await site.claimed(1);
        const wrong = await site.serve(aheadMs);
        await wrong.tell(`step ${stepMs}`);
        await site.claimedAgain(3);
        await right.stop();
        await site.claimedAgain(3);
        expect(await site.failed()).toBe(0);
        await logged(wrong, 'the clock differs from that');
        const misplaced = `select id from domains join checks on domain_id = id where abs(next_check_at - ${Date.now()}) > 60000`;
        expect(await site.data.query(misplaced)).toEqual([]);
      },
      server,
    );
  },
);
