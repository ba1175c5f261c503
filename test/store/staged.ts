import { describe, expect, it } from 'vitest';
import { MOVED } from '../../server/src/domain/certificate-state.ts';
import type { Domain } from '../../server/src/domain/domain.ts';
import { NO_MEMORY } from '../../server/src/domain/status.ts';
import { anIssuedCertificate, DAY_MS, prove, servedCertificate, takeOver, verify } from '../support/certificates.ts';
import {
  AUTHOR,
  aDomain,
  attach,
  failedAt,
  NOW,
  prepare,
  preparedAt,
  timelineOf,
  verifyingAt,
} from '../support/entities.ts';
import type { Subject } from './subject.ts';

/** Tests certificates that are given before their domain has a route. */
export function describeStaged(subject: Subject): void {
  const DAY = NOW + DAY_MS;
  const aMoved = (about: Parameters<typeof anIssuedCertificate>[0] = {}) =>
    anIssuedCertificate({ issuer: MOVED, ...about });
  const unverified = async (about: Partial<Domain> = {}) =>
    attach(subject.store, (await subject.plant()).environment, about);
  const staged = async (about: Partial<Domain> = {}, issued = aMoved()) => {
    const domain = await unverified(about);
    expect(await subject.store.stageCertificate(domain, issued, NOW)).toBe('staged');
    return { domain, issued };
  };
  const typesOf = async (domain: Domain) => (await timelineOf(subject.store, domain)).map(({ type }) => type);
  const keysOf = async (hostname: string) => {
    const secrets = await subject.store.listSecrets(aMoved().privateKey.subarray(0, 9), 10_000);
    return secrets.filter(({ id }) => id === hostname).map(({ kind }) => kind);
  };

  describe('a certificate that is staged', () => {
    it('neither verifies its domain nor routes nor serves it, and is no certificate of the name', async () => {
      const { store } = subject;
      const { domain, issued } = await staged();
      const { privateKey, ...shown } = issued;
      expect(await store.findStaged(domain.id)).toEqual(shown);
      expect(await store.findDomainById(domain.workspaceId, domain.id)).toEqual(domain);
      expect(await store.findSite(domain.name)).toBeNull();
      expect(await store.findCertificate(domain.name)).toBeNull();
      expect(await typesOf(domain)).toEqual(['domain.created']);
    });

    it('may be given with a new domain, in one transaction: a name that is held already changes nothing of it', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const first = aDomain(environment);
      const issued = aMoved();
      const again = { ...aDomain(environment), name: first.name };
      const create = (domain: Domain) => store.createDomains([domain], DAY, undefined, { [domain.id]: issued });
      expect(await create(first)).toEqual([{ kind: 'created' }]);
      expect(await keysOf(first.name)).toEqual(['staged_certificate']);
      expect(await create(again)).toMatchObject([{ kind: 'held', domainId: first.id }]);
      expect(await store.findStaged(again.id)).toBeNull();
      await prove(store, first, DAY);
      expect(await servedCertificate(store, first.name)).toMatchObject({ chain: issued.chain });
    });

    it('is put in use when its domain is verified: without an order, sealed as it was, due when its renewal is', async () => {
      const { store } = subject;
      const { domain, issued } = await staged();
      const { latest } = await store.changesSince(0);
      await prove(store, domain, DAY);
      const { chain, notAfter, privateKey, renewal } = issued;
      expect(await servedCertificate(store, domain.name)).toEqual({ chain, notAfter, privateKey, inherited: false });
      const { privateKey: _, ...inUse } = { ...issued, issuedAt: DAY };
      expect(await store.findCertificate(domain.name)).toMatchObject({
        state: 'issued',
        problem: null,
        issued: inUse,
        nextTryAt: renewal.askAgainAt,
      });
      expect(await store.findStaged(domain.id)).toBeNull();
      expect(await keysOf(domain.name)).toEqual(['certificate']);
      expect((await typesOf(domain)).slice(-2)).toEqual(['domain.verified', 'certificate.issued']);
      const { changes } = await store.changesSince(latest);
      expect(changes.map(({ kind, key }) => `${kind} ${key}`)).toContain(`certificate ${domain.name}`);
      expect(await store.countLedgerEntries(MOVED, 0)).toMatchObject({ orders: 0 });
    });

    it('is put in use when its domain is prepared, which is then ready to switch, and stays when it is verified', async () => {
      const { store } = subject;
      const { domain, issued } = await staged();
      await prepare(store, domain);
      expect(await servedCertificate(store, domain.name)).toMatchObject({ chain: issued.chain });
      expect(await typesOf(domain)).toEqual(expect.arrayContaining(['certificate.issued', 'site.ready_to_switch']));
      await prove(store, preparedAt(domain), DAY);
      expect(await servedCertificate(store, domain.name)).toMatchObject({ chain: issued.chain });
    });

    it('is deleted instead where it has expired by then', async () => {
      const { store } = subject;
      const { domain, issued } = await staged({}, aMoved({ notAfter: NOW + DAY_MS }));
      await prove(store, domain, issued.notAfter);
      expect(await store.findCertificate(domain.name)).toMatchObject({ state: 'wanted', issued: null });
      expect(await keysOf(domain.name)).toEqual([]);
    });

    it('serves after a takeover in place of the certificate that the name had', async () => {
      const { store } = subject;
      const loser = await verify(store, (await subject.plant()).environment);
      await store.importCertificate(loser.name, anIssuedCertificate(), NOW);
      const { domain, issued } = await staged({ name: loser.name });
      expect(await servedCertificate(store, loser.name)).not.toMatchObject({ chain: issued.chain });
      await prove(store, domain, DAY);
      const { chain } = issued;
      expect(await servedCertificate(store, domain.name)).toMatchObject({ chain, inherited: false });
      expect(await keysOf(domain.name)).toEqual(['certificate']);
    });

    it('is never left to another workspace that proves the name', async () => {
      const { store } = subject;
      const { domain } = await staged();
      const other = await takeOver(store, (await subject.plant()).environment, domain, NOW);
      expect(await store.findCertificate(domain.name)).toMatchObject({ domainId: other.id, issued: null });
      await prove(store, domain, DAY);
      await takeOver(store, (await subject.plant()).environment, domain, DAY + 1);
      expect(await servedCertificate(store, domain.name)).toBeNull();
      expect(await keysOf(domain.name)).toEqual([]);
    });

    it('is replaced by a second one, and each domain of a name has its own', async () => {
      const { store } = subject;
      const first = await staged();
      const second = await staged({ name: first.domain.name });
      const { privateKey, ...shown } = aMoved();
      expect(await store.stageCertificate(first.domain, { ...shown, privateKey }, NOW)).toBe('staged');
      expect(await store.findStaged(first.domain.id)).toEqual(shown);
      expect(await store.findStaged(second.domain.id)).toMatchObject({ chain: second.issued.chain });
      expect(await keysOf(first.domain.name)).toEqual(['staged_certificate', 'staged_certificate']);
    });

    it('is in use at once where the domain has a route, and refused where it has failed or is not there', async () => {
      const { store } = subject;
      const { domain } = await staged();
      await prove(store, domain, NOW);
      const other = aMoved();
      expect(await store.stageCertificate(domain, other, NOW)).toBe('imported');
      expect(await servedCertificate(store, domain.name)).toMatchObject({ chain: other.chain });
      const failed = await unverified();
      await store.saveTransition({ before: failed, after: failedAt(failed, NOW), memory: NO_MEMORY, now: NOW });
      const elsewhere = { ...(await unverified()), workspaceId: domain.workspaceId };
      for (const none of [failed, elsewhere]) expect(await store.stageCertificate(none, aMoved(), NOW)).toBe('missing');
    });

    it('is deleted when its domain fails or is deleted, for good, and once it has expired; another check keeps it', async () => {
      const { store } = subject;
      const cases = await Promise.all([staged(), staged(), staged()]);
      const [failing, deleted, kept] = cases.map(({ domain }) => domain) as [Domain, Domain, Domain];
      const after = failedAt(failing, NOW);
      await store.saveTransition({ before: failing, after, memory: NO_MEMORY, now: NOW });
      await store.deleteDomain(deleted.workspaceId, deleted.id, NOW, DAY);
      const undo = await store.findDeletedDomain(deleted.workspaceId, deleted.id, NOW);
      if (undo === null) throw new Error('the fixture cannot be restored');
      expect(await store.restoreDomain(undo, NOW, DAY_MS)).toMatchObject({ kind: 'restored' });
      const verifying = verifyingAt(kept, NOW);
      await store.saveTransition({ before: kept, after: verifying, memory: NO_MEMORY, now: NOW });
      const found = () => Promise.all(cases.map(async ({ domain }) => (await store.findStaged(domain.id)) !== null));
      expect(await found()).toEqual([false, false, true]);
      for (const [now, isThere] of [
        [NOW + 90 * DAY_MS - 1, true],
        [NOW + 90 * DAY_MS, false],
      ] as const) {
        await store.pruneInheritedCertificates(now);
        expect(await found()).toEqual([false, false, isThere]);
      }
    });

    it('is removed by its own workspace alone, in whose audit log it is, whoever has the name verified', async () => {
      const { store } = subject;
      const incumbent = await verify(store, (await subject.plant()).environment);
      await store.importCertificate(incumbent.name, anIssuedCertificate({ issuer: 'imported' }), NOW);
      const { domain } = await staged({ name: incumbent.name });
      const by = store.changesBy({ ...AUTHOR, action: 'domains.removeCertificate' });
      expect(await by.removeCertificate(domain.name, NOW, domain.id)).toBe('removed');
      expect(await store.findStaged(domain.id)).toBeNull();
      expect((await store.findCertificate(domain.name))?.issued).toMatchObject({ issuer: 'imported' });
      const entries = async ({ workspaceId }: Domain) =>
        (await store.listAuditEntries(workspaceId, { limit: 9 })).items.map(({ targetName }) => targetName);
      expect(await entries(domain)).toEqual([domain.name]);
      expect(await entries(incumbent)).toEqual([]);
    });
  });

  describe('a moved certificate in use', () => {
    it('takes the place of a managed one without a fallback, is the fallback of an imported one, and is due once it is removed', async () => {
      const { store } = subject;
      const { name, id } = await verify(store, (await subject.plant()).environment);
      const [managed, moved, own] = [anIssuedCertificate(), aMoved(), anIssuedCertificate({ issuer: 'imported' })];
      const chains = async () => [
        (await servedCertificate(store, name))?.chain,
        (await store.findFallback(name))?.chain,
      ];
      await store.importCertificate(name, managed, NOW);
      await store.importCertificate(name, moved, NOW);
      expect(await chains()).toEqual([moved.chain, undefined]);
      await store.importCertificate(name, own, NOW);
      expect(await chains()).toEqual([own.chain, moved.chain]);
      expect(await store.removeCertificate(name, NOW, id)).toBe('removed');
      expect(await chains()).toEqual([moved.chain, undefined]);
      expect(await store.removeCertificate(name, NOW, id)).toBe('ordered');
      expect(await store.findCertificate(name)).toMatchObject({ nextTryAt: NOW, issued: { chain: moved.chain } });
    });

    it('is left neither to a takeover nor to names below it, since others may have its key', async () => {
      const { store } = subject;
      for (const hasOwn of [false, true]) {
        const domain = await verify(store, (await subject.plant()).environment);
        await store.importCertificate(domain.name, aMoved(), NOW);
        if (hasOwn) await store.importCertificate(domain.name, anIssuedCertificate({ issuer: 'imported' }), NOW);
        await takeOver(store, (await subject.plant()).environment, domain, DAY);
        expect(await servedCertificate(store, domain.name)).toBeNull();
      }
      const { environment } = await subject.plant();
      const { name } = await verify(store, environment);
      await verify(store, environment, { name: `*.${name}` });
      const below = await verify(store, environment, { name: `a.${name}` });
      for (const [issuer, isServed] of [
        ['internal', true],
        [MOVED, false],
      ] as const) {
        await store.importCertificate(`*.${name}`, anIssuedCertificate({ issuer }), NOW);
        expect((await servedCertificate(store, below.name)) !== null).toBe(isServed);
      }
    });
  });
}
