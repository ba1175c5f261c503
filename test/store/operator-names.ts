import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { OPERATOR, type Store } from '../../server/src/store/store.ts';
import { anIssuedCertificate, aSave, verify } from '../support/certificates.ts';
import { attach, NOW, plant } from '../support/entities.ts';
import type { OpenedStore, Subject } from './subject.ts';

const NAME = 'api.example.net';

export function describeOperatorNames(subject: Subject): void {
  describe("a name of the operator's own", () => {
    let opened: OpenedStore;
    let store: Store;
    beforeEach(async () => {
      opened = await subject.open();
      store = opened.store;
    });
    afterEach(() => opened.close());

    const claim = (hostname = NAME) => store.claimOperatorName(hostname, NOW);
    const due = async () => {
      const claimed = await store.claimCertificates({ now: NOW, limit: 10, leaseMs: 1000, newNames: true });
      return claimed.map(({ certificate }) => certificate.hostname);
    };
    const changesOf = async (action: () => Promise<unknown>) => {
      const { latest } = await store.changesSince(0);
      await action();
      const { changes } = await store.changesSince(latest);
      return changes.map(({ kind, key }) => `${kind} ${key}`);
    };

    it('has a certificate like any other, and no domain', async () => {
      expect(await store.findOperatorSite(NAME)).toBeNull();
      expect(await changesOf(claim)).toEqual([`route ${NAME}`]);
      const site = {
        hostname: NAME,
        workspaceId: OPERATOR,
        domainId: OPERATOR,
        environmentId: OPERATOR,
        origin: null,
        redirect: null,
        suspendedStatus: null,
        usageNumber: 0,
        settings: null,
      };
      expect(await store.findOperatorSite(NAME)).toEqual({ ...site, certificate: null });
      expect(await store.findSite(NAME)).toBeNull();
      const owner = { domainId: OPERATOR, workspaceId: OPERATOR };
      expect(await store.findCertificate(NAME)).toMatchObject({ hostname: NAME, state: 'wanted', ...owner });
      expect((await store.listCertificates({ limit: 10 })).items).toMatchObject([{ hostname: NAME }]);
      expect(await store.countCertificates()).toEqual({ wanted: 1 });

      const [claimed] = await store.claimCertificates({ now: NOW, limit: 10, leaseMs: 1000, newNames: true });
      if (claimed === undefined) throw new Error('it is not due');
      const { privateKey, ...issued } = anIssuedCertificate();
      const save = { state: 'issued' as const, issued: { ...issued, privateKey } };
      expect(await changesOf(() => store.saveCertificate(aSave(claimed, save)))).toEqual([`certificate ${NAME}`]);
      const { chain, notAfter } = issued;
      const certificate = { chain, privateKey, notAfter, inherited: false };
      expect(await store.findOperatorSite(NAME)).toEqual({ ...site, certificate });
      expect(await store.listExpiring(10)).toMatchObject([{ hostname: NAME, ...owner, issued: { chain } }]);
      expect(await store.renewCertificate(NAME, NOW)).toBe('accepted');
      expect(await store.importCertificate(NAME, anIssuedCertificate(), NOW)).toBe('imported');
      // There is nobody whom an event would tell.
      await store.recordExpiring(issued.notAfter, 10);
    });

    it('is claimed again by each process that starts, which changes nothing', async () => {
      await claim();
      await store.importCertificate(NAME, anIssuedCertificate(), NOW);
      const before = await store.findOperatorSite(NAME);
      expect(await changesOf(claim)).toEqual([]);
      expect(await store.findOperatorSite(NAME)).toEqual(before);
    });

    it('takes the place of the one before, whose certificate and challenges are deleted', async () => {
      await claim('old.example.net');
      await store.importCertificate('old.example.net', anIssuedCertificate(), NOW);
      const challenge = { hostname: 'old.example.net', token: 't', keyAuthorization: 't.p', expiresAt: NOW };
      await store.putChallenge(challenge);
      expect(await changesOf(claim)).toEqual(['route old.example.net', `route ${NAME}`]);
      expect(await store.findOperatorSite('old.example.net')).toBeNull();
      expect(await store.findCertificate('old.example.net')).toBeNull();
      expect(await store.findChallenge('old.example.net', 't', NOW)).toBeNull();
      expect(await due()).toEqual([NAME]);
    });

    it('is refused while a domain has it, verified or not, and then nothing is changed', async () => {
      const { environment, workspace } = await plant(store);
      const workspaceId = workspace.id;
      await claim('old.example.net');
      const waiting = await attach(store, environment, { name: NAME });
      const { environment: other, workspace: second } = await plant(store);
      expect(await claim()).toEqual({ kind: 'held', domainId: waiting.id, workspaceId });
      await store.deleteDomain(workspaceId, waiting.id, NOW);
      const verified = await verify(store, other, { name: NAME });
      expect(await claim()).toEqual({ kind: 'held', domainId: verified.id, workspaceId: second.id });
      expect(await store.findOperatorSite(NAME)).toBeNull();
      expect(await store.findOperatorSite('old.example.net')).not.toBeNull();
      await store.deleteDomain(second.id, verified.id, NOW);
      expect(await claim()).toEqual({ kind: 'claimed' });
    });

    it('that an earlier configuration had becomes that of a domain which is verified', async () => {
      await claim();
      await store.importCertificate(NAME, anIssuedCertificate(), NOW);
      const { environment } = await plant(store);
      const { id } = await verify(store, environment, { name: NAME });
      expect(await store.findSite(NAME)).toMatchObject({ domainId: id, certificate: null });
      expect(await store.findOperatorSite(NAME)).toBeNull();
      expect(await store.findCertificate(NAME)).toMatchObject({ domainId: id, state: 'wanted' });
    });
  });
}
