import { describe, expect, it } from 'vitest';
import { anIssuedCertificate, verify } from '../support/certificates.ts';
import { aDeployment, NOW, unique } from '../support/entities.ts';
import type { Subject } from './subject.ts';

export function describeEdge(subject: Subject): void {
  describe('a site', () => {
    it('is the route, the origin of the current deployment and the certificate in use of a host name, in one read', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const { name, id } = await verify(store, environment);
      const ids = { workspaceId: environment.workspaceId, domainId: id, environmentId: environment.id };
      const usageNumber = expect.any(Number);
      const route = { hostname: name, ...ids, usageNumber, redirect: null, suspendedStatus: null, settings: null };
      expect(await store.findSite(name)).toEqual({ ...route, origin: null, certificate: null });
      expect(await store.findOrigin(environment.id)).toBeNull();
      const { chain, privateKey, notAfter, ...issued } = anIssuedCertificate();
      for (const origin of ['http://origin1.example:8080', 'https://origin2.example']) {
        const deployment = aDeployment(environment, { origin });
        await store.createDeployment(deployment);
        const current = { deployment: { id: deployment.id, origin }, settings: null };
        expect(await store.findSite(name)).toEqual({ ...route, origin: current, certificate: null });
        expect(await store.findOrigin(environment.id)).toEqual(current);
      }
      await store.importCertificate(name, { ...issued, chain, privateKey, notAfter }, NOW);
      expect(await store.findSite(name)).toMatchObject({ ...route, certificate: { chain, privateKey, notAfter } });
    });

    it('is null for a host name that no domain serves, and so is the origin of an unknown environment', async () => {
      expect(await subject.store.findSite('nobody.example.com')).toBeNull();
      expect(await subject.store.findOrigin('env_none')).toBeNull();
    });
  });

  describe('the settings of an origin', () => {
    const key = (text: string) => new TextEncoder().encode(text);

    it('are changed one by one, apply to every deployment, and are null where nothing is set', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const { id, workspaceId } = environment;
      const { name } = await verify(store, environment);
      await store.createDeployment(aDeployment(environment));
      const settings = async () => (await store.findOrigin(id))?.settings;
      expect(await store.updateOriginSettings(workspaceId, id, { hostHeader: 'origin' })).toMatchObject({
        environmentId: id,
        hostHeader: 'origin',
        secretCreatedAt: null,
      });
      const clientCertificate = { chain: 'chain', privateKey: key('0 key') };
      await store.updateOriginSettings(workspaceId, id, {
        caCertificate: 'ca',
        clientCertificate,
        sendExternalId: true,
      });
      const all = { hostHeader: 'origin', caCertificate: 'ca', clientCertificate, secret: null, sendsExternalId: true };
      expect(await settings()).toEqual(all);
      await store.createDeployment(aDeployment(environment));
      expect(await settings()).toEqual(all);
      expect((await store.findSite(name))?.origin?.settings).toEqual(all);
      await store.updateOriginSettings(workspaceId, id, {
        hostHeader: null,
        caCertificate: null,
        clientCertificate: null,
        sendExternalId: false,
      });
      expect(await settings()).toBe(null);
    });

    it('have one secret and the one before it, and none once it is removed', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const { id, workspaceId } = environment;
      await store.createDeployment(aDeployment(environment));
      const secret = async () => (await store.findOrigin(id))?.settings?.secret;
      const rotate = (text: string, at: number) =>
        store.rotateOriginSecret(workspaceId, id, { text: key(text), createdAt: at }, at + 100);
      expect(await rotate('one', NOW)).toBe('rotated');
      expect(await secret()).toEqual({ current: key('one'), previous: null, previousExpiresAt: null });
      await rotate('two', NOW + 1);
      await rotate('three', NOW + 2);
      expect(await secret()).toEqual({ current: key('three'), previous: key('two'), previousExpiresAt: NOW + 102 });
      expect(await store.findOriginSettings(id)).toMatchObject({ secretCreatedAt: NOW + 2 });
      await store.updateOriginSettings(workspaceId, id, { secret: null });
      expect(await secret()).toBe(undefined);
    });

    it('are those of the workspace’s own environments, and log a change', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const other = (await subject.plant()).workspace.id;
      const text = { text: key('one'), createdAt: NOW };
      expect(await store.updateOriginSettings(other, environment.id, { hostHeader: 'origin' })).toBe(null);
      expect(await store.rotateOriginSecret(other, environment.id, text, NOW)).toBe('missing');
      const { latest } = await store.changesSince(0);
      await store.updateOriginSettings(environment.workspaceId, environment.id, { hostHeader: 'origin' });
      await store.rotateOriginSecret(environment.workspaceId, environment.id, text, NOW);
      const { changes } = await store.changesSince(latest);
      const own = changes.filter(({ key }) => key === environment.id);
      expect(own.map(({ kind }) => kind)).toEqual(['environment', 'environment']);
      await store.deleteEnvironment(environment.workspaceId, environment.id);
      expect(await store.findOriginSettings(environment.id)).toBe(null);
    });
  });

  describe('challenges', () => {
    const aChallenge = () => ({
      hostname: `${unique('challenged')}.example.com`,
      token: unique('token'),
      keyAuthorization: unique('authorization'),
      expiresAt: NOW,
    });

    it('are found by host name and token alone, until they expire, and can be replaced', async () => {
      const { store } = subject;
      const [one, other] = [aChallenge(), aChallenge()];
      await store.putChallenge(one);
      await store.putChallenge(other);
      expect(await store.findChallenge(one.hostname, one.token, NOW)).toBe(one.keyAuthorization);
      expect(await store.findChallenge(other.hostname, one.token, NOW)).toBeNull();
      expect(await store.findChallenge(one.hostname, other.token, NOW)).toBeNull();
      expect(await store.findChallenge(one.hostname, one.token, NOW + 1)).toBeNull();
      await store.putChallenge({ ...one, keyAuthorization: 'another', expiresAt: NOW + 1 });
      expect(await store.findChallenge(one.hostname, one.token, NOW + 1)).toBe('another');
    });

    it('are deleted once they have expired, and no sooner', async () => {
      const { store } = subject;
      const [expired, expiresThen] = [{ ...aChallenge(), expiresAt: NOW - 1 }, aChallenge()];
      for (const challenge of [expired, expiresThen]) await store.putChallenge(challenge);
      await store.pruneChallenges(NOW);
      expect(await store.findChallenge(expired.hostname, expired.token, 0)).toBeNull();
      expect(await store.findChallenge(expiresThen.hostname, expiresThen.token, 0)).toBe(expiresThen.keyAuthorization);
    });
  });
}
