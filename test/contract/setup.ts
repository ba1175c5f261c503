import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { SetupLink } from '../../src/store/contract/store.ts';
import { attach, NOW, type Planted } from '../support/entities.ts';
import type { Subject } from './subject.ts';

const DAY_MS = 86_400_000;
let made = 0;

function aSetupLink(about: Pick<SetupLink, 'workspaceId' | 'domainId'> & Partial<SetupLink>): SetupLink {
  made += 1;
  const id = `link_${String(made).padStart(26, '0')}`;
  return { id, createdAt: NOW, expiresAt: NOW + DAY_MS, revokedAt: null, ...about };
}

const aHash = () => new Uint8Array(randomBytes(32));

export function describeSetup(subject: Subject): void {
  const withLink = async (about: Partial<SetupLink> = {}) => {
    const planted = await subject.plant();
    const domain = await attach(subject.store, planted.environment);
    const hash = aHash();
    const link = aSetupLink({ workspaceId: planted.workspace.id, domainId: domain.id, ...about });
    expect(await subject.store.createSetupLink(link, hash)).toBe('created');
    return { ...planted, domain, link, hash };
  };
  const changesOf = async (write: () => Promise<unknown>) => {
    const { latest } = await subject.store.changesSince(0);
    await write();
    const { changes } = await subject.store.changesSince(latest);
    return changes.map(({ kind, key }) => `${kind} ${key}`);
  };

  describe('set-up links', () => {
    it('are found by the hash of their token and by their id, with what never changes of their domain', async () => {
      const { store } = subject;
      const { link, hash, domain } = await withLink();
      const found = { ...link, domainName: domain.name, environmentId: domain.environmentId };
      expect(await store.findSetupLinkByToken(hash)).toEqual(found);
      expect(await store.findSetupLink(link.id)).toEqual(found);
      expect(await store.findSetupLinkByToken(aHash())).toBeNull();
      expect(await store.findSetupLink('link_none')).toBeNull();
    });

    it('need a domain of their own workspace', async () => {
      const { store } = subject;
      const { domain } = await withLink();
      const other = await subject.plant();
      for (const [workspaceId, domainId] of [
        [other.workspace.id, domain.id],
        [domain.workspaceId, 'dom_none'],
      ] as const) {
        const hash = aHash();
        expect(await store.createSetupLink(aSetupLink({ workspaceId, domainId }), hash)).toBe('domain_missing');
        expect(await store.findSetupLinkByToken(hash)).toBeNull();
      }
    });

    it('are listed in order of creation, of one domain, page by page', async () => {
      const { store } = subject;
      const { link, domain, workspace } = await withLink();
      const more = [1, 2].map(() => aSetupLink({ workspaceId: workspace.id, domainId: domain.id }));
      for (const each of more) await store.createSetupLink(each, aHash());
      const first = await store.listSetupLinks(workspace.id, domain.id, { limit: 2 });
      expect(first).toEqual({ items: [link, more[0]], next: more[1]?.id });
      const rest = await store.listSetupLinks(workspace.id, domain.id, { limit: 2, cursor: first.next });
      expect(rest).toEqual({ items: [more[1]] });
      expect(await store.listSetupLinks('ws_none', domain.id, { limit: 2 })).toEqual({ items: [] });
    });

    it('keep the first time at which they were revoked, and are then in the change log', async () => {
      const { store } = subject;
      const { link } = await withLink();
      expect(await changesOf(() => store.revokeSetupLink(link.id, NOW + 1))).toContain(`setup_link ${link.id}`);
      expect(await store.revokeSetupLink(link.id, NOW + 2)).toBe(true);
      expect(await store.findSetupLink(link.id)).toMatchObject({ revokedAt: NOW + 1 });
      expect(await store.revokeSetupLink('link_none', NOW)).toBe(false);
    });

    it('are gone with their domain, also one that was made at the same moment', async () => {
      const { store } = subject;
      const { link, hash, domain, workspace } = await withLink();
      const late = aHash();
      const [, deleted] = await Promise.all([
        store.createSetupLink(aSetupLink({ workspaceId: workspace.id, domainId: domain.id }), late),
        store.deleteDomain(workspace.id, domain.id, NOW),
      ]);
      expect(deleted).toBe('deleted');
      for (const each of [hash, late]) expect(await store.findSetupLinkByToken(each)).toBeNull();
      expect(await store.findSetupLink(link.id)).toBeNull();
    });

    it('that expired long ago are pruned, oldest first, and no others', async () => {
      const { store } = subject;
      // Before those of all other tests.
      const [first, second, third] = [
        await withLink({ expiresAt: 1 }),
        await withLink({ expiresAt: 2 }),
        await withLink(),
      ];
      const kept = async ({ link }: { link: SetupLink }) => (await store.findSetupLink(link.id)) !== null;
      expect(await store.pruneSetupLinks(3, 1)).toBe(1);
      expect([await kept(first), await kept(second)]).toEqual([false, true]);
      expect(await store.pruneSetupLinks(3, 9)).toBe(1);
      expect([await kept(second), await kept(third)]).toEqual([false, true]);
    });
  });

  describe('the set-up page of a workspace', () => {
    const brand = { name: 'Ünïcode "quoted"', accent: '#112233' };
    const origin = ({ workspace }: Planted, name = 'app') => `https://${name}.${workspace.id.replace('_', '-')}.test`;

    it('is empty at first; what is given is replaced, and the rest stays', async () => {
      const { store } = subject;
      const planted = await subject.plant();
      const { id } = planted.workspace;
      const origins = [origin(planted)];
      expect(await store.findSetupPage(id)).toEqual({ brand: {}, origins: [] });
      expect(await store.saveSetupPage(id, { brand })).toEqual({ brand, origins: [] });
      expect(await store.saveSetupPage(id, { origins: [...origins, ...origins] })).toEqual({ brand, origins });
      expect(await store.saveSetupPage(id, { brand: {} })).toEqual({ brand: {}, origins });
      expect(await store.findSetupPage(id)).toEqual({ brand: {}, origins });
      expect(await store.saveSetupPage('ws_none', { brand })).toBeNull();
    });

    it('is in the change log when it was saved', async () => {
      const { id } = (await subject.plant()).workspace;
      expect(await changesOf(() => subject.store.saveSetupPage(id, { brand }))).toContain(`workspace ${id}`);
    });

    it('has origins that are known as long as any workspace has them', async () => {
      const { store } = subject;
      const [a, b] = [await subject.plant(), await subject.plant()];
      const shared = origin(a, 'shared');
      expect(await store.isSetupOrigin(shared)).toBe(false);
      for (const { workspace } of [a, b]) await store.saveSetupPage(workspace.id, { origins: [shared] });
      expect(await store.isSetupOrigin(shared)).toBe(true);
      await store.saveSetupPage(a.workspace.id, { origins: [origin(a)] });
      expect(await store.isSetupOrigin(shared)).toBe(true);
      await store.saveSetupPage(b.workspace.id, { origins: [] });
      expect(await store.isSetupOrigin(shared)).toBe(false);
      expect(await store.isSetupOrigin(origin(a))).toBe(true);
    });
  });
}
