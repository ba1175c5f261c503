import { describe, expect, it } from 'vitest';
import { type Domain, type DomainStatus, WINDOW_MS } from '../../server/src/domain/domain.ts';
import { NO_MEMORY } from '../../server/src/domain/status.ts';
import { verify } from '../support/certificates.ts';
import {
  AUTHOR,
  aDomain,
  anEnvironment,
  attach,
  failedAt,
  NOW,
  timelineOf,
  verifiedAt,
  verifyingAt,
} from '../support/entities.ts';
import type { Subject } from './subject.ts';

const memory = NO_MEMORY;

export function describeDomains(subject: Subject): void {
  const save = (before: Domain, after: Domain, now = NOW) =>
    subject.store.saveTransition({ before, after, memory, now });

  describe('domains', () => {
    it('are found by name also when many are looked for at once, in several workspaces, some twice and some in vain', async () => {
      const { store } = subject;
      const [one, two] = [await subject.plant(), await subject.plant()];
      const domains = [await attach(store, one.environment), await attach(store, one.environment)];
      const [first] = domains as [Domain];
      const elsewhere = await attach(store, two.environment, { name: first.name });
      const wanted = [elsewhere, ...domains, aDomain(one.environment), first];
      const found = await Promise.all(wanted.map(({ workspaceId, name }) => store.findDomainByName(workspaceId, name)));
      expect(found).toEqual([elsewhere, ...domains, null, first]);
    });

    it('are refused in this order: environment missing, name held, quota reached', async () => {
      const { store } = subject;
      const { workspace, app, environment } = await subject.plant({ limits: { rates: {}, domains: 1 } });
      const elsewhere = await subject.plant();
      const held = await attach(store, environment);
      const create = (domain: Domain) => store.createDomain(domain, NOW + WINDOW_MS);
      expect(await create(aDomain(anEnvironment(app), { name: held.name }))).toEqual({ kind: 'environment_missing' });
      const stranger = aDomain(elsewhere.environment, { workspaceId: workspace.id });
      expect(await create(stranger)).toEqual({ kind: 'environment_missing' });
      expect(await create(aDomain(environment, { name: held.name }))).toEqual({
        kind: 'held',
        domainId: held.id,
        environmentId: environment.id,
      });
      expect(await create(aDomain(environment))).toEqual({ kind: 'quota', limit: 1 });
      expect(await create(aDomain(elsewhere.environment, { name: held.name }))).toEqual({ kind: 'created' });
    });

    it('that are refused leave nothing behind: no check, no event', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const held = await attach(store, environment);
      const refused = aDomain(environment, { name: held.name });
      await store.createDomain(refused, NOW + WINDOW_MS);
      // The same target twice is a mistake of the program, which the store refuses to keep.
      const mistaken = aDomain(environment, { target: held.target });
      await expect(store.createDomain(mistaken, NOW + WINDOW_MS)).rejects.toThrow();
      expect((await store.claimDue(NOW, 10, 60_000, () => 0)).map(({ domain }) => domain.id)).toEqual([held.id]);
      expect(await timelineOf(store, refused)).toEqual([]);
      expect(await timelineOf(store, mistaken)).toEqual([]);
    });

    it('have targets of which one in another zone is found, whatever its workspace', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const { target } = await attach(store, environment);
      const zone = target.slice(target.indexOf('.') + 1);
      const inZone = (found: string | null) => found?.endsWith(`.${zone}`) ?? false;
      expect(inZone(await store.findTargetOutside('elsewhere.example'))).toBe(true);
      expect(inZone(await store.findTargetOutside(zone))).toBe(false);
      await attach(store, environment, { target: `${environment.id.replace('_', '')}.elsewhere.example` });
      expect(await store.findTargetOutside(zone)).toMatch(/\.elsewhere\.example$/);
    });

    it('are counted by status, those of all workspaces together, and none that is deleted', async () => {
      const { store } = subject;
      const before = await store.countDomains();
      const [one, two] = [(await subject.plant()).environment, (await subject.plant()).environment];
      await attach(store, one);
      await attach(store, two);
      const [checked, failing, gone] = [await attach(store, one), await attach(store, two), await attach(store, two)];
      await save(checked, verifyingAt(checked, NOW));
      await save(failing, failedAt(failing, NOW));
      await store.deleteDomain(gone.workspaceId, gone.id, NOW);
      await verify(store, one);
      const more = { pending: 2, verifying: 1, verified: 1, failed: 1 };
      const after = Object.entries(await store.countDomains()).map(([status, count]) => [
        status,
        count - before[status as DomainStatus],
      ]);
      expect(Object.fromEntries(after)).toEqual(more);
    });

    it('of a claimant are deleted without anything of the incumbent', async () => {
      const { store } = subject;
      const holder = await subject.plant();
      const claimant = await subject.plant();
      const incumbent = await attach(store, holder.environment);
      await save(incumbent, verifiedAt(incumbent, NOW));
      const claim = await attach(store, claimant.environment, { name: incumbent.name });
      const { latest } = await store.changesSince(0);
      expect(await store.deleteDomain(claimant.workspace.id, claim.id, NOW)).toBe('deleted');
      expect(await store.findSite(incumbent.name)).toMatchObject({ domainId: incumbent.id });
      expect(await store.findCertificate(incumbent.name)).toMatchObject({ state: 'wanted' });
      const { changes } = await store.changesSince(latest);
      expect(changes.map(({ kind, key }) => [kind, key])).toEqual([['domain', claim.id]]);
    });
  });

  describe('many domains created at once', () => {
    const create = (domains: Domain[]) => subject.store.changesBy(AUTHOR).createDomains(domains, NOW + WINDOW_MS);

    it('are each as if they had been created one after the other: with a check, an event, and an outcome of their own', async () => {
      const { store } = subject;
      const { workspace, app, environment } = await subject.plant({ limits: { rates: {}, domains: 4 } });
      const sibling = anEnvironment(app);
      await store.createEnvironment(sibling);
      const here = await attach(store, environment);
      const there = await attach(store, sibling);
      const [first, second, third] = [aDomain(environment), aDomain(environment), aDomain(environment)];
      const again = aDomain(environment, { name: first.name });
      const names = [here.name, there.name].map((name) => aDomain(environment, { name }));
      expect(await create([first, ...names, again, second, third])).toEqual([
        { kind: 'created' },
        { kind: 'held', domainId: here.id, environmentId: environment.id },
        { kind: 'held', domainId: there.id, environmentId: sibling.id },
        { kind: 'held', domainId: first.id, environmentId: environment.id },
        { kind: 'created' },
        { kind: 'quota', limit: 4 },
      ]);
      const { items } = await store.listDomains(workspace.id, environment.id, { limit: 9 });
      expect(items).toEqual([here, first, second]);
      const due = await store.claimDue(NOW, 10, 60_000, () => 0);
      expect(due.map(({ domain }) => domain.id).sort()).toEqual(
        [here, there, first, second].map(({ id }) => id).sort(),
      );
      expect(await timelineOf(store, first)).toMatchObject([{ type: 'domain.created', actor: 'key_1' }]);
      expect(await timelineOf(store, third)).toEqual([]);
      await store.deleteDomain(workspace.id, there.id, NOW);
    });

    it('are refused together once their environment is gone', async () => {
      const { app, environment } = await subject.plant();
      const gone = anEnvironment(app);
      const missing = { kind: 'environment_missing' };
      expect(await create([aDomain(gone), aDomain(gone)])).toEqual([missing, missing]);
      expect(await create([])).toEqual([]);
      expect(await create([aDomain(environment)])).toEqual([{ kind: 'created' }]);
    });

    it('are created together or not at all', async () => {
      const { store } = subject;
      const { workspace, environment } = await subject.plant();
      const first = aDomain(environment);
      // The same target twice is a mistake of the program.
      await expect(create([first, aDomain(environment, { target: first.target })])).rejects.toThrow();
      expect(await store.findDomainByName(workspace.id, first.name)).toBeNull();
    });

    it('may be wanted by several callers at once: each name is created once, and the quota holds', async () => {
      const { environment } = await subject.plant({ limits: { rates: {}, domains: 30 } });
      const names = Array.from({ length: 20 }, () => aDomain(environment).name);
      const batches = [names.slice(0, 10), names.toReversed(), names];
      const created = await Promise.all(
        batches.map((batch) => create(batch.map((name) => aDomain(environment, { name })))),
      );
      const kinds = created.flat().map(({ kind }) => kind);
      expect(kinds.filter((kind) => kind === 'created')).toHaveLength(20);
      expect(kinds.filter((kind) => kind === 'held')).toHaveLength(30);
      const more = await create(Array.from({ length: 20 }, () => aDomain(environment)));
      expect(more.filter(({ kind }) => kind === 'created')).toHaveLength(10);
    });
  });

  describe('lists of domains', () => {
    it('are found among more than one statement scans', async () => {
      const { store } = subject;
      const { workspace, environment } = await subject.plant();
      const first = await attach(store, environment, { name: 'wanted1.example.com' });
      for (let i = 0; i < 21; i++) {
        const others = Array.from({ length: 100 }, () => aDomain(environment));
        await store.createDomains(others, NOW + WINDOW_MS);
      }
      const last = await attach(store, environment, { name: 'wanted2.example.com' });
      const search = (part: string, limit: number) =>
        store.listDomains(workspace.id, environment.id, { limit, search: part });
      expect(await search('wanted', 10)).toEqual({ items: [first, last] });
      expect(await search('wanted', 1)).toEqual({ items: [first], next: last.id });
      expect(await search('nothing', 10)).toEqual({ items: [] });
    });
  });

  describe('a retry', () => {
    it('makes the check due at once, changes nothing else, and lets the check in flight count, in the same window', async () => {
      const { store } = subject;
      const { workspace, environment } = await subject.plant();
      const domain = await attach(store, environment);
      await store.claimDue(NOW, 10, 60_000, () => 0.5);
      expect(await store.retryVerification(workspace.id, domain.id, NOW + 10, WINDOW_MS)).toBe('accepted');
      expect(await store.findDomainById(workspace.id, domain.id)).toEqual(domain);
      const [due] = await store.claimDue(NOW + 10, 10, 60_000, () => 0.5);
      expect(due).toMatchObject({ domain, attempts: 2, dueAt: NOW + 10 });
      expect((await timelineOf(store, domain)).map(({ type }) => type)).toEqual(['domain.created']);
      // The window's end has not moved: a claim right before it comes back at it.
      await store.claimDue(NOW + WINDOW_MS - 1, 10, 60_000, () => 0.5);
      expect(await store.earliestDueAt()).toBe(NOW + WINDOW_MS);
      expect(await save(domain, verifiedAt(domain, NOW + 11))).toBe('saved');
    });

    it('keeps the memory of consecutive checks', async () => {
      const { store } = subject;
      const { workspace, environment } = await subject.plant();
      const domain = await attach(store, environment);
      const remembered = { ...NO_MEMORY, unreadableInARow: 2, provenSince: NOW };
      await store.saveTransition({ before: domain, after: domain, memory: remembered, now: NOW });
      await store.retryVerification(workspace.id, domain.id, NOW, WINDOW_MS);
      const [due] = await store.claimDue(NOW, 10, 60_000, () => 0);
      expect(due?.memory).toEqual(remembered);
    });
  });
}
