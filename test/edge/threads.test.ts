import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Harness, overHttp, overHttp2, overHttps, startHarness } from './harness.ts';

let edge: Harness;
beforeAll(async () => {
  edge = await startHarness({ threads: 3 });
});
afterAll(() => edge.close());

describe('several threads on one port', () => {
  it('all serve what is there, and what is deployed next', async () => {
    const { hostname, environment } = await edge.addSite();
    for (let i = 0; i < 12; i += 1) {
      const ask = i % 2 === 0 ? overHttps : overHttp2;
      expect((await ask({ port: edge.httpsPort, hostname })).status).toBe(200);
      expect((await overHttp({ port: edge.httpPort, hostname })).status).toBe(308);
    }
    await edge.deploy(environment, await edge.addOrigin((_, response) => response.end('next')));
    await edge.heard();
    for (let i = 0; i < 12; i += 1) {
      expect((await overHttps({ port: edge.httpsPort, hostname })).text).toBe('next');
    }
  });
});
