import { expect, test, vi } from 'vitest';
import { overHttps } from '../edge/harness.ts';
import { closingAfterEach } from '../support/closing.ts';
import { accepts, portOf, startReloadable, threads } from './reloading.ts';

// Each with real processes, which reload several times: a process that has lost a listener hands over fewer sockets
// than it was given.

vi.setConfig({ testTimeout: 180_000 });
const closing = closingAfterEach();

const CHANGES: [what: string, change: Record<string, string>][] = [
  ['drops the role edge', { NAMEPLATE_ROLES: 'api,verifier' }],
  ['drops the role api', { NAMEPLATE_ROLES: 'verifier,edge' }],
  ['drops all that listens', { NAMEPLATE_ROLES: 'verifier', NAMEPLATE_METRICS_LISTEN: 'off' }],
  ['drops the HTTP listener of the edge', { NAMEPLATE_EDGE_HTTP_LISTEN: 'off' }],
  ['drops the HTTPS listener of the edge', { NAMEPLATE_EDGE_HTTPS_LISTEN: 'off' }],
  ['drops the metrics listener', { NAMEPLATE_METRICS_LISTEN: 'off' }],
  [
    'moves listeners to other addresses and ports',
    { NAMEPLATE_LISTEN: '127.0.0.2:0', NAMEPLATE_METRICS_LISTEN: '127.0.0.2:0' },
  ],
  ['starts fewer threads', threads(1)],
  ['starts more threads', threads(3)],
];

test.each(CHANGES)('a reload that %s can be followed by another, undone, and done again', async (_, change) => {
  const server = await startReloadable(closing, { env: threads(2) });
  for (const changes of [change, change, {}, {}, change, change, {}, {}])
    expect(await server.reload(changes)).toMatchObject({ code: 0, stderr: '' });
  const { api, edge } = (await server.ready(9))[8] ?? {};
  expect((await overHttps({ port: portOf(edge?.https), hostname: server.hostname, path: '/' })).status).toBe(200);
  expect((await fetch(`${api}/readyz`)).status).toBe(200);
});

test('the addresses of the edge are closed once a reload has dropped its role', async () => {
  const server = await startReloadable(closing);
  expect(await server.reload({ NAMEPLATE_ROLES: 'api,verifier' })).toMatchObject({ code: 0 });
  for (const port of [server.httpPort, server.httpsPort])
    while (await accepts(port)) await new Promise((resolve) => setTimeout(resolve, 10));
});

test('a listener may move to a wider address of its port, and back to a narrower one', async () => {
  const server = await startReloadable(closing, { env: threads(2) });
  const { hostname, httpPort, httpsPort } = server;
  const apiPort = portOf(server.api);
  for (const host of ['0.0.0.0', '[::]', '127.0.0.1', '0.0.0.0', '127.0.0.1', '[::]', '0.0.0.0']) {
    const moved = {
      NAMEPLATE_LISTEN: `${host}:${apiPort}`,
      NAMEPLATE_EDGE_HTTP_LISTEN: `${host}:${httpPort}`,
      NAMEPLATE_EDGE_HTTPS_LISTEN: `${host}:${httpsPort}`,
    };
    const { code, stderr } = await server.reload(moved);
    expect({ host, code, stderr }).toEqual({ host, code: 0, stderr: '' });
    const isWide = host !== '127.0.0.1';
    for (const port of [apiPort, httpPort, httpsPort]) {
      expect(await accepts(port)).toBe(true);
      // The process before may not have closed its own yet.
      while ((await accepts(port, '127.0.0.2')) !== isWide) await new Promise((resolve) => setTimeout(resolve, 10));
    }
    // The system resets connections in the queue of the former address when that is closed.
    const site = () => overHttps({ port: httpsPort, hostname, path: '/' }).then(({ status }) => status, String);
    const api = () => fetch(`http://127.0.0.1:${apiPort}/readyz`).then(({ status }) => status, String);
    await expect.poll(site, { timeout: 10_000 }).toBe(200);
    await expect.poll(api, { timeout: 10_000 }).toBe(200);
  }
});
