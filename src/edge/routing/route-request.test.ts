import { describe, expect, it } from 'vitest';
import type { Site } from '../../store/contract/store.ts';
import { createRequestRouter } from './route-request.ts';
import type { SiteLookup } from './site-cache.ts';

const certificate = { chain: 'chain', privateKey: new Uint8Array(1), notAfter: 1, inherited: false };
const redirect = { hostname: 'acme.com', domainId: 'dom_acme', status: 308 } as const;
const origin = { deploymentId: 'dep_1', origin: 'http://origin.example' };

function siteOf(hostname: string, about: Partial<Site> = {}): SiteLookup {
  const site = { hostname, domainId: `dom_${hostname}`, environmentId: 'env_1', certificate, redirect: null };
  return { kind: 'site', site: { ...site, recheckAt: null, ...about } };
}

/** Asks for `www.acme.com` over TLS, where so much is known of `acme.com`. */
async function ask(www: SiteLookup, acme: SiteLookup, { servesHttps = true, path = '/a?b' } = {}) {
  const lookups: string[] = [];
  const sites: Record<string, SiteLookup> = { 'www.acme.com': www, 'acme.com': acme };
  const route = createRequestRouter({
    api: null,
    sites: {
      async find(hostname) {
        lookups.push(hostname);
        return sites[hostname] ?? { kind: 'unknown' };
      },
      findOrigin: async () => origin,
    },
    challenges: { find: async () => null },
    isTrusted: () => false,
    installation: 'nameplate-00000000',
    httpsPort: 443,
    servesHttps,
  });
  const client = {
    serverName: 'www.acme.com',
    tlsVersion: 'TLSv1.3',
    address: '192.0.2.1',
    isProxy: false,
    idleSince: null,
    bytesRead: () => 0,
    begin() {},
    end() {},
    destroy() {},
    onClose() {},
  };
  const rawHeaders = ['Host', 'www.acme.com'];
  const request = { httpVersionMajor: 1, method: 'GET', url: path, rawHeaders, headers: { host: 'www.acme.com' } };
  const decision = await route(client, request as never, 'req_1');
  return { decision, lookups };
}

const www = siteOf('www.acme.com', { redirect });
const redirects = {
  kind: 'redirect',
  status: 308,
  headers: { location: 'https://acme.com/a?b', 'cache-control': 'no-cache' },
};

describe('a name that redirects', () => {
  it('leads to its destination while that is the domain that it was set to', async () => {
    expect((await ask(www, siteOf('acme.com', { domainId: 'dom_acme' }))).decision).toEqual(redirects);
  });

  it('is served by its own origin once the destination is gone or is another domain, even if only the destination was announced', async () => {
    for (const acme of [{ kind: 'unknown' } as const, siteOf('acme.com', { domainId: 'dom_of_somebody_else' })])
      expect((await ask(www, acme)).decision).toMatchObject({ kind: 'proxy', routing: { hostname: 'www.acme.com' } });
  });

  it('is redirected as it is cached while nothing can be learnt of the destination', async () => {
    for (const kind of ['unavailable', 'refused'] as const)
      expect((await ask(www, { kind })).decision).toEqual(redirects);
  });

  it('waits for the certificate of the destination, unless HTTPS is served by a proxy in front', async () => {
    const page = (name: string) => ({ kind: 'page', page: name, hostname: 'acme.com' });
    const about = { domainId: 'dom_acme' };
    const uncertified = siteOf('acme.com', { ...about, certificate: null });
    expect((await ask(www, uncertified)).decision).toEqual(page('not_certified'));
    expect((await ask(www, uncertified, { servesHttps: false })).decision).toEqual(redirects);
    const unreadable = siteOf('acme.com', { ...about, certificate: new Error('sealed') });
    expect((await ask(www, unreadable)).decision).toEqual(page('unavailable'));
  });
});

it('a name that does not redirect costs one look-up, as before', async () => {
  const { decision, lookups } = await ask(siteOf('www.acme.com'), siteOf('acme.com'));
  expect(decision).toMatchObject({ kind: 'proxy' });
  expect(lookups).toEqual(['www.acme.com']);
});
