import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Simulator, startSimulator } from '../../../playground/dns/simulator.ts';
import { secureRandom } from '../../../server/src/base/ids.ts';
import { authoritativeResolver } from '../../../server/src/dns/authoritative.ts';
import type { Resolver } from '../../../server/src/dns/resolver.ts';
import {
  type ConnectSettings,
  keyLabel,
  keyRecords,
  type TemplateKind,
  templateRecords,
} from '../../../server/src/domain/domain-connect.ts';
import { addressRule } from '../../../server/src/net/addresses.ts';
import { createDialer } from '../../../server/src/net/dialer.ts';
import type { ConnectKey } from '../../../server/src/store/store.ts';
import {
  type ConnectAnswer,
  createConnectDiscoverer,
} from '../../../server/src/verification/observation/discover-connect.ts';
import { observe } from '../../../server/src/verification/observation/observe.ts';
import { dataOf, type Harness, startApi, type Tree } from '../../support/api-harness.ts';
import { blindDiagnoser } from '../../support/blind-diagnoser.ts';
import { appliedRecords, type DnsProvider, isSigned, startDnsProvider } from '../../support/dns-provider.ts';
import { loopbackClient } from '../../support/simulators.ts';

const CONNECT: ConnectSettings = {
  providerId: 'platform.test',
  serviceId: 'shops',
  service: 'service',
  cnameZone: 'cname.platform.test',
  challengeZone: 'acme.platform.test',
  edgeAddresses: ['192.0.2.7', '2001:db8::7'],
};

const closing: (() => unknown)[] = [];
let api: Harness;
let tree: Tree;
let dns: Simulator;
let provider: DnsProvider;
let resolver: Resolver;
let last: ConnectAnswer | null;
/** Made anew for each test: it caches answers. */
let discover: ReturnType<typeof createConnectDiscoverer>;
let count = 0;

beforeAll(async () => {
  const client = loopbackClient();
  closing.push(() => client.close());
  dns = await startSimulator({ port: 0 });
  closing.push(() => dns.close());
  const asked = { client, resolvers: [dns], nameserverPort: dns.port, allowedNetworks: ['127.0.0.0/8'] };
  resolver = authoritativeResolver({ ...asked, clock: { now: () => api.clock.now() } });
  provider = await startDnsProvider(closing);
  api = await startApi({
    settings: { domainConnect: CONNECT, wildcards: { challengeZone: 'acme.platform.test' } },
    diagnoser: {
      ...blindDiagnoser,
      async diagnose({ domain, incumbent }) {
        const options = { depth: 'diagnosis', signal: AbortSignal.timeout(10_000), random: secureRandom } as const;
        return { observation: await observe(resolver, domain, incumbent, options), at: api.clock.now() };
      },
      async discoverConnect(question) {
        last = await discover(question);
        return last;
      },
    },
  });
  closing.push(() => api.close());
  tree = await api.createTree();
});
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

let zone: string;
let key: ConnectKey;

const NOBODY = { server: 'ns1.provider.test', address: '127.0.0.1', authoritative: true };

function newDiscoverer({
  from = resolver as Pick<Resolver, 'lookupTxt'>,
  allowed = ['127.0.0.0/8'],
  timeoutMs = 5_000,
} = {}) {
  const dialer = createDialer({ mayDial: addressRule(allowed), lookUp: async () => ['127.0.0.1'] });
  return createConnectDiscoverer({ resolver: from, dialer, ca: provider.ca, timeoutMs });
}

async function addKey(): Promise<ConnectKey> {
  const added = aKey(count);
  await api.store.addConnectKey(added);
  return added;
}

function aKey(number: number): ConnectKey {
  const pair = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
  });
  return { ...pair, id: `dck_${String(number).padStart(26, '0')}`, createdAt: number };
}

const recordName = ({ id }: ConnectKey) => `${keyLabel(id)}.${CONNECT.providerId}`;

