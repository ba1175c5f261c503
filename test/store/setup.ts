import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { SetupLink } from '../../server/src/store/store.ts';
import { AUTHOR, aSetupLink, attach, NOW, type Planted } from '../support/entities.ts';
import type { Subject } from './subject.ts';

const LIMIT = 100;

const aHash = () => new Uint8Array(randomBytes(32));

export function describeSetup(subject: Subject): void {
  const withLink = async (about: Partial<SetupLink> = {}) => {
    const planted = await subject.plant();
    const domain = await attach(subject.store, planted.environment);
    const hash = aHash();
    const link = aSetupLink(domain, about);
    expect(await subject.store.createSetupLink(link, hash, LIMIT)).toBe('created');
    return { ...planted, domain, link, hash };
  };
  const create = (link: SetupLink, limit: number) => subject.store.createSetupLink(link, aHash(), limit);
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
        const link = aSetupLink(domain, { workspaceId, domainId });
        expect(await store.createSetupLink(link, hash, LIMIT)).toBe('domain_missing');
        expect(await store.findSetupLinkByToken(hash)).toBeNull();
      }
    });

    it('are as many at a time as the limit, of those that work: others do not count, nor do those of other domains', async () => {
      const { link, domain, environment } = await withLink();
      const [full, expired] = [aSetupLink(domain), aSetupLink(domain, { expiresAt: NOW + 1 })];
      expect(await create(expired, 2)).toBe('created');
      expect(await create(full, 2)).toBe('limit');
      expect(await subject.store.findSetupLink(full.id)).toBeNull();
      expect(await create(aSetupLink(await attach(subject.store, environment)), 2)).toBe('created');
      // From the millisecond on at which one of them has expired.
      expect(await create(aSetupLink(domain, { createdAt: NOW + 1 }), 2)).toBe('created');
      expect(await create(aSetupLink(domain, { createdAt: NOW + 1 }), 2)).toBe('limit');
      await subject.store.revokeSetupLink(link.id, NOW + 1);
      expect(await create(aSetupLink(domain, { createdAt: NOW + 1 }), 2)).toBe('created');
    });

    it('that are made at the same moment are no more than the limit', async () => {
      const domain = await attach(subject.store, (await subject.plant()).environment);
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => create(aSetupLink(domain), 7)));
      expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(7);
      const { items } = await subject.store.listSetupLinks(domain.workspaceId, domain.id, { limit: 20 });
      expect(items).toHaveLength(7);
    });

    it('keep when and by whom they were revoked first, and are then in the change log', async () => {
      const { store } = subject;
      const { link } = await withLink();
      const first = { revokedAt: NOW + 1, revokedBy: 'key_2' };
      const revoke = () =>
        store.changesBy({ ...AUTHOR, actor: first.revokedBy }).revokeSetupLink(link.id, first.revokedAt);
      expect(await changesOf(revoke)).toContain(`setup_link ${link.id}`);
      expect(await store.changesBy(AUTHOR).revokeSetupLink(link.id, NOW + 2)).toBe(true);
      expect(await store.findSetupLink(link.id)).toMatchObject(first);
      expect(await store.revokeSetupLink('link_none', NOW)).toBe(false);
    });

    it('have as their makers any text, which is kept in short where it is long', async () => {
      const actor = `auth0|\0 \ud800 ${'ä'.repeat(300)}`;
      const { link } = await withLink({ createdBy: actor });
      await subject.store.changesBy({ ...AUTHOR, actor }).revokeSetupLink(link.id, NOW);
      const kept = `auth0|\ufffd \ufffd ${'ä'.repeat(245)}`;
      expect(await subject.store.findSetupLink(link.id)).toMatchObject({ createdBy: kept, revokedBy: kept });
    });

    it('are gone with their domain, also one that was made at the same moment', async () => {
      const { store } = subject;
      const { link, hash, domain, workspace } = await withLink();
      const late = aHash();
      const [, deleted] = await Promise.all([
        store.createSetupLink(aSetupLink(domain), late, LIMIT),
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
