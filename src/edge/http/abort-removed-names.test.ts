import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Change } from '../../store/contract/store.ts';
import type { CachedSite } from '../routing/site-cache.ts';
import { trackInFlight } from './abort-removed-names.ts';

const hostname = 'app.acme.com';
const siteOf = (environmentId: string): CachedSite => ({
  hostname,
  domainId: 'dom_1',
  environmentId,
  certificate: null,
  redirect: null,
  recheckAt: 0,
});

/** `site`: what the cache has; undefined: it may have changed, and the store does not respond. */
function setUp(site: CachedSite | null | undefined) {
  const world = { site };
  const listeners: ((change: Change | null) => void)[] = [];
  const get = () => world.site;
  const load = async () => (world.site === undefined ? siteOf('env_old') : world.site);
  const changes = { subscribe: (listener: (change: Change | null) => void) => void listeners.push(listener) };
  const inFlight = trackInFlight(changes, { cache: { load, get } }, 1);
  const announce = () => listeners.forEach((listener) => void listener({ seq: 1, kind: 'route', key: hostname }));
  return Object.assign(world, { inFlight, announce });
}

/** A request to the old environment. */
function startRequest({ inFlight }: ReturnType<typeof setUp>) {
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  let isAborted = false;
  inFlight.add(siteOf('env_old'), () => {
    isAborted = true;
    resolve();
  });
  return { aborted, isAborted: () => isAborted };
}

it('aborts requests for a name that was taken over, also when the store responds late', async () => {
  const edge = setUp(siteOf('env_old'));
  const request = startRequest(edge);
  edge.site = undefined;
  edge.announce();
  await setImmediate();
  expect(request.isAborted()).toBe(false);
  edge.site = siteOf('env_new');
  await request.aborted;
});

it('aborts a request whose route changed after it was found', async () => {
  await startRequest(setUp(siteOf('env_new'))).aborted;
  await startRequest(setUp(null)).aborted;
});

it('aborts no request to the current environment', async () => {
  const edge = setUp(siteOf('env_old'));
  const request = startRequest(edge);
  edge.announce();
  await setImmediate();
  expect(request.isAborted()).toBe(false);
});
