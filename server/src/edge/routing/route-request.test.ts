import { describe, expect, it } from 'vitest';
import type { Site } from '../../store/store.ts';
import type { SiteLookup } from '../cache/site-cache.ts';
import { createRequestRouter } from './route-request.ts';

const certificate = { chain: 'chain', privateKey: new Uint8Array(1), notAfter: 1, inherited: false };
const redirect = { hostname: 'acme.com', domainId: 'dom_acme', status: 308 } as const;
const origin = { deployment: { id: 'dep_1', origin: 'http://origin.example' }, settings: null };

function siteOf(hostname: string, about: Partial<Site> = {}): SiteLookup {
  const ids = { workspaceId: 'ws_1', domainId: `dom_${hostname}`, environmentId: 'env_1', usageNumber: 1 };
  const site = { hostname, ...ids, certificate, redirect: null, suspendedStatus: null, settings: null };
  return { kind: 'site', site: { ...site, recheckAt: null, ...about } };
}

/** Asks for `www.acme.com` over TLS. The arguments say which facts about `acme.com` are known. */
function ask(www: SiteLookup, acme: SiteLookup, { servesHttps = true, path = '/a?b' } = {}) {
  return routed({ 'www.acme.com': www, 'acme.com': acme }, { servesHttps, path });
}

interface Asked {
  api?: Parameters<typeof createRequestRouter>[0]['api'];
  servesHttps?: boolean;
  serverName?: string | null;
  /** Fields of the request. */
  rawHeaders?: string[];
  path?: string;
}

/** Asks for `www.acme.com` over TLS unless told otherwise, where these facts are known. */
async function routed(sites: Record<string, SiteLookup>, about: Asked) {
  const { api = null, servesHttps = true, serverName = 'www.acme.com', path = '/' } = about;
  const { rawHeaders = ['Host', 'www.acme.com'] } = about;
  const lookups: string[] = [];
  const route = createRequestRouter({
    api,
    sites: {
      async find(hostname) {
        lookups.push(hostname);
        return sites[hostname] ?? { kind: 'unknown' };
      },
      findOrigin: async () => origin,
      findBrand: async () => null,
    },
    challenges: { find: async () => null },
    clock: { now: () => 0 },
    warn() {},
    isTrusted: () => false,
    installation: 'nameplate-00000000',
    httpsPort: 443,
    servesHttps,
  });
  const client = {
    serverName,
    siteName: serverName,
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
  const httpVersionMajor = rawHeaders[0] === ':authority' ? 2 : 1;
  const request = { httpVersionMajor, method: 'GET', url: path, rawHeaders, headers: {} };
  const decision = await route(client, request as never, 'req_1');
  return { decision, lookups };
}

const www = siteOf('www.acme.com', { redirect });
const redirects = {
  kind: 'redirect',
  usageNumber: 1,
  status: 308,
  headers: { location: 'https://acme.com/a?b', 'cache-control': 'no-cache' },
};

describe('a name that redirects', () => {
  it('is redirected as it is cached while nothing can be learnt of the destination', async () => {
    for (const kind of ['unavailable', 'refused'] as const)
      expect((await ask(www, { kind })).decision).toEqual(redirects);
  });

  it('waits for the certificate of the destination, unless HTTPS is served by a proxy in front', async () => {
    const page = (name: string) => ({
      kind: 'page',
      page: name,
      hostname: 'acme.com',
      brand: null,
      hsts: null,
      usageNumber: 1,
    });
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

it.for([
  '//evil.example/',
  '/\\evil.example',
  '/@evil.example',
  '/.evil.example',
  '/%0d%0aset-cookie:%20a=b',
  '/?next=//evil.example',
])('a redirect leads to its destination and nowhere else, whatever the path: %s', async (path) => {
  const { decision } = await ask(www, siteOf('acme.com', { domainId: 'dom_acme' }), { path });
  const location = decision.kind === 'redirect' ? decision.headers.location : undefined;
  expect(location).toBe(`https://acme.com${path}`);
  expect(new URL(location ?? '').host).toBe('acme.com');
});

describe("the API's own name", () => {
  const name = 'api.example.net';
  const api = { hostname: name, origin: 'http://127.0.0.1:7070', networks: ['127.0.0.0/8'], secret: 'the secret' };
  const sites = { [name]: siteOf(name), 'www.acme.com': siteOf('www.acme.com') };
  const routeTo = async (rawHeaders: string[], about: Asked = {}) =>
    (await routed(sites, { api, serverName: name, rawHeaders, ...about })).decision;

  it.for([
    ['Host', name],
    ['Host', 'API.Example.NET'],
    ['Host', `${name}.`],
    ['Host', `${name}:8443`],
    [':authority', `API.example.net.:443`],
  ])('leads to the API, however it is written: %s: %s', async (field) => {
    const own = { hostname: name, origin: api.origin, apiSecret: api.secret };
    expect(await routeTo(field)).toMatchObject({ kind: 'proxy', routing: own });
  });

  it.for([
    ['Host', `x.${name}`],
    ['Host', `${name}.acme.com`],
    ['Host', 'www.acme.com'],
    [':authority', 'www.acme.com'],
    ['Host', '127.0.0.1:7071'],
    ['Host', `www.acme.com@${name}`],
    ['Host', name, 'Host', 'www.acme.com'],
    [':authority', name, 'host', 'www.acme.com'],
  ])('lets nothing else through its connections: %j', async (fields) => {
    const decision = await routeTo(fields);
    expect(decision).toMatchObject({ kind: 'page', page: expect.stringMatching(/misdirected|bad_request/) });
  });

  it('is not reached over connections of other names, nor over HTTP', async () => {
    expect(await routeTo(['Host', name], { serverName: 'www.acme.com' })).toMatchObject({ page: 'misdirected' });
    expect(await routeTo(['Host', name], { serverName: null, path: '/v2/x' })).toEqual({
      kind: 'redirect',
      usageNumber: 1,
      status: 308,
      headers: { location: `https://${name}/v2/x` },
    });
  });

  it('shows its secret to no origin', async () => {
    const decision = await routeTo(['Host', 'www.acme.com'], { serverName: 'www.acme.com' });
    expect(decision).toMatchObject({ kind: 'proxy', routing: { origin: origin.deployment.origin } });
    expect(JSON.stringify(decision)).not.toContain(api.secret);
  });
});
