import { describe, expect, it } from 'vitest';
import type { Brand } from '../../domain/brand.ts';
import type { Change, ServedCertificate, Site } from '../../store/store.ts';
import { StoreUnavailable } from '../../store/store.ts';
import type { ServedLookup } from './edge-cache.ts';
import { createSites } from './site-cache.ts';

const hostname = 'app.acme.com';
const certificate: ServedCertificate = { chain: 'chain', privateKey: new Uint8Array(1), notAfter: 1, inherited: false };
const origin = { deployment: { id: 'd_1', origin: 'http://origin.example' }, settings: null };
const site: Site = {
  hostname,
  workspaceId: 'ws_1',
  suspendedStatus: null,
  usageNumber: 1,
  settings: null,
  domainId: 'dom_1',
  environmentId: 'env_1',
  origin,
  certificate,
  redirect: null,
};
const unsealable = new Error('sealed under the key 0f0f, which is not configured');

function setUp(stored: Site | null, served?: ServedLookup) {
  const store = { stored, isDown: false };
  const brand: { stored: Brand | null } = { stored: { name: 'Acme Shops' } };
  const clock = { at: 0, now: () => clock.at };
  const listeners: ((change: Change | null) => void)[] = [];
  const lookups: string[] = [];
  const warnings: string[] = [];
  const read = async <T>(value: () => T): Promise<T> => {
    if (store.isDown) throw new StoreUnavailable('down');
    return value();
  };
  const sites = createSites({
    store: {
      findSite: () => read(() => store.stored),
      findOperatorSite: async () => null,
      findOrigin: () => read(() => store.stored?.origin ?? null),
      findBrand: () => read(() => brand.stored),
    },
    served,
    changes: { subscribe: (listener) => void listeners.push(listener) },
    clock,
    metrics: { lookup: (kind) => void lookups.push(kind) },
    warn: (message) => void warnings.push(message),
    isProxy: () => false,
    unknownPerMinute: 10,
  });
  const change = (kind: Change['kind'], key: string) => {
    for (const listener of listeners) listener({ seq: 1, kind, key });
  };
  return {
    sites,
    brand,
    store,
    clock,
    change,
    lookups,
    warnings,
    certificateFor: () => sites.certificateFor(hostname, '192.0.2.1'),
  };
}

it('a deployment that is announced during the read is not missed', async () => {
  const { sites, store, change, certificateFor } = setUp(site);
  const looking = certificateFor();
  const next = { deployment: { id: 'd_2', origin: 'http://next.example' }, settings: null };
  store.stored = { ...site, origin: next };
  change('environment', 'env_1');
  await looking;
  expect(await sites.findOrigin('env_1')).toEqual(next);
});

describe('after a restart without a store', () => {
  const wildcard = { ...site, certificate, hostname: '*.acme.com', exceptions: new Set(['own.acme.com']) };

  it('names below a wildcard of the file are served from it, and none with a site of its own', async () => {
    const { sites, store } = setUp(null, {
      findSite: async (name) => (name === '*.acme.com' ? { value: wildcard, until: 1e9 } : undefined),
      findOrigin: async () => undefined,
    });
    store.isDown = true;
    for (const name of ['a.acme.com', 'b.acme.com'])
      expect(await sites.find(name, '192.0.2.1')).toMatchObject({ kind: 'site', site: { hostname: '*.acme.com' } });
    expect(sites.counts().sites).toBe(1);
    for (const name of ['own.acme.com', 'a.b.acme.com', 'acme.com'])
      expect(await sites.find(name, '192.0.2.1')).toEqual({ kind: 'unavailable' });
  });
});

it('a brand is read once, again after a change of its workspace, and is none while the store is down', async () => {
  const { sites, brand, store, change, lookups } = setUp(site);
  for (let i = 0; i < 3; i += 1) expect(await sites.findBrand('ws_1')).toEqual({ name: 'Acme Shops' });
  brand.stored = null;
  change('workspace', 'ws_1');
  for (let i = 0; i < 3; i += 1) expect(await sites.findBrand('ws_1')).toBe(null);
  expect(lookups).toEqual(['brand', 'brand']);
  store.isDown = true;
  expect(await sites.findBrand('ws_2')).toBe(null);
});

it('a certificate is served at once, also if a challenge cached the site before it was issued', async () => {
  const { sites, store, lookups, certificateFor } = setUp({ ...site, certificate: null });
  for (let i = 0; i < 3; i += 1)
    expect(await sites.find(hostname, '192.0.2.1')).toMatchObject({ kind: 'site', site: { certificate: null } });
  store.stored = site;
  expect(await certificateFor()).toEqual({
    kind: 'certificate',
    hostname,
    certificate,
    domainId: 'dom_1',
    minTlsVersion: '1.2',
  });
  expect(await certificateFor()).toEqual({
    kind: 'certificate',
    hostname,
    certificate,
    domainId: 'dom_1',
    minTlsVersion: '1.2',
  });
  expect(lookups).toEqual(['site', 'site']);
});

