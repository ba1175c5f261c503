import { afterEach, describe, expect, it } from 'vitest';
import { type Harness, type HarnessOptions, startApi } from '../support/api-harness.ts';

/** Requests that the edge of the process forwards, under the API's own name. */

const SECRET = 'a secret of the process';
const edge = { secret: SECRET, networks: ['127.0.0.0/8'] };

const running: Harness[] = [];
async function start(options: HarnessOptions = {}): Promise<Harness> {
  const api = await startApi({ ...options, settings: { edge, ...options.settings } });
  running.push(api);
  return api;
}
afterEach(() => Promise.all(running.splice(0).map((api) => api.close())));

const forwarded = (api: Harness, address: string, { key = 'nonsense', secret = SECRET } = {}) =>
  api.call('projects.listProjects', {}, { key, headers: { 'x-forwarded-by-edge': secret, 'x-real-ip': address } });

describe('a request that the edge forwards', () => {
  it('counts for its client: one with too many failures is refused, another is not, nor is loopback', async () => {
    const api = await start();
    await api.changes.stop();
    for (let i = 0; i < 300; i += 1) expect(await forwarded(api, '192.0.2.1')).toMatchObject({ status: 401 });
    expect(await forwarded(api, '192.0.2.1')).toMatchObject({ status: 429 });
    expect(await forwarded(api, '192.0.2.2')).toMatchObject({ status: 401 });
    expect(await api.call('projects.listProjects', {}, { key: 'nonsense' })).toMatchObject({ status: 401 });
  });

  it('is believed only with its secret: any other sender that names a client is counted itself', async () => {
    const api = await start();
    for (let i = 0; i < 300; i += 1) await forwarded(api, `192.0.2.${i % 250}`, { secret: 'a secret of somebody' });
    expect(await forwarded(api, '198.51.100.7', { secret: '' })).toMatchObject({ status: 429 });
    expect(await forwarded(api, '198.51.100.7')).toMatchObject({ status: 401 });
  });

  it('is refused while its client has too many in flight, and no longer once they have ended', async () => {
    let entered = 0;
    const { promise: bothEntered, resolve: haveEntered } = Promise.withResolvers<void>();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const api = await start({
      limits: { connectionsPerAddress: 2 },
      wrap: (store) => ({
        ...store,
        async listProjects(...args) {
          entered += 1;
          if (entered === 2) haveEntered();
          await released;
          return store.listProjects(...args);
        },
      }),
    });
    const key = api.rootKey;
    const held = [forwarded(api, '192.0.2.1', { key }), forwarded(api, '192.0.2.1', { key })];
    await bothEntered;
    expect(await forwarded(api, '192.0.2.1')).toMatchObject({ status: 429 });
    expect(await forwarded(api, '192.0.2.2')).toMatchObject({ status: 401 });
    release();
    for (const answer of await Promise.all(held)) expect(answer.status).toBe(200);
    expect(await forwarded(api, '192.0.2.1')).toMatchObject({ status: 401 });
  });
});
