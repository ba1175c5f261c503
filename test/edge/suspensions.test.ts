import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SuspensionStatus } from '../../server/src/domain/suspension.ts';
import { type Harness, overHttp, overHttp2, overHttps, type Site, startHarness } from './harness.ts';

const TOKEN = 'x'.repeat(43);

let edge: Harness;
beforeAll(async () => {
  edge = await startHarness();
});
afterAll(() => edge.close());

async function suspend({ domain }: Site, status: SuspensionStatus | null): Promise<void> {
  const { store, clock } = edge;
  if (status === null) await store.resumeDomain(domain.workspaceId, domain.id, clock.now());
  else await store.suspendDomain(domain.workspaceId, domain.id, status, clock.now());
  await edge.heard();
}

async function suspendWorkspace({ domain }: Site, status: SuspensionStatus | null): Promise<void> {
  const suspension = status && { status, suspendedAt: edge.clock.now() };
  await edge.store.setWorkspaceSuspension(domain.workspaceId, suspension);
  await edge.heard();
}

const ways = {
  'HTTP/1.1': (asking: { hostname: string; method?: string }) => overHttp({ port: edge.httpPort, ...asking }),
  'HTTP/1.1 over TLS': (asking: { hostname: string; method?: string }) =>
    overHttps({ port: edge.httpsPort, ...asking }),
  'HTTP/2': (asking: { hostname: string; method?: string }) => overHttp2({ port: edge.httpsPort, ...asking }),
};

describe.for(Object.entries(ways))('a suspended site over %s', ([, ask]) => {
  it('answers every method with a page of its status, and its origin gets nothing, until it is resumed', async () => {
    let asked = 0;
    const origin = await edge.addOrigin((_request, response) => {
      asked++;
      response.end('the site');
    });
    const site = await edge.addSite({ origin });
    const { hostname } = site;
    const before = await ask({ hostname });
    const askedBefore = asked;
    for (const [status, retryAfter] of [
      [503, '3600'],
      [451, undefined],
    ] as const) {
      await suspend(site, status);
      for (const method of ['GET', 'POST', 'DELETE']) {
        const { status: answered, headers, text } = await ask({ hostname, method });
        expect([answered, headers['retry-after'], headers['cache-control']]).toEqual([status, retryAfter, 'no-store']);
        expect(text).toContain(status === 451 ? 'legal reasons' : 'suspended');
      }
    }
    expect(asked).toBe(askedBefore);
    await suspend(site, null);
    expect(await ask({ hostname })).toMatchObject({ status: before.status, text: before.text });
  });

  it('is one of a workspace that is suspended, and no other', async () => {
    const [site, other] = [await edge.addSite(), await edge.addSite()];
    const sibling = await edge.addSite({ environment: site.environment });
    const statusOf = async ({ hostname }: Site) => (await ask({ hostname })).status;
    const before = [await statusOf(site), await statusOf(sibling), await statusOf(other)];
    await suspendWorkspace(site, 451);
    expect([await statusOf(site), await statusOf(sibling), await statusOf(other)]).toEqual([451, 451, before[2]]);
    await suspendWorkspace(site, null);
    expect([await statusOf(site), await statusOf(sibling), await statusOf(other)]).toEqual(before);
  });
});

it('a suspended site answers challenges of the CA, so that its certificate is renewed', async () => {
  const site = await edge.addSite();
  const { hostname } = site;
  const challenge = { hostname, token: TOKEN, keyAuthorization: `${TOKEN}.key`, expiresAt: edge.clock.now() + 60_000 };
  await edge.store.putChallenge(challenge);
  await suspend(site, 503);
  const path = `/.well-known/acme-challenge/${TOKEN}`;
  expect(await overHttp({ port: edge.httpPort, hostname, path })).toMatchObject({ status: 200, text: `${TOKEN}.key` });
});

it('a site that redirects shows its page too, and redirects again once it is resumed', async () => {
  const www = await edge.addSite();
  const apex = await edge.addSite({ environment: www.environment });
  const wanted = { domainId: www.domain.id, destinationId: apex.domain.id, status: 308 } as const;
  await edge.store.setRedirect(www.domain.workspaceId, wanted, edge.clock.now());
  await suspend(www, 503);
  const statusOf = async () => (await overHttps({ port: edge.httpsPort, hostname: www.hostname })).status;
  expect(await statusOf()).toBe(503);
  await suspend(www, null);
  expect(await statusOf()).toBe(308);
});
