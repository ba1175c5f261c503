import { describe, expect, it } from 'vitest';
import { NOW, unique } from '../support/entities.ts';
import type { Subject } from './subject.ts';

const DAY_MS = 86_400_000;

export function describeDnsAnswers(subject: Subject): void {
  const changesOf = async (action: () => Promise<unknown>) => {
    const { latest } = await subject.store.changesSince(0);
    await action();
    const { changes } = await subject.store.changesSince(latest);
    return changes.map(({ kind, key }) => `${kind} ${key}`);
  };

  describe('challenges for DNS', () => {
    const valuesOf = async (label: string, now = NOW) =>
      (await subject.store.listDnsChallenges(now))
        .filter((each) => each.label === label)
        .map(({ value }) => value)
        .sort();

    it('have any number of values at one label, each until it expires or is removed, and every change is logged', async () => {
      const { store } = subject;
      const label = unique('label');
      const add = (value: string, expiresAt = NOW) => store.addDnsChallenge({ label, value, expiresAt });
      expect(await changesOf(() => add('one'))).toEqual([`dns_challenge ${label}`]);
      await add('two', NOW + 1);
      await add('two', NOW + 2);
      expect(await valuesOf(label)).toEqual(['one', 'two']);
      expect(await valuesOf(label, NOW + 2)).toEqual(['two']);
      expect(await valuesOf(label, NOW + 3)).toEqual([]);
      expect(await changesOf(() => store.removeDnsChallenge(label, 'one'))).toEqual([`dns_challenge ${label}`]);
      expect(await changesOf(() => store.removeDnsChallenge(label, 'one'))).toEqual([]);
      expect(await valuesOf(label)).toEqual(['two']);
    });

    it('are deleted once they have expired, and no sooner', async () => {
      const { store } = subject;
      const label = unique('label');
      await store.addDnsChallenge({ label, value: 'expired', expiresAt: NOW - 1 });
      await store.addDnsChallenge({ label, value: 'expires then', expiresAt: NOW });
      await store.pruneChallenges(NOW);
      expect(await valuesOf(label, 0)).toEqual(['expires then']);
    });
  });

  describe('addresses of edges', () => {
    const listed = async (since: number) =>
      new Map((await subject.store.listEdgeAddresses(since)).map(({ address, seenAt }) => [address, seenAt]));

    it('have the time when an edge reported them last, and are forgotten after a day without', async () => {
      const { store } = subject;
      const [one, other] = [unique('address'), unique('address')];
      await store.recordEdgeAddresses([one, other], NOW);
      await store.recordEdgeAddresses([one], NOW + 5);
      expect(await listed(NOW - 1)).toEqual(
        new Map([
          [one, NOW + 5],
          [other, NOW],
        ]),
      );
      expect(await listed(NOW)).toEqual(new Map([[one, NOW + 5]]));
      await store.recordEdgeAddresses([one], NOW + DAY_MS + 1);
      expect((await listed(0)).has(other)).toBe(false);
    });
  });
}
