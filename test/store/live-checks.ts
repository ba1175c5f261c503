import { describe, expect, it } from 'vitest';
import {
  AFTER_CERTIFICATE_MS,
  CONFIRM_MS,
  FIRST_LOOK_MS,
  type Live,
  NEVER_SEEN,
} from '../../server/src/domain/live.ts';
import type { DueLook, LiveStore } from '../../server/src/store/store.ts';
import { anIssuedCertificate, lose, takeOver, verify } from '../support/certificates.ts';
import { NOW, timelineOf, unique } from '../support/entities.ts';
import type { Subject } from './subject.ts';

/** When a name that was verified at `NOW` is looked at first. */
const DUE = NOW + FIRST_LOOK_MS;
const LIVE: Live = {
  state: 'live',
  problem: null,
  addresses: [{ address: '93.184.215.14', problem: null }],
  since: DUE,
  checkedAt: DUE,
  from: 'here',
};

type Save = Parameters<LiveStore['saveLook']>[0];

export function describeLiveChecks(subject: Subject): void {
  const claim = (now: number, about: { limit?: number; except?: string } = {}) =>
    subject.store.claimLooks({ now, limit: 100, ...about });
  const one = async (now = DUE): Promise<DueLook> => {
    const [due, ...others] = await claim(now);
    if (due === undefined || others.length > 0) throw new Error('not one look is due');
    return due;
  };
  const save = ({ domain, lease }: Pick<DueLook, 'domain' | 'lease'>, about: Partial<Save> = {}) => {
    const memory = { live: LIVE, isDoubted: false };
    return subject.store.saveLook({ domain, lease, memory, event: null, nextAt: DUE + 3_600_000, now: DUE, ...about });
  };
  const importCertificate = (name: string, now: number) =>
    subject.store.importCertificate(name, anIssuedCertificate({ issuer: 'imported' }), now);

  describe('looks from outside', () => {
    it('are given once each, the most overdue first, with all that they need', async () => {
      const { environment } = await subject.plant();
      const late = await verify(subject.store, environment, { at: NOW - 5 });
      const later = await verify(subject.store, environment, { at: NOW });
      await verify(subject.store, environment, { at: NOW + 1 });
      const lease = DUE + CONFIRM_MS;
      expect(await claim(DUE)).toEqual([
        { domain: late, dueAt: DUE - 5, memory: NEVER_SEEN, lease },
        { domain: later, dueAt: DUE, memory: NEVER_SEEN, lease },
      ]);
      expect(await claim(DUE)).toEqual([]);
    });

    it('are due again where a crash has lost them, and skip the workspace that has its share', async () => {
      const { environment } = await subject.plant();
      await verify(subject.store, environment);
      expect(await claim(DUE, { except: environment.workspaceId })).toEqual([]);
      await one(DUE);
      expect(await claim(DUE + CONFIRM_MS - 1)).toEqual([]);
      await one(DUE + CONFIRM_MS);
    });

    it('of several nodes are never given twice', async () => {
      const { environment } = await subject.plant();
      for (let i = 0; i < 20; i++) await verify(subject.store, environment);
      const claims = await Promise.all(Array.from({ length: 4 }, () => claim(DUE, { limit: 10 })));
      const ids = claims.flat().map(({ domain }) => domain.id);
      expect(new Set(ids).size).toBe(ids.length);
      ids.push(...(await claim(DUE)).map(({ domain }) => domain.id));
      expect(new Set(ids).size).toBe(20);
    });

    it('that a wrong clock has scheduled far ahead are due now', async () => {
      const { environment } = await subject.plant();
      await verify(subject.store, environment);
      await save(await one(), { nextAt: DUE + 365 * 86_400_000 });
      await one(DUE);
    });

    it('leave what they saw, for the site and for lists', async () => {
      const { environment, workspace } = await subject.plant();
      const { id, name } = await verify(subject.store, environment);
      const site = async () => (await subject.store.findListedDomain(workspace.id, id))?.live;
      expect(await site()).toBe(null);
      expect(await save(await one())).toBe('saved');
      expect(await site()).toEqual(LIVE);
      const { items } = await subject.store.listWorkspaceDomains(workspace.id, { limit: 9, live: 'live' });
      expect(items.map(({ domain, live }) => [domain.name, live])).toEqual([[name, LIVE]]);
      expect((await one(DUE + 3_600_000)).memory).toEqual({ live: LIVE, isDoubted: false });
    });

    it('are added to the timeline with what they saw, where there is an event', async () => {
      const { environment } = await subject.plant();
      const domain = await verify(subject.store, environment);
      await save(await one(), { event: 'site.live' });
      const last = (await timelineOf(subject.store, domain)).at(-1);
      expect(last).toMatchObject({ type: 'site.live', createdAt: DUE, data: { live: LIVE } });
    });

    it('come soon after a certificate is in use, and one that is in flight meanwhile does not count', async () => {
      const { environment } = await subject.plant();
      const domain = await verify(subject.store, environment);
      const due = await one();
      await importCertificate(domain.name, DUE + 1);
      expect(await save(due, { event: 'site.unreachable' })).toBe('stale');
      expect((await timelineOf(subject.store, domain)).map(({ type }) => type)).not.toContain('site.unreachable');
      expect(await claim(DUE + AFTER_CERTIFICATE_MS)).toEqual([]);
      await one(DUE + 1 + AFTER_CERTIFICATE_MS);
    });

    it('come as soon as somebody asks, never later for it, and one that is in flight meanwhile does not count', async () => {
      const { environment } = await subject.plant();
      const { name } = await verify(subject.store, environment);
      await save(await one());
      await subject.store.lookSoon(name, DUE + 30_000);
      await subject.store.lookSoon(name, DUE + 60_000);
      expect(await claim(DUE + 29_999)).toEqual([]);
      const due = await one(DUE + 30_000);
      await subject.store.lookSoon(name, DUE + 60_000);
      expect(await save(due)).toBe('stale');
      await one(DUE + 60_000);
    });

    it('that were claimed again save nothing', async () => {
      const { environment } = await subject.plant();
      await verify(subject.store, environment);
      const first = await one();
      const second = await one(DUE + CONFIRM_MS);
      expect(await save(first)).toBe('stale');
      expect(await save(second)).toBe('saved');
    });

    it('end with the route, and what they saw with them', async () => {
      const { environment, workspace } = await subject.plant();
      const domain = await verify(subject.store, environment);
      const due = await one();
      await save(due);
      await lose(subject.store, domain, NOW + 86_400_000);
      expect((await subject.store.findListedDomain(workspace.id, domain.id))?.live).toBe(null);
      expect(await claim(DUE + 864_000_000)).toEqual([]);
      expect(await save({ ...due, lease: DUE + 3_600_000 })).toBe('stale');
    });

    it('begin anew for the workspace that takes a name over', async () => {
      const [here, there] = [await subject.plant(), await subject.plant()];
      const domain = await verify(subject.store, here.environment, { name: `${unique('taken')}.example.com` });
      const due = await one();
      const taken = await takeOver(subject.store, there.environment, domain, DUE);
      expect(await save(due)).toBe('stale');
      expect(await one(DUE + FIRST_LOOK_MS)).toMatchObject({ domain: { id: taken.id }, memory: NEVER_SEEN });
    });
  });

  describe('a list of domains by what was seen of them', () => {
    it('agrees with a filter of all, alone and with others, page by page', async () => {
      const { environment, workspace } = await subject.plant();
      const states = ['live', 'unreachable', 'partly_live', null] as const;
      for (let i = 0; i < 12; i++) await verify(subject.store, environment);
      for (const [i, due] of (await claim(DUE)).entries()) {
        const state = states[i % 4] ?? null;
        const live = state && { ...LIVE, state };
        await save(due, { memory: { live, isDoubted: false } });
        if (i % 3 === 0) await importCertificate(due.domain.name, DUE);
      }
      const all = (await subject.store.listWorkspaceDomains(workspace.id, { limit: 100 })).items;
      for (const live of ['live', 'partly_live', 'unreachable'] as const)
        for (const about of [{}, { certificate: 'issued' }, { status: 'verified' }, { search: 'a' }] as const) {
          const wanted = all.filter(
            (each) =>
              each.live?.state === live &&
              (!('certificate' in about) || each.certificate?.state === 'issued') &&
              (!('search' in about) || `${each.domain.name} ${each.domain.id}`.includes('a')),
          );
          for (const environmentIds of [undefined, new Set([environment.id])]) {
            const found = [];
            for (let cursor: string | undefined = ''; cursor !== undefined; ) {
              const page = { limit: 2, cursor: cursor || undefined, live, environmentIds, ...about };
              const { items, next } = await subject.store.listWorkspaceDomains(workspace.id, page);
              found.push(...items);
              cursor = next;
            }
            const byName = (a: string, b: string) => (a < b ? -1 : 1);
            expect(found.map(({ domain }) => domain.name).sort(byName)).toEqual(
              wanted.map(({ domain }) => domain.name).sort(byName),
            );
          }
        }
      const none = { limit: 9, live: 'live', status: 'pending' } as const;
      expect(await subject.store.listWorkspaceDomains(workspace.id, none)).toEqual({ items: [] });
    });
  });
}
