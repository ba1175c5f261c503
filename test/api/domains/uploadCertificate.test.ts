import { generateKeyPairSync, randomBytes, X509Certificate } from 'node:crypto';
import type { Static } from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CertificateSchema } from '../../../server/src/api/domains/getCertificate.ts';
import { createLog } from '../../../server/src/base/log.ts';
import { createSupervisor } from '../../../server/src/base/threads/supervisor.ts';
import type { Domain } from '../../../server/src/domain/domain.ts';
import { type Edge, startEdge } from '../../../server/src/edge/edge.ts';
import { createMetrics } from '../../../server/src/roles/metrics.ts';
import { createKeyring } from '../../../server/src/store/sealing/keyring.ts';
import { sealedStore } from '../../../server/src/store/sealing/sealed-store.ts';
import type { Store } from '../../../server/src/store/store.ts';
import { handshake } from '../../edge/harness.ts';
import { onLoopback } from '../../edge/loopback.ts';
import { dataOf, type Harness, startApi, type Tree } from '../../support/api-harness.ts';
import { prove, takeOver } from '../../support/certificates.ts';
import { attach, plant, prepare, preparedAt, timelineOf } from '../../support/entities.ts';
import { issueChain, keyPem, newKey } from '../../support/issue-chain.ts';
import { cname, everywhere } from '../../support/observations.ts';
import { observed } from '../../support/observed.ts';

let api: Harness;
let store: Store;
let tree: Tree;
let edge: Edge;
beforeAll(async () => {
  const key = new Uint8Array(randomBytes(32));
  const ring = createKeyring({ name: 'this test', keys: () => [key] });
  api = await startApi({
    wrap(engine) {
      store = sealedStore(engine, ring);
      return store;
    },
  });
  tree = await api.createTree();
  const log = createLog('silent');
  const metrics = createMetrics();
  const supervisor = createSupervisor({ log, metrics });
  const { clock, changes } = api;
  edge = await startEdge({ store, changes, clock, log, metrics, supervisor, ...onLoopback, threads: 0 });
});
afterAll(async () => {
  await edge.stop();
  await api.close();
});

const DAY_MS = 86_400_000;
const ISSUER = 'https://ca.test/directory';

async function verified(name: string): Promise<Domain> {
  const domain = await api.createDomain(tree, name);
  return observed(api, domain, { routing: everywhere(cname(domain.target)) });
}

const chainOf = (name: string, about: Parameters<typeof issueChain>[1] = {}) =>
  issueChain(name, { now: api.clock.now(), ...about });
const filesOf = ({ leaf, intermediate, key }: ReturnType<typeof issueChain>) => ({
  certificates: leaf + intermediate,
  privateKey: keyPem(key),
});
const fingerprint = ({ leaf }: { leaf: string }) => new X509Certificate(leaf).fingerprint256;
const upload = (domain: string, files: object) => api.call('domains.uploadCertificate', { domain, ...files });
const remove = async (domain: string) =>
  dataOf<Static<typeof CertificateSchema>>(await api.call('domains.removeCertificate', { domain }));
const show = async (domain: string) => (await api.call('domains.getCertificate', { domain })).body.data;

/** Puts a managed certificate in use, as a process with the role does. */
async function manage(name: string, lifetimeMs = 90 * DAY_MS) {
  const now = api.clock.now();
  const due = await store.claimCertificates({ now, limit: 100, leaseMs: 1000, newNames: true });
  const mine = due.find(({ certificate }) => certificate.hostname === name);
  if (mine === undefined) throw new Error(`${name} is not due`);
  const made = chainOf(name, { lifetimeMs });
  const window = { source: 'lifetime', startsAt: now + 60 * DAY_MS, endsAt: now + 63 * DAY_MS } as const;
  const issued = {
    issuer: ISSUER,
    chain: made.leaf + made.intermediate,
    notBefore: made.notBefore,
    notAfter: made.notAfter,
    issuedAt: now,
    renewal: { ...window, renewAt: now + 61 * DAY_MS, askAgainAt: null, explanationUrl: null },
    privateKey: new Uint8Array(made.key.export({ type: 'pkcs8', format: 'der' })),
  };
  const settled = { problem: null, selfCheck: null, failures: 0, nextTryAt: now + DAY_MS, now };
  const save = { hostname: name, lease: mine.lease, state: 'issued', ...settled, issued } as const;
  expect(await store.saveCertificate(save)).toBe('saved');
  return made;
}

