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
      const route = { hostname: name, ...ids, redirect: null, suspendedStatus: null, settings: null };
      expect(await store.findSite(name)).toEqual({ ...route, origin: null, certificate: null });
      expect(await store.findOrigin(environment.id)).toBeNull();
      const { chain, privateKey, notAfter, ...issued } = anIssuedCertificate();
      for (const origin of ['http://origin1.example:8080', 'https://origin2.example']) {
        const deployment = aDeployment(environment, { origin });
        await store.createDeployment(deployment);
        const current = { deploymentId: deployment.id, origin };
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
