import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/edge/edge-limits.ts';
import { restartDelayMs, startThread } from '../../src/edge/threads/threads.ts';
import { createLog } from '../../src/log.ts';
import type { Change } from '../../src/store/contract/store.ts';
import { type Harness, handshake, overHttp, overHttp2, overHttps, startHarness } from './harness.ts';
import type { Closing } from './proxy-server.ts';
import { openRaw } from './raw.ts';

const THREADS = 3;

let edge: Harness;
beforeAll(async () => {
  edge = await startHarness({ threads: THREADS });
});
afterAll(() => edge.close());

/** Asks until the answer is this, as often in a row as makes it unlikely that a thread was left out. */
async function settlesOn(ask: () => Promise<unknown>, wanted: unknown): Promise<void> {
  for (let inARow = 0; inARow < 8 * THREADS; ) inARow = (await ask()) === wanted ? inARow + 1 : 0;
}

describe('several threads on one port', () => {
  it('all serve a site, its next deployment, and nothing once it is deleted', async () => {
    const { hostname, environment, domain } = await edge.addSite();
    const status = async () => (await overHttp({ port: edge.httpPort, hostname })).status;
    await settlesOn(status, 308);
    for (const ask of [overHttps, overHttp2]) expect((await ask({ port: edge.httpsPort, hostname })).status).toBe(200);
    await edge.deploy(environment, await edge.addOrigin((_, response) => response.end('next')));
    await settlesOn(async () => (await overHttps({ port: edge.httpsPort, hostname })).text, 'next');
    await edge.store.deleteDomain(domain.workspaceId, domain.id, Date.now());
    await settlesOn(status, 404);
  });

  it('find challenges, which are read from the store each time', async () => {
    const { hostname } = await edge.addSite({ certified: false });
    const token = 't'.repeat(43);
    await edge.store.putChallenge({ hostname, token, keyAuthorization: 'answer', expiresAt: Date.now() + 60_000 });
    const path = `/.well-known/acme-challenge/${token}`;
    expect((await overHttp({ port: edge.httpPort, hostname, path })).text).toBe('answer');
  });

  it('resume sessions that another thread has started', async () => {
    const { hostname: servername } = await edge.addSite();
    const first = await handshake(edge.httpsPort, { servername, maxVersion: 'TLSv1.2' });
    const session = first.getSession();
    first.destroy();
    for (let i = 0; i < 8 * THREADS; i += 1) {
      const socket = await handshake(edge.httpsPort, { servername, maxVersion: 'TLSv1.2', session });
      expect(socket.isSessionReused()).toBe(true);
      socket.destroy();
    }
  });

  it('add up their metrics', async () => {
    // Nothing else here uses HTTP/1.0.
    const requests = () => edge.metric('nameplate_edge_requests_total{protocol="http/1.0",status="4xx"}');
    const closing: Closing = [];
    for (let i = 0; i < 8 * THREADS; i += 1) {
      const raw = await openRaw(closing, edge.httpPort);
      await raw.send('GET / HTTP/1.0\r\nHost: nobody.example.com\r\n\r\n').closed();
    }
    for (const close of closing) close();
    while ((await requests()) < 8 * THREADS) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await requests()).toBe(8 * THREADS);
    expect(await edge.metric('nameplate_edge_request_seconds_count')).toBeGreaterThanOrEqual(8 * THREADS);
  });

  it('serve from their caches while the store is down, and log through the process', async () => {
    const { hostname } = await edge.addSite();
    const status = async () => (await overHttps({ port: edge.httpsPort, hostname })).status;
    await settlesOn(status, 200);
    edge.setStore('away');
    try {
      for (let i = 0; i < 2 * THREADS; i += 1) expect(await status()).toBe(200);
      expect((await overHttp({ port: edge.httpPort, hostname: 'unseen.example.com' })).status).toBe(503);
    } finally {
      edge.setStore('there');
    }
    expect(edge.logged.join('')).toContain('the site could not be read from the store');
  });
});

describe('an edge that cannot listen', () => {
  it.each([1, 2])('rejects with the error of the system, with %i threads', async (threads) => {
    // Also where the other program would share the port.
    const taken = edge.httpsPort;
    const starting = startHarness({ threads, https: { host: '127.0.0.1', port: taken } });
    await expect(starting).rejects.toMatchObject({ code: 'EADDRINUSE', port: taken });
  });
});

describe('a thread that dies', () => {
  it('is replaced, logged and counted, and its counters stay; a thread that is stopped is not replaced', async () => {
    const lines: string[] = [];
    const log = createLog('info', { write: (line: string) => void lines.push(line) });
    const listeners: ((change: Change | null) => void)[] = [];
    let deaths = 0;
    let starts = 0;
    const startedTimes = async (count: number) => {
      while (starts < count) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    const nothing = async () => null;
    const thread = await startThread(
      {
        settings: {
          http: null,
          https: null,
          httpsPort: 443,
          allowedNetworks: [],
          trustedProxies: [],
          limits: LIMITS,
          tlsContexts: 1,
        },
        ticketSecret: new Uint8Array(32),
      },
      {
        store: { findSite: nothing, findOrigin: nothing, findChallenge: nothing },
        changes: { subscribe: (listener) => void listeners.push(listener) },
        lookUp: async () => [],
        log,
        warn: () => {
          starts += 1;
        },
        metrics: {
          threadDeath: () => {
            deaths += 1;
          },
        },
      },
      new URL('./dying-thread.ts', import.meta.url),
    );
    const value = async (name: string, labels: object) => {
      const metric = (await thread.snapshot()).find((one) => one.name === name);
      return metric?.values.find((one) => isDeepStrictEqual({ ...one.labels }, labels))?.value;
    };
    const requests = () => value('nameplate_edge_requests_total', { protocol: 'h2', status: '2xx' });
    const connections = () => value('nameplate_edge_open', { what: 'connections' });
    await startedTimes(1);
    expect([await requests(), await connections()]).toEqual([3, 7]);
    for (const listener of listeners) listener(null);
    while (deaths === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect([await requests(), await connections()]).toEqual([3, undefined]);
    await startedTimes(2);
    expect([await requests(), await connections()]).toEqual([6, 7]);
    expect(lines).toEqual([expect.stringContaining('an edge thread crashed')]);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ restartInSeconds: 1, err: { message: 'died of a change' } });
    await thread.stop(0);
    expect([starts, deaths, lines.length]).toEqual([2, 1, 1]);
  });

  it('is replaced after a second, later each time that it dies again within ten seconds, after ten seconds at most', () => {
    const delays: number[] = [];
    for (let i = 0; i < 8; i += 1) delays.push(restartDelayMs(i === 6 ? 10_000 : 10, delays.at(-1) ?? 0));
    expect(delays).toEqual([1000, 2000, 4000, 8000, 10_000, 10_000, 1000, 2000]);
  });
});
