import { describe, expect, it } from 'vitest';
import type { SigningKey, Store } from '../../server/src/store/store.ts';
import { aSigningKey, aWorkspace, NOW } from '../support/entities.ts';
import type { OpenedStore, Subject } from './subject.ts';

export function describeSigning(subject: Subject): void {
  /** A store of its own: there is one key that signs in each. */
  const alone = async (test: (store: Store, opened: OpenedStore) => Promise<void>) => {
    const opened = await subject.open();
    try {
      await test(opened.store, opened);
    } finally {
      await opened.close();
    }
  };
  const retired = (key: SigningKey, by: SigningKey) => ({ ...key, retiredAt: by.createdAt });

  describe('a workspace', () => {
    it('is found by its id, and nothing else is', async () => {
      const workspace = aWorkspace({ limits: { rates: { '*': { limit: 1, windowMs: 2 } }, domains: 3 } });
      await subject.store.createWorkspace(workspace);
      expect(await subject.store.findWorkspace(workspace.id)).toEqual(workspace);
      expect(await subject.store.findWorkspace('ws_none')).toBeNull();
    });
  });

  describe('the keys that sign', () => {
    it('are none at first; then the newest one signs, and earlier ones are found until they are deleted', () =>
      alone(async (store) => {
        const [a, b, c] = [aSigningKey(), aSigningKey({ createdAt: NOW + 10 }), aSigningKey({ createdAt: NOW + 20 })];
        expect(await store.findCurrentSigningKey()).toBeNull();
        expect(await store.replaceSigningKey(null, a, 0)).toBe('replaced');
        expect(await store.findCurrentSigningKey()).toEqual(a);
        expect(await store.replaceSigningKey(a.id, b, NOW)).toBe('replaced');
        expect(await store.findCurrentSigningKey()).toEqual(b);
        expect(await store.findSigningKey(a.id)).toEqual(retired(a, b));
        expect(await store.replaceSigningKey(b.id, c, NOW + 11)).toBe('replaced');
        expect(await store.findSigningKey(a.id)).toBeNull();
        expect(await store.findSigningKey(b.id)).toEqual(retired(b, c));
        expect(await store.findSigningKey(c.id)).toEqual(c);
      }));

    it('have one winner when several replace the same one', () =>
      alone(async (store) => {
        const first = [aSigningKey(), aSigningKey(), aSigningKey()];
        const outcomes = await Promise.all(first.map((key) => store.replaceSigningKey(null, key, 0)));
        expect(outcomes.toSorted()).toEqual(['replaced', 'stale', 'stale']);
        const current = await store.findCurrentSigningKey();
        expect(current).toEqual(first[outcomes.indexOf('replaced')]);
        expect(await store.replaceSigningKey('sig_none', aSigningKey(), NOW + 1)).toBe('stale');
        expect(await store.findCurrentSigningKey()).toEqual(current);
      }));

    it('are in the change log when they begin to sign, retire and are deleted', () =>
      alone(async (store) => {
        const [a, b, c] = [aSigningKey(), aSigningKey({ createdAt: NOW + 10 }), aSigningKey({ createdAt: NOW + 20 })];
        const announced = async (...replacing: Parameters<Store['replaceSigningKey']>) => {
          const { latest } = await store.changesSince(0);
          await store.replaceSigningKey(...replacing);
          const { changes } = await store.changesSince(latest);
          return changes.map(({ kind, key }) => `${kind} ${key}`).toSorted();
        };
        const news = (...keys: SigningKey[]) => keys.map(({ id }) => `signing_key ${id}`).toSorted();
        expect(await announced(null, a, 0)).toEqual(news(a));
        expect(await announced(a.id, b, 0)).toEqual(news(a, b));
        expect(await announced(b.id, c, NOW + 11)).toEqual(news(a, b, c));
        expect(await announced(a.id, aSigningKey(), 0)).toEqual([]);
      }));

    it('are still there when the store is opened again', () =>
      alone(async (store, { reopen }) => {
        const key = aSigningKey();
        await store.replaceSigningKey(null, key, 0);
        expect(await (await reopen()).findCurrentSigningKey()).toEqual(key);
      }));
  });
}
