import { describe, expect, it } from 'vitest';
import { WINDOW_MS } from '../../server/src/domain/domain.ts';
import { NO_MEMORY } from '../../server/src/domain/status.ts';
import { prove } from '../support/certificates.ts';
import {
  aDomain,
  anApp,
  anEnvironment,
  aProject,
  attach,
  NOW,
  prepare,
  timelineOf,
  verifiedAt,
} from '../support/entities.ts';
import type { Subject } from './subject.ts';

const memory = NO_MEMORY;
const ROUNDS = 10;

export function describeRaces(subject: Subject): void {
  /** Runs a race several times, either side asked first in turn. */
  const eachOrder = async (
    race: (inTurn: <A, B>(a: () => Promise<A>, b: () => Promise<B>) => Promise<[A, B]>) => Promise<void>,
  ) => {
    for (let round = 0; round < ROUNDS; round++) {
      await race(async (a, b) => {
        if (round % 2 === 0) return Promise.all([a(), b()]);
        const [second, first] = await Promise.all([b(), a()]);
        return [first, second];
      });
    }
  };

  describe('of two at once', () => {
    it('one workspace gets the name verified, the other reads its loss', async () => {
      const { store } = subject;
      const [a, b] = [await subject.plant(), await subject.plant()];
      for (let round = 0; round < ROUNDS; round++) {
        const mine = await attach(store, a.environment);
        const theirs = await attach(store, b.environment, { name: mine.name });
        const save = (before: typeof mine) =>
          store.saveTransition({ before, after: verifiedAt(before, NOW), memory, now: NOW });
        const outcomes = await Promise.all(round % 2 === 0 ? [save(mine), save(theirs)] : [save(theirs), save(mine)]);
        expect(outcomes.sort()).toEqual(['saved', 'stale']);
        const found = [
          await store.findDomainById(a.workspace.id, mine.id),
          await store.findDomainById(b.workspace.id, theirs.id),
        ];
        const winner = found.find((domain) => domain?.status === 'verified');
        expect(found.filter((domain) => domain?.status === 'verified')).toHaveLength(1);
        expect((await store.findSite(mine.name))?.domainId).toBe(winner?.id);
      }
    });

    it('a delete wins over the save of a check, or comes after it; either way nothing is left', async () => {
      const { store } = subject;
      const { workspace, environment } = await subject.plant();
      await eachOrder(async (inTurn) => {
        const domain = await attach(store, environment);
        const [saved, deleted] = await inTurn(
          () => store.saveTransition({ before: domain, after: verifiedAt(domain, NOW), memory, now: NOW }),
          () => store.deleteDomain(workspace.id, domain.id, NOW),
        );
        expect(['saved', 'stale']).toContain(saved);
        expect(deleted).toBe('deleted');
        expect(await store.findDomainById(workspace.id, domain.id)).toBeNull();
        expect(await store.findSite(domain.name)).toBeNull();
        expect(await store.findCertificate(domain.name)).toBeNull();
      });
      expect(await store.earliestDueAt()).toBeNull();
    });

    it('a replacement of a domain and its verification: the one that is saved first wins', async () => {
      const { store } = subject;
      const { workspace, environment } = await subject.plant();
      await eachOrder(async (inTurn) => {
        const held = await attach(store, environment);
        const anew = aDomain(environment, { name: held.name });
        const replacing = { holders: [held], keptUntil: NOW };
        const [saved, { kind }] = await inTurn(
          () => store.saveTransition({ before: held, after: verifiedAt(held, NOW), memory, now: NOW }),
          () => store.createDomain(anew, NOW + WINDOW_MS, replacing),
        );
        expect([
          ['saved', 'held'],
          ['stale', 'created'],
        ]).toContainEqual([saved, kind]);
        const found = await store.findDomainByName(workspace.id, held.name);
        expect(found?.id).toBe(saved === 'saved' ? held.id : anew.id);
        expect((await store.findSite(held.name))?.domainId).toBe(saved === 'saved' ? held.id : undefined);
        await store.deleteDomain(workspace.id, found?.id ?? '', NOW);
      });
    });

    it('that are prepared for a name, the later one has the route and the certificate, and nothing of the other is left', async () => {
      const { store } = subject;
      const [a, b] = [await subject.plant(), await subject.plant()];
      await eachOrder(async (inTurn) => {
        const mine = await attach(store, a.environment);
        const theirs = await attach(store, b.environment, { name: mine.name });
        expect(
          await inTurn(
            () => prepare(store, mine),
            () => prepare(store, theirs),
          ),
        ).toEqual(['saved', 'saved']);
        const id = (await store.findSite(mine.name))?.domainId;
        expect([mine.id, theirs.id]).toContain(id);
        expect((await store.findCertificate(mine.name))?.domainId).toBe(id);
      });
    });

    it('one that is prepared never takes the route of the other one, which is verified', async () => {
      const { store } = subject;
      const [a, b] = [await subject.plant(), await subject.plant()];
      await eachOrder(async (inTurn) => {
        const mine = await attach(store, a.environment);
        const theirs = await attach(store, b.environment, { name: mine.name });
        const [prepared, proved] = await inTurn(
          () => prepare(store, mine),
          () => prove(store, theirs, NOW),
        );
        expect(proved).toBe('saved');
        expect(['saved', 'stale']).toContain(prepared);
        expect(await store.findSite(mine.name)).toMatchObject({ domainId: theirs.id });
        expect(await store.findCertificate(mine.name)).toMatchObject({ domainId: theirs.id, state: 'wanted' });
      });
    });

    it('a retry finds the domain verified, or lets the check that verifies it count', async () => {
      const { store } = subject;
      const { workspace, environment } = await subject.plant();
      await eachOrder(async (inTurn) => {
        const domain = await attach(store, environment);
        const outcomes = await inTurn(
          () => store.saveTransition({ before: domain, after: verifiedAt(domain, NOW), memory, now: NOW }),
          () => store.retryVerification(workspace.id, domain.id, NOW, WINDOW_MS),
        );
        expect([
          ['saved', 'verified'],
          ['saved', 'accepted'],
        ]).toContainEqual(outcomes);
        expect(await store.findDomainById(workspace.id, domain.id)).toMatchObject({ status: 'verified' });
        expect(await store.earliestDueAt()).toBeNull();
      });
    });

    it('one check of a domain is saved', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const domain = await attach(store, environment);
      const outcomes = await Promise.all(
        [1, 2, 3].map(() => store.saveTransition({ before: domain, after: verifiedAt(domain, NOW), memory, now: NOW })),
      );
      expect(outcomes.sort()).toEqual(['saved', 'stale', 'stale']);
      expect((await timelineOf(store, domain)).filter(({ type }) => type === 'domain.verified')).toHaveLength(1);
    });

    it('no two claims hold the same check', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const domains = [];
      for (let i = 0; i < 30; i++) domains.push(await attach(store, environment));
      const claims = await Promise.all([1, 2, 3, 4, 5].map(() => store.claimDue(NOW, 10, 60_000, () => 0)));
      const ids = claims.flat().map(({ domain }) => domain.id);
      expect(new Set(ids).size).toBe(ids.length);
      const rest = await store.claimDue(NOW, 30, 60_000, () => 0);
      expect([...ids, ...rest.map(({ domain }) => domain.id)].sort()).toEqual(domains.map(({ id }) => id).sort());
    });

    it('one creates a slug in its parent', async () => {
      const { store } = subject;
      const { workspace } = await subject.plant();
      const outcomes = await Promise.all(
        [1, 2, 3].map(() => store.createProject(aProject({ workspaceId: workspace.id, slug: 'contested' }))),
      );
      expect(outcomes.sort()).toEqual(['created', 'slug_taken', 'slug_taken']);
    });

    it('nothing is created in a parent that is deleted, and no parent is deleted under a child', async () => {
      const { store } = subject;
      const { workspace, project, app } = await subject.plant();
      await eachOrder(async (inTurn) => {
        const environment = anEnvironment(app);
        await store.createEnvironment(environment);
        const domain = aDomain(environment);
        const [created, deleted] = await inTurn(
          () => store.createDomain(domain, NOW + WINDOW_MS),
          () => store.deleteEnvironment(workspace.id, environment.id),
        );
        expect([
          ['created', 'not_empty'],
          ['environment_missing', 'deleted'],
        ]).toContainEqual([created.kind, deleted]);
        await store.deleteDomain(workspace.id, domain.id, NOW);

        const parent = anApp(project);
        await store.createApp(parent);
        const outcomes = await inTurn(
          () => store.createEnvironment(anEnvironment(parent)),
          () => store.deleteApp(workspace.id, parent.id),
        );
        expect([
          ['created', 'not_empty'],
          ['parent_missing', 'deleted'],
        ]).toContainEqual(outcomes);
      });
    });
  });
}
