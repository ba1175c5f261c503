import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Change, Route } from '../../store/contract/store.ts';
import { trackUnderWay } from './in-flight.ts';

const hostname = 'app.acme.com';
const routeTo = (environmentId: string): Route => ({ hostname, domainId: 'dom_1', environmentId });

/** What the edge knows of the name; undefined: the store has not said what is there now, and the old route is believed. */
function world(known: Route | null | undefined) {
  const world = { known };
  const hears: ((change: Change | null) => void)[] = [];
  const get = () => world.known;
  const load = async () => (world.known === undefined ? routeTo('env_old') : world.known);
  const underWay = trackUnderWay({ subscribe: (hear) => void hears.push(hear) }, { load, get }, 1);
  const announce = () => hears.forEach((hear) => void hear({ seq: 1, kind: 'route', key: hostname }));
  return Object.assign(world, { underWay, announce });
}

/** Something under way to the old environment, and when it is cut. */
function begin({ underWay }: ReturnType<typeof world>) {
  const { promise: cut, resolve } = Promise.withResolvers<void>();
  let isCut = false;
  underWay.enter(routeTo('env_old'), () => {
    isCut = true;
    resolve();
  });
  return { cut, isCut: () => isCut };
}

it('ends what is under way for a name that was taken over also where the store says so late', async () => {
  const edge = world(routeTo('env_old'));
  const tunnel = begin(edge);
  edge.known = undefined;
  edge.announce();
  await setImmediate();
  expect(tunnel.isCut()).toBe(false);
  edge.known = routeTo('env_new');
  await tunnel.cut;
});

it('ends what begins by a route that has changed since it was found', async () => {
  await begin(world(routeTo('env_new'))).cut;
  await begin(world(null)).cut;
});

it('lets go on what leads where the name does', async () => {
  const edge = world(routeTo('env_old'));
  const tunnel = begin(edge);
  edge.announce();
  await setImmediate();
  expect(tunnel.isCut()).toBe(false);
});
