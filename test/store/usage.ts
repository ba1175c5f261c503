import { describe, expect, it } from 'vitest';
import type { UsageCounts, UsageWrite } from '../../server/src/store/store.ts';
import { verify } from '../support/certificates.ts';
import { type Planted, unique } from '../support/entities.ts';
import { usageIn } from '../support/usage.ts';
import type { Subject } from './subject.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A midnight in UTC. */
const START = Date.UTC(2026, 10, 2);
const NONE: UsageCounts = { requests: 0, bytesIn: 0, bytesOut: 0, edgeErrors: 0, originErrors: 0 };

export function describeUsage(subject: Subject): void {
  const counts = (requests: number, more: Partial<UsageCounts> = {}) => ({ ...NONE, requests, ...more });
  const range = { from: START, to: START + 90 * DAY };

  async function numberOf(hostname: string): Promise<number> {
    const site = await subject.store.findSite(hostname);
    if (site === null) throw new Error('the domain is not served');
    return site.usageNumber;
  }

  async function plantDomain(planted?: Planted) {
    const { environment, workspace } = planted ?? (await subject.plant());
    const domain = await verify(subject.store, environment, { name: `${unique('usage')}.example.com` });
    const number = await numberOf(domain.name);
    return { ...domain, workspaceId: workspace.id, environmentId: environment.id, number };
  }

  interface Added extends Partial<Pick<UsageWrite, 'writer' | 'sequence' | 'hour'>> {
    domains: number[];
    counts: UsageCounts[];
  }

  const add = ({ domains, counts, hour = START, writer = unique('writer'), sequence = 1 }: Added) => {
    const added = new Map(domains.map((number, i) => [number, counts[i] ?? NONE]));
    return subject.store.addUsage({ writer, sequence, ...usageIn(hour, added) });
  };
  const usageOf = (domain: { number: number }, within = range) => subject.store.findUsage(domain.number, within);

  describe('usage', () => {
    it('of several nodes adds up, hour by hour, with numbers of any size', async () => {
      const [a, b] = [await plantDomain(), await plantDomain()];
      const large = counts(1, { bytesIn: 2 ** 40 + 3, bytesOut: 2 ** 52, edgeErrors: 1, originErrors: 300 });
      await add({ domains: [a.number, b.number], counts: [counts(2), large] });
      await add({ domains: [a.number], counts: [counts(3, { bytesOut: 7 })] });
      await add({ domains: [a.number], counts: [counts(1)], hour: START + HOUR });
      expect(await usageOf(a)).toEqual([
        { hour: START, ...counts(5, { bytesOut: 7 }) },
        { hour: START + HOUR, ...counts(1) },
      ]);
      expect(await usageOf(b)).toEqual([{ hour: START, ...large }]);
      expect(await usageOf(a, { from: START + 1, to: START + HOUR + 1 })).toMatchObject([{ hour: START + HOUR }]);
      expect(await usageOf(a, { from: START, to: START })).toEqual([]);
    });

    it('that is added concurrently is not lost', async () => {
      const domain = await plantDomain();
      await Promise.all(Array.from({ length: 12 }, () => add({ domains: [domain.number], counts: [counts(1)] })));
      expect(await usageOf(domain)).toEqual([{ hour: START, ...counts(12) }]);
    });

    it('counts once where its writer repeats a write', async () => {
      const domain = await plantDomain();
      const write = { writer: unique('writer'), domains: [domain.number], counts: [counts(2)] };
      await add(write);
      await add(write);
      await add({ ...write, sequence: 2 });
      await add(write);
      expect(await usageOf(domain)).toEqual([{ hour: START, ...counts(4) }]);
    });

    it('of many domains is kept apart, whatever their order', async () => {
      const planted = await subject.plant();
      const domains = [];
      for (let i = 0; i < 40; i++) domains.push(await plantDomain(planted));
      const sorted = domains.toSorted((a, b) => a.number - b.number);
      await add({ domains: sorted.map(({ number }) => number), counts: sorted.map((_, i) => counts(i + 1)) });
      for (const [i, domain] of sorted.entries())
        expect(await usageOf(domain)).toEqual([{ hour: START, ...counts(i + 1) }]);
    });

    it('changes no domain, and tells no cache anything', async () => {
      const domain = await plantDomain();
      const before = await subject.store.changesSince(0);
      await add({ domains: [domain.number], counts: [counts(1)] });
      expect(await subject.store.changesSince(0)).toEqual(before);
    });

    it('of a deleted domain stays readable, also where nothing was counted before its end', async () => {
      const planted = await subject.plant();
      const domain = await plantDomain(planted);
      await add({ domains: [domain.number], counts: [counts(9)] });
      const late = await verify(subject.store, planted.environment, { name: `${unique('late')}.example.com` });
      const number = await numberOf(late.name);
      for (const { id } of [domain, late]) await subject.store.deleteDomain(planted.workspace.id, id, START);
      await add({ domains: [number], counts: [counts(4)], hour: START + HOUR });
      for (const { id } of [domain, late])
        expect(await subject.store.findUsageDomain(planted.workspace.id, id)).toMatchObject({
          domainId: id,
          environmentId: planted.environment.id,
        });
      const { items } = await subject.store.listUsage(planted.workspace.id, range, { limit: 10 });
      expect(items).toEqual([
        { domainId: domain.id, domain: null, ...counts(9) },
        { domainId: late.id, domain: null, ...counts(4) },
      ]);
    });

    it('is of no other workspace', async () => {
      const [a, b] = [await plantDomain(), await plantDomain()];
      await add({ domains: [a.number], counts: [counts(1)] });
      expect(await subject.store.findUsageDomain(b.workspaceId, a.id)).toBeNull();
      expect(await subject.store.listUsage(b.workspaceId, range, { limit: 10 })).toEqual({ items: [] });
    });

    it('is summed by domain, page by page', async () => {
      const planted = await subject.plant();
      const domains = [await plantDomain(planted), await plantDomain(planted), await plantDomain(planted)];
      for (const [i, { number }] of domains.entries())
        for (const hour of [START, START + 5 * DAY, START + 91 * DAY])
          await add({ domains: [number], counts: [counts(i + 1)], hour });
      const first = await subject.store.listUsage(planted.workspace.id, range, { limit: 2 });
      expect(first.next).toBe(String(domains[2]?.number));
      const second = await subject.store.listUsage(planted.workspace.id, range, { limit: 2, cursor: first.next });
      expect([...first.items, ...second.items]).toEqual(
        domains.map(({ id, name }, i) => ({ domainId: id, domain: name, ...counts(2 * (i + 1)) })),
      );
      expect(second.next).toBeUndefined();
    });

    it('of a domain that another workspace took over, and that was deleted then, stays readable by its id', async () => {
      const lost = await plantDomain();
      await add({ domains: [lost.number], counts: [counts(6)] });
      const taker = await subject.plant();
      await verify(subject.store, taker.environment, { name: lost.name });
      expect(await subject.store.findDomainById(lost.workspaceId, lost.id)).toMatchObject({ verifiedAt: null });
      await subject.store.deleteDomain(lost.workspaceId, lost.id, START);
      const found = await subject.store.findUsageDomain(lost.workspaceId, lost.id);
      expect(found).toEqual({
        domainId: lost.id,
        domain: null,
        environmentId: lost.environmentId,
        number: lost.number,
      });
      expect(await usageOf(lost)).toEqual([{ hour: START, ...counts(6) }]);
      expect(await numberOf(lost.name)).not.toBe(lost.number);
    });

    it('is pruned by hours, and numbers of deleted domains with it', async () => {
      const planted = await subject.plant();
      const [kept, gone] = [await plantDomain(planted), await plantDomain(planted)];
      const now = START + 200 * DAY;
      for (const hour of [now - 2 * DAY, now - HOUR, now, now + HOUR])
        await add({ domains: [kept.number], counts: [counts(1)], hour });
      await subject.store.deleteDomain(planted.workspace.id, gone.id, now - 1);
      while ((await subject.store.pruneUsage(now, 100)) > 0);
      const within = { from: 0, to: now + DAY };
      expect((await usageOf(kept, within)).map(({ hour }) => hour)).toEqual([now, now + HOUR]);
      expect(await subject.store.findUsageDomain(planted.workspace.id, gone.id)).toBeNull();
      expect(await subject.store.findUsageDomain(planted.workspace.id, kept.id)).not.toBeNull();
    });
  });
}