describe('a name without a certificate', () => {
  const uncertified = { ...site, certificate: null };

  it('costs one read at its first handshake and one each ten seconds, however many clients ask', async () => {
    const { sites, clock, lookups } = setUp(uncertified);
    await sites.find(hostname, '192.0.2.1');
    const handshakes = () =>
      Promise.all(Array.from({ length: 500 }, (_, i) => sites.certificateFor(hostname, `198.51.100.${i % 250}`)));
    await handshakes();
    expect(await handshakes()).toContainEqual({ kind: 'none', outcome: 'not_certified' });
    expect(lookups).toEqual(['site', 'site']);
    clock.at += 10_000;
    await handshakes();
    expect(lookups).toHaveLength(3);
  });

  it('does not use up the limit of unknown names', async () => {
    const { sites, clock, certificateFor } = setUp(uncertified);
    for (let i = 0; i < 30; i += 1) {
      await certificateFor();
      clock.at += 10_000 / 30;
    }
    expect((await sites.find('another.acme.com', '192.0.2.1')).kind).not.toBe('refused');
  });
});

describe('a certificate that was inherited in a takeover', () => {
  const inherited: Site = { ...site, certificate: { ...certificate, notAfter: 50_000, inherited: true } };

  it('is served while it is valid, and then no longer, neither over TLS nor as a reason to redirect there', async () => {
    const { sites, clock, certificateFor } = setUp(inherited);
    clock.at = 49_999;
    expect(await certificateFor()).toMatchObject({ kind: 'certificate', certificate: inherited.certificate });
    clock.at = 50_000;
    expect(await sites.find(hostname, '192.0.2.1')).toMatchObject({ kind: 'site', site: { certificate: null } });
    for (let i = 0; i < 2; i += 1) expect(await certificateFor()).toEqual({ kind: 'none', outcome: 'not_certified' });
  });

  it('that has expired is no longer served while the store is down either', async () => {
    const { store, clock, certificateFor } = setUp(inherited);
    expect(await certificateFor()).toMatchObject({ kind: 'certificate' });
    store.isDown = true;
    clock.at = 50_000;
    expect(await certificateFor()).toEqual({ kind: 'none', outcome: 'not_certified' });
  });

  it('that has expired is looked for again, at most every ten seconds', async () => {
    const { store, lookups, clock, certificateFor } = setUp(inherited);
    await certificateFor();
    clock.at = 50_000;
    for (let i = 0; i < 5; i += 1) await certificateFor();
    expect(lookups).toHaveLength(2);
    store.stored = site;
    clock.at = 60_000;
    expect(await certificateFor()).toEqual({
      kind: 'certificate',
      hostname,
      certificate,
      domainId: 'dom_1',
      minTlsVersion: '1.2',
    });
  });
});

describe('a certificate whose key cannot be unsealed', () => {
  it('refuses handshakes, while the name stays known, so that a challenge for a new one can be found', async () => {
    const { sites, lookups, warnings, certificateFor } = setUp({ ...site, certificate: unsealable });
    for (let i = 0; i < 9; i += 1) expect(await certificateFor()).toEqual({ kind: 'none', outcome: 'unavailable' });
    expect((await sites.find(hostname, '192.0.2.1')).kind).toBe('site');
    const twice = (once: string) => [once, once];
    expect([lookups, warnings]).toEqual([twice('site'), twice('a certificate cannot be used')]);
  });

  it('is used soon after its key was added, which changes no row', async () => {
    const { store, clock, certificateFor } = setUp({ ...site, certificate: unsealable });
    for (let i = 0; i < 2; i += 1) expect(await certificateFor()).toEqual({ kind: 'none', outcome: 'unavailable' });
    store.stored = site;
    clock.at += 10_000;
    expect(await certificateFor()).toEqual({
      kind: 'certificate',
      hostname,
      certificate,
      domainId: 'dom_1',
      minTlsVersion: '1.2',
    });
  });

  it('does not replace one of the same domain that is cached', async () => {
    const { store, change, certificateFor } = setUp(site);
    await certificateFor();
    store.stored = { ...site, certificate: unsealable };
    change('certificate', hostname);
    expect(await certificateFor()).toEqual({
      kind: 'certificate',
      hostname,
      certificate,
      domainId: 'dom_1',
      minTlsVersion: '1.2',
    });
    const renewed = { ...certificate, chain: 'renewed' };
    store.stored = { ...site, certificate: renewed };
    change('certificate', hostname);
    expect(await certificateFor()).toEqual({
      kind: 'certificate',
      hostname,
      certificate: renewed,
      domainId: 'dom_1',
      minTlsVersion: '1.2',
    });
    store.stored = { ...site, domainId: 'dom_2', certificate: unsealable };
    change('route', hostname);
    expect(await certificateFor()).toEqual({ kind: 'none', outcome: 'unavailable' });
  });
});