/** The certificate that a visitor gets. */
async function served(name: string): Promise<string> {
  await api.changes.poll();
  const socket = await handshake(Number(edge.https?.split(':').at(-1)), {
    servername: name,
    rejectUnauthorized: false,
  });
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

const violationsOf = async (files: object, domain = 'refused.acme.com') => {
  const { status, body } = await upload(domain, files);
  expect(status).toBe(400);
  return body.error?.errors as { location: string; message: string; fix: string }[];
};

describe('domains.uploadCertificate', () => {
  it('serves the certificate to visitors, and keeps the managed one, which serves them again once it is removed', async () => {
    await verified('shop.acme.com');
    const managed = await manage('shop.acme.com');
    expect(await served('shop.acme.com')).toBe(fingerprint(managed));
    const own = chainOf('shop.acme.com', { lifetimeMs: 365 * DAY_MS });
    const { status, body } = await upload('shop.acme.com', filesOf(own));
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      state: 'issued',
      issued: {
        source: 'imported',
        issuer: 'imported',
        fingerprint: fingerprint(own),
        fallback: { issuer: ISSUER, notAfter: Math.floor(managed.notAfter / 1000) * 1000 },
      },
    });
    expect(await show('shop.acme.com')).toEqual(body.data);
    expect(await served('shop.acme.com')).toBe(fingerprint(own));
    const removed = await remove('shop.acme.com');
    expect(removed).toMatchObject({
      state: 'issued',
      issued: { source: 'managed', fingerprint: fingerprint(managed) },
    });
    expect(removed.issued).not.toHaveProperty('fallback');
    expect(await served('shop.acme.com')).toBe(fingerprint(managed));
    expect(await store.findFallback('shop.acme.com')).toBeNull();
    expect(await remove('shop.acme.com')).toEqual(removed);
  });

  it('serves a prepared domain too, which is ready to switch with it and keeps it when it is verified', async () => {
    const domain = await api.createDomain(tree, 'prepared.acme.com');
    const own = chainOf(domain.name);
    expect((await upload(domain.name, filesOf(own))).status).toBe(412);
    await prepare(store, domain, api.clock.now());
    expect((await upload(domain.name, filesOf(own))).body.data).toMatchObject({
      issued: { fingerprint: fingerprint(own) },
    });
    expect((await api.call('domains.getSite', { domain: domain.name })).body.data).toMatchObject({
      readyToSwitch: true,
    });
    expect(await served(domain.name)).toBe(fingerprint(own));
    await prove(store, preparedAt(domain, api.clock.now()), api.clock.now());
    expect(await served(domain.name)).toBe(fingerprint(own));
    expect(await show(domain.name)).toMatchObject({ state: 'issued', issued: { source: 'imported' } });
  });

  it('is refused for a domain that waits while another one of the name is prepared', async () => {
    const domain = await api.createDomain(tree, 'unprepared.acme.com');
    const other = await attach(store, (await plant(store)).environment, { name: domain.name });
    await prepare(store, other, api.clock.now());
    expect((await upload(domain.name, filesOf(chainOf(domain.name)))).status).toBe(412);
    expect(await store.findCertificate(domain.name)).toMatchObject({ domainId: other.id, issued: null });
  });

  it('keeps serving a removed certificate until a managed one is there, where none is kept', async () => {
    await verified('first.acme.com');
    const own = chainOf('first.acme.com');
    await upload('first.acme.com', filesOf(own));
    for (let call = 0; call < 2; call++) {
      expect(await remove('first.acme.com')).toMatchObject({
        nextTryAt: api.clock.now(),
        issued: { source: 'imported' },
      });
      expect(await served('first.acme.com')).toBe(fingerprint(own));
    }
    const managed = await manage('first.acme.com');
    expect(await served('first.acme.com')).toBe(fingerprint(managed));
  });

  it('takes another one in place of the one before, with the managed one still behind it, and the same one again changes nothing', async () => {
    const domain = await verified('again.acme.com');
    const managed = await manage('again.acme.com');
    await upload('again.acme.com', filesOf(chainOf('again.acme.com')));
    const own = chainOf('again.acme.com');
    const first = (await upload('again.acme.com', filesOf(own))).body.data;
    api.clock.advance(1000);
    expect((await upload('again.acme.com', filesOf(own))).body.data).toEqual(first);
    const events = (await timelineOf(store, domain))
      .map(({ type }) => type)
      .filter((type) => /^certificate/.test(type));
    expect(events).toEqual(['certificate.issued', 'certificate.renewed', 'certificate.renewed']);
    expect(await remove('again.acme.com')).toMatchObject({ issued: { fingerprint: fingerprint(managed) } });
  });

  it('refuses it before the domain is verified, and where another workspace has the name', async () => {
    await api.createDomain(tree, 'early.acme.com');
    const early = await upload('early.acme.com', filesOf(chainOf('early.acme.com')));
    expect(early).toMatchObject({
      status: 412,
      body: { error: { detail: expect.stringMatching(/is neither verified nor prepared/) } },
    });
    const lost = await verified('lost.acme.com');
    await takeOver(store, (await plant(store)).environment, lost, api.clock.now());
    const late = await upload('lost.acme.com', filesOf(chainOf('lost.acme.com')));
    expect(late).toMatchObject({ status: 412 });
    expect((await remove('lost.acme.com')).state).toBe('none');
    expect((await store.findCertificate('lost.acme.com'))?.issued).toBeNull();
  });

  it('refuses what browsers would refuse with 400, at its place and with what to do, and changes nothing', async () => {
    const name = 'refused.acme.com';
    await verified(name);
    await manage(name);
    const before = await show(name);
    const good = chainOf(name);
    const { certificates, privateKey } = filesOf(good);
    const other = chainOf('other.acme.com');
    const ed25519 = chainOf(name, { key: generateKeyPairSync('ed25519').privateKey });
    const short = chainOf(name, { lifetimeMs: DAY_MS - 1000 });
    const later = chainOf(name, { now: api.clock.now() + DAY_MS });
    const locked = good.key.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }).toString();
    const cases: [files: object, location: string, says: RegExp][] = [
      [{ certificates: 'none', privateKey }, 'body.certificates', /no certificate in PEM/],
      [{ certificates, privateKey: 'none' }, 'body.privateKey', /no private key/],
      [{ certificates, privateKey: locked }, 'body.privateKey', /encrypted/],
      [{ certificates, privateKey: keyPem(newKey()) }, 'body.privateKey', /does not belong/],
      [filesOf(other), 'body.certificates', /for "other\.acme\.com", not for refused/],
      [filesOf(ed25519), 'body.privateKey', /of a kind or length/],
      [filesOf(short), 'body.certificates', /less than a day/],
      [filesOf(later), 'body.certificates', /not valid before/],
      [{ certificates: good.leaf, privateKey }, 'body.certificates', /intermediate/],
      [{ certificates: good.root, privateKey: keyPem(newKey()) }, 'body.privateKey', /does not belong/],
    ];
    for (const [files, location, says] of cases) {
      const violations = await violationsOf(files);
      expect(violations[0]).toMatchObject({ location, message: expect.stringMatching(says) });
      for (const { fix } of violations) expect(fix).toMatch(/\w/);
    }
    expect(await show(name)).toEqual(before);
  });

  it('is not slow with hostile keys, whatever their length, and bounds what it reads', async () => {
    const name = 'hostile.acme.com';
    await verified(name);
    const { certificates, privateKey } = filesOf(chainOf(name));
    const long = keyPem(generateKeyPairSync('rsa', { modulusLength: 4104 }).privateKey);
    expect((await violationsOf({ certificates, privateKey: long }, name))[0]?.location).toBe('body.privateKey');
    expect((await violationsOf({ certificates: 'x'.repeat(32_769), privateKey }, name))[0]).toMatchObject({
      location: 'body.certificates',
      message: 'must have at most 32768 characters',
    });
    expect((await violationsOf({ certificates, privateKey: 'x'.repeat(16_385) }, name))[0]?.location).toBe(
      'body.privateKey',
    );
    const { status } = await upload(name, { certificates: '-----BEGIN CERTIFICATE-----'.repeat(1200), privateKey });
    expect(status).toBe(400);
  });

  it('leaves nothing of the private key in what is stored, logged, answered, audited or sent, in any encoding', async () => {
    const name = 'secret.acme.com';
    const domain = await verified(name);
    await manage(name);
    const own = chainOf(name);
    const headers = { 'idempotency-key': 'the same' };
    const body = { domain: name, ...filesOf(own) };
    const answers = [
      await api.call('domains.uploadCertificate', body, { headers }),
      await api.call('domains.uploadCertificate', { ...body, domain: 'none.acme.com' }, { headers }),
      await upload(name, { ...filesOf(own), certificates: filesOf(own).privateKey }),
      await upload(name, { ...filesOf(own), extra: filesOf(own).privateKey }),
      await show(name),
      await api.call('domains.listEvents', { domain: name }),
      await store.listAuditEntries(api.workspaceId, { limit: 100 }),
      await timelineOf(store, domain),
      (await store.listSecretPrefixes()).map((prefix) => Buffer.from(prefix).toString('hex')),
    ];
    const stored = await Promise.all(
      (await store.listSecretPrefixes()).map(async (prefix) =>
        (await store.listSecrets(prefix, 100)).map(({ bytes }) => Buffer.from(bytes).toString('hex')),
      ),
    );
    expect(stored.flat()).not.toEqual([]);
    const { d = '' } = own.key.export({ format: 'jwk' });
    const scalar = Buffer.from(d, 'base64url');
    const written = [JSON.stringify(answers), api.logged.join('\n'), JSON.stringify(stored)].join('\n');
    const pem = keyPem(own.key).split('\n').slice(1, -2);
    for (const part of [d, scalar.toString('hex'), scalar.toString('base64'), ...pem, scalar.toString('latin1')])
      expect(written).not.toContain(part);
    expect(written).not.toContain('PRIVATE');
    const [entry] = (await store.listAuditEntries(api.workspaceId, { limit: 1 })).items;
    expect(entry).toMatchObject({ action: 'domains.uploadCertificate', targetName: name });
  });
});

