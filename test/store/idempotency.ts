import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IDEMPOTENCY_KEPT_MS } from '../../server/src/store/audit/audit-store.ts';
import { createKeyring } from '../../server/src/store/sealing/keyring.ts';
import { rotateSecrets } from '../../server/src/store/sealing/rotation.ts';
import { sealedStore } from '../../server/src/store/sealing/sealed-store.ts';
import type { Environment, Once, Store } from '../../server/src/store/store.ts';
import { AUTHOR, aDeployment, aProject, NOW, plant, unique } from '../support/entities.ts';
import type { Subject } from './subject.ts';

const bytes = (text: string) => new Uint8Array(Buffer.from(text));

function anOnce(about: Partial<Once> = {}): Once {
  return {
    id: unique('once'),
    fingerprint: 'input',
    made: bytes('first'),
    secret: false,
    at: NOW,
    ...about,
  };
}

/** A model of what is kept: a slug that was asked for, and the project that it made. */
interface KeptProject {
  slug: string;
  projectId: string;
  at: number;
}

export function describeIdempotency(subject: Subject): void {
  const deploymentsOf = async (store: Store, { workspaceId, id }: Environment) =>
    (await store.listDeployments(workspaceId, id, { limit: 100 })).items.map((deployment) => deployment.id);

  describe('a creation that happens once', () => {
    it('that failed keeps nothing, and what is kept is there only with what was created', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const deployment = aDeployment(environment);
      await store.createDeployment(deployment);
      const once = anOnce();
      // Beside others, with which the embedded engine commits it.
      const [failed, beside] = await Promise.allSettled([
        store.changesOnce({ by: AUTHOR, once }).createDeployment(deployment),
        store.changesOnce({ by: AUTHOR, once: anOnce() }).createDeployment(aDeployment(environment)),
      ]);
      expect([failed.status, beside.status]).toEqual(['rejected', 'fulfilled']);
      const repeated = await store.changesOnce({ by: AUTHOR, once }).createDeployment(aDeployment(environment));
      expect(repeated).toEqual({ kind: 'first', outcome: 'created' });
      expect(await deploymentsOf(store, environment)).toHaveLength(3);
    });

    it('is kept for 24 hours, whether it was pruned by then or not', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const once = anOnce();
      const kindAt = async (at: number) =>
        (await store.changesOnce({ by: AUTHOR, once: { ...once, at } }).createDeployment(aDeployment(environment)))
          .kind;
      expect(await kindAt(NOW)).toBe('first');
      expect(await kindAt(NOW + IDEMPOTENCY_KEPT_MS - 1)).toBe('repeated');
      expect(await kindAt(NOW + IDEMPOTENCY_KEPT_MS)).toBe('first');
      expect(await kindAt(NOW + 2 * IDEMPOTENCY_KEPT_MS - 1)).toBe('repeated');
      await store.pruneIdempotencyKeys(NOW + IDEMPOTENCY_KEPT_MS, 100);
      expect(await kindAt(NOW + 2 * IDEMPOTENCY_KEPT_MS - 1)).toBe('repeated');
      await store.pruneIdempotencyKeys(NOW + IDEMPOTENCY_KEPT_MS + 1, 100);
      expect(await kindAt(NOW + 2 * IDEMPOTENCY_KEPT_MS - 1)).toBe('first');
    });

    it('is pruned oldest first, so many at a time', async () => {
      const { store, close } = await subject.open();
      const workspaceId = (await plant(store)).workspace.id;
      const onces = [3, 1, 2].map((at) => anOnce({ at: NOW + at }));
      const create = (once: Once) => store.changesOnce({ by: AUTHOR, once }).createProject(aProject({ workspaceId }));
      for (const once of onces) await create(once);
      expect(await store.pruneIdempotencyKeys(NOW + 3, 1)).toBe(1);
      const kinds = async () => {
        const results = [];
        for (const once of onces) results.push((await create({ ...once, fingerprint: 'another' })).kind);
        return results;
      };
      expect(await kinds()).toEqual(['other_input', 'first', 'other_input']);
      expect(await store.pruneIdempotencyKeys(NOW + 3, 9)).toBe(2);
      expect(await store.pruneIdempotencyKeys(NOW + 3, 9)).toBe(0);
      await close();
    });

    it('of several at once is carried out for one; the others get its result, or are told that it is in flight', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      for (let round = 0; round < 10; round++) {
        const once = anOnce();
        const results = await Promise.all(
          Array.from({ length: 6 }, () =>
            store.changesOnce({ by: AUTHOR, once }).createDeployment(aDeployment(environment)),
          ),
        );
        const kinds = results.map(({ kind }) => kind);
        expect(kinds.filter((kind) => kind === 'first')).toHaveLength(1);
        expect(kinds.filter((kind) => !['first', 'repeated', 'in_flight'].includes(kind))).toEqual([]);
        expect(await deploymentsOf(store, environment)).toHaveLength(round + 1);
      }
    });

    it('is kept when the store is closed and opened again', async () => {
      const { store, reopen, close } = await subject.open();
      const workspaceId = (await plant(store)).workspace.id;
      const once = anOnce();
      await store.changesOnce({ by: AUTHOR, once }).createProject(aProject({ workspaceId }));
      const again = await (await reopen()).changesOnce({ by: AUTHOR, once }).createProject(aProject({ workspaceId }));
      expect(again).toEqual({ kind: 'repeated', outcome: 'created', made: bytes('first') });
      await close();
    });

    it('that made a secret has it sealed where it is kept, also under another key later', async () => {
      const { store, reopen, contains, close } = await subject.open();
      const [oldKey, newKey] = [1, 2].map((fill) => new Uint8Array(32).fill(fill)) as [Uint8Array, Uint8Array];
      const ring = (...keys: Uint8Array[]) => createKeyring({ name: 'the configuration', keys: () => keys });
      const workspaceId = (await plant(store)).workspace.id;
      const create = (to: Store, once: Once) =>
        to.changesOnce({ by: AUTHOR, once }).createProject(aProject({ workspaceId }));
      const secret = anOnce({ secret: true, made: bytes('a secret that only its owner may read') });
      const open = anOnce({ made: bytes('what everybody may read') });
      await create(sealedStore(store, ring(oldKey)), secret);
      await create(sealedStore(store, ring(oldKey)), open);
      expect(await create(sealedStore(store, ring(oldKey)), secret)).toMatchObject({ made: secret.made });
      expect(await rotateSecrets(store, ring(newKey, oldKey))).toBe(1);
      expect(await rotateSecrets(store, ring(newKey, oldKey))).toBe(0);
      const later = sealedStore(await reopen(), ring(newKey));
      expect(await create(later, secret)).toMatchObject({ kind: 'repeated', made: secret.made });
      expect(await create(later, open)).toMatchObject({ kind: 'repeated', made: open.made });
      expect(await contains(secret.made)).toBe(false);
      expect(await contains(open.made)).toBe(true);
      await expect(create(sealedStore(await reopen(), ring(oldKey)), secret)).rejects.toThrow(
        /^what is kept under idempotency key .* is sealed under the key/,
      );
      await close();
    });

    it('in any history is carried out exactly when nothing is kept that it created', async () => {
      const { store } = subject;
      const step = fc.oneof(
        { weight: 6, arbitrary: fc.record({ key: fc.nat(2), slug: fc.nat(2) }) },
        { weight: 1, arbitrary: fc.record({ deleted: fc.nat(2) }) },
        { weight: 1, arbitrary: fc.record({ waitMs: fc.constantFrom(IDEMPOTENCY_KEPT_MS / 2, IDEMPOTENCY_KEPT_MS) }) },
        { weight: 1, arbitrary: fc.constant({ pruned: true }) },
      );
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
          const { workspace } = await subject.plant();
          const run = unique('run');
          const kept = new Map<number, KeptProject>();
          const there = new Map<string, string>();
          let now = NOW;
          for (const one of steps) {
            if ('waitMs' in one) now += one.waitMs;
            if ('pruned' in one) await store.pruneIdempotencyKeys(now - IDEMPOTENCY_KEPT_MS, 1000);
            if ('deleted' in one) {
              const projectId = there.get(`slug-${one.deleted}`);
              if (projectId !== undefined) await store.deleteProject(workspace.id, projectId);
              there.delete(`slug-${one.deleted}`);
            }
            if (!('key' in one)) continue;
            const project = aProject({ workspaceId: workspace.id, slug: `slug-${one.slug}` });
            const { id: projectId, slug } = project;
            const once = anOnce({ id: `${run} ${one.key}`, fingerprint: slug, made: bytes(projectId), at: now });
            const result = await store.changesOnce({ by: AUTHOR, once }).createProject(project);
            const first = kept.get(one.key);
            if (first === undefined || first.at + IDEMPOTENCY_KEPT_MS <= now) {
              const outcome = there.has(slug) ? 'slug_taken' : 'created';
              expect(result).toEqual({ kind: 'first', outcome });
              if (outcome === 'slug_taken') continue;
              kept.set(one.key, { slug, projectId, at: now });
              there.set(slug, projectId);
            } else if (first.slug === slug) {
              expect(result).toEqual({ kind: 'repeated', outcome: 'created', made: bytes(first.projectId) });
            } else {
              expect(result).toEqual({ kind: 'other_input' });
            }
          }
          const { items } = await store.listProjects(workspace.id, { limit: 100 });
          const mine = items.filter(({ slug }) => slug.startsWith('slug-'));
          expect(new Map(mine.map(({ slug, id }) => [slug, id]))).toEqual(there);
        }),
        { numRuns: 30 },
      );
    });
  });
}
