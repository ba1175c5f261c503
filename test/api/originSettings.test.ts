import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeyring } from '../../server/src/store/sealing/keyring.ts';
import { sealedStore } from '../../server/src/store/sealing/sealed-store.ts';
import { dataOf, type Harness, START, startApi, type Tree } from '../support/api-harness.ts';
import { clientCertificate } from '../support/client-certificate.ts';
import { issueChain, keyPem } from '../support/issue-chain.ts';

const ring = createKeyring({ name: 'the test', keys: () => [new Uint8Array(32)] });
const DAY_MS = 86_400_000;

let api: Harness;
let tree: Tree;
beforeAll(async () => {
  api = await startApi({ wrap: (store) => sealedStore(store, ring) });
  tree = await api.createTree();
});
afterAll(() => api.close());

const place = () => ({ project: tree.project, app: tree.app, environment: tree.environment });
const update = (change: object) => api.call('environments.updateOriginSettings', { ...place(), ...change });
const get = async () => dataOf<object>(await api.call('environments.getOriginSettings', place()));
const rotate = (more: object = {}, options: object = {}) =>
  api.call('environments.rotateOriginSecret', { ...place(), ...more }, options);
const settingsOf = async () => (await sealedStore(api.store, ring).findOrigin(tree.environmentId))?.settings;
const secretOf = async () => (await settingsOf())?.secret;
const text = (bytes: Uint8Array | null | undefined) => bytes && new TextDecoder().decode(bytes);
const invalid = (location: string, message: unknown) => ({
  status: 400,
  body: { error: { errors: [{ location, message }] } },
});

/** Signing with it takes too long for an edge. */
const SLOW_KEY = generateKeyPairSync('ec', { namedCurve: 'secp521r1' }).privateKey;
const pair = clientCertificate('edge of acme', { notAfter: START + DAY_MS });
const sent = ({ certificate, privateKey }: typeof pair) => ({ clientCertificate: { certificate, privateKey } });

beforeAll(() => api.call('deployments.createDeployment', { ...place(), origin: 'https://origin.acme.com' }));

describe('environments.updateOriginSettings', () => {
  it('changes what is given, leaves what is absent, and removes with null', async () => {
    const nothing = { environmentId: tree.environmentId, hostHeader: 'visitor', sendExternalId: false };
    expect(await get()).toEqual(nothing);
    const { intermediate } = issueChain('origin.acme.com', { now: START });
    expect(dataOf(await update({ hostHeader: 'shop.acme.com' }))).toEqual({ ...nothing, hostHeader: 'shop.acme.com' });
    const all = {
      ...nothing,
      hostHeader: 'shop.acme.com',
      caCertificate: intermediate,
      clientCertificate: pair.certificate,
      sendExternalId: true,
    };
    expect(dataOf(await update({ caCertificate: intermediate, sendExternalId: true, ...sent(pair) }))).toEqual(all);
    dataOf(await api.call('deployments.createDeployment', { ...place(), origin: 'https://next.acme.com' }));
    expect(await get()).toEqual(all);
    expect(dataOf(await update({}))).toEqual(all);
    const none = { hostHeader: null, caCertificate: null, clientCertificate: null, sendExternalId: null };
    expect(dataOf(await update(none))).toEqual(nothing);
    await update({ hostHeader: 'visitor' });
    expect((await api.store.findOrigin(tree.environmentId))?.settings).toBe(null);
  });

  it.each(['Shop.acme.com', 'shop.acme.com:443', 'https://acme.com', 'a..b', '-a', 'a b', 'a\r\nX: y', 'é.com'])(
    'rejects the Host "%s"',
    async (hostHeader) => {
      expect(await update({ hostHeader })).toMatchObject(invalid('body.hostHeader', expect.any(String)));
    },
  );

  it('rejects a certificate that cannot be used, and repeats nothing of its key', async () => {
    const other = clientCertificate('another', { notAfter: START + DAY_MS });
    const server = issueChain('origin.acme.com', { now: START });
    const at = 'body.clientCertificate.certificate';
    const rejected = [
      [
        sent({ ...pair, privateKey: other.privateKey }),
        'body.clientCertificate.privateKey',
        'must belong to the certificate',
      ],
      [sent({ ...pair, privateKey: pair.certificate }), 'body.clientCertificate.privateKey', /private key in PEM/],
      [sent({ ...pair, privateKey: keyPem(SLOW_KEY) }), 'body.clientCertificate.privateKey', /^must be RSA of 2048 to/],
      [sent({ ...pair, certificate: 'nothing' }), at, /must be a certificate in PEM/],
      [sent({ ...pair, certificate: pair.certificate.replace(/[A-Z]{5}/, 'AAAAA') }), at, expect.anything()],
      [sent({ ...pair, ...clientCertificate('late', { notAfter: START }) }), at, 'has expired'],
      [
        { clientCertificate: { certificate: server.leaf, privateKey: keyPem(server.key) } },
        at,
        'must be for TLS clients (extended key usage clientAuth)',
      ],
      [{ caCertificate: keyPem(server.key) }, 'body.caCertificate', /must be a certificate in PEM/],
    ] as const;
    for (const [body, location, message] of rejected) {
      const answer = await update(body);
      const expected = message instanceof RegExp ? expect.stringMatching(message) : message;
      if (location !== at || message !== rejected[3][2]) expect(answer).toMatchObject(invalid(location, expected));
      else expect(answer.status).toBe(400);
      expect(answer.text).not.toContain('PRIVATE KEY');
    }
  });

  it('keeps the private key sealed, and shows it nowhere', async () => {
    await update(sent(pair));
    const key = new Uint8Array(pair.key.export({ format: 'der', type: 'pkcs8' }));
    const stored = (await api.store.findOrigin(tree.environmentId))?.settings?.clientCertificate;
    expect(Buffer.from(stored?.privateKey ?? []).includes(Buffer.from(key.subarray(-32)))).toBe(false);
    expect((await settingsOf())?.clientCertificate).toEqual({ chain: pair.certificate, privateKey: key });
    const lines = keyPem(pair.key).split('\n').slice(1, -2);
    const shown = JSON.stringify([
      await get(),
      api.logged,
      await api.store.listAuditEntries(undefined, { limit: 100 }),
    ]);
    for (const line of lines) expect(shown).not.toContain(line);
  });
});

