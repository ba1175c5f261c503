import { afterAll, beforeAll, expect, test } from 'vitest';
import { START_LIMIT_MS } from '../../support/debian.ts';
import type { onPostgres } from '../../support/server-data.ts';
import { createIssuingSite, type IssuingSite } from './site.ts';
import { takeOverUnderTraffic } from './takeover.ts';

/** Each thread learns of a takeover by itself, within a second: what visitors see of one is in order. */
const ONE_THREAD = { NAMEPLATE_EDGE_THREADS: '1' };

/**
 * On either engine. `data`: the embedded store unless given. `awayFor`: handshakes for which the CA does not answer, in
 * each takeover.
 */
export function testTakeover(awayFor: number[], data?: () => ReturnType<typeof onPostgres>): void {
  let site: IssuingSite;
  beforeAll(async () => {
    site = await createIssuingSite({ ...(data && { data: data() }), env: ONE_THREAD });
  }, START_LIMIT_MS);
  afterAll(() => site.close());

  test.each(awayFor)(
    'a takeover fails no handshake, though the CA does not answer for %i of them: the name keeps its certificate until there is a new one, and is served for one owner at a time',
    async (away) => {
      const takeover = await takeOverUnderTraffic(site, away);
      console.log(takeover);
      expect(takeover.bridged).toBeGreaterThanOrEqual(away);
    },
    180_000,
  );
}
