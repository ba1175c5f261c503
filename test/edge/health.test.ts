import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Harness, overHttps, startHarness } from './harness.ts';

const health = { host: '127.0.0.1', port: 0 };

let edge: Harness;
beforeAll(async () => {
  edge = await startHarness({ health });
});
afterAll(() => edge.close());

async function ask({ edge: { health: url } }: Harness, path: string, method = 'GET') {
  const response = await fetch(url + path, { method });
  return { status: response.status, body: await response.text() };
}

const ready = { status: 200, body: '{"status":"ready"}\n' };

describe('the health endpoint of the edge', () => {
  it('responds that it runs and that it is ready', async () => {
    expect(await ask(edge, '/healthz')).toEqual({ status: 200, body: '{"status":"ok"}\n' });
    for (const path of ['/readyz', '/readyz?verbose']) expect(await ask(edge, path)).toEqual(ready);
    expect(await ask(edge, '/readyz', 'HEAD')).toEqual({ status: 200, body: '' });
  });

  it('does not depend on the store, as cached names do not', async () => {
    const { hostname } = await edge.addSite();
    const status = async () => (await overHttps({ port: edge.httpsPort, hostname })).status;
    expect(await status()).toBe(200);
    for (const state of ['away', 'hanging'] as const) {
      edge.setStore(state);
      try {
        expect([await ask(edge, '/readyz'), await status()]).toEqual([ready, 200]);
      } finally {
        edge.setStore('there');
      }
    }
  });

  it('serves nothing else', async () => {
    for (const path of ['/', '/metrics', '/readyz/', '/.well-known/acme-challenge/x'])
      expect((await ask(edge, path)).status).toBe(404);
    expect((await ask(edge, '/readyz', 'POST')).status).toBe(405);
  });

  it('keeps no connection open', async () => {
    const socket = connect(Number(new URL(edge.edge.health ?? '').port), '127.0.0.1');
    socket.write('GET /readyz HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await once(socket.resume(), 'close');
  });
});

it('a load balancer may send the PROXY header in its health checks, and need not', async () => {
  const behind = await startHarness({ health, proxyProtocol: ['127.0.0.1/32'] });
  try {
    expect(await ask(behind, '/readyz')).toEqual(ready);
    const socket = connect(Number(new URL(behind.edge.health ?? '').port), '127.0.0.1');
    socket.write('PROXY UNKNOWN\r\nGET /readyz HTTP/1.0\r\n\r\n');
    expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1\.1 200 /);
    socket.destroy();
  } finally {
    await behind.close();
  }
});

it.each([0, 2])('an edge that stops, with %i threads, is not ready while requests in flight end', async (threads) => {
  const stopping = await startHarness({ health, threads, graceMs: 60_000 });
  try {
    const { promise: begun, resolve: begin } = Promise.withResolvers<() => void>();
    const origin = await stopping.addOrigin((_, response) => begin(() => response.end('late')));
    const { hostname } = await stopping.addSite({ origin });
    expect(await ask(stopping, '/readyz')).toEqual(ready);
    const asking = overHttps({ port: stopping.httpsPort, hostname });
    const end = await begun;
    const stopped = stopping.edge.stop();
    // Each thread that has nothing in flight has ended; the other one says that it is stopping.
    const draining = async () => {
      const { status, body } = await ask(stopping, '/readyz').catch(() => ({ status: 0, body: '' }));
      return status === 503 && body.includes('stopping');
    };
    while (!(await draining()));
    expect(await ask(stopping, '/healthz')).toMatchObject({ status: 200 });
    end();
    expect(await asking).toMatchObject({ status: 200, text: 'late' });
    await stopped;
    await expect(ask(stopping, '/readyz')).rejects.toThrow('fetch failed');
  } finally {
    await stopping.close();
  }
});

it('an edge whose health endpoint cannot listen does not start', async () => {
  const taken = Number(new URL(edge.edge.health ?? '').port);
  const starting = startHarness({ health: { host: '127.0.0.1', port: taken } });
  await expect(starting).rejects.toMatchObject({ code: 'EADDRINUSE', port: taken });
});
