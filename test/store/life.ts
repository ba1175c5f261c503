import { describe, expect, it } from 'vitest';
import { NO_MEMORY } from '../../server/src/domain/status.ts';
import { type Store, StoreUnavailable } from '../../server/src/store/store.ts';
import { AUTHOR, aKeyHash, aRootKey, attach, NOW, plant, verifiedAt } from '../support/entities.ts';
import type { Subject } from './subject.ts';

const memory = NO_MEMORY;

export function describeLife(subject: Subject): void {
  describe('the life of a store', () => {
    it('its ping resolves when it can be read and written', async () => {
      await expect(subject.store.ping()).resolves.toBeUndefined();
    });

    it('keeps everything when it is closed and opened again', async () => {
      const { store, reopen, close } = await subject.open();
      const { workspace, project, app, environment } = await plant(store);
      const hash = aKeyHash();
      const key = aRootKey({ workspaceId: workspace.id });
      await store.createRootKey(key, hash);
      const due = await attach(store, environment);
      const verified = await attach(store, environment);
      await store.saveTransition({ before: verified, after: verifiedAt(verified, NOW), memory, now: NOW });
      const { changes, latest } = await store.changesSince(0);

      const again = await reopen();
      expect(await again.findPrincipal(hash)).toEqual({ key, workspace });
      const path = { project: project.slug, app: app.slug, environment: environment.slug };
      expect(await again.findEnvironment(workspace.id, path)).toEqual(environment);
      expect(await again.findDomainById(workspace.id, due.id)).toEqual(due);
      expect(await again.findDomainById(workspace.id, verified.id)).toEqual(verifiedAt(verified, NOW));
      expect(await again.findSite(verified.name)).toMatchObject({ domainId: verified.id });
      expect(await again.changesSince(0)).toMatchObject({ changes, latest });
      expect((await again.claimDue(NOW, 10, 60_000, () => 0)).map(({ domain }) => domain)).toEqual([due]);
      await close();
    });

    it('finishes writes in flight before it closes, and rejects every call after', async () => {
      const { store, reopen, close } = await subject.open();
      const { workspace, environment } = await plant(store);
      const writes = Array.from({ length: 50 }, () => attach(store, environment));
      const closed = store.close();
      const refused = everyMethod(store).map(
        ([name, call]) => [name, call().catch((error: unknown) => error)] as const,
      );
      const domains = await Promise.all(writes);
      await closed;
      for (const [name, error] of refused) expect(await error, name).toBeInstanceOf(StoreUnavailable);
      await expect(store.close()).resolves.toBeUndefined();

      const again = await reopen();
      const { items } = await again.listDomains(workspace.id, environment.id, { limit: 100 });
      expect(items).toEqual(domains);
      await close();
    });

    it('rejects only the write that was impossible', async () => {
      const { store } = subject;
      const { environment, workspace } = await subject.plant();
      const outcomes = await Promise.allSettled([
        attach(store, environment),
        store.createWorkspace(workspace),
        attach(store, environment),
      ]);
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      expect((await store.listDomains(workspace.id, environment.id, { limit: 9 })).items).toHaveLength(2);
    });
  });
}

/** Every method but `close`, called with nothing sensible: a closed store refuses before it looks. `findSite` reads the name first. */
function everyMethod(store: Store): [string, () => Promise<unknown>][] {
  const { close: _, changesBy, changesOnce, onDomainWrite: __, ...methods } = store;
  const all = [methods, changesBy(AUTHOR), changesOnce({ by: AUTHOR })].flatMap((each) => Object.entries(each));
  return all.map(([name, method]) => {
    const first = name === 'findSite' ? 'a' : { before: {}, after: {}, domain: {} };
    return [name, () => method(first, 1, 1, () => 0)];
  });
}
