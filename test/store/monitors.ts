import { describe, expect, it } from 'vitest';
import type { Domain } from '../../server/src/domain/domain.ts';
import { HEALTHY, type MonitorMemory } from '../../server/src/domain/monitoring.ts';
import { NO_MEMORY } from '../../server/src/domain/status.ts';
import type { DueRecheck, MonitorStore } from '../../server/src/store/store.ts';
import { DAY_MS, verify } from '../support/certificates.ts';
import { aCheckResult, attach, NOW, timelineOf, verifiedAt } from '../support/entities.ts';
import type { Subject } from './subject.ts';

const HOUR_MS = 3_600_000;
/** When a domain that was verified at `NOW` is due for the first time. */
const DUE = NOW + HOUR_MS;
const DRIFTED: MonitorMemory = { ...HEALTHY, driftedSince: DUE };

type Save = Parameters<MonitorStore['saveMonitoring']>[0];

/** A verified domain that is told what it lost. */
function driftedAt(domain: Domain, now: number): Domain {
  const change = { routingVerifiedAt: null, verificationError: 'The CNAME is gone.', updatedAt: now };
  return { ...domain, ...change, revision: domain.revision + 1 };
}

function removedAt(domain: Domain, now: number): Domain {
  const flags = { routingVerifiedAt: null, ownershipVerifiedAt: null, verifiedAt: null };
  const change = { status: 'failed', verificationError: 'Gone for seven days.', updatedAt: now } as const;
  return { ...domain, ...flags, ...change, revision: domain.revision + 1 };
}

