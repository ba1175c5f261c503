import { describe, expect, it } from 'vitest';
import { WINDOW_MS } from '../../server/src/domain/domain.ts';
import { createKeyring, keyIdOf, SealingError } from '../../server/src/store/sealing/keyring.ts';
import { missingKeys, rotateSecrets, sealPlaintextSecrets } from '../../server/src/store/sealing/rotation.ts';
import { sealedStore } from '../../server/src/store/sealing/sealed-store.ts';
import { type DueCertificate, type Environment, type Store, StoreUnavailable } from '../../server/src/store/store.ts';
import {
  aCaAccount,
  aLedgerEntry,
  anIssuedCertificate,
  anIssuer,
  anOrder,
  aPrivateKey,
  aSave,
  DAY_MS,
  prove,
  servedCertificate,
  takeOver,
  verify,
} from '../support/certificates.ts';
import { aDeployment, aSigningKey, attach, NOW, plant } from '../support/entities.ts';
import type { OpenedStore, Subject } from './subject.ts';

const [OLD, NEW, LOST] = ['old', 'new', 'lost'].map((fill) => new Uint8Array(Buffer.alloc(32, fill))) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
];
const ring = (...keys: Uint8Array[]) => createKeyring({ name: 'the configuration', keys: () => keys });

export function describeSecrets(subject: Subject): void {
  /** A store of its own, since these look at all secrets that there are. */
  const alone = async (test: (opened: OpenedStore, environment: Environment) => Promise<void>) => {
    const opened = await subject.open();
    try {
      await test(opened, (await plant(opened.store)).environment);
    } finally {
      await opened.close();
    }
  };

  /** Stores a secret of each kind, and tells all of them. */
  async function storeSecrets(store: Store, environment: Environment) {
    const [issued, ordered, former] = [
      await verify(store, environment),
      await verify(store, environment),
      await verify(store, environment),
    ];
    const handedOn = anIssuedCertificate();
    await store.importCertificate(former.name, handedOn, NOW);
    await takeOver(store, (await plant(store)).environment, former, NOW);
    const dues = await store.claimCertificates({ now: NOW, limit: 9, leaseMs: 1, newNames: true });
    const dueOf = (name: string) => dues.find((due) => due.certificate.hostname === name) as DueCertificate;
    const certificate = anIssuedCertificate();
    const save = aSave(dueOf(issued.name), { state: 'issued', issued: certificate });
    await store.saveCertificate(save);
    const order = anOrder({ hostname: ordered.name, issuer: anIssuer() });
    const entry = aLedgerEntry(order);
    await store.beginOrder({ lease: dueOf(ordered.name).lease, order, entry, limits: [], now: NOW });
    const account = await store.createCaAccount(aCaAccount());
    const signingKey = aSigningKey({ privateKey: aPrivateKey() });
    await store.replaceSigningKey(null, signingKey, 0);
    const connectKey = { id: 'dck_1', publicKey: new Uint8Array(32), privateKey: aPrivateKey(), createdAt: NOW };
    await store.addConnectKey(connectKey);
    const secrets = [certificate, order, account, signingKey, handedOn, connectKey].map(({ privateKey }) => privateKey);
    const names = {
      issued: issued.name,
      inherited: former.name,
      ordered: ordered.name,
      account: account.issuer,
      signingKey: signingKey.id,
      connectKey: connectKey.id,
    };
    return { ...names, secrets };
  }

  /** The same secrets, as the store gives them. */
  async function readSecrets(store: Store, names: Awaited<ReturnType<typeof storeSecrets>>, now = NOW + 1) {
    const claimed = await store.claimCertificates({ now, limit: 9, leaseMs: 1, newNames: false });
    const order = claimed.find(({ certificate }) => certificate.hostname === names.ordered)?.order;
    const holders = [
      await servedCertificate(store, names.issued),
      order,
      await store.findCaAccount(names.account),
      await store.findSigningKey(names.signingKey),
      await servedCertificate(store, names.inherited),
      (await store.listConnectKeys())[0],
    ];
    expect((await store.findCurrentSigningKey())?.privateKey).toEqual(holders[3]?.privateKey);
    return holders.map((holder) => holder?.privateKey);
  }

  const keyIds = async (store: Store) => (await store.listSecretPrefixes()).map(keyIdOf);
  const idOf = (key: Uint8Array) => keyIdOf(ring(key).prefix());

  describe('secrets', () => {
    it('of every kind are read from a sealed store as they were written, and are nowhere in it as plaintext', () =>
      alone(async ({ store, reopen, contains }, environment) => {
        const stored = await storeSecrets(sealedStore(store, ring(OLD)), environment);
        expect(await readSecrets(sealedStore(store, ring(OLD)), stored)).toEqual(stored.secrets);
        const imported = anIssuedCertificate({ issuer: 'imported' });
        await sealedStore(store, ring(OLD)).importCertificate(stored.issued, imported, NOW);
        const replaced = aCaAccount({ issuer: stored.account, url: 'https://ca.example/acct/2' });
        await sealedStore(store, ring(OLD)).replaceCaAccount(null, replaced);
        const secrets = [...stored.secrets, imported.privateKey, replaced.privateKey];
        const again = sealedStore(await reopen(), ring(OLD));
        expect(await servedCertificate(again, stored.issued)).toMatchObject({ privateKey: imported.privateKey });
        expect(await again.findCaAccount(stored.account)).toEqual(replaced);
        for (const secret of secrets) expect(await contains(secret.subarray(-32))).toBe(false);
        expect(await contains(Buffer.from(stored.account))).toBe(true);
      }));

    it('are listed by prefix, and replaced unless they have changed since', () =>
      alone(async ({ store }, environment) => {
        expect(await store.listSecretPrefixes()).toEqual([]);
        await storeSecrets(sealedStore(store, ring(OLD)), environment);
        const account = await store.createCaAccount(aCaAccount());
        expect((await keyIds(store)).toSorted()).toEqual([idOf(OLD), null].toSorted());
        const clear = await store.listSecrets(account.privateKey.subarray(0, 9), 9);
        expect(clear).toEqual([{ kind: 'account', id: account.issuer, bytes: account.privateKey }]);
        const sealed = await store.listSecrets(ring(OLD).prefix(), 9);
        expect(sealed.map(({ kind }) => kind).toSorted()).toEqual([
          'account',
          'certificate',
          'connect_key',
          'inherited_certificate',
          'order',
          'signing_key',
        ]);
        expect(await store.listSecrets(ring(OLD).prefix(), 3)).toHaveLength(3);
        for (const secret of sealed) {
          const after = ring(NEW).seal(aPrivateKey(), secret);
          expect(await store.replaceSecret(secret, after)).toBe('replaced');
          expect(await store.replaceSecret(secret, aPrivateKey())).toBe('stale');
          expect(await store.listSecrets(ring(NEW).prefix(), 9)).toContainEqual({ ...secret, bytes: after });
        }
        expect(await store.listSecrets(ring(OLD).prefix(), 9)).toEqual([]);
      }));

    it('that were written as plaintext are read as they are, until they are sealed; then no plaintext is left', () =>
      alone(async ({ store, reopen, contains }, environment) => {
        const stored = await storeSecrets(store, environment);
        expect(await contains((stored.secrets[0] as Uint8Array).subarray(-32))).toBe(true);
        expect(await readSecrets(sealedStore(store, ring(OLD)), stored)).toEqual(stored.secrets);
        const accounts = Array.from({ length: 40 }, () => aCaAccount());
        for (const account of accounts) await store.createCaAccount(account);
        expect(await sealPlaintextSecrets(store, ring(OLD))).toBe(46);
        expect(await sealPlaintextSecrets(store, ring(NEW, OLD))).toBe(0);
        expect(await keyIds(store)).toEqual([idOf(OLD)]);
        expect(await readSecrets(sealedStore(store, ring(OLD)), stored, NOW + 9)).toEqual(stored.secrets);
        await reopen();
        const secrets = [...stored.secrets, ...accounts.map(({ privateKey }) => privateKey)];
        for (const secret of secrets) expect(await contains(secret.subarray(-32))).toBe(false);
      }));

    it('cannot be unsealed in the place of another', () =>
      alone(async ({ store }, environment) => {
        const sealed = sealedStore(store, ring(OLD));
        const { account, issued } = await storeSecrets(sealed, environment);
        const secrets = await store.listSecrets(ring(OLD).prefix(), 9);
        const [theirs, mine] = ['account', 'certificate'].map((kind) => secrets.find((secret) => secret.kind === kind));
        if (theirs === undefined || mine === undefined) throw new Error('a secret is missing');
        expect([theirs.id, mine.id]).toEqual([account, issued]);
        await store.replaceSecret(mine, theirs.bytes);
        await expect(servedCertificate(sealed, issued)).rejects.toThrow(/changed or moved/);
      }));

    it('whose key is missing are errors with its id; an order without its key is read as none', () =>
      alone(async ({ store }, environment) => {
        const stored = await storeSecrets(sealedStore(store, ring(LOST)), environment);
        const sealed = sealedStore(store, ring(OLD));
        expect(await missingKeys(store, ring(OLD))).toEqual([idOf(LOST)]);
        expect(await missingKeys(store, ring(OLD, LOST))).toEqual([]);
        const reads = [
          { read: () => servedCertificate(sealed, stored.issued), kind: SealingError },
          { read: () => sealed.findCaAccount(stored.account), kind: StoreUnavailable },
          { read: () => sealed.findSigningKey(stored.signingKey), kind: StoreUnavailable },
        ];
        for (const { read, kind } of reads) {
          const error: unknown = await read().catch((reason: unknown) => reason);
          expect(error).toBeInstanceOf(kind);
          expect(String(error)).toContain(`sealed under the key ${idOf(LOST)}, which the configuration does not have`);
        }
        const claimed = await sealed.claimCertificates({ now: NOW + 1, limit: 9, leaseMs: 1, newNames: false });
        expect(claimed).toMatchObject([{ certificate: { hostname: stored.ordered }, order: null }]);
      }));
  });

  describe('secrets of origins', () => {
    const bytes = (text: string) => new TextEncoder().encode(text);
    const clientCertificate = { chain: 'chain', privateKey: bytes('the key of a client') };

    async function storeOriginSecrets(store: Store, { workspaceId, id }: Environment) {
      for (const text of ['npe_secret-one', 'npe_secret-two'])
        await store.rotateOriginSecret(workspaceId, id, { text: bytes(text), createdAt: NOW }, NOW + 1);
      await store.updateOriginSettings(workspaceId, id, { hostHeader: 'origin', clientCertificate });
    }
    const stored = {
      clientCertificate,
      secret: { current: bytes('npe_secret-two'), previous: bytes('npe_secret-one'), previousExpiresAt: NOW + 1 },
    };

    it('are sealed, also the one before, and are re-sealed under another key', () =>
      alone(async ({ store, reopen, contains }, environment) => {
        await store.createDeployment(aDeployment(environment));
        await storeOriginSecrets(sealedStore(store, ring(OLD)), environment);
        const settingsOf = async (from: Store, key: Uint8Array) =>
          (await sealedStore(from, ring(key)).findOrigin(environment.id))?.settings;
        expect(await settingsOf(store, OLD)).toMatchObject(stored);
        expect(await store.countSecrets(ring(OLD).prefix())).toEqual({
          origin_secret: 1,
          previous_origin_secret: 1,
          origin_client_key: 1,
        });
        expect(await rotateSecrets(store, ring(NEW, OLD))).toBe(3);
        expect(await settingsOf(store, NEW)).toMatchObject(stored);
        await expect(settingsOf(store, LOST)).rejects.toThrow(SealingError);
        const again = await reopen();
        expect(await settingsOf(again, NEW)).toMatchObject(stored);
        for (const text of ['npe_secret', 'the key of a client']) expect(await contains(bytes(text))).toBe(false);
      }));

    it('are forgotten with their key; what else the environment has set stays', () =>
      alone(async ({ store }, environment) => {
        await store.createDeployment(aDeployment(environment));
        await storeOriginSecrets(sealedStore(store, ring(LOST)), environment);
        expect(await store.forgetSecrets(ring(LOST).prefix())).toEqual({
          origin_secret: 1,
          previous_origin_secret: 1,
          origin_client_key: 1,
        });
        const { settings } = (await sealedStore(store, ring(NEW)).findOrigin(environment.id)) ?? {};
        expect(settings).toMatchObject({ hostHeader: 'origin', clientCertificate: null, secret: null });
        const shown = await store.findOriginSettings(environment.id);
        expect(shown).toMatchObject({ hostHeader: 'origin', secretCreatedAt: null, clientCertificate: null });
      }));
  });

  describe('once the key is lost', () => {
    it('what it sealed is counted and forgotten, and every name starts again', () =>
      alone(async ({ store }, environment) => {
        const { issued, ordered, inherited, account } = await storeSecrets(sealedStore(store, ring(LOST)), environment);
        const kept = await sealedStore(store, ring(NEW)).createCaAccount(aCaAccount());
        const lost = { certificate: 1, inherited_certificate: 1, order: 1, account: 1, signing_key: 1, connect_key: 1 };
        expect(await store.countSecrets(ring(LOST).prefix())).toEqual(lost);
        expect(await store.forgetSecrets(ring(LOST).prefix())).toEqual(lost);
        expect(await store.forgetSecrets(ring(LOST).prefix())).toEqual({});
        expect(await keyIds(store)).toEqual([idOf(NEW)]);
        expect(await store.findCaAccount(account)).toBeNull();
        expect(await sealedStore(store, ring(NEW)).findCaAccount(kept.issuer)).toEqual(kept);
        // The lease of the one that was inherited has ended.
        const claim = { now: NOW + 1, limit: 9, leaseMs: 1, newNames: true };
        const due = await sealedStore(store, ring(NEW)).claimCertificates(claim);
        expect(due.map(({ certificate, order }) => [certificate.hostname, certificate.state, order])).toEqual(
          expect.arrayContaining([issued, ordered, inherited].map((name) => [name, 'wanted', null])),
        );
        expect(due.map(({ certificate }) => certificate.issued)).toEqual([null, null, null]);
        expect(await servedCertificate(store, inherited)).toBeNull();
      }));

    it('a certificate that is staged is forgotten with its key, and its domain gets another one', () =>
      alone(async ({ store }, environment) => {
        const domain = await attach(store, environment);
        const moved = anIssuedCertificate({ issuer: 'moved' });
        await sealedStore(store, ring(LOST)).stageCertificate(domain, moved, NOW);
        expect(await store.forgetSecrets(ring(LOST).prefix())).toEqual({ staged_certificate: 1 });
        await prove(store, domain, NOW);
        expect(await store.findCertificate(domain.name)).toMatchObject({ state: 'wanted', issued: null });
      }));

    it('a certificate that another key sealed stays in use, and only its order is forgotten', () =>
      alone(async ({ store }, environment) => {
        const { name } = await verify(store, environment);
        await sealedStore(store, ring(NEW)).importCertificate(name, anIssuedCertificate(), NOW);
        await store.renewCertificate(name, NOW);
        const claim = { now: NOW, limit: 9, leaseMs: 1, newNames: true };
        const [due] = await store.claimCertificates(claim);
        const order = anOrder({ hostname: name, issuer: anIssuer() });
        const begin = { lease: (due as DueCertificate).lease, entry: aLedgerEntry(order), limits: [], now: NOW };
        await sealedStore(store, ring(LOST)).beginOrder({ ...begin, order });
        expect(await store.forgetSecrets(ring(LOST).prefix())).toEqual({ order: 1 });
        const [again] = await sealedStore(store, ring(NEW)).claimCertificates({ ...claim, newNames: false });
        expect(again).toMatchObject({ order: null, certificate: { hostname: name, state: 'issued' } });
        expect(await servedCertificate(sealedStore(store, ring(NEW)), name)).not.toBeNull();
      }));
  });

  describe('sealing under another key', () => {
    it('reaches the managed certificate behind an imported one, which is sealed in every place that it has', () =>
      alone(async ({ store, reopen, contains }, environment) => {
        const { name } = await verify(store, environment);
        const [managed, own] = [anIssuedCertificate(), anIssuedCertificate({ issuer: 'imported' })];
        for (const each of [managed, own]) await sealedStore(store, ring(OLD)).importCertificate(name, each, NOW);
        expect(await sealedStore(store, ring(OLD)).findFallback(name)).toEqual(managed);
        expect((await store.listSecrets(ring(OLD).prefix(), 9)).map(({ kind }) => kind).toSorted()).toEqual([
          'certificate',
          'fallback_certificate',
        ]);
        expect(await rotateSecrets(store, ring(NEW, OLD))).toBe(2);
        const sealed = sealedStore(await reopen(), ring(NEW));
        expect(await sealed.removeCertificate(name, NOW)).toBe('removed');
        expect(await servedCertificate(sealed, name)).toMatchObject({ privateKey: managed.privateKey });
        for (const { privateKey } of [managed, own]) expect(await contains(privateKey.subarray(-32))).toBe(false);
      }));

    it('reaches a certificate that is staged, which serves with its key once its domain is verified', () =>
      alone(async ({ store, reopen, contains }, environment) => {
        const domain = await attach(store, environment);
        const moved = anIssuedCertificate({ issuer: 'moved' });
        await sealedStore(store, ring(OLD)).stageCertificate(domain, moved, NOW);
        const [kept] = await store.listSecrets(ring(OLD).prefix(), 9);
        expect(kept).toMatchObject({ kind: 'staged_certificate', id: domain.name });
        expect(await rotateSecrets(store, ring(NEW, OLD))).toBe(1);
        const sealed = sealedStore(await reopen(), ring(NEW));
        await prove(sealed, domain, NOW);
        expect(await servedCertificate(sealed, domain.name)).toMatchObject({ privateKey: moved.privateKey });
        expect(await contains(moved.privateKey.subarray(-32))).toBe(false);
      }));

    it('reaches everything, wherever it was interrupted before', () =>
      alone(async ({ store }, environment) => {
        const stored = await storeSecrets(sealedStore(store, ring(OLD)), environment);
        for (let i = 0; i < 120; i++) await sealedStore(store, ring(OLD)).createCaAccount(aCaAccount());
        const keyring = ring(NEW, OLD);
        const brokenOff = rotateSecrets(store, keyring, () => {
          throw new Error('broken off');
        });
        await expect(brokenOff).rejects.toThrow('broken off');
        expect((await keyIds(store)).toSorted()).toEqual([idOf(OLD), idOf(NEW)].toSorted());
        const told: number[] = [];
        expect(await rotateSecrets(store, keyring, (done) => told.push(done))).toBe(26);
        expect(told.at(-1)).toBe(26);
        expect(await keyIds(store)).toEqual([idOf(NEW)]);
        expect(await readSecrets(sealedStore(store, ring(NEW)), stored)).toEqual(stored.secrets);
        expect(await rotateSecrets(store, keyring)).toBe(0);
      }));

    it('reaches the keys of deleted domains, which are served again once these are restored', () =>
      alone(async ({ store }, environment) => {
        const before = sealedStore(store, ring(OLD));
        const { id, workspaceId, name } = await verify(before, environment);
        const issued = anIssuedCertificate({ notAfter: NOW + 90 * DAY_MS });
        await before.importCertificate(name, issued, NOW);
        await before.deleteDomain(workspaceId, id, NOW, NOW + DAY_MS);
        expect(await rotateSecrets(store, ring(NEW, OLD))).toBe(1);
        const after = sealedStore(store, ring(NEW));
        const deleted = await after.findDeletedDomain(workspaceId, id, NOW);
        if (deleted === null) throw new Error('the domain was not kept');
        expect(await after.restoreDomain(deleted, NOW, WINDOW_MS)).toMatchObject({ kind: 'restored' });
        expect(await servedCertificate(after, name)).toMatchObject({ privateKey: issued.privateKey });
      }));

    it('does the rest, and names the missing key, where something cannot be unsealed', () =>
      alone(async ({ store }, environment) => {
        const account = await sealedStore(store, ring(LOST)).createCaAccount(aCaAccount());
        await storeSecrets(sealedStore(store, ring(OLD)), environment);
        const error: unknown = await rotateSecrets(store, ring(NEW, OLD)).catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(SealingError);
        expect(String(error)).toContain(`sealed under the key ${idOf(LOST)}`);
        expect((await keyIds(store)).toSorted()).toEqual([idOf(LOST), idOf(NEW)].toSorted());
        expect(await rotateSecrets(store, ring(NEW, OLD, LOST))).toBe(1);
        expect(await sealedStore(store, ring(NEW)).findCaAccount(account.issuer)).toEqual(account);
      }));

    it('does the rest, and names what was damaged, which it leaves as it is', () =>
      alone(async ({ store }, environment) => {
        const accounts = Array.from({ length: 130 }, () => aCaAccount());
        for (const account of accounts) await sealedStore(store, ring(OLD)).createCaAccount(account);
        const stored = await storeSecrets(sealedStore(store, ring(OLD)), environment);
        // More than are read at once: what is damaged hides nothing that lies behind it.
        const damaged = (await store.listSecrets(ring(OLD).prefix(), 110)).map((secret) => {
          const bytes = Uint8Array.from(secret.bytes);
          bytes.set([(bytes.at(-1) ?? 0) ^ 1], bytes.length - 1);
          return { secret, bytes };
        });
        for (const { secret, bytes } of damaged) await store.replaceSecret(secret, bytes);
        const hurt = new Set(damaged.map(({ secret }) => secret.id));
        const error: unknown = await rotateSecrets(store, ring(NEW, OLD)).catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(SealingError);
        const named = [...hurt].filter((id) => String(error).includes(id));
        expect(named).toHaveLength(10);
        expect(String(error)).toContain('and 100 more');
        expect(await store.listSecrets(ring(OLD).prefix(), 200)).toHaveLength(110);
        const left = (await store.listSecrets(ring(NEW).prefix(), 200)).map(({ id }) => id);
        const all = [
          ...accounts.map(({ issuer }) => issuer),
          stored.issued,
          stored.ordered,
          stored.account,
          stored.signingKey,
          stored.inherited,
          stored.connectKey,
        ];
        expect(left.toSorted()).toEqual(all.filter((id) => !hurt.has(id)).toSorted());
        for (const { secret, bytes } of damaged) await store.replaceSecret({ ...secret, bytes }, secret.bytes);
        expect(await rotateSecrets(store, ring(NEW, OLD))).toBe(110);
      }));

    it('loses nothing that is written meanwhile, by servers with the new key first or the old one', () =>
      alone(async ({ store }, environment) => {
        const servers = [ring(OLD, NEW), ring(NEW, OLD)].map((keyring) => sealedStore(store, keyring));
        const written = new Map<string, Uint8Array>();
        const certify = async (server: Store, name: string) => {
          const issued = anIssuedCertificate();
          await server.importCertificate(name, issued, NOW);
          written.set(name, issued.privateKey);
        };
        const names: string[] = [];
        for (let i = 0; i < 8; i++) names.push((await verify(store, environment)).name);
        for (const name of names) await certify(servers[0] as Store, name);
        const writes = names.map(async (name, i) => {
          for (let round = 0; round < 10; round++) await certify(servers[(i + round) % 2] as Store, name);
        });
        const keyring = ring(NEW, OLD);
        await Promise.all([rotateSecrets(store, keyring), ...writes]);
        await rotateSecrets(store, keyring);
        expect(await keyIds(store)).toEqual([idOf(NEW)]);
        await expectAll(sealedStore(store, ring(NEW)), written);
      }));
  });

  async function expectAll(store: Store, written: Map<string, Uint8Array>): Promise<void> {
    for (const [name, privateKey] of written) {
      expect(await servedCertificate(store, name), name).toMatchObject({ privateKey });
    }
  }
}
