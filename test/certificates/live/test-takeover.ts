import { afterAll, beforeAll, expect, test } from 'vitest';
import { START_LIMIT_MS } from '../../support/debian.ts';
import type { onPostgres } from '../../support/server-data.ts';
import { createIssuingSite, type IssuingSite } from './site.ts';
import { takeOverUnderTraffic } from './takeover.ts';

/** Each thread learns of a takeover by itself, within a second: what visitors see of one is in order. */
const ONE_THREAD = { NAMEPLATE_EDGE_THREADS: '1' };

/** On either engine. `data`: the embedded store unless given. */
export function testTakeover(data?: () => ReturnType<typeof onPostgres>): void {
  let site: IssuingSite;
  beforeAll(async () => {
    site = await createIssuingSite({ ...(data && { data: data() }), env: ONE_THREAD });
  }, START_LIMIT_MS);
  afterAll(() => site.close());

  test.each([
    ['', 0],
    [', though the CA does not answer for a while', 200],
  ])(
    'a takeover fails no handshake%s: the name keeps its certificate until there is a new one, and is served for one owner at a time',
    async (_, awayFor) => {
      const takeover = await takeOverUnderTraffic(site, awayFor);
      console.log(takeover);
      expect(takeover.bridged).toBeGreaterThanOrEqual(awayFor);
    },
    180_000,
  );
}
