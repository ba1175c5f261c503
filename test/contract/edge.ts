import { describe, expect, it } from 'vitest';
import { verify } from '../support/certificates.ts';
import { aDeployment, NOW, unique } from '../support/entities.ts';
import type { Subject } from './subject.ts';

export function describeEdge(subject: Subject): void {
  describe('what the edge reads', () => {
    it('leads from a host name to its environment, and on to the origin of what is deployed there last', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const { name, id } = await verify(store, environment);
      expect(await store.findRoute(name)).toEqual({ hostname: name, domainId: id, environmentId: environment.id });
      expect(await store.findOrigin(environment.id)).toBeNull();
      for (const origin of ['http://origin1.example:8080', 'https://origin2.example']) {
        const deployment = aDeployment(environment, { origin });
        await store.createDeployment(deployment);
        expect(await store.findOrigin(environment.id)).toEqual({ deploymentId: deployment.id, origin });
      }
      expect(await store.findServedCertificate(name)).toBeNull();
    });

    it('is nothing, of names and environments that nobody has', async () => {
      expect(await subject.store.findRoute('nobody.example.com')).toBeNull();
      expect(await subject.store.findServedCertificate('nobody.example.com')).toBeNull();
      expect(await subject.store.findOrigin('env_none')).toBeNull();
    });
  });

  describe('answers to challenges', () => {
    const aChallenge = () => ({
      hostname: `${unique('challenged')}.example.com`,
      token: unique('token'),
      keyAuthorization: unique('authorization'),
      expiresAt: NOW,
    });

    it('are found by host name and token alone, until they expire, and can be put anew', async () => {
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

    it('are forgotten once they have expired, and no sooner', async () => {
      const { store } = subject;
      const [expired, expiresThen] = [{ ...aChallenge(), expiresAt: NOW - 1 }, aChallenge()];
      for (const challenge of [expired, expiresThen]) await store.putChallenge(challenge);
      await store.pruneChallenges(NOW);
      expect(await store.findChallenge(expired.hostname, expired.token, 0)).toBeNull();
      expect(await store.findChallenge(expiresThen.hostname, expiresThen.token, 0)).toBe(expiresThen.keyAuthorization);
    });
  });
}
