import { describe, expect, it } from 'vitest';
import { type Domain, WINDOW_MS } from '../../server/src/domain/domain.ts';
import { type CheckMemory, NO_MEMORY } from '../../server/src/domain/status.ts';
import { attach, failedAt, NOW, timelineOf, verifiedAt, verifyingAt } from '../support/entities.ts';
import type { Subject } from './subject.ts';

const memory: CheckMemory = NO_MEMORY;

export function describeChecks(subject: Subject): void {
  const claim = (now: number, limit = 100, random = 0.5) => subject.store.claimDue(now, limit, 60_000, () => random);
  const save = (before: Domain, after: Domain, loser?: { before: Domain; after: Domain }) =>
    subject.store.saveTransition({ before, after, memory, loser, now: NOW + 1 });
  const stored = ({ workspaceId, id }: Domain) => subject.store.findDomainById(workspaceId, id);
  const eventsOf = async (domain: Domain) => (await timelineOf(subject.store, domain)).map(({ type }) => type);

  it('a token leads to the name of its domain, in its workspace only', async () => {
    const { store } = subject;
    const [one, other] = [await subject.plant(), await subject.plant()];
    const domain = await attach(store, one.environment, { token: 'Zt4mQ8rV1xKc7NwLb2YpH5sJ' });
    await attach(store, other.environment, { name: domain.name });
    expect(await store.findNameByToken(one.workspace.id, domain.token)).toBe(domain.name);
    expect(await store.findNameByToken(other.workspace.id, domain.token)).toBeNull();
    expect(await store.findNameByToken(one.workspace.id, domain.token.toLowerCase())).toBeNull();
    await store.deleteDomain(one.workspace.id, domain.id, NOW);
    expect(await store.findNameByToken(one.workspace.id, domain.token)).toBeNull();
  });

  it('finds the domains that failed after a time and are failed still, but not those that lost their name', async () => {
    const { store } = subject;
    const [one, other] = [await subject.plant(), await subject.plant()];
    const failed = await attach(store, one.environment);
    const retried = await attach(store, one.environment);
    for (const domain of [failed, retried]) await save(domain, failedAt(domain, NOW + 1));
    await store.retryVerification(retried.workspaceId, retried.id, NOW + 2, WINDOW_MS);
    const incumbent = await attach(store, one.environment);
    await save(incumbent, verifiedAt(incumbent, NOW));
    const held = (await stored(incumbent)) as Domain;
    const claimant = await attach(store, other.environment, { name: incumbent.name });
    await save(claimant, verifiedAt(claimant, NOW + 1), { before: held, after: failedAt(held, NOW + 1) });
    const { id, workspaceId } = failed;
    expect(await store.findFailedAfter(NOW, 10)).toEqual([{ id, workspaceId }]);
    expect(await store.findFailedAfter(NOW, 0)).toEqual([]);
    expect(await store.findFailedAfter(NOW + 1, 10)).toEqual([]);
  });

  it('knows the clock of the database server, where there is one', async () => {
    const time = await subject.store.serverTime();
    if (time !== null) expect(Math.abs(time - Date.now())).toBeLessThan(60_000);
  });

  describe('claiming', () => {
    it('skips the checks of one workspace, which stay due', async () => {
      const { store } = subject;
      const [one, other] = [await subject.plant(), await subject.plant()];
      const passed = await attach(store, one.environment, { createdAt: NOW - 10 });
      const claimed = await attach(store, other.environment, { createdAt: NOW });
      const due = await store.claimDue(NOW, 10, 60_000, () => 0, one.workspace.id);
      expect(due.map(({ domain }) => domain.id)).toEqual([claimed.id]);
      expect(await store.earliestDueAt()).toBe(NOW - 10);
      const rest = await store.claimDue(NOW, 10, 60_000, () => 0);
      expect(rest.map(({ domain }) => domain.id)).toEqual([passed.id]);
    });

    it('gives each due check once, most overdue first, with all that a check needs', async () => {
      const { environment } = await subject.plant();
      const late = await attach(subject.store, environment, { createdAt: NOW - 5 });
      const later = await attach(subject.store, environment, { createdAt: NOW });
      const latest = await attach(subject.store, environment, { createdAt: NOW - 9 });
      await attach(subject.store, environment, { createdAt: NOW + 1 });
      const due = await claim(NOW);
      expect(due.map(({ domain, dueAt }) => [domain.id, dueAt])).toEqual([
        [latest.id, NOW - 9],
        [late.id, NOW - 5],
        [later.id, NOW],
      ]);
      expect(due[1]).toEqual({
        domain: late,
        incumbent: null,
        isPrepared: false,
        memory,
        resultDigest: null,
        attempts: 1,
        dueAt: NOW - 5,
      });
      expect(await claim(NOW)).toEqual([]);
    });

    it('moves a check one period on, a tenth either way, and counts it', async () => {
      const { environment } = await subject.plant();
      await attach(subject.store, environment);
      await claim(NOW, 1, 0);
      expect(await subject.store.earliestDueAt()).toBe(NOW + 54_000);
      expect(await claim(NOW + 53_999)).toEqual([]);
      expect(await claim(NOW + 54_000, 1, 0.5)).toMatchObject([{ attempts: 2, dueAt: NOW + 54_000 }]);
      expect(await subject.store.earliestDueAt()).toBe(NOW + 114_000);
    });

    it('never moves a check past the end of its window before it came there', async () => {
      const { environment } = await subject.plant();
      await attach(subject.store, environment);
      await claim(NOW + WINDOW_MS - 10);
      expect(await subject.store.earliestDueAt()).toBe(NOW + WINDOW_MS);
      await claim(NOW + WINDOW_MS);
      expect(await subject.store.earliestDueAt()).toBe(NOW + WINDOW_MS + 60_000);
    });

    it('claims checks that a wrong clock scheduled too far ahead, after those overdue', async () => {
      const { environment } = await subject.plant();
      const ahead = await attach(subject.store, environment, { createdAt: NOW + 3_600_000 });
      await attach(subject.store, environment, { createdAt: NOW + 300_000 });
      const overdue = await attach(subject.store, environment, { createdAt: NOW });
      const ids = (await claim(NOW)).map(({ domain }) => domain.id);
      expect(ids).toEqual([overdue.id, ahead.id]);
      expect(await claim(NOW)).toEqual([]);
    });

    it('takes no more than asked for and leaves the rest due', async () => {
      const { environment } = await subject.plant();
      const domains = [];
      for (let i = 0; i < 5; i++) domains.push(await attach(subject.store, environment, { createdAt: NOW + i }));
      const first = await claim(NOW + 9, 2);
      const second = await claim(NOW + 9, 2);
      const third = await claim(NOW + 9, 2);
      const ids = [...first, ...second, ...third].map(({ domain }) => domain.id);
      expect([first.length, second.length, third.length]).toEqual([2, 2, 1]);
      expect(ids).toEqual(domains.map(({ id }) => id));
      expect(await claim(NOW + 9, 0)).toEqual([]);
    });

    it('uses one random number a check', async () => {
      const { environment } = await subject.plant();
      for (let i = 0; i < 3; i++) await attach(subject.store, environment);
      const numbers = [0, 0.5, 0.999];
      await subject.store.claimDue(NOW, 10, 60_000, () => numbers.shift() ?? Number.NaN);
      const dueAt = [];
      for (let i = 0; i < 3; i++) dueAt.push(...(await claim(NOW + 90_000, 1)).map((check) => check.dueAt));
      expect(dueAt).toEqual([NOW + 54_000, NOW + 60_000, NOW + 65_988]);
    });

    it('names the incumbent of the name, as it is now, to other workspaces only', async () => {
      const holder = await subject.plant();
      const claimant = await subject.plant();
      const incumbent = await attach(subject.store, holder.environment);
      await save(incumbent, verifiedAt(incumbent, NOW));
      const claimed = await attach(subject.store, claimant.environment, { name: incumbent.name });
      const free = await attach(subject.store, claimant.environment);
      const due = await claim(NOW);
      expect(due.find(({ domain }) => domain.id === claimed.id)?.incumbent).toEqual(verifiedAt(incumbent, NOW));
      expect(due.find(({ domain }) => domain.id === free.id)?.incumbent).toBeNull();
      expect(await subject.store.findIncumbent(claimed)).toEqual(verifiedAt(incumbent, NOW));
      expect(await subject.store.findIncumbent(incumbent)).toBeNull();
      expect(await subject.store.findIncumbent(free)).toBeNull();
      expect(due).toHaveLength(2);
    });
  });

  describe('saving a check', () => {
    it('without a change that the API shows saves only the memory of checks', async () => {
      const { environment } = await subject.plant();
      const domain = await attach(subject.store, environment);
      const remembered = { ...NO_MEMORY, unreadableInARow: 3, provenSince: NOW };
      const saved = await subject.store.saveTransition({ before: domain, after: domain, memory: remembered, now: NOW });
      expect(saved).toBe('saved');
      expect(await stored(domain)).toEqual(domain);
      expect((await claim(NOW))[0]?.memory).toEqual(remembered);
      expect(await eventsOf(domain)).toEqual(['domain.created']);
    });

    it('with a change saves it, with an event that has the domain as it is now', async () => {
      const { environment, workspace } = await subject.plant();
      const domain = await attach(subject.store, environment);
      const after = { ...verifyingAt(domain, NOW), ownershipVerifiedAt: NOW, verificationError: 'Wrong.' };
      expect(await save(domain, after)).toBe('saved');
      expect(await stored(domain)).toEqual(after);
      expect((await timelineOf(subject.store, domain)).at(-1)).toEqual({
        id: expect.stringMatching(/^evt_[0-9a-z]{26}$/),
        domainId: domain.id,
        workspaceId: workspace.id,
        type: 'record.seen',
        actor: null,
        data: {
          record: 'ownership',
          name: domain.name,
          environmentId: environment.id,
          status: 'verifying',
          routingVerified: false,
          ownershipVerified: true,
          verificationError: 'Wrong.',
        },
        createdAt: NOW + 1,
      });
      expect(await claim(NOW)).toHaveLength(1);
    });

    it('is stale, and saves nothing, once the domain was retried, checked elsewhere or deleted', async () => {
      const { store } = subject;
      const { workspace, environment } = await subject.plant();
      const domain = await attach(store, environment);
      await save(domain, verifyingAt(domain, NOW));
      const outcomes = [verifyingAt(domain, NOW), verifiedAt(domain, NOW), failedAt(domain, NOW), domain];
      for (const after of outcomes) {
        const remembered = { ...NO_MEMORY, unreadableInARow: 9, provenSince: NOW };
        expect(await store.saveTransition({ before: domain, after, memory: remembered, now: NOW })).toBe('stale');
      }
      expect(await stored(domain)).toEqual(verifyingAt(domain, NOW));
      expect((await claim(NOW))[0]?.memory).toEqual(memory);
      expect(await store.findSite(domain.name)).toBeNull();
      expect(await eventsOf(domain)).toEqual(['domain.created']);
      await store.deleteDomain(workspace.id, domain.id, NOW);
      const current = verifyingAt(domain, NOW);
      for (const after of [verifiedAt(current, NOW), failedAt(current, NOW), current]) {
        expect(await save(current, after)).toBe('stale');
      }
      expect(await stored(domain)).toBeNull();
      expect(await store.findSite(domain.name)).toBeNull();
    });
  });

  describe('a takeover', () => {
    const contest = async () => {
      const holder = await subject.plant();
      const claimant = await subject.plant();
      const added = await attach(subject.store, holder.environment);
      const incumbent = verifiedAt(added, NOW - 9);
      await save(added, incumbent);
      const claimed = await attach(subject.store, claimant.environment, { name: added.name });
      const loser = { before: incumbent, after: failedAt(incumbent, NOW) };
      return { incumbent, claimed, loser, name: added.name };
    };

    it('changes both domains, moves the route and creates a new wanted certificate, all in one step', async () => {
      const { incumbent, claimed, loser, name } = await contest();
      expect(await save(claimed, verifiedAt(claimed, NOW), loser)).toBe('saved');
      expect(await stored(claimed)).toEqual(verifiedAt(claimed, NOW));
      expect(await stored(incumbent)).toEqual(loser.after);
      const route = { hostname: name, domainId: claimed.id, environmentId: claimed.environmentId };
      expect(await subject.store.findSite(name)).toMatchObject(route);
      expect(await subject.store.findCertificate(name)).toMatchObject({ state: 'wanted', createdAt: NOW + 1 });
      const verified = ['domain.created', 'record.seen', 'record.seen', 'domain.verified'];
      expect(await eventsOf(claimed)).toEqual(verified);
      expect(await eventsOf(incumbent)).toEqual([...verified, 'domain.superseded']);
    });

    it('is stale when there is an incumbent that the check did not read', async () => {
      const { incumbent, claimed } = await contest();
      expect(await save(claimed, verifiedAt(claimed, NOW))).toBe('stale');
      expect(await stored(claimed)).toEqual(claimed);
      expect(await stored(incumbent)).toEqual(incumbent);
    });

    it('is stale when the incumbent is another, has changed, or is gone', async () => {
      const { incumbent, claimed, loser } = await contest();
      const older = { ...loser, before: { ...incumbent, revision: incumbent.revision - 1 } };
      expect(await save(claimed, verifiedAt(claimed, NOW), older)).toBe('stale');
      const other = { ...loser, before: { ...incumbent, id: 'dom_other' } };
      expect(await save(claimed, verifiedAt(claimed, NOW), other)).toBe('stale');
      await subject.store.deleteDomain(incumbent.workspaceId, incumbent.id, NOW);
      expect(await save(claimed, verifiedAt(claimed, NOW), loser)).toBe('stale');
      expect(await stored(claimed)).toEqual(claimed);
      expect(await subject.store.findSite(claimed.name)).toBeNull();
      expect(await save(claimed, verifiedAt(claimed, NOW))).toBe('saved');
    });
  });
}
