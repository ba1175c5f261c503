import { describe, expect, it } from 'vitest';
import { type Domain, WINDOW_MS } from '../../server/src/domain/domain.ts';
import type { SuspensionStatus } from '../../server/src/domain/suspension.ts';
import { DAY_MS, prove, takeOver, verify } from '../support/certificates.ts';
import { AUTHOR, anEnvironment, attach, NOW, timelineOf } from '../support/entities.ts';
import type { Subject } from './subject.ts';

const LATER = NOW + DAY_MS;
const ACTOR = AUTHOR.actor;

/** Domains that are moved or suspended. */
export function describeSuspensions(subject: Subject): void {
  const suspend = ({ workspaceId, id }: Domain, status: SuspensionStatus = 503) =>
    subject.store.changesBy(AUTHOR).suspendDomain(workspaceId, id, status, NOW);
  const resume = ({ workspaceId, id }: Domain) => subject.store.changesBy(AUTHOR).resumeDomain(workspaceId, id, LATER);
  const suspensionOf = ({ workspaceId, id }: Domain) => subject.store.findSuspension(workspaceId, id);
  const pageOf = async ({ name }: Domain) => (await subject.store.findSite(name))?.suspendedStatus;
  const changesOf = async (action: () => Promise<unknown>) => {
    const { latest } = await subject.store.changesSince(0);
    await action();
    return (await subject.store.changesSince(latest)).changes.map(({ kind, key }) => `${kind} ${key}`);
  };
  const eventsOf = async (domain: Domain) =>
    (await timelineOf(subject.store, domain))
      .filter(({ data }) => data.suspension !== undefined || data.move !== undefined)
      .map(({ type, data, actor }) => [type, data.suspension?.status ?? data.move, actor]);

  describe('a suspension', () => {
    it('is read with the site, replaced and lifted, each with an event and a change of the route; the domain stays as it is', async () => {
      const { store } = subject;
      const domain = await verify(store, (await subject.plant()).environment);
      const route = [`route ${domain.name}`];
      expect(await pageOf(domain)).toBeNull();
      expect(await changesOf(() => suspend(domain))).toEqual(route);
      expect(await suspensionOf(domain)).toEqual({ status: 503, by: 'workspace', suspendedAt: NOW });
      expect(await pageOf(domain)).toBe(503);
      expect(await changesOf(() => suspend(domain))).toEqual([]);
      expect(await changesOf(() => suspend(domain, 451))).toEqual(route);
      expect(await pageOf(domain)).toBe(451);
      expect(await store.findDomainById(domain.workspaceId, domain.id)).toEqual(domain);
      const { items } = await store.listWorkspaceDomains(domain.workspaceId, { limit: 9 });
      expect(items).toMatchObject([{ suspension: { status: 451, by: 'workspace' } }]);
      expect(await changesOf(() => resume(domain))).toEqual(route);
      expect(await resume(domain)).toEqual({ kind: 'unchanged', suspension: null });
      expect(await pageOf(domain)).toBeNull();
      expect(await eventsOf(domain)).toEqual([
        ['domain.suspended', 503, ACTOR],
        ['domain.suspended', 451, ACTOR],
        ['domain.resumed', 451, ACTOR],
      ]);
    });

    it('of a workspace concerns all its sites, of now and later, and no other workspace; no key lifts it', async () => {
      const { store } = subject;
      const [mine, other] = [await subject.plant(), await subject.plant()];
      const [site, theirs] = [await verify(store, mine.environment), await verify(store, other.environment)];
      const suspension = { status: 451, suspendedAt: NOW } as const;
      const changes = await changesOf(() => store.setWorkspaceSuspension(mine.workspace.id, suspension));
      expect(changes).toEqual([`workspace ${mine.workspace.id}`]);
      expect(await store.findWorkspaceSuspension(mine.workspace.id)).toEqual(suspension);
      const later = await verify(store, mine.environment);
      expect([await pageOf(site), await pageOf(later), await pageOf(theirs)]).toEqual([451, 451, null]);
      await suspend(site);
      const byOperator = { ...suspension, by: 'operator' };
      expect(await resume(site)).toEqual({ kind: 'changed', suspension: byOperator });
      expect(await suspensionOf(later)).toEqual(byOperator);
      await store.deleteDomain(site.workspaceId, site.id, NOW);
      const again = await attach(store, mine.environment, { name: site.name });
      await prove(store, again, LATER);
      expect(await pageOf(again)).toBe(451);
      await suspend(again);
      expect(await store.setWorkspaceSuspension(mine.workspace.id, null)).toBe(true);
      expect([await pageOf(again), await pageOf(later)]).toEqual([503, null]);
      expect(await store.setWorkspaceSuspension('ws_none', suspension)).toBe(false);
    });

    it('of one name by the operator concerns that site alone, and stays however its workspace deletes, adds, restores or moves the domain', async () => {
      const { store } = subject;
      const [mine, other] = [await subject.plant(), await subject.plant()];
      const [site, beside] = [await verify(store, mine.environment), await verify(store, mine.environment)];
      const suspension = { status: 451, suspendedAt: NOW } as const;
      const set = (value: typeof suspension | null, name = site.name) =>
        store.setWorkspaceSuspension(mine.workspace.id, value, name);
      const byOperator = { ...suspension, by: 'operator' };
      expect(await changesOf(() => set(suspension))).toEqual([`route ${site.name}`]);
      expect(await suspensionOf(site)).toEqual(byOperator);
      expect([await pageOf(site), await pageOf(beside)]).toEqual([451, null]);
      expect(await store.findWorkspaceSuspension(mine.workspace.id)).toBeNull();
      const { items } = await store.listWorkspaceDomains(mine.workspace.id, { limit: 9, search: site.name });
      expect(items).toMatchObject([{ suspension: byOperator }]);

      await suspend(site);
      expect(await resume(site)).toEqual({ kind: 'changed', suspension: byOperator });
      expect(await resume(site)).toEqual({ kind: 'unchanged', suspension: byOperator });
      await store.deleteDomain(site.workspaceId, site.id, NOW, LATER);
      const again = await attach(store, mine.environment, { name: site.name });
      await prove(store, again, NOW);
      expect([await pageOf(again), await suspensionOf(again)]).toEqual([451, byOperator]);
      await store.deleteDomain(site.workspaceId, again.id, NOW);
      const deleted = await store.findDeletedDomain(site.workspaceId, site.id, NOW);
      const restored = deleted && (await store.restoreDomain(deleted, NOW, WINDOW_MS));
      if (restored?.kind !== 'restored') throw new Error('the domain was not restored');
      expect(await pageOf(site)).toBe(451);

      expect([await set(suspension, 'none.example.com'), await set(null, beside.name)]).toEqual([false, false]);
      await takeOver(store, other.environment, restored.domain, LATER);
      expect(await pageOf(site)).toBeNull();
      expect(await set(null)).toBe(true);
      expect(await set(null)).toBe(false);
    });
  });

  describe('a domain that is moved', () => {
    it('has its route in the other environment, and all else as before', async () => {
      const { store } = subject;
      const { app, environment } = await subject.plant();
      const staging = anEnvironment(app);
      await store.createEnvironment(staging);
      const [domain, pending] = [await verify(store, environment), await attach(store, environment)];
      const before = await store.findSite(domain.name);
      const after = { ...domain, environmentId: staging.id, updatedAt: LATER, revision: domain.revision + 1 };
      const move = (each: Domain, to = staging) => store.changesBy(AUTHOR).moveDomain(each.id, to, LATER);
      const changes = await changesOf(async () => expect(await move(domain)).toEqual({ kind: 'moved', domain: after }));
      expect(changes).toEqual(expect.arrayContaining([`domain ${domain.id}`, `route ${domain.name}`]));
      expect(await store.findDomainById(domain.workspaceId, domain.id)).toEqual(after);
      expect(await store.findSite(domain.name)).toEqual({ ...before, environmentId: staging.id });
      expect(await changesOf(() => move(domain))).toEqual([]);
      expect(await changesOf(() => move(pending))).toEqual([`domain ${pending.id}`]);
      expect(await eventsOf(domain)).toEqual([['domain.moved', { from: environment.id, to: staging.id }, ACTOR]]);
      expect(await prove(store, pending, LATER)).toBe('stale');
      expect(await store.deleteEnvironment(environment.workspaceId, environment.id)).toBe('deleted');
      await store.deleteDomain(domain.workspaceId, domain.id, LATER);
      await store.deleteDomain(pending.workspaceId, pending.id, LATER);
    });

    it('is not moved to an environment of another workspace, or to one that is gone', async () => {
      const { store } = subject;
      const [mine, theirs] = [await subject.plant(), await subject.plant()];
      const domain = await verify(store, mine.environment);
      expect(await store.moveDomain(domain.id, theirs.environment, NOW)).toEqual({ kind: 'missing' });
      const gone = anEnvironment(mine.app);
      expect(await store.moveDomain(domain.id, gone, NOW)).toEqual({ kind: 'environment_missing' });
      expect(await store.findSite(domain.name)).toMatchObject({ environmentId: mine.environment.id });
    });
  });
}
