import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { Change } from '../../store/store.ts';
import type { CachedSite } from '../cache/site-cache.ts';
import { trackInFlight } from './abort-removed-names.ts';

const hostname = 'app.acme.com';
const siteOf = (domainId: string, environmentId = 'env_1'): CachedSite => ({
  hostname,
  domainId,
  environmentId,
  certificate: null,
  redirect: null,
  workspaceId: 'ws_1',
  suspendedStatus: null,
  usageNumber: 1,
  settings: null,
  recheckAt: 0,
});

/** `site`: what the cache has; undefined: it may have changed, and the store does not respond. */
function setUp(site: CachedSite | null | undefined) {
  const world = { site };
  const listeners: ((change: Change | null) => void)[] = [];
  const get = () => world.site;
  const load = async () => (world.site === undefined ? siteOf('dom_old') : world.site);
  const changes = { subscribe: (listener: (change: Change | null) => void) => void listeners.push(listener) };
  const inFlight = trackInFlight(changes, { cache: { load, get } }, 1);
  const announce = (change: Pick<Change, 'kind' | 'key'> = { kind: 'route', key: hostname }) =>
    listeners.forEach((listener) => void listener({ seq: 1, ...change }));
  return Object.assign(world, { inFlight, announce });
}

/** A request for the old domain. */
function startRequest({ inFlight }: ReturnType<typeof setUp>) {
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  let isAborted = false;
  inFlight.add(siteOf('dom_old'), () => {
    isAborted = true;
    resolve();
  });
  return { aborted, isAborted: () => isAborted };
}

it('aborts requests for a name that was taken over, also when the store responds late', async () => {
  const edge = setUp(siteOf('dom_old'));
  const request = startRequest(edge);
  edge.site = undefined;
  edge.announce();
  await setImmediate();
  expect(request.isAborted()).toBe(false);
  edge.site = siteOf('dom_new');
  await request.aborted;
});

it('aborts a request whose route changed after it was found', async () => {
  await startRequest(setUp(siteOf('dom_new'))).aborted;
  await startRequest(setUp(null)).aborted;
});

it('aborts no request for a domain that is served as before, or was moved to another environment', async () => {
  const edge = setUp(siteOf('dom_old'));
  const request = startRequest(edge);
  edge.announce();
  await setImmediate();
  edge.site = siteOf('dom_old', 'env_other');
  edge.announce();
  await setImmediate();
  expect(request.isAborted()).toBe(false);
});