beforeEach(async () => {
  last = null;
  // The limits of queries per second are counted by this clock.
  api.clock.advance(1_000);
  discover = newDiscoverer();
  count += 10;
  zone = `acme${count}.com`;
  dns.setZone(zone, ['ns1.provider.test']);
  dns.set('ns1.provider.test', 'A', ['127.0.0.1']);
  dns.set(`_domainconnect.${zone}`, 'TXT', [provider.host]);
  for (const former of await api.store.listConnectKeys()) dns.remove(recordName(former));
  key = await addKey();
  dns.set(recordName(key), 'TXT', keyRecords(key.publicKey));
  const url = `https://${provider.host}`;
  provider.settings = { providerId: 'provider.test', providerName: 'Provider', urlSyncUX: url, urlAPI: url };
  provider.templates = new Set(['', '-apex', '-wildcard'].map((end) => `platform.test/shops${end}`));
  provider.instead = null;
  provider.requests.length = 0;
});

interface Offered {
  offer?: { provider: string; host: string; url: string; state?: string };
}

async function offerFor(name: string, about: object = {}) {
  await api.createDomain(tree, name);
  return again(name, about);
}

async function again(name: string, about: object = {}) {
  return dataOf<Offered>(await api.call('setup.getDomainConnect', { domain: name, ...about })).offer;
}

describe('a provider that knows the template', () => {
  it.each<[TemplateKind, string]>([
    ['subdomain', 'shop.'],
    ['subdomain', 'a.b.'],
    ['apex', ''],
    ['wildcard', '*.'],
    ['wildcard', '*.shop.'],
  ])('gets a signed link with which it publishes the records of a domain: %s %s', async (kind, below) => {
    const offer = await offerFor(`${below}${zone}`);
    expect(offer).toMatchObject({ provider: 'Provider', host: provider.host });
    const url = offer?.url ?? '';
    const end = kind === 'subdomain' ? '' : `-${kind}`;
    expect(url.split('?')[0]).toBe(
      `https://${provider.host}/v2/domainTemplates/providers/platform.test/services/shops${end}/apply`,
    );
    expect(isSigned(url, keyRecords(key.publicKey))).toBe(true);
    const { searchParams } = new URL(url);
    expect(searchParams.get('key')).toBe(keyLabel(key.id));
    expect(searchParams.get('domain')).toBe(zone);
    const { dnsRecords } = dataOf<{ dnsRecords: { name: string; type: string; value: string }[] }>(
      await api.call('domains.getDomain', { domain: `${below}${zone}` }),
    );
    const ours = dnsRecords.map(({ name, type, value }) => `${name} ${type} ${value}`);
    const applied = appliedRecords(url, templateRecords(kind, CONNECT) ?? []);
    const addresses = CONNECT.edgeAddresses.map((each) => `${zone} ${each.includes(':') ? 'AAAA' : 'A'} ${each}`);
    // In place of ALIAS, which no template has.
    const expected = kind === 'apex' ? [...addresses, ...ours.slice(1)] : ours;
    expect(applied.toSorted()).toEqual(expected.toSorted());
  });

  it('does not accept a link that was changed', async () => {
    const offer = await offerFor(`shop.${zone}`);
    const changed = offer?.url.replace('host=shop', 'host=mail') ?? '';
    expect(isSigned(changed, keyRecords(key.publicKey))).toBe(false);
  });

  it('sends the browser back to the set-up page, without the token of the link', async () => {
    await api.createDomain(tree, `shop.${zone}`);
    const link = dataOf<{ token: string }>(await api.call('domains.createSetupLink', { domain: `shop.${zone}` }));
    const opened = await api.call('setup.openSession', { token: link.token }, { key: null });
    const { sessionToken } = dataOf<{ sessionToken: string }>(opened);
    const body = { domain: `shop.${zone}`, return: true };
    const { offer } = dataOf<Offered>(await api.call('setup.getDomainConnect', body, { key: sessionToken }));
    const { searchParams, href } = new URL(offer?.url ?? '');
    expect(searchParams.get('redirect_uri')).toBe('https://api.platform.test/setup');
    expect(searchParams.get('state')).toMatch(/^[\w-]{24}$/);
    expect(offer?.state).toBe(searchParams.get('state'));
    expect(href).not.toContain(link.token);
    expect(isSigned(href, keyRecords(key.publicKey))).toBe(true);
  });

  it('may send an answer without end: its first 64 KiB are the answer, and nothing is read after them', async () => {
    const settings = JSON.stringify(provider.settings);
    // The last octet that counts ends the JSON; one more or one less would make it invalid.
    const answer = `${settings.slice(0, -1).padEnd(65_535)}}`;
    provider.instead = ({ url }, response) => {
      const isSettings = url === `/v2/${zone}/settings`;
      const more = () => {
        if (!response.destroyed) response.write('x'.repeat(1_024), more);
      };
      if (isSettings) response.write(answer, more);
      else response.end();
    };
    expect(await offerFor(`shop.${zone}`)).toBeDefined();
  });

  it('is asked once for several links', async () => {
    await offerFor(`shop.${zone}`);
    const asked = provider.requests.length;
    expect(await again(`shop.${zone}`)).toBeDefined();
    expect(provider.requests).toHaveLength(asked);
  });

  it('gets the newest key that is published: another one signs nothing before its records are there', async () => {
    count += 1;
    const next = await addKey();
    expect((await offerFor(`shop.${zone}`))?.url).toContain(`key=${keyLabel(key.id)}`);
    dns.set(recordName(next), 'TXT', keyRecords(next.publicKey));
    discover = newDiscoverer();
    const offer = await again(`shop.${zone}`);
    expect(offer?.url).toContain(`key=${keyLabel(next.id)}`);
    expect(isSigned(offer?.url ?? '', keyRecords(next.publicKey))).toBe(true);
  });
});

