import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from '../../edge/authority.ts';
import { START_LIMIT_MS } from '../../support/debian.ts';
import { chooseSeed, seeded } from '../../support/seeded-random.ts';
import { customHostname, startCloudflare, ZONE } from '../../support/vendors/cloudflare.ts';
import * as lab from './moving-lab.ts';
import { startSaasEdge } from './saas-edge.ts';

const { NAMES, NEW, OLD, timed } = lab;
/** The first CA takes so many, and the second CA the others: new names have 80 % of the limits. */
const FIRST = 0.6 * NAMES;
const LIMITS = `orders=${Math.ceil(FIRST / 0.8)}/3h,failures=5/1h,certificates=50/7d,duplicates=5/7d`;

let world: lab.World;
let cas: [lab.CountedPebble, lab.CountedPebble];
beforeAll(async () => {
  world = await lab.createWorld();
  cas = [await world.startPebble(), await world.startPebble()];
  await startSaasEdge(world);
}, START_LIMIT_MS);
afterAll(() => world.close());

test('1,000 names behind Cloudflare for SaaS have certificates of two CAs before the switch, by challenges that the old edge passes on, and move without one failed visit: one record of the platform changes', async () => {
  const platform = await lab.startPlatform(world, cas, { NAMEPLATE_ACME_LIMITS: LIMITS });
  const roots = [ROOT, ...cas.map(({ issuingRoots }) => issuingRoots)];
  const before = world.others();
  const visitors = lab.startVisitors(world, roots, seeded(chooseSeed()).next);
  await visitors.reach(OLD, 100);

  const account = await startCloudflare(
    world.closing,
    world.names.map((hostname, at) => customHostname(at, { hostname })),
  );
  const from = ['cloudflare', ZONE, '--from-url', account.url];
  const moved = await timed('move from cloudflare', () => platform.move(...from));
  expect(moved).toMatchObject({ created: NAMES, refused: 0 });
  await timed('ready to switch', () => lab.untilReady(platform));
  expect(cas.map((ca) => ca.orders())).toEqual([FIRST, NAMES - FIRST]);
  expect(await timed('move check', platform.check)).toEqual({ checked: NAMES, served: NAMES, failed: [] });
  await lab.visitEach(world, roots, NEW);

  for (const address of [NEW, OLD]) {
    world.lead(address);
    await visitors.reach(address, 500);
    await lab.visitEach(world, roots);
  }
  const { visits, failed } = await visitors.stop();
  console.log({ visits, ...Object.fromEntries(visitors.results), orders: cas.map((ca) => ca.orders()) });
  expect(failed).toEqual({});
  expect(cas.map((ca) => ca.orders())).toEqual([FIRST, NAMES - FIRST]);
  expect(world.others()).toEqual(before);
  expect(platform.server.errors()).toEqual([]);
});
