import { describe, expect, it } from 'vitest';
import type { RootKey } from '../../server/src/store/store.ts';
import { aKeyHash, aRootKey, aWorkspace, NOW } from '../support/entities.ts';
import { addWebhook } from '../support/webhooks.ts';
import type { Subject } from './subject.ts';

/** As it is listed before its first use. */
const unused = (key: RootKey) => ({ ...key, lastUsedAt: null, createdBy: null, replacedBy: null });

export function describeAccess(subject: Subject): void {
  const withKey = async (about: Partial<RootKey> = {}) => {
    const workspace = aWorkspace();
    await subject.store.createWorkspace(workspace);
    const hash = aKeyHash();
    const key = aRootKey({ workspaceId: workspace.id, ...about });
    await subject.store.createRootKey(key, hash);
    return { workspace, key, hash };
  };

  describe('workspaces', () => {
    it('come back as they were stored, in order of creation', async () => {
      const { store } = subject;
      const limits = {
        rates: { '*': { limit: 10, windowMs: 1000 }, 'domains.getDomain': { limit: 0, windowMs: 1 } },
        domains: 7,
      };
      const first = aWorkspace({ name: 'Ünïcode "quoted"', limits });
      const second = aWorkspace({ disabledAt: NOW });
      await store.createWorkspace(second);
      await store.createWorkspace(first);
      const ids = [first.id, second.id];
      expect((await store.listWorkspaces()).filter(({ id }) => ids.includes(id))).toEqual([first, second]);
    });

    it('keep the first time at which they were disabled, until they are enabled', async () => {
      const { store } = subject;
      const { workspace, hash } = await withKey();
      const disabledAt = async () => (await store.findPrincipal(hash))?.workspace.disabledAt;
      expect(await store.setWorkspaceDisabled(workspace.id, NOW)).toBe(true);
      expect(await store.setWorkspaceDisabled(workspace.id, NOW + 5)).toBe(true);
      expect(await disabledAt()).toBe(NOW);
      expect(await store.setWorkspaceDisabled(workspace.id, null)).toBe(true);
      expect(await disabledAt()).toBeNull();
      expect(await store.setWorkspaceDisabled(workspace.id, NOW + 9)).toBe(true);
      expect(await disabledAt()).toBe(NOW + 9);
    });

    it('have their limits replaced, not merged', async () => {
      const { store } = subject;
      const { workspace, hash } = await withKey();
      await store.setWorkspaceLimits(workspace.id, { rates: { '*': { limit: 1, windowMs: 1 } }, domains: 1 });
      const limits = { rates: { 'domains.createDomain': { limit: 2, windowMs: 60_000 } }, domains: null };
      expect(await store.setWorkspaceLimits(workspace.id, limits)).toBe(true);
      expect((await store.findPrincipal(hash))?.workspace.limits).toEqual(limits);
    });

    it('that do not exist are neither disabled nor limited', async () => {
      const { store } = subject;
      expect(await store.setWorkspaceDisabled('ws_none', NOW)).toBe(false);
      expect(await store.setWorkspaceLimits('ws_none', { rates: {}, domains: null })).toBe(false);
    });

    it('are deleted with their keys, webhooks and brand once they have no projects, and no other with them', async () => {
      const { store } = subject;
      const { workspace, project, app, environment } = await subject.plant();
      const other = await withKey();
      const key = aRootKey({ workspaceId: workspace.id });
      const hash = aKeyHash();
      await store.createRootKey(key, hash);
      await addWebhook(store, { workspaceId: workspace.id });
      await addWebhook(store, { workspaceId: other.workspace.id });
      await store.saveSetupPage(workspace.id, { origins: ['https://app.example.com'] });
      expect(await store.deleteWorkspace(workspace.id)).toBe('not_empty');
      expect(await store.findPrincipal(hash)).not.toBeNull();
      await store.deleteEnvironment(workspace.id, environment.id);
      await store.deleteApp(workspace.id, app.id);
      await store.deleteProject(workspace.id, project.id);
      const { latest } = await store.changesSince(0);
      expect(await store.deleteWorkspace(workspace.id)).toBe('deleted');
      const logged = (await store.changesSince(latest)).changes.map(({ kind, key }) => [kind, key]);
      expect(logged).toEqual(
        expect.arrayContaining([
          ['workspace', workspace.id],
          ['root_key', Buffer.from(hash).toString('hex')],
        ]),
      );
      expect(await store.findWorkspace(workspace.id)).toBeNull();
      expect(await store.findPrincipal(hash)).toBeNull();
      expect(await store.listWebhooks(workspace.id, { limit: 9 })).toEqual({ items: [] });
      expect(await store.isSetupOrigin('https://app.example.com')).toBe(false);
      expect(await store.deleteWorkspace(workspace.id)).toBe('missing');
      expect((await store.findPrincipal(other.hash))?.workspace).toEqual(other.workspace);
      expect((await store.listWebhooks(other.workspace.id, { limit: 9 })).items).toHaveLength(1);
    });

    it('are not created twice', async () => {
      const { store } = subject;
      const { workspace, hash } = await withKey();
      await expect(store.createWorkspace({ ...workspace, name: 'Other' })).rejects.toThrow();
      expect((await store.findPrincipal(hash))?.workspace).toEqual(workspace);
    });
  });

  describe('root keys', () => {
    it('are found by their hash together with their workspace', async () => {
      const { workspace, key, hash } = await withKey({
        permissions: ['environment.*.read_domain', 'app_1/environment#create'],
        expiresAt: NOW + 1,
        disabledAt: NOW,
      });
      expect(await subject.store.findPrincipal(hash)).toEqual({ key, workspace });
      expect(await subject.store.findPrincipal(aKeyHash())).toBeNull();
    });

    it('need a workspace that exists', async () => {
      const hash = aKeyHash();
      expect(await subject.store.createRootKey(aRootKey({ workspaceId: 'ws_none' }), hash)).toBe('workspace_missing');
      expect(await subject.store.findPrincipal(hash)).toBeNull();
    });

    it('are listed in order of creation, of one workspace or of all', async () => {
      const { store } = subject;
      const { workspace, key: first } = await withKey();
      const second = aRootKey({ workspaceId: workspace.id });
      const third = aRootKey({ workspaceId: workspace.id });
      await store.createRootKey(third, aKeyHash());
      await store.createRootKey(second, aKeyHash());
      const { key: other } = await withKey();
      expect(await store.listRootKeys(workspace.id)).toEqual([first, second, third].map(unused));
      const ids = [first, second, third, other].map(({ id }) => id);
      expect((await store.listRootKeys()).filter(({ id }) => ids.includes(id))).toEqual(
        [first, second, third, other].map(unused),
      );
      expect(await store.listRootKeys('ws_none')).toEqual([]);
    });

    it('keep the first time at which they were disabled, until they are enabled', async () => {
      const { store } = subject;
      const { key, hash } = await withKey();
      const disabledAt = async () => (await store.findPrincipal(hash))?.key.disabledAt;
      expect(await store.setRootKeyDisabled(key.id, NOW)).toBe(true);
      expect(await store.setRootKeyDisabled(key.id, NOW + 5)).toBe(true);
      expect(await disabledAt()).toBe(NOW);
      expect(await store.setRootKeyDisabled(key.id, null)).toBe(true);
      expect(await disabledAt()).toBeNull();
    });
  });
}
