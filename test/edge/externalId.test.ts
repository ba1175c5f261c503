import type { IncomingHttpHeaders } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Harness, overHttp2, overHttps, type Site, startHarness } from './harness.ts';

let edge: Harness;
let seen: IncomingHttpHeaders = {};
let origin: string;
beforeAll(async () => {
  edge = await startHarness();
  origin = await edge.addOrigin(({ headers }, response) => {
    seen = headers;
    response.end();
  });
});
afterAll(() => edge.close());

const FORGED = {
  'nameplate-external-id': 'forged',
  nameplate_external_id: 'forged',
  'Nameplate-External_Id': 'forged',
  'nameplate.external.id': 'forged',
};

/** Returns the values that the origin gets; visitors send their own. */
async function idsAt({ hostname }: Site): Promise<unknown[]> {
  const found = new Set<unknown>();
  for (const ask of [overHttps, overHttp2]) {
    for (const headers of [{}, FORGED, { ...FORGED, connection: 'nameplate-external-id' }]) {
      if (ask === overHttp2 && 'connection' in headers) continue;
      expect(await ask({ port: edge.httpsPort, hostname, headers })).toMatchObject({ status: 200 });
      for (const [name, value] of Object.entries(seen)) if (value === 'forged') found.add(`${name} of the visitor`);
      found.add(seen['nameplate-external-id']);
    }
  }
  return [...found];
}

async function change({ domain, environment }: Site, externalId: string | null, sendExternalId?: boolean) {
  const { workspaceId } = domain;
  await edge.store.updateDomain(workspaceId, domain.id, { externalId }, edge.clock.now());
  if (sendExternalId !== undefined)
    await edge.store.updateOriginSettings(workspaceId, environment.id, { sendExternalId });
  await edge.heard();
}

describe('the external id of a domain', () => {
  it('reaches the origins of an environment that asks for it, and no others; a visitor can neither send nor remove it', async () => {
    const site = await edge.addSite({ origin });
    await change(site, 'customer_42');
    expect(await idsAt(site)).toEqual([undefined]);
    await change(site, 'customer_42', true);
    expect(await idsAt(site)).toEqual(['customer_42']);
    await edge.deploy(site.environment, origin);
    await edge.heard();
    expect(await idsAt(site)).toEqual(['customer_42']);
    const sibling = await edge.addSite({ origin, environment: site.environment });
    await change(sibling, null);
    expect(await idsAt(sibling)).toEqual([undefined]);
    await change(site, 'customer_43');
    expect(await idsAt(site)).toEqual(['customer_43']);
    await change(site, null);
    expect(await idsAt(site)).toEqual([undefined]);
    await change(site, 'customer_42', false);
    expect(await idsAt(site)).toEqual([undefined]);
  });

  it.for(['é😀', ' a b ', 'a\u2028b', '%0d%0a', 'x: y, z; "q"', 'x'.repeat(255), '日'.repeat(255)])(
    'arrives in ASCII and can be decoded: %s',
    async (externalId) => {
      const site = await edge.addSite({ origin });
      await change(site, externalId, true);
      const [sent, ...others] = await idsAt(site);
      expect(others).toEqual([]);
      expect(sent).toMatch(/^[\x21-\x7e]+$/);
      expect(decodeURIComponent(String(sent))).toBe(externalId);
    },
  );
});
