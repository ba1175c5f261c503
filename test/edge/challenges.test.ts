import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Harness, overHttp, overHttps, startHarness } from './harness.ts';

let edge: Harness;
let origin: string;
const forwarded: string[] = [];
beforeAll(async () => {
  edge = await startHarness({ limits: { unknownPerMinute: 40 }, selfCheckName: 'doctor.cname.example.net' });
  origin = await edge.addOrigin(({ url }, response) => {
    forwarded.push(url ?? '');
    response.end('the origin');
  });
});
afterAll(() => edge.close());

const TOKEN = 'x'.repeat(43);
const path = `/.well-known/acme-challenge/${TOKEN}`;

async function addChallenge(hostname: string, expiresAt = edge.clock.now() + 60_000): Promise<void> {
  await edge.store.putChallenge({ hostname, token: TOKEN, keyAuthorization: `${TOKEN}.key`, expiresAt });
}

describe('a challenge', () => {
  it('is found at its own name, before there is a certificate or a deployment, and over HTTPS too', async () => {
    const bare = await edge.addSite({ certified: false, origin: null });
    const whole = await edge.addSite({ origin });
    await addChallenge(bare.hostname);
    await addChallenge(whole.hostname);
    const answer = await overHttp({ port: edge.httpPort, hostname: bare.hostname, path });
    expect([answer.status, answer.text]).toEqual([200, `${TOKEN}.key`]);
    expect(answer.headers).toMatchObject({ 'content-type': 'application/octet-stream', 'cache-control': 'no-store' });
    expect((await overHttps({ port: edge.httpsPort, hostname: whole.hostname, path })).text).toBe(`${TOKEN}.key`);
  });

  it('is found as soon as it is set, even if it was requested before', async () => {
    const { hostname } = await edge.addSite({ certified: false });
    expect((await overHttp({ port: edge.httpPort, hostname, path })).status).toBe(404);
    await addChallenge(hostname);
    expect((await overHttp({ port: edge.httpPort, hostname, path })).status).toBe(200);
  });

  it("is found at the operator's own name, which is no site, and at no other such name", async () => {
    for (const [hostname, status] of [
      ['doctor.cname.example.net', 200],
      ['nobody.cname.example.net', 404],
    ] as const) {
      await addChallenge(hostname);
      expect(await overHttp({ port: edge.httpPort, hostname, path })).toMatchObject({ status });
    }
  });

  it('is not found at another name, nor after it has expired', async () => {
    const [one, other, late] = [
      await edge.addSite({ origin }),
      await edge.addSite({ origin }),
      await edge.addSite({ origin }),
    ];
    await addChallenge(one.hostname);
    await addChallenge(late.hostname, edge.clock.now() - 1);
    for (const { hostname } of [other, late]) {
      expect((await overHttp({ port: edge.httpPort, hostname, path })).status).toBe(404);
    }
  });
});

describe('a path of challenges', () => {
  it.each([
    '/.well-known/acme-challenge/',
    '/.well-known/acme-challenge/short',
    `/.well-known/acme-challenge/${TOKEN}/`,
    `/.well-known/acme-challenge/${TOKEN}?a`,
    `/.well-known/acme-challenge/../${TOKEN}`,
    '/.well-known/acme-challenge/%2e%2e/%2e%2e/etc/passwd-or-so',
    path,
  ])('is never forwarded, in clear or over HTTPS: %s', async (asked) => {
    const { hostname } = await edge.addSite({ origin });
    expect((await overHttp({ port: edge.httpPort, hostname, path: asked })).status).toBe(404);
    expect((await overHttps({ port: edge.httpsPort, hostname, path: asked })).status).toBe(404);
    expect(forwarded).toEqual([]);
  });

  it('reads nothing from the store for a cached unknown name, nor for an invalid token', async () => {
    const hostname = 'nobody.example.com';
    expect((await overHttp({ port: edge.httpPort, hostname, path })).status).toBe(404);
    const lookups = async () => [
      await edge.metric('nameplate_edge_lookups_total{kind="site"}'),
      await edge.metric('nameplate_edge_lookups_total{kind="challenge"}'),
    ];
    const before = await lookups();
    for (let i = 0; i < 10; i += 1) await overHttp({ port: edge.httpPort, hostname, path });
    await overHttp({
      port: edge.httpPort,
      hostname: 'a.nobody.example.com',
      path: '/.well-known/acme-challenge/short',
    });
    expect(await lookups()).toEqual(before);
  });
});

describe('a flood of invented tokens', () => {
  it.each(['a site', "the operator's own name"])('is limited per minute at %s, and then gets 503', async (at) => {
    const hostname = at === 'a site' ? (await edge.addSite({ origin })).hostname : 'doctor.cname.example.net';
    const statuses: number[] = [];
    const before = await edge.metric('nameplate_edge_lookups_total{kind="challenge"}');
    for (let i = 0; i < 60; i += 1) {
      const token = String(i).padStart(43, 'y');
      const asked = { port: edge.httpPort, hostname, path: `/.well-known/acme-challenge/${token}` };
      statuses.push((await overHttp(asked)).status);
    }
    expect(statuses.at(-1)).toBe(503);
    expect((await edge.metric('nameplate_edge_lookups_total{kind="challenge"}')) - before).toBeLessThanOrEqual(40);
    // The next minute.
    edge.clock.advance(60_000);
    await addChallenge(hostname);
    expect((await overHttp({ port: edge.httpPort, hostname, path })).status).toBe(200);
  });
});
