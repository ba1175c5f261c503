import { describe, expect, it } from 'vitest';
import { type Domain, WINDOW_MS } from '../../server/src/domain/domain.ts';
import { NO_MEMORY } from '../../server/src/domain/status.ts';
import type { Environment } from '../../server/src/store/store.ts';
import { verify } from '../support/certificates.ts';
import { AUTHOR, aDomain, attach, NOW, unique, verifiedAt } from '../support/entities.ts';
import type { Subject } from './subject.ts';

const HOUR_MS = 3_600_000;

export function describeSharedTargets(subject: Subject): void {
  /** A host, and addresses, that no other test has. */
  const hostOf = () => `${unique('customers')}.platform.net`;
  let last = 0;
  const addressOf = () => {
    last += 1;
    return `203.0.${Math.floor(last / 256)}.${last % 256}`;
  };
  const add = (workspaceId: string, host: string, addresses: string[] = []) =>
    subject.store.changesBy(AUTHOR).addSharedTarget({ host, workspaceId, addresses, createdAt: NOW });
  const sharing = (environment: Environment, host: string, about: Partial<Domain> = {}) =>
    aDomain(environment, { target: host, sharedAddresses: '[]', ...about });
  const create = (domain: Domain) => subject.store.createDomain(domain, NOW + WINDOW_MS);
  const addressesOf = async ({ workspaceId, id }: Domain) =>
    (await subject.store.findDomainById(workspaceId, id))?.sharedAddresses;

  describe('a shared target', () => {
    it('is the target of many domains of its workspace, with its addresses as they are', async () => {
      const { environment } = await subject.plant();
      const [host, address] = [hostOf(), addressOf()];
      expect(await add(environment.workspaceId, host, [address])).toEqual({ kind: 'added', domains: 0 });
      for (const domain of [sharing(environment, host), sharing(environment, host)]) {
        expect(await create(domain)).toEqual({ kind: 'created' });
        expect(await addressesOf(domain)).toBe(JSON.stringify([address]));
      }
      expect(await subject.store.listSharedTargets(environment.workspaceId)).toEqual([
        { host, workspaceId: environment.workspaceId, addresses: [address], createdAt: NOW },
      ]);
    });

    it('is none for another workspace, which cannot tell it from one that does not exist, one by one, in bulk or as a pair', async () => {
      const { store } = subject;
      const [mine, theirs] = [await subject.plant(), await subject.plant()];
      const host = hostOf();
      await add(mine.workspace.id, host);
      for (const target of [host, hostOf()]) {
        const domain = () => sharing(theirs.environment, target);
        expect(await create(domain())).toEqual({ kind: 'target_missing' });
        const bulk = [aDomain(theirs.environment), domain()];
        expect(await store.createDomains(bulk, NOW + WINDOW_MS)).toEqual([
          { kind: 'created' },
          { kind: 'target_missing' },
        ]);
        const pair = [domain(), domain()] as const;
        expect((await store.createDomainWithWww(...pair, NOW + WINDOW_MS)).kind).toBe('target_missing');
        expect(await store.findSharedTarget(theirs.workspace.id, target)).toBeNull();
      }
      expect(await store.listSharedTargets(theirs.workspace.id)).toEqual([]);
    });

    it('that is added again with other addresses gives them to its domains, and to no others, and caches hear of it', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const [host, other, next] = [hostOf(), hostOf(), addressOf()];
      await add(environment.workspaceId, host);
      await add(environment.workspaceId, other);
      const [domain, beside, own] = [sharing(environment, host), sharing(environment, other), aDomain(environment)];
      for (const each of [domain, beside, own]) await create(each);
      const { latest } = await store.changesSince(0);
      expect(await add(environment.workspaceId, host, [next])).toEqual({ kind: 'added', domains: 1 });
      expect(await addressesOf(domain)).toBe(JSON.stringify([next]));
      expect([await addressesOf(beside), await addressesOf(own)]).toEqual(['[]', null]);
      const { changes } = await store.changesSince(latest);
      expect(changes.map(({ kind, key }) => [kind, key])).toEqual([['domain', domain.id]]);
    });

    it('that loses an address verifies no domain by a check that read it before', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const host = hostOf();
      await add(environment.workspaceId, host, [addressOf()]);
      const domain = sharing(environment, host);
      await create(domain);
      const before = await store.findDomainById(domain.workspaceId, domain.id);
      if (before === null) throw new Error('it was not created');
      await add(environment.workspaceId, host);
      const save = { before, after: verifiedAt(before, NOW), memory: NO_MEMORY, now: NOW };
      expect(await store.saveTransition(save)).toBe('stale');
      expect(await store.findDomainById(domain.workspaceId, domain.id)).toMatchObject({ status: 'pending' });
    });

    it.each(['the host', 'a host below', 'a host above', 'an address'])(
      "cannot be added where another workspace's target has it: %s",
      async (what) => {
        const [mine, theirs] = [await subject.plant(), await subject.plant()];
        const [host, address] = [hostOf(), addressOf()];
        await add(theirs.workspace.id, `eu.${host}`, [address]);
        const hosts: Record<string, string> = {
          'the host': `eu.${host}`,
          'a host below': `one.eu.${host}`,
          'a host above': host,
        };
        const added = await add(mine.workspace.id, hosts[what] ?? hostOf(), what === 'an address' ? [address] : []);
        expect(added).toEqual({
          kind: 'taken',
          by: theirs.workspace.id,
          what: what === 'an address' ? address : `eu.${host}`,
        });
        expect(await subject.store.listSharedTargets(mine.workspace.id)).toEqual([]);
      },
    );

    it.each(['', 'www.', '*.'])(
      'cannot be a name that another workspace has verified, nor above or below it: %s',
      async (before) => {
        const [mine, theirs] = [await subject.plant(), await subject.plant()];
        const base = hostOf();
        const { name } = await verify(subject.store, theirs.environment, { name: `${before}${base}` });
        for (const host of [`a.${base}`, base]) {
          if (before === 'www.' && host !== base) continue;
          const taken = { kind: 'taken', by: theirs.workspace.id, what: name };
          expect(await add(mine.workspace.id, host)).toEqual(taken);
        }
        // A claim that was never proved keeps nobody from anything.
        const claimed = await attach(subject.store, theirs.environment, { name: hostOf() });
        expect(await add(mine.workspace.id, claimed.name)).toMatchObject({ kind: 'added' });
      },
    );

    it('cannot be a generated target, nor below or above one', async () => {
      const { environment } = await subject.plant();
      const { target } = await attach(subject.store, environment);
      for (const host of [target, `a.${target}`, target.slice(target.indexOf('.') + 1)])
        expect(await add(environment.workspaceId, host)).toMatchObject({ kind: 'taken' });
    });

    it('is removed only when no domain has it, and then another workspace may have it', async () => {
      const { store } = subject;
      const [mine, theirs] = [await subject.plant(), await subject.plant()];
      const host = hostOf();
      const remove = () => store.changesBy(AUTHOR).removeSharedTarget(host, mine.workspace.id);
      await add(mine.workspace.id, host);
      const domain = sharing(mine.environment, host);
      await create(domain);
      expect(await remove()).toEqual({ kind: 'in_use', domains: 1 });
      await store.deleteDomain(domain.workspaceId, domain.id, NOW);
      expect(await remove()).toEqual({ kind: 'removed' });
      expect(await remove()).toEqual({ kind: 'missing' });
      expect(await add(theirs.workspace.id, host)).toMatchObject({ kind: 'added' });
    });

    it('that its workspace has lost brings no deleted domain back; where it has it still, the domain has its addresses of today', async () => {
      const { store } = subject;
      const [mine, theirs] = [await subject.plant(), await subject.plant()];
      const [host, address] = [hostOf(), addressOf()];
      await add(mine.workspace.id, host);
      const restore = async ({ workspaceId, id }: Domain) => {
        const deleted = await store.findDeletedDomain(workspaceId, id, NOW);
        return deleted && store.changesBy(AUTHOR).restoreDomain(deleted, NOW, WINDOW_MS);
      };
      const domain = sharing(mine.environment, host);
      await create(domain);
      const remove = () => store.deleteDomain(domain.workspaceId, domain.id, NOW, NOW + HOUR_MS);
      await remove();
      await add(mine.workspace.id, host, [address]);
      expect(await restore(domain)).toMatchObject({ kind: 'restored' });
      expect(await addressesOf(domain)).toBe(JSON.stringify([address]));
      await remove();
      await store.changesBy(AUTHOR).removeSharedTarget(host, mine.workspace.id);
      expect(await restore(domain)).toEqual({ kind: 'target_missing' });
      await add(theirs.workspace.id, host);
      expect(await restore(domain)).toEqual({ kind: 'target_missing' });
    });

    it('is not taken for a target of another CNAME zone', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const host = hostOf();
      await add(environment.workspaceId, host);
      await create(sharing(environment, host));
      expect(await store.findTargetOutside('cname.nameplate.test')).not.toBe(host);
    });

    it('goes with its workspace', async () => {
      const { store } = subject;
      const { workspace, project, app, environment } = await subject.plant();
      const host = hostOf();
      await add(workspace.id, host);
      await store.deleteEnvironment(workspace.id, environment.id);
      await store.deleteApp(workspace.id, app.id);
      await store.deleteProject(workspace.id, project.id);
      expect(await store.deleteWorkspace(workspace.id)).toBe('deleted');
      const { workspace: other } = await subject.plant();
      expect(await add(other.id, host)).toMatchObject({ kind: 'added' });
      expect(await add('ws_none', hostOf())).toEqual({ kind: 'workspace_missing' });
    });

    it('stays that of a domain that moves to another environment', async () => {
      const { store } = subject;
      const { app, environment } = await subject.plant();
      const host = hostOf();
      await add(environment.workspaceId, host);
      const domain = sharing(environment, host);
      await create(domain);
      const { id, workspaceId } = domain;
      const to = { ...environment, id: `${environment.id}2`, slug: unique('other') };
      await store.createEnvironment(to);
      expect(await store.moveDomain(id, to, NOW)).toMatchObject({ kind: 'moved', domain: { target: host } });
      expect(app.id).toBe(to.appId);
      await store.deleteDomain(workspaceId, id, NOW);
    });
  });

  it('a due certificate of a shared target has a label of its own in our zones', async () => {
    const { store } = subject;
    const { environment } = await subject.plant();
    const host = hostOf();
    await add(environment.workspaceId, host);
    const domains = [sharing(environment, host), sharing(environment, host)];
    for (const domain of domains) {
      await create(domain);
      const after = verifiedAt(domain, NOW);
      const before = (await store.findDomainById(domain.workspaceId, domain.id)) ?? domain;
      await store.saveTransition({ before, after, memory: NO_MEMORY, now: NOW });
    }
    const due = await store.claimCertificates({ now: NOW, limit: 100, leaseMs: 60_000, newNames: true });
    const names = domains.map(({ name }) => name);
    const targets = due.flatMap(({ certificate, target }) => (names.includes(certificate.hostname) ? [target] : []));
    expect(new Set(targets).size).toBe(2);
    for (const target of targets) expect(target).toMatch(new RegExp(`^s[a-z0-9]{1,19}\\.${host}$`));
  });
}
