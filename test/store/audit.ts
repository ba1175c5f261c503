import { describe, expect, it } from 'vitest';
import type { AuditEntry, AuditFilter, Author, PageRequest } from '../../server/src/store/store.ts';
import {
  AUTHOR,
  aDomain,
  aKeyHash,
  anApp,
  aProject,
  aRootKey,
  aSigningKey,
  attach,
  NOW,
  unique,
} from '../support/entities.ts';
import { aWebhook, aWebhookSecret } from '../support/webhooks.ts';
import type { Subject } from './subject.ts';

const projectOf = ({ id }: { id: string }) => aProject({ workspaceId: id });
const bytes = (text: string) => new Uint8Array(Buffer.from(text));

export function describeAudit(subject: Subject): void {
  const list = (workspaceId: string, page: Partial<PageRequest & AuditFilter> = {}) =>
    subject.store.listAuditEntries(workspaceId, { limit: 100, ...page });
  const entriesOf = async (workspaceId: string): Promise<AuditEntry[]> => (await list(workspaceId)).items;

  describe('the audit log', () => {
    it('says of a change who made it, what it changed, and from where', async () => {
      const { store } = subject;
      const { workspace } = await subject.plant();
      const project = projectOf(workspace);
      expect(await store.changesBy(AUTHOR).createProject(project)).toBe('created');
      expect(await store.findProject(workspace.id, project.id)).toEqual(project);
      expect(await entriesOf(workspace.id)).toEqual([
        {
          ...AUTHOR,
          id: expect.stringMatching(/^aud_/),
          at: expect.any(Number),
          workspaceId: workspace.id,
          target: project.id,
          targetName: project.slug,
          detail: {},
        },
      ]);
    });

    it('has nothing of a change whose outcome is that nothing changed', async () => {
      const { store } = subject;
      const { workspace, project, environment } = await subject.plant();
      const domain = await attach(store, environment);
      expect(await store.changesBy(AUTHOR).createProject({ ...projectOf(workspace), slug: project.slug })).toBe(
        'slug_taken',
      );
      expect(await store.changesBy(AUTHOR).deleteProject(workspace.id, project.id)).toBe('not_empty');
      expect(await store.changesBy(AUTHOR).deleteDomain(workspace.id, 'dom_none', NOW)).toBe('missing');
      expect(await store.changesBy(AUTHOR).removeRedirect(workspace.id, domain.id, NOW)).toBe('none');
      expect(await store.changesBy(AUTHOR).revokeRootKey('key_none')).toBe(false);
      expect(await store.changesBy(AUTHOR).revokeSetupLink('link_none', NOW)).toBe(false);
      expect(await store.changesBy(AUTHOR).updateWebhook(workspace.id, 'wh_none', {}, NOW)).toBeNull();
      expect(await entriesOf(workspace.id)).toEqual([]);
    });

    it('has nothing of a change that failed, which did not happen either', async () => {
      const { store } = subject;
      const { workspace, project } = await subject.plant();
      const app = anApp(project);
      await store.changesBy(AUTHOR).createApp(app);
      // The id is used twice.
      await expect(store.changesBy(AUTHOR).createApp({ ...app, slug: unique('other') })).rejects.toThrow();
      expect(await entriesOf(workspace.id)).toHaveLength(1);
    });

    it('has one entry for each domain that a change created, and none for those it did not', async () => {
      const { store } = subject;
      const { workspace, environment } = await subject.plant();
      const held = await attach(store, environment);
      const [first, last] = [aDomain(environment), aDomain(environment)];
      await store.changesBy(AUTHOR).createDomains([first, aDomain(environment, { name: held.name }), last], NOW);
      expect((await entriesOf(workspace.id)).map(({ target }) => target)).toEqual([last.id, first.id]);
    });

    it('keeps the name of what was deleted', async () => {
      const { store } = subject;
      const { workspace, environment } = await subject.plant();
      const domain = await attach(store, environment);
      const key = aRootKey({ workspaceId: workspace.id, name: 'backend' });
      await store.createRootKey(key, aKeyHash());
      await store.changesBy(AUTHOR).deleteDomain(workspace.id, domain.id, NOW);
      await store.changesBy(AUTHOR).revokeRootKey(key.id);
      const shown = (await entriesOf(workspace.id)).map(({ target, targetName }) => [target, targetName]);
      expect(shown).toEqual([
        [key.id, 'backend'],
        [domain.id, domain.name],
      ]);
    });

    it('has one entry of a creation, however often it is repeated', async () => {
      const { store } = subject;
      const { workspace } = await subject.plant();
      const once = { id: unique('once'), fingerprint: 'a', made: bytes('a'), secret: false, at: NOW };
      for (const _ of [1, 2, 3]) await store.changesOnce({ by: AUTHOR, once }).createProject(projectOf(workspace));
      expect(await entriesOf(workspace.id)).toHaveLength(1);
    });

    it('holds no secret of a webhook, neither in its URL', async () => {
      const { store } = subject;
      const { workspace } = await subject.plant();
      const webhook = aWebhook({ workspaceId: workspace.id, url: 'https://hooks.example.com/secret-path' });
      await store.changesBy(AUTHOR).createWebhook(webhook, aWebhookSecret(), 10);
      await store.changesBy(AUTHOR).rotateWebhookSecret(workspace.id, webhook.id, aWebhookSecret(), NOW);
      await store.changesBy(AUTHOR).updateWebhook(workspace.id, webhook.id, { url: 'https://a.test/secret-too' }, NOW);
      const entries = await entriesOf(workspace.id);
      expect(entries).toHaveLength(3);
      expect(JSON.stringify(entries)).not.toMatch(/secret-|whsec/);
      expect(entries[0]?.detail).toEqual({ changed: ['url'] });
    });

    it('has the id of the lost key whose secrets were deleted, of no workspace', async () => {
      const opened = await subject.open();
      const prefix = new Uint8Array([1, 0xab, 2, 3, 4, 5, 6, 7, 8]);
      await opened.store.changesBy(AUTHOR).forgetSecrets(prefix);
      expect((await opened.store.listAuditEntries(undefined, { limit: 9 })).items).toEqual([]);
      const key = { ...aSigningKey(), privateKey: new Uint8Array([...prefix, 9, 9]) };
      await opened.store.replaceSigningKey(null, key, 0);
      await opened.store.changesBy(AUTHOR).forgetSecrets(prefix);
      const { items } = await opened.store.listAuditEntries(undefined, { limit: 9 });
      expect(items).toMatchObject([{ workspaceId: null, target: 'ab02030405060708' }]);
      await opened.close();
    });

    it('keeps any text as the name of an actor, as far as it can be stored', async () => {
      const { workspace } = await subject.plant();
      const by: Author = { ...AUTHOR, kind: 'dashboard_token', actor: `a\0${'b'.repeat(400)}` };
      await subject.store.changesBy(by).createProject(projectOf(workspace));
      expect(await entriesOf(workspace.id)).toMatchObject([{ actor: `a\ufffd${'b'.repeat(253)}` }]);
    });

    it('finds entries by actor, action and target, exactly, on whatever page they are', async () => {
      const { store } = subject;
      const { workspace } = await subject.plant();
      const wanted = projectOf(workspace);
      await store.changesBy({ ...AUTHOR, actor: 'key_2', action: 'tests.other' }).createProject(wanted);
      for (const _ of [1, 2, 3, 4]) await store.changesBy(AUTHOR).createProject(projectOf(workspace));
      const filters = [{ actor: 'key_2' }, { action: 'tests.other' }, { target: wanted.id }, { target: wanted.slug }];
      for (const filter of filters) {
        const { items, next } = await list(workspace.id, { limit: 1, ...filter });
        expect([items.map(({ target }) => target), next]).toEqual([[wanted.id], undefined]);
      }
      expect((await list(workspace.id, { actor: 'key_2', action: AUTHOR.action })).items).toEqual([]);
      const { items, next } = await list(workspace.id, { limit: 3, actor: AUTHOR.actor });
      const rest = await list(workspace.id, { limit: 3, actor: AUTHOR.actor, cursor: next });
      expect([items.length, rest.items.length, rest.next]).toEqual([3, 1, undefined]);
    });

    it('deletes the oldest entries, and no more than it is told to', async () => {
      const opened = await subject.open();
      const { store } = opened;
      const workspace = { id: 'ws_a', name: 'a', disabledAt: null, limits: { rates: {}, domains: null }, createdAt: 1 };
      await store.changesBy(AUTHOR).createWorkspace(workspace);
      for (const _ of [1, 2, 3]) await store.changesBy(AUTHOR).createProject(projectOf(workspace));
      const at = Math.max(...(await store.listAuditEntries('ws_a', { limit: 9 })).items.map((entry) => entry.at));
      expect(await store.pruneAuditEntries(0, 10)).toBe(0);
      expect(await store.pruneAuditEntries(at + 1, 3)).toBe(3);
      expect((await store.listAuditEntries('ws_a', { limit: 9 })).items).toHaveLength(1);
      expect(await store.pruneAuditEntries(at + 1, 3)).toBe(1);
      await opened.close();
    });
  });

  describe('the last use of a root key', () => {
    it('is the latest that was saved, and null before the first', async () => {
      const { store } = subject;
      const { workspace } = await subject.plant();
      const [used, unused] = [aRootKey({ workspaceId: workspace.id }), aRootKey({ workspaceId: workspace.id })];
      for (const key of [used, unused]) await store.createRootKey(key, aKeyHash());
      await store.saveKeyUses([
        { keyId: used.id, at: NOW + 5 },
        { keyId: 'key_none', at: NOW },
      ]);
      await store.saveKeyUses([{ keyId: used.id, at: NOW }]);
      const shown = (await store.listRootKeys(workspace.id)).map(({ id, lastUsedAt }) => [id, lastUsedAt]);
      expect(shown).toEqual([
        [used.id, NOW + 5],
        [unused.id, null],
      ]);
    });
  });
}