describe('domains.uploadCertificate with managed', () => {
  const move = (domain: string, files: object) => upload(domain, { ...files, managed: true });

  it('keeps the certificate before the domain is verified, which it does not verify, and then serves it without an order', async () => {
    const domain = await api.createDomain(tree, 'moving.acme.com');
    const own = chainOf(domain.name);
    const { status, body } = await move(domain.name, filesOf(own));
    expect(status).toBe(200);
    const notAfter = Math.floor(own.notAfter / 1000) * 1000;
    expect(body.data).toEqual({
      domainId: domain.id,
      domain: domain.name,
      state: 'none',
      failures: 0,
      staged: { notAfter },
    });
    expect(await move(domain.name, filesOf(own))).toMatchObject({ status: 200, body: { data: body.data } });
    expect((await api.call('domains.getDomain', { domain: domain.name })).body.data).toMatchObject({
      status: 'pending',
    });
    await expect(served(domain.name)).rejects.toThrow();
    await observed(api, domain, { routing: everywhere(cname(domain.target)) });
    expect(await served(domain.name)).toBe(fingerprint(own));
    const shown = await show(domain.name);
    expect(shown).toMatchObject({
      state: 'issued',
      issued: { source: 'moved', issuer: 'moved', fingerprint: fingerprint(own), renewal: { source: 'lifetime' } },
    });
    expect(shown).not.toHaveProperty('staged');
    const now = api.clock.now();
    const due = await store.claimCertificates({ now, limit: 100, leaseMs: 1, newNames: true });
    expect(due.map(({ certificate }) => certificate.hostname)).not.toContain(domain.name);
  });

  it('takes a second one in place of the first, and removes what is kept', async () => {
    const { name } = await api.createDomain(tree, 'twice.acme.com');
    await move(name, filesOf(chainOf(name)));
    const second = chainOf(name, { lifetimeMs: 30 * DAY_MS });
    const staged = { notAfter: Math.floor(second.notAfter / 1000) * 1000 };
    expect((await move(name, filesOf(second))).body.data).toMatchObject({ staged });
    expect(await remove(name)).toEqual({ domainId: expect.any(String), domain: name, state: 'none', failures: 0 });
    expect(await remove(name)).not.toHaveProperty('staged');
  });

  it('refuses what is wrong with it as ever, and a domain that is not of the workspace', async () => {
    const { name } = await api.createDomain(tree, 'wrong.acme.com');
    const other = chainOf('other.acme.com');
    expect((await move(name, filesOf(other))).status).toBe(400);
    expect(await show(name)).not.toHaveProperty('staged');
    const stranger = await attach(store, (await plant(store)).environment, { name: 'stranger.acme.com' });
    expect((await move(stranger.name, filesOf(chainOf(stranger.name)))).status).toBe(404);
    expect(await store.findStaged(stranger.id)).toBeNull();
  });

  it('serves a verified domain at once, and replaces it as soon as it is removed', async () => {
    const { name } = await verified('late.acme.com');
    const own = chainOf(name);
    expect((await move(name, filesOf(own))).body.data).toMatchObject({ issued: { source: 'moved' } });
    expect(await served(name)).toBe(fingerprint(own));
    expect(await remove(name)).toMatchObject({ nextTryAt: api.clock.now(), issued: { source: 'moved' } });
    expect((await manage(name)) && (await show(name))).toMatchObject({ issued: { source: 'managed' } });
  });

  it('leaves nothing of a key that is kept in what is stored, logged, answered or audited, in any encoding', async () => {
    const { name, id } = await api.createDomain(tree, 'kept.acme.com');
    const own = chainOf(name);
    const answers = [await move(name, filesOf(own)), await show(name), await store.findStaged(id)];
    const secrets = await Promise.all(
      (await store.listSecretPrefixes()).map((prefix) => store.listSecrets(prefix, 1000)),
    );
    const [kept] = secrets.flat().filter((secret) => secret.kind === 'staged_certificate' && secret.id === name);
    const audit = await store.listAuditEntries(api.workspaceId, { limit: 1 });
    expect(audit.items[0]).toMatchObject({ action: 'domains.uploadCertificate', targetName: name });
    const { d = '' } = own.key.export({ format: 'jwk' });
    const scalar = Buffer.from(d, 'base64url');
    const stored = Buffer.from(kept?.bytes ?? []);
    expect(stored.length).toBeGreaterThan(scalar.length);
    const written = [JSON.stringify([answers, audit]), api.logged.join('\n'), stored.toString('latin1')].join('\n');
    for (const part of [d, scalar.toString('hex'), scalar.toString('base64'), scalar.toString('latin1'), 'PRIVATE'])
      expect(written).not.toContain(part);
  });
});

