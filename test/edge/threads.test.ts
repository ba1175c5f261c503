import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIMITS } from '../../src/edge/edge-limits.ts';
import { tallyMemory } from '../../src/edge/shared-counters.ts';
import { startThread } from '../../src/edge/threads/threads.ts';
import { createLog } from '../../src/log.ts';
import type { Change } from '../../src/store/contract/store.ts';
import { type Harness, handshake, overHttp, overHttp2, overHttps, startHarness } from './harness.ts';

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
  it('all serve what is there, and what is deployed next, and nothing that is deleted', async () => {
    const { hostname, environment, domain } = await edge.addSite();
    const status = async () => (await overHttp({ port: edge.httpPort, hostname })).status;
    await settlesOn(status, 308);
    for (const ask of [overHttps, overHttp2]) expect((await ask({ port: edge.httpsPort, hostname })).status).toBe(200);
    await edge.deploy(environment, await edge.addOrigin((_, response) => response.end('next')));
    await settlesOn(async () => (await overHttps({ port: edge.httpsPort, hostname })).text, 'next');
    await edge.store.deleteDomain(domain.workspaceId, domain.id, Date.now());
    await settlesOn(status, 404);
  });

  it('answer challenges, of which the store is asked each time', async () => {
    const { hostname } = await edge.addSite({ certified: false });
    const token = 't'.repeat(43);
    await edge.store.putChallenge({ hostname, token, keyAuthorization: 'answer', expiresAt: Date.now() + 60_000 });
    const path = `/.well-known/acme-challenge/${token}`;
    expect((await overHttp({ port: edge.httpPort, hostname, path })).text).toBe('answer');
  });

  it('resume the sessions that any of them has begun', async () => {
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

  it('count together', async () => {
    const requests = () => edge.metric('nameplate_edge_requests_total{protocol="http/1.1",status="4xx"}');
    const seconds = () => edge.metric('nameplate_edge_request_seconds_count');
    const before = [await requests(), await seconds()];
    for (let i = 0; i < 8 * THREADS; i += 1) await overHttp({ port: edge.httpPort, hostname: 'nobody.example.com' });
    const wanted = before.map((count) => count + 8 * THREADS);
    // An answer is counted once it has been sent, which the client may be quicker to notice.
    while ((await seconds()) < (wanted[1] ?? 0)) await new Promise((resolve) => setTimeout(resolve, 5));
    expect([await requests(), await seconds()]).toEqual(wanted);
  });

  it('go on with what they know while the store is away, and say so in the log of the process', async () => {
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
    expect(edge.logged.join('')).toContain('the route could not be read from the store');
  });
});

describe('an edge that cannot listen', () => {
  it.each([1, 2])('says so with the reason of the system, with %i threads', async (threads) => {
    // Also where the other program would share the port.
    const taken = edge.httpsPort;
    const starting = startHarness({ threads, https: { host: '127.0.0.1', port: taken } });
    await expect(starting).rejects.toMatchObject({ code: 'EADDRINUSE', port: taken });
  });
});

describe('a thread that dies', () => {
  it('is replaced, and says so; a thread that is stopped is not', async () => {
    const lines: string[] = [];
    const log = createLog('info', { write: (line: string) => void lines.push(line) });
    const forgetting: ((change: Change | null) => void)[] = [];
    let begun = 0;
    const report = () => {
      begun += 1;
    };
    const begunTimes = async (count: number) => {
      while (begun < count) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    const nobody = async () => null;
    const thread = await startThread(
      {
        settings: {
          http: null,
          https: null,
          httpsPort: 443,
          trustedProxies: [],
          limits: LIMITS,
          tlsContexts: 1,
          names: 1,
        },
        allowedNetworks: [],
        tally: tallyMemory(),
        ticketSecret: new Uint8Array(32),
      },
      {
        store: { findRoute: nobody, findOrigin: nobody, findServedCertificate: nobody, findChallenge: nobody },
        changes: { subscribe: (forget) => void forgetting.push(forget) },
        lookUp: async () => [],
        log,
        report,
      },
      new URL('./mortal.ts', import.meta.url),
    );
    await begunTimes(1);
    for (const forget of forgetting) forget(null);
    await begunTimes(2);
    expect(lines).toEqual([expect.stringContaining('a thread of the edge has died')]);
    expect(lines[0]).toContain('died of a change');
    await thread.stop(0);
    expect([begun, lines.length]).toEqual([2, 1]);
  });
});
