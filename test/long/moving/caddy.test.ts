import { afterAll, beforeAll, expect, test } from 'vitest';
import { START_LIMIT_MS } from '../../support/debian.ts';
import { chooseSeed, seeded } from '../../support/seeded-random.ts';
import { startWarmCaddy } from './caddy-server.ts';
import * as lab from './moving-lab.ts';

const { NAMES, NEW, OLD, timed } = lab;

let world: lab.World;
let ca: lab.CountedPebble;
beforeAll(async () => {
  world = await lab.createWorld();
  ca = await world.startPebble();
}, START_LIMIT_MS);
afterAll(() => world.close());

test('1,000 names move here from Caddy, and back, without one failed visit and without one order: one record of the platform changes', async () => {
  const { storage } = await timed('Caddy has its certificates', () => startWarmCaddy(world, ca));
  expect(ca.orders()).toBe(NAMES);
  const platform = await lab.startPlatform(world, [ca]);
  const roots = [ca.issuingRoots];
  const before = world.others();
  const visitors = lab.startVisitors(world, roots, seeded(chooseSeed()).next);
  await visitors.reach(OLD, 100);

  const moved = await timed('move from caddy', () => platform.move('caddy', storage));
  expect(moved).toMatchObject({ created: NAMES, refused: 0, certificates: { uploaded: NAMES, refused: 0 } });
  await timed('ready to switch', () => lab.untilReady(platform));
  expect(await timed('move check', platform.check)).toEqual({ checked: NAMES, served: NAMES, failed: [] });
  await lab.visitEach(world, roots, NEW);

  for (const address of [NEW, OLD]) {
    world.lead(address);
    await visitors.reach(address, 500);
    await lab.visitEach(world, roots);
  }
  const { visits, failed } = await visitors.stop();
  console.log({ visits, ...Object.fromEntries(visitors.results), orders: ca.orders() });
  expect(failed).toEqual({});
  expect(ca.orders()).toBe(NAMES);
  expect(world.others()).toEqual(before);
  expect(platform.server.errors()).toEqual([]);
});