describe('domains.createDomains with certificates', () => {
  const create = (domains: object[], { key, ...headers }: { key?: string; 'idempotency-key'?: string } = {}) => {
    const path = { project: 'demo', app: 'web', environment: 'production' };
    return api.call('domains.createDomains', { ...path, domains }, { ...(key && { key }), headers });
  };
  const brought = (domain: string, own = chainOf(domain)) => ({ domain, certificate: filesOf(own) });

  it('has the certificate of a domain that is verified at once in use, and nothing of it is ever due for an order', async () => {
    const name = 'brought.acme.com';
    const own = chainOf(name);
    const [outcome] = dataOf<{ domainId: string }[]>(await create([brought(name, own)]));
    const domain = await store.findDomainByName(api.workspaceId, name);
    if (domain === null || outcome === undefined) throw new Error('it was not created');
    expect(domain.id).toBe(outcome.domainId);
    await observed(api, domain, { routing: everywhere(cname(domain.target)) });
    expect(await show(name)).toMatchObject({
      state: 'issued',
      issued: { source: 'moved', fingerprint: fingerprint(own) },
    });
    const now = api.clock.now();
    const due = await store.claimCertificates({ now, limit: 100, leaseMs: 1, newNames: true });
    expect(due.map(({ certificate }) => certificate.hostname)).not.toContain(name);
    expect(await served(name)).toBe(fingerprint(own));
  });

  it('refuses a name whose certificate is wrong, with the place of each error, and attaches the others', async () => {
    const outcomes = dataOf<{ error?: { status: number; errors?: object[] } }[]>(
      await create([
        brought('right.acme.com'),
        brought('wrong-name.acme.com', chainOf('other.acme.com')),
        { domain: 'no-key.acme.com', certificate: { ...filesOf(chainOf('no-key.acme.com')), privateKey: 'none' } },
        { domain: 'without.acme.com' },
      ]),
    );
    expect(outcomes.map(({ error }) => error?.status)).toEqual([undefined, 400, 400, undefined]);
    const error = (location: string) => expect.objectContaining({ location, fix: expect.any(String) });
    expect(outcomes[1]?.error?.errors).toEqual([error('body.domains.1.certificate.certificates')]);
    expect(outcomes[2]?.error?.errors).toEqual([error('body.domains.2.certificate.privateKey')]);
    expect(await show('right.acme.com')).toHaveProperty('staged');
    expect(await show('without.acme.com')).not.toHaveProperty('staged');
    expect(await store.findDomainByName(api.workspaceId, 'wrong-name.acme.com')).toBeNull();
  });

  it('counts each certificate against the rate limit of domains.uploadCertificate, and refuses names beyond it', async () => {
    const rates = { 'domains.uploadCertificate': { limit: 2, windowMs: 60_000 } };
    const { id: workspaceId } = await api.createWorkspace({ limits: { rates, domains: null } });
    const { key } = await api.createKey({ workspaceId });
    await api.createTree('demo', key);
    const names = ['a.limit.com', 'b.limit.com', 'c.limit.com'].map((name) => brought(name));
    const outcomes = dataOf<{ error?: { status: number } }[]>(
      await create([...names, { domain: 'd.limit.com' }], { key }),
    );
    expect(outcomes.map(({ error }) => error?.status)).toEqual([undefined, undefined, 429, undefined]);
    const headers = { 'retry-after': expect.stringMatching(/^\d+$/), 'ratelimit-limit': '2' };
    expect(await create(names.slice(2), { key })).toMatchObject({ status: 429, headers });
    api.clock.advance(60_000);
    const [later] = dataOf<{ domainId?: string; error?: object }[]>(await create(names.slice(2), { key }));
    expect(later).toMatchObject({ domainId: expect.any(String) });
  });

  it('leaves nothing of a key in what is stored, logged, answered or audited, nor in what an Idempotency-Key keeps', async () => {
    const name = 'sealed.acme.com';
    const own = chainOf(name);
    const wrong = { domain: 'unsealed.acme.com', certificate: filesOf({ ...chainOf('alien.acme.com'), key: own.key }) };
    const send = () => create([brought(name, own), wrong], { 'idempotency-key': 'brought' });
    const answers = [await send(), await send()];
    expect(answers[1]?.headers['idempotency-replayed']).toBe('true');
    const audit = await store.listAuditEntries(api.workspaceId, { limit: 1 });
    const detail = { notAfter: Math.floor(own.notAfter / 1000) * 1000 };
    expect(audit.items[0]).toMatchObject({ action: 'domains.createDomains', targetName: name, detail });
    const secrets = await Promise.all(
      (await store.listSecretPrefixes()).map((prefix) => store.listSecrets(prefix, 1000)),
    );
    const kept = secrets.flat().filter(({ id }) => id === name);
    expect(kept.map(({ kind }) => kind)).toEqual(['staged_certificate']);
    const { d = '' } = own.key.export({ format: 'jwk' });
    const scalar = Buffer.from(d, 'base64url');
    const stored = secrets.flat().map(({ bytes }) => Buffer.from(bytes).toString('latin1'));
    const written = [JSON.stringify([answers, audit]), api.logged.join('\n'), ...stored].join('\n');
    for (const part of [d, scalar.toString('hex'), scalar.toString('base64'), scalar.toString('latin1'), 'PRIVATE'])
      expect(written).not.toContain(part);
  });
});
