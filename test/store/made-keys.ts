import { describe, expect, it } from 'vitest';
import type { MadeKey, MadeWorkspace, RootKey } from '../../server/src/store/store.ts';
import {
  AUTHOR,
  aKeyHash,
  anApp,
  anEnvironment,
  aProject,
  aRootKey,
  aWorkspace,
  NOW,
  unique,
} from '../support/entities.ts';
import type { Subject } from './subject.ts';

export function describeMadeKeys(subject: Subject): void {
  const aMaker = async (about: Partial<RootKey> = {}) => {
    const workspace = aWorkspace({ limits: { rates: { '*': { limit: 7, windowMs: 1000 } }, domains: 3 } });
    await subject.store.createWorkspace(workspace);
    const key = aRootKey({ workspaceId: workspace.id, ...about });
    const hash = aKeyHash();
    await subject.store.createRootKey(key, hash);
    return { workspace, key, hash };
  };
  const aMadeKey = (about: Partial<MadeKey> = {}): MadeKey => {
    const { workspaceId: _, disabledAt: __, ...made } = aRootKey({ workspaceId: '', ...about });
    return made;
  };
  const make = async (makerId: string, about: Partial<MadeKey> = {}) => {
    const [key, hash] = [aMadeKey(about), aKeyHash()];
    return { key, hash, outcome: await subject.store.createKeyBy(makerId, key, hash) };
  };
  const aSuccessor = () => ({ id: aMadeKey().id, start: 'np_efgh', createdAt: NOW });
  const aChild = (name = 'Customer'): MadeWorkspace => {
    const { id } = aWorkspace();
    const project = aProject({ workspaceId: id, slug: unique('project') });
    const app = anApp(project);
    return { id, name, tree: { project, app, environment: anEnvironment(app) }, createdAt: NOW };
  };
  const exists = async (hash: Uint8Array) => (await subject.store.findPrincipal(hash)) !== null;

  describe('keys that a key makes', () => {
    it('belong to its workspace, and say who made them', async () => {
      const { workspace, key: maker } = await aMaker();
      const { key, hash, outcome } = await make(maker.id, { permissions: ['a/b#c'], expiresAt: NOW + 5 });
      expect(outcome).toBe('created');
      const stored = { ...key, workspaceId: workspace.id, disabledAt: null };
      expect(await subject.store.findPrincipal(hash)).toEqual({ key: stored, workspace });
      const listed = { ...stored, lastUsedAt: null, createdBy: maker.id, replacedBy: null };
      expect(await subject.store.findRootKey(key.id)).toEqual(listed);
      expect(await subject.store.findRootKey('key_none')).toBeNull();
    });

    it('are listed page by page, in order of creation, those of their workspace alone', async () => {
      const { workspace, key: maker } = await aMaker();
      const made = [await make(maker.id), await make(maker.id)].map(({ key }) => key.id);
      await make((await aMaker()).key.id);
      const ids = [maker.id, ...made].toSorted();
      const first = await subject.store.listKeysOfWorkspace(workspace.id, { limit: 2 });
      expect([first.items.map(({ id }) => id), first.next]).toEqual([ids.slice(0, 2), ids[2]]);
      const rest = await subject.store.listKeysOfWorkspace(workspace.id, { limit: 2, cursor: first.next });
      expect([rest.items.map(({ id }) => id), rest.next]).toEqual([ids.slice(2), undefined]);
    });

    it('are not made by a key that is gone, expired or disabled, or whose workspace is disabled', async () => {
      const { store } = subject;
      const gone = await aMaker();
      await store.revokeRootKey(gone.key.id);
      const expired = await aMaker({ expiresAt: NOW });
      const disabled = await aMaker();
      await store.setRootKeyDisabled(disabled.key.id, NOW);
      const ofDisabled = await aMaker();
      await store.setWorkspaceDisabled(ofDisabled.workspace.id, NOW);
      const problems: [string, string][] = [
        [gone.key.id, 'maker_missing'],
        [expired.key.id, 'maker_missing'],
        [disabled.key.id, 'maker_disabled'],
        [ofDisabled.key.id, 'workspace_disabled'],
      ];
      const token = { subject: 'ada', permissions: [], expiresAt: NOW + 1, createdAt: NOW };
      for (const [makerId, problem] of problems) {
        const { outcome, hash } = await make(makerId, { expiresAt: NOW - 1 });
        expect(outcome).toBe(problem);
        expect(await exists(hash)).toBe(false);
        expect(await store.recordToken(makerId, token)).toBe(problem);
        const child = aChild();
        expect(await store.createChildWorkspace(makerId, child, aMadeKey({ expiresAt: 1 }), hash)).toBe(problem);
        expect(await store.findWorkspace(child.id)).toBeNull();
      }
      const other = aRootKey({ workspaceId: ofDisabled.workspace.id, expiresAt: NOW + 1 });
      await store.createRootKey(other, aKeyHash());
      expect(await store.rotateRootKey(ofDisabled.key.id, other.id, aSuccessor(), aKeyHash(), NOW)).toBe(
        'workspace_disabled',
      );
    });

    it('never outlive it', async () => {
      const { key: maker } = await aMaker({ expiresAt: NOW + 10 });
      expect((await make(maker.id, { expiresAt: null })).outcome).toBe('outlives_maker');
      expect((await make(maker.id, { expiresAt: NOW + 11 })).outcome).toBe('outlives_maker');
      expect((await make(maker.id, { expiresAt: NOW + 10 })).outcome).toBe('created');
      const { key: forEver } = await aMaker();
      expect((await make(forEver.id, { expiresAt: null })).outcome).toBe('created');
      const child = aChild();
      const outcome = await subject.store.createChildWorkspace(maker.id, child, aMadeKey(), aKeyHash());
      expect(outcome).toBe('outlives_maker');
    });

    it('stay when it is revoked, and still name it', async () => {
      const { store } = subject;
      const { key: maker } = await aMaker();
      const { key } = await make(maker.id);
      expect(await store.revokeRootKey(maker.id)).toBe(true);
      expect(await store.revokeRootKey(maker.id)).toBe(false);
      expect(await store.findRootKey(key.id)).toMatchObject({ createdBy: maker.id });
    });

    it('are made before its revocation, or not at all', async () => {
      const { store } = subject;
      for (let round = 0; round < 10; round++) {
        const { key: maker } = await aMaker();
        const making = make(maker.id);
        expect(await store.revokeRootKey(maker.id)).toBe(true);
        // Whoever lists the keys that it made misses none from here on.
        const made = await exists((await making).hash);
        expect((await making).outcome).toBe(made ? 'created' : 'maker_missing');
        expect((await make(maker.id)).outcome).toBe('maker_missing');
      }
    });
  });

  describe('a key that is rotated', () => {
    it('has a successor with its name, permissions and expiry, and itself expires when the overlap ends', async () => {
      const { store } = subject;
      const { key, hash, workspace } = await aMaker({ name: 'backend', permissions: ['a/b#c'], expiresAt: NOW + 90 });
      const [successor, successorHash] = [aSuccessor(), aKeyHash()];
      const { latest } = await store.changesSince(0);
      expect(await store.rotateRootKey(key.id, key.id, successor, successorHash, NOW + 50)).toBe('rotated');
      expect(await store.findPrincipal(successorHash)).toEqual({ key: { ...key, ...successor }, workspace });
      expect(await store.findRootKey(key.id)).toMatchObject({ expiresAt: NOW + 50, replacedBy: successor.id });
      const logged = (await store.changesSince(latest)).changes.map((change) => change.key);
      expect(logged.toSorted()).toEqual(
        [hash, successorHash].map((each) => Buffer.from(each).toString('hex')).toSorted(),
      );
    });

    it('does not last longer than before', async () => {
      const { key } = await aMaker({ expiresAt: NOW + 10 });
      await subject.store.rotateRootKey(null, key.id, aSuccessor(), aKeyHash(), NOW + 50);
      expect(await subject.store.findRootKey(key.id)).toMatchObject({ expiresAt: NOW + 10 });
    });

    it('is there, works, and is rotated once', async () => {
      const { store } = subject;
      const rotate = (keyId: string, by: string | null = null) =>
        store.rotateRootKey(by, keyId, aSuccessor(), aKeyHash(), NOW + 50);
      const { key } = await aMaker();
      expect(await rotate('key_none')).toBe('missing');
      expect(await rotate((await aMaker({ expiresAt: NOW })).key.id)).toBe('not_rotatable');
      expect(await rotate((await aMaker({ disabledAt: NOW })).key.id)).toBe('not_rotatable');
      const outcomes = await Promise.all([rotate(key.id), rotate(key.id), rotate(key.id)]);
      expect(outcomes.toSorted()).toEqual(['not_rotatable', 'not_rotatable', 'rotated']);
      // By a key of another workspace, and by one that expires first.
      const { key: other } = await aMaker();
      expect(await rotate(other.id, (await aMaker()).key.id)).toBe('missing');
      const { key: brief } = await make(other.id, { expiresAt: NOW + 1 });
      expect(await rotate(other.id, brief.id)).toBe('outlives_maker');
    });

    it('and is revoked at the same time is gone: its successor is there only if the rotation came first', async () => {
      const { store } = subject;
      for (let round = 0; round < 10; round++) {
        const { key, hash } = await aMaker();
        const successorHash = aKeyHash();
        const before = round % 2 === 0 ? store.revokeRootKey(key.id) : null;
        const rotated = store.rotateRootKey(null, key.id, aSuccessor(), successorHash, NOW + 50);
        expect(await (before ?? store.revokeRootKey(key.id))).toBe(true);
        const outcome = await rotated;
        expect(await exists(hash)).toBe(false);
        expect(['rotated', 'missing']).toContain(outcome);
        expect(await exists(successorHash)).toBe(outcome === 'rotated');
      }
    });
  });

  describe('a token that a key makes', () => {
    it('leaves nothing but an entry in the audit log', async () => {
      const { workspace, key } = await aMaker({ name: 'backend' });
      const token = { subject: 'ada', permissions: ['a/b#c'], expiresAt: NOW + 1, createdAt: NOW };
      expect(await subject.store.changesBy(AUTHOR).recordToken(key.id, token)).toBe('recorded');
      const { createdAt: _, ...detail } = token;
      expect((await subject.store.listAuditEntries(workspace.id, { limit: 9 })).items).toMatchObject([
        { target: key.id, targetName: 'backend', detail },
      ]);
    });
  });

  describe('workspaces that a key makes', () => {
    const createChild = async (makerId: string, child = aChild()) => {
      const [key, hash] = [aMadeKey(), aKeyHash()];
      const outcome = await subject.store.changesBy(AUTHOR).createChildWorkspace(makerId, child, key, hash);
      return { child, key, hash, outcome };
    };

    it('have an environment, a first key and the limits of its workspace, all in one step', async () => {
      const { store } = subject;
      const { workspace, key: maker } = await aMaker();
      const { child, key, hash, outcome } = await createChild(maker.id);
      expect(outcome).toBe('created');
      const { id, name, createdAt, tree } = child;
      const made = { id, name, createdAt, disabledAt: null, limits: workspace.limits };
      expect(await store.findPrincipal(hash)).toEqual({
        key: { ...key, workspaceId: id, disabledAt: null },
        workspace: made,
      });
      const path = { project: tree.project.slug, app: tree.app.slug, environment: tree.environment.slug };
      expect(await store.findEnvironment(id, path)).toEqual(tree.environment);
      // It learns no id of the workspace that made it.
      expect((await store.findRootKey(key.id))?.createdBy).toBeNull();
      const { items } = await store.listAuditEntries(workspace.id, { limit: 9 });
      expect(items).toMatchObject([{ target: id, targetName: 'Customer', detail: { keyId: key.id } }]);
      expect((await store.listAuditEntries(id, { limit: 9 })).items).toEqual([]);
    });

    it('are listed by their parent alone, page by page', async () => {
      const { store } = subject;
      const { workspace, key } = await aMaker();
      const ids = [await createChild(key.id), await createChild(key.id)].map(({ child }) => child.id).toSorted();
      const first = await store.listChildWorkspaces(workspace.id, { limit: 1 });
      expect([first.items.map(({ id }) => id), first.next]).toEqual([ids.slice(0, 1), ids[1]]);
      const rest = await store.listChildWorkspaces(workspace.id, { limit: 1, cursor: first.next });
      expect([rest.items.map(({ id }) => id), rest.next]).toEqual([ids.slice(1), undefined]);
      const other = await aMaker();
      expect(await store.listChildWorkspaces(other.workspace.id, { limit: 9 })).toEqual({ items: [] });
    });
  });
}
