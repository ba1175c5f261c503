import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { viaPseudonym } from '../../server/src/edge/http/via.ts';
import { type Harness, overHttp, overHttp2, overHttps, type Site, startHarness } from './harness.ts';

const INSTALLATION = 'self-check.cname.example.com';

let edge: Harness;
beforeAll(async () => {
  edge = await startHarness({ trustedProxies: ['127.0.0.1/32'], selfCheckName: INSTALLATION });
});
afterAll(() => edge.close());

describe('an origin that leads back to the edge', () => {
  let looping: Site;
  // As behind a proxy that terminates TLS: requests over HTTP are forwarded, also those of the edge itself.
  const ask = (headers: Record<string, string> = {}) =>
    overHttp({
      port: edge.httpPort,
      hostname: looping.hostname,
      headers: { 'x-forwarded-proto': 'https', ...headers },
    });
  beforeAll(async () => {
    looping = await edge.addSite({ origin: `http://127.0.0.1:${edge.httpPort}` });
  });

  it('is reached once: the request that comes back gets 508', async () => {
    const { status, headers, text } = await ask();
    expect([status, headers['proxy-status']]).toEqual([508, 'nameplate; error=proxy_loop_detected']);
    expect(text).toContain('leads back to itself');
    expect(await edge.metric('nameplate_edge_pages_total{page="origin_loop"}')).toBe(1);
    expect(edge.logged.some((line) => line.includes('an origin leads back to this edge'))).toBe(true);
  });

  it('gets 508 for a request to upgrade, too', async () => {
    expect((await ask({ connection: 'Upgrade', upgrade: 'websocket' })).status).toBe(508);
  });
});

describe('a request that has passed this installation', () => {
  const via = (installation: string, hostname: string) => ({
    via: `1.1 a, 2.0 ${viaPseudonym(installation, hostname)}`,
  });

  it('for the same name gets 508, over whatever it came back', async () => {
    const { hostname } = await edge.addSite();
    const headers = via(INSTALLATION, hostname);
    for (const [port, ask] of [
      [edge.httpPort, overHttp],
      [edge.httpsPort, overHttps],
      [edge.httpsPort, overHttp2],
    ] as const) {
      expect((await ask({ port, hostname, headers })).status).toBe(508);
    }
  });

  it('for another name is forwarded, as is one that has passed another installation; Via lists them all', async () => {
    const { hostname } = await edge.addSite();
    for (const headers of [via(INSTALLATION, 'blog.acme.com'), via('other.example.com', hostname)]) {
      const { status, text } = await overHttps({ port: edge.httpsPort, hostname, headers });
      expect(status).toBe(200);
      expect(JSON.parse(text).headers.via).toBe(`${headers.via}, 1.1 ${viaPseudonym(INSTALLATION, hostname)}`);
    }
  });
});