describe('environments.rotateOriginSecret', () => {
  it('makes a secret of 32 random bytes, which is shown this once, and sent with the one before for a day', async () => {
    const first = dataOf<{ secret: string }>(await rotate());
    expect(first.secret).toMatch(/^npe_[A-Za-z0-9_-]{43}$/);
    expect(await secretOf()).toMatchObject({ previous: null, previousExpiresAt: null });
    const second = dataOf<{ secret: string; previousExpiresAt: number }>(await rotate());
    expect(second).toMatchObject({ previousExpiresAt: START + DAY_MS });
    expect(second.secret).not.toBe(first.secret);
    const stored = await secretOf();
    expect([text(stored?.current), text(stored?.previous)]).toEqual([second.secret, first.secret]);
    expect(await get()).toMatchObject({ secret: { createdAt: START, previousExpiresAt: START + DAY_MS } });
    const elsewhere = [api.logged, await get(), await api.store.listAuditEntries(undefined, { limit: 100 })];
    for (const { secret } of [first, second]) expect(JSON.stringify(elsewhere)).not.toContain(secret);
  });

  it('ends the one before at once with an overlap of 0', async () => {
    await rotate({ overlapSeconds: 0 });
    expect((await secretOf())?.previousExpiresAt).toBe(START);
    expect(await get()).toMatchObject({ secret: { createdAt: START } });
    expect(await get()).not.toMatchObject({ secret: { previousExpiresAt: expect.anything() } });
  });

  it('rotates once for an Idempotency-Key, and answers a repeat with the same secret', async () => {
    const headers = { 'idempotency-key': 'rotation-1' };
    const before = text((await secretOf())?.current);
    const [first, again] = [await rotate({}, { headers }), await rotate({}, { headers })];
    expect(again.body.data).toEqual(first.body.data);
    expect(text((await secretOf())?.previous)).toBe(before);
  });

  it('is undone by updateOriginSettings with null', async () => {
    await update({ secret: null });
    expect(await secretOf()).toBeFalsy();
    expect(await get()).not.toHaveProperty('secret');
    expect(await update({ secret: 'npe_of-my-own' })).toMatchObject({ status: 400 });
  });

  it('needs a permission that createDeployment does not give', async () => {
    const { key } = await api.createKey({ permissions: ['environment.*.create_deployment'] });
    for (const operation of ['rotateOriginSecret', 'getOriginSettings', 'updateOriginSettings'])
      expect(await api.call(`environments.${operation}`, place(), { key })).toMatchObject({ status: 404 });
  });
});

it('the settings go with their environment', async () => {
  const path = { project: tree.project, app: tree.app };
  const slug = 'short-lived';
  const { environmentId } = dataOf<{ environmentId: string }>(
    await api.call('environments.createEnvironment', { ...path, slug }),
  );
  await api.call('environments.rotateOriginSecret', { ...path, environment: slug });
  expect(await api.store.findOriginSettings(environmentId)).not.toBe(null);
  expect((await api.call('environments.deleteEnvironment', { ...path, environment: slug })).status).toBe(200);
  expect(await api.store.findOriginSettings(environmentId)).toBe(null);
});