type Refused = Extract<ConnectAnswer, { refused: unknown }>['refused'];
const json = (value: unknown) => () => {
  provider.instead = (_, response) => response.end(typeof value === 'string' ? value : JSON.stringify(value));
};
const withSettings = (change: object) => () => {
  provider.settings = { ...provider.settings, ...change };
};
const withRecord = (value: string) => () => dns.set(`_domainconnect.${zone}`, 'TXT', [value]);

describe('records are published by hand where', () => {
  it.each<[string, Refused, () => void]>([
    ['the zone names no provider', 'no_record', () => dns.remove(`_domainconnect.${zone}`)],
    ['its nameservers do not answer', 'record', () => dns.fail(`_domainconnect.${zone}`, 'servfail')],
    ['the record is no host', 'record', withRecord('v=spf1 -all')],
    ['the record has a user', 'record', withRecord('user@connect.provider.test')],
    ['the record has a query', 'record', withRecord('connect.provider.test/?a=')],
    ['the record is an address', 'record', withRecord('127.0.0.1')],
    ['the record is an address in another form', 'record', withRecord('0x7f.0.0.1')],
    ['the template is unknown', 'template', () => provider.templates.clear()],
    ['the answer is HTML', 'settings', json('<!doctype html><title>Log in</title>')],
    ['the answer is null', 'settings', json(null)],
    ['the answer has other types', 'settings', json({ providerName: 1, urlSyncUX: [], urlAPI: {} })],
    ['there is no synchronous flow', 'settings', withSettings({ urlSyncUX: undefined })],
    ['the link would be a script', 'settings', withSettings({ urlSyncUX: 'javascript:alert(1)' })],
    ['the link would be http', 'settings', withSettings({ urlSyncUX: 'http://connect.provider.test' })],
    ['the link would have a user', 'settings', withSettings({ urlSyncUX: 'https://bank.test@connect.provider.test' })],
    ['the link would have a fragment', 'settings', withSettings({ urlSyncUX: 'https://connect.provider.test/#a' })],
    ['the link would lead to an address', 'settings', withSettings({ urlSyncUX: 'https://192.168.0.1/' })],
    ['the API would be http', 'settings', withSettings({ urlAPI: 'http://connect.provider.test' })],
    ['no key is published', 'key', () => dns.remove(recordName(key))],
    ['another key is published', 'key', () => dns.set(recordName(key), 'TXT', keyRecords(aKey(1).publicKey))],
  ])('%s', async (_, refused, change) => {
    change();
    expect(await offerFor(`shop.${zone}`)).toBeUndefined();
    expect(last).toEqual({ refused });
  });

  it.each([301, 302, 307])('the provider redirects with %i, which is not followed', async (status) => {
    const location = `https://${provider.host}/v2/${zone}/elsewhere`;
    provider.instead = (_, response) => response.writeHead(status, { location }).end();
    expect(await offerFor(`shop.${zone}`)).toBeUndefined();
    expect(provider.requests).toEqual([`/v2/${zone}/settings`]);
  });

  it('the provider does not answer in time', async () => {
    provider.instead = () => {};
    const found = { kind: 'found' as const, chain: [], by: NOBODY, values: [provider.host] };
    const lookupTxt = async () => found;
    discover = newDiscoverer({ from: { lookupTxt }, timeoutMs: 100 });
    expect(await offerFor(`shop.${zone}`)).toBeUndefined();
    expect(last).toEqual({ refused: 'settings' });
  });

  it('the host has no public address: nothing is sent', async () => {
    discover = newDiscoverer({ allowed: [] });
    expect(await offerFor(`shop.${zone}`)).toBeUndefined();
    expect(last).toEqual({ refused: 'settings' });
    expect(provider.requests).toEqual([]);
  });

  it('the certificate is for another host', async () => {
    dns.set(`_domainconnect.${zone}`, 'TXT', [provider.host.replace('connect.', 'other.')]);
    expect(await offerFor(`shop.${zone}`)).toBeUndefined();
    expect(last).toEqual({ refused: 'settings' });
  });

  it('the name is a zone of its own, whose CNAME a provider cannot publish', async () => {
    dns.setZone(`shop.${zone}`, ['ns1.provider.test']);
    expect(await offerFor(`shop.${zone}`)).toBeUndefined();
    expect(last).toBeNull();
  });

  it('a session asks for another domain: it is not found', async () => {
    await api.createDomain(tree, `shop.${zone}`);
    await api.createDomain(tree, `other.${zone}`);
    const link = dataOf<{ token: string }>(await api.call('domains.createSetupLink', { domain: `shop.${zone}` }));
    const opened = await api.call('setup.openSession', { token: link.token }, { key: null });
    const { sessionToken } = dataOf<{ sessionToken: string }>(opened);
    const asked = await api.call('setup.getDomainConnect', { domain: `other.${zone}` }, { key: sessionToken });
    expect(asked.status).toBe(404);
  });
});

it('twenty questions are asked at a time, and no more', async () => {
  let waiting = 0;
  const answering: (() => void)[] = [];
  const stuck = createConnectDiscoverer({
    resolver: {
      lookupTxt: () => {
        waiting += 1;
        return new Promise((resolve) => {
          answering.push(() => resolve({ kind: 'absent', reason: 'nxdomain', chain: [], by: null }));
        });
      },
    },
    dialer: createDialer({ mayDial: () => false, lookUp: async () => [] }),
  });
  const question = { providerId: 'platform.test', serviceId: 'shops', keys: [] };
  const asked = Array.from({ length: 20 }, (_, at) => stuck({ ...question, zone: `zone${at}.test` }));
  expect(await stuck({ ...question, zone: 'more.test' })).toEqual({ refused: 'busy' });
  expect(waiting).toBe(20);
  for (const answer of answering) answer();
  expect(await Promise.all(asked)).toEqual(Array(20).fill({ refused: 'no_record' }));
});
