import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Harness, handshake, overHttp, overHttp2, overHttps, startHarness } from './harness.ts';

let edge: Harness;
beforeAll(async () => {
  edge = await startHarness();
});
afterAll(() => edge.close());

/** The store goes away, and comes back after the test. */
async function whileAway(test: () => Promise<void>, state: 'away' | 'hanging' = 'away'): Promise<void> {
  edge.setStore(state);
  try {
    await test();
  } finally {
    edge.setStore('there');
    edge.clock.advance(2000);
    await edge.heard();
  }
}

const lookups = async () =>
  (
    await Promise.all(
      ['site', 'origin', 'challenge'].map((kind) => edge.metric(`nameplate_edge_lookups_total{kind="${kind}"}`)),
    )
  ).reduce((sum, count) => sum + count, 0);

describe('while the store is down for ten minutes', () => {
  it('cached names keep being served, with new handshakes, without reads of the store', async () => {
    const { hostname } = await edge.addSite();
    const port = edge.httpsPort;
    await edge.heard();
    await overHttps({ port, hostname });
    const before = await lookups();
    await whileAway(async () => {
      for (let minute = 0; minute < 10; minute += 1) {
        await edge.heard();
        for (const ask of [overHttps, overHttp2]) expect((await ask({ port, hostname })).status).toBe(200);
        expect((await overHttp({ port: edge.httpPort, hostname })).status).toBe(308);
        edge.clock.advance(60_000);
      }
      expect(await lookups()).toBe(before);
    });
  });

  it('stale names keep being served as they were', async () => {
    const { hostname, environment } = await edge.addSite();
    await overHttps({ port: edge.httpsPort, hostname });
    await edge.deploy(environment, await edge.addOrigin((_, response) => response.end('next')));
    await edge.heard();
    await whileAway(async () => {
      const answer = await overHttps({ port: edge.httpsPort, hostname });
      expect([answer.status, answer.text]).toEqual([200, expect.stringContaining(hostname)]);
    });
    expect((await overHttps({ port: edge.httpsPort, hostname })).text).toBe('next');
  });

  it('other names get 503, at the cost of one read per second in total', async () => {
    const { hostname } = await edge.addSite();
    const before = await lookups();
    await whileAway(async () => {
      for (let i = 0; i < 20; i += 1) {
        const answer = await overHttp({ port: edge.httpPort, hostname: i === 0 ? hostname : `${i}.example.com` });
        expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5']);
        await expect(handshake(edge.httpsPort, { servername: hostname })).rejects.toThrow(/internal error/i);
      }
      expect(await lookups()).toBe(before + 1);
    });
    expect((await overHttps({ port: edge.httpsPort, hostname })).status).toBe(200);
  });

  it('it is logged once, not for each name', async () => {
    edge.logged.length = 0;
    edge.clock.advance(20_000);
    await whileAway(async () => {
      for (let i = 0; i < 5; i += 1) {
        await overHttp({ port: edge.httpPort, hostname: `said${i}.example.com` });
        edge.clock.advance(1000);
      }
    });
    const said = edge.logged.filter((line) => line.includes('could not be read from the store'));
    expect(said).toHaveLength(1);
  });
});

describe('while the store hangs', () => {
  it('only the first request for a cached name waits', async () => {
    const { hostname, environment } = await edge.addSite();
    await overHttps({ port: edge.httpsPort, hostname });
    await edge.deploy(environment, await edge.addOrigin((_, response) => response.end('next')));
    await edge.heard();
    await whileAway(async () => {
      for (let i = 0; i < 5; i += 1) {
        expect((await overHttps({ port: edge.httpsPort, hostname })).text).toContain(hostname);
      }
    }, 'hanging');
  });
});