export function describeMonitors(subject: Subject): void {
  const claim = (now: number, about: { limit?: number; except?: string; random?: number } = {}) => {
    const { limit = 100, except, random = 0.5 } = about;
    return subject.store.claimMonitored({ now, limit, intervalMs: DAY_MS, jitter: () => random, except });
  };
  const one = async (now = DUE): Promise<DueRecheck> => {
    const [due, ...others] = await claim(now);
    if (due === undefined || others.length > 0) throw new Error('not one re-check is due');
    return due;
  };
  const save = ({ domain, attempts }: DueRecheck, about: Partial<Save> = {}) =>
    subject.store.saveMonitoring({ before: domain, after: domain, memory: HEALTHY, attempts, now: DUE, ...about });
  const stored = ({ workspaceId, id }: Domain) => subject.store.findDomainById(workspaceId, id);
  const typesOf = async (domain: Domain) => (await timelineOf(subject.store, domain)).map(({ type }) => type).slice(4);

  describe('claiming re-checks', () => {
    it('gives each due re-check once, the most overdue first, with all that it needs', async () => {
      const { environment } = await subject.plant();
      const late = await verify(subject.store, environment, { at: NOW - 5 });
      const later = await verify(subject.store, environment, { at: NOW });
      await verify(subject.store, environment, { at: NOW + 1 });
      const about = { memory: HEALTHY, resultDigest: null, attempts: 1 };
      expect(await claim(DUE)).toEqual([
        { domain: late, dueAt: DUE - 5, ...about },
        { domain: later, dueAt: DUE, ...about },
      ]);
      expect(await claim(DUE)).toEqual([]);
    });

    it('schedules the next one within the interval, and counts it', async () => {
      const { environment } = await subject.plant();
      await verify(subject.store, environment);
      await claim(DUE, { random: 0 });
      expect(await claim(DUE + 0.8 * DAY_MS - 1)).toEqual([]);
      expect(await one(DUE + 0.8 * DAY_MS)).toMatchObject({ attempts: 2, dueAt: DUE + 0.8 * DAY_MS });
    });

    it('comes back within the hour to a domain that has drifted', async () => {
      const { environment } = await subject.plant();
      await verify(subject.store, environment);
      await save(await one(), { memory: DRIFTED });
      expect(await one(DUE + DAY_MS)).toMatchObject({ memory: DRIFTED });
      expect(await one(DUE + DAY_MS + HOUR_MS)).toMatchObject({ memory: DRIFTED, attempts: 3 });
    });

    it('takes no more than asked for, skips one workspace, and leaves the rest due', async () => {
      const [first, second] = [await subject.plant(), await subject.plant()];
      const skipped = await verify(subject.store, first.environment, { at: NOW - 9 });
      const other = await verify(subject.store, second.environment, { at: NOW });
      const except = first.workspace.id;
      expect((await claim(DUE, { limit: 9, except })).map(({ domain }) => domain.id)).toEqual([other.id]);
      expect((await claim(DUE, { limit: 1 })).map(({ domain }) => domain.id)).toEqual([skipped.id]);
      expect(await claim(DUE, { limit: 0 })).toEqual([]);
    });

    it('claims re-checks that a wrong clock scheduled too far ahead', async () => {
      const { environment } = await subject.plant();
      const ahead = await verify(subject.store, environment, { at: NOW + 30 * DAY_MS });
      await verify(subject.store, environment, { at: NOW + DAY_MS });
      expect((await claim(NOW)).map(({ domain }) => domain.id)).toEqual([ahead.id]);
    });

    it('claims no domain that waits, and checks claim none that is verified', async () => {
      const { environment } = await subject.plant();
      const waiting = await attach(subject.store, environment);
      await verify(subject.store, environment);
      expect((await subject.store.claimDue(DUE, 9, 60_000, () => 0)).map(({ domain }) => domain.id)).toEqual([
        waiting.id,
      ]);
      await one();
    });

    it.for(['deleted', 'superseded'])('claims a domain no more once it is %s', async (how) => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const before = await verify(store, environment);
      if (how === 'deleted') {
        await store.deleteDomain(before.workspaceId, before.id, NOW);
        expect(await claim(DUE)).toEqual([]);
        return;
      }
      const rival = await attach(store, (await subject.plant()).environment, { name: before.name });
      const after = verifiedAt(rival, NOW);
      const loser = { before, after: removedAt(before, NOW) };
      expect(await store.saveTransition({ before: rival, after, memory: NO_MEMORY, loser, now: NOW })).toBe('saved');
      expect((await claim(DUE)).map(({ domain }) => domain.id)).toEqual([rival.id]);
    });
  });

  describe('saving a re-check', () => {
    it('keeps its memory and its result, and moves the next one where it says so', async () => {
      const { environment } = await subject.plant();
      const domain = await verify(subject.store, environment);
      const memory: MonitorMemory = {
        suspected: ['routing', 'health'],
        driftedSince: null,
        goneSince: 7,
        goneUntil: 9,
      };
      const result = aCheckResult(domain, { code: 'cname_elsewhere' });
      expect(await save(await one(), { memory, result, nextCheckAt: DUE + 600_000 })).toBe('saved');
      expect(await stored(domain)).toEqual(domain);
      expect(await typesOf(domain)).toEqual([]);
      expect((await subject.store.findCheckResult(domain.workspaceId, domain.id))?.result?.findings).toEqual(
        result.findings,
      );
      expect(await claim(DUE + 599_999)).toEqual([]);
      expect(await one(DUE + 600_000)).toMatchObject({ memory, attempts: 2 });
    });

    it('says once that a domain has drifted, however many re-checks find it so', async () => {
      const { environment } = await subject.plant();
      const domain = await verify(subject.store, environment);
      await save(await one(), { after: driftedAt(domain, DUE), memory: DRIFTED });
      for (let day = 1; day < 4; day++) {
        const memory = { ...DRIFTED, goneSince: DUE, goneUntil: DUE + day * DAY_MS };
        expect(await save(await one(DUE + day * DAY_MS), { memory })).toBe('saved');
      }
      expect(await typesOf(domain)).toEqual(['record.lost', 'domain.drifted']);
    });

    it('that failed the domain ends route, certificate and re-checks in one step, and the domain can be tried again', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const domain = await verify(store, environment);
      const after = removedAt(domain, DUE);
      expect(await save(await one(), { after })).toBe('saved');
      expect(await stored(domain)).toEqual(after);
      expect(await store.findSite(domain.name)).toBeNull();
      expect(await store.findCertificate(domain.name)).toBeNull();
      expect(await claim(DUE + 9 * DAY_MS)).toEqual([]);
      expect(await typesOf(domain)).toEqual(['domain.failed']);
      expect(await store.retryVerification(domain.workspaceId, domain.id, DUE, DAY_MS)).toBe('accepted');
      const [due] = await store.claimDue(DUE, 9, 60_000, () => 0);
      await store.saveTransition({
        before: due?.domain ?? after,
        after: verifiedAt(due?.domain ?? after, DUE),
        memory: NO_MEMORY,
        now: DUE,
      });
      expect((await one(DUE + HOUR_MS)).attempts).toBe(1);
    });

    it('is stale, and saves nothing, once the domain was deleted, superseded or re-checked elsewhere', async () => {
      const { store } = subject;
      const { environment } = await subject.plant();
      const domain = await verify(store, environment);
      const first = await one();
      const second = await one(DUE + DAY_MS);
      expect(await save(first, { after: removedAt(domain, DUE), memory: DRIFTED })).toBe('stale');
      expect(await save(second, { after: driftedAt(domain, DUE), memory: DRIFTED })).toBe('saved');
      expect(await save(second, { after: removedAt(domain, DUE) })).toBe('stale');
      expect(await store.findSite(domain.name)).not.toBeNull();
      await store.deleteDomain(domain.workspaceId, domain.id, DUE);
      expect(await save(second, { after: removedAt(domain, DUE) })).toBe('stale');
      expect(await typesOf(domain)).toEqual(['record.lost', 'domain.drifted', 'domain.deleted']);
    });

    it('invalidates what is cached of the domain, and of its route where that ends', async () => {
      const { environment } = await subject.plant();
      const domain = await verify(subject.store, environment);
      const changesOf = async (action: () => Promise<unknown>) => {
        const { latest } = await subject.store.changesSince(0);
        await action();
        return (await subject.store.changesSince(latest)).changes.map(({ kind, key }) => [kind, key]);
      };
      const due = await one();
      expect(await changesOf(() => save(due, { memory: { ...HEALTHY, suspected: ['routing'] } }))).toEqual([]);
      const drifted = driftedAt(domain, DUE);
      expect(await changesOf(() => save(due, { after: drifted, memory: DRIFTED }))).toEqual([['domain', domain.id]]);
      const failing = { ...due, domain: drifted };
      expect(await changesOf(() => save(failing, { after: removedAt(drifted, DUE) }))).toEqual([
        ['domain', domain.id],
        ['route', domain.name],
      ]);
    });
  });

  it('drifted domains are counted, and no others', async () => {
    const { environment } = await subject.plant();
    for (let i = 0; i < 4; i++) await verify(subject.store, environment);
    const before = await subject.store.countDrifted();
    const due = await claim(DUE);
    for (const each of due.slice(0, 3)) await save(each, { memory: DRIFTED });
    const [first, second] = due;
    if (first && second) {
      await save(first);
      await subject.store.deleteDomain(second.domain.workspaceId, second.domain.id, DUE);
    }
    expect((await subject.store.countDrifted()) - before).toBe(1);
  });
}
