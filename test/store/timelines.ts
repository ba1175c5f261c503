import { describe, expect, it } from 'vitest';
import type { Domain } from '../../server/src/domain/domain.ts';
import { NO_MEMORY } from '../../server/src/domain/status.ts';
import { verify } from '../support/certificates.ts';
import { AUTHOR, attach, NOW, timelineOf, verifyingAt } from '../support/entities.ts';
import type { Subject } from './subject.ts';

export function describeTimelines(subject: Subject): void {
  const page = ({ workspaceId, id }: Domain, limit: number, cursor?: string) =>
    subject.store.listDomainEvents(workspaceId, id, { limit, cursor });
  const flip = async (before: Domain, now: number): Promise<Domain> => {
    const routingVerifiedAt = before.routingVerifiedAt === null ? now : null;
    const after = { ...verifyingAt(before, now), routingVerifiedAt };
    const seen = { routing: [`${now}`], ownership: ['not changed'] };
    await subject.store.saveTransition({ before, after, memory: NO_MEMORY, seen, now });
    return after;
  };

  describe('the timeline of a domain', () => {
    it('comes newest first, page by page, and a page does not change when events are added', async () => {
      const { environment } = await subject.plant();
      const domain = await attach(subject.store, environment);
      let current = domain;
      for (let i = 1; i < 6; i++) current = await flip(current, NOW + i);
      const first = await page(domain, 2);
      expect(first.items.map(({ createdAt }) => createdAt - NOW)).toEqual([5, 4]);
      await flip(current, NOW + 6);
      const second = await page(domain, 2, first.next);
      expect(second.items.map(({ createdAt }) => createdAt - NOW)).toEqual([3, 2]);
      const third = await page(domain, 2, second.next);
      expect(third.items.map(({ type }) => type)).toEqual(['record.seen', 'domain.created']);
      expect(third.next).toBeUndefined();
      expect((await page(domain, 7)).next).toBeUndefined();
      expect((await page(domain, 9, 'no cursor of ours')).items).toEqual([]);
    });

    it('says which record was seen or lost, and what was seen', async () => {
      const { environment } = await subject.plant();
      const domain = await attach(subject.store, environment);
      await flip(await flip(domain, NOW + 1), NOW + 2);
      const [lost, seen] = (await page(domain, 2)).items;
      expect(seen).toMatchObject({
        type: 'record.seen',
        data: { record: 'routing', seen: [`${NOW + 1}`], routingVerified: true },
      });
      expect(lost).toMatchObject({
        type: 'record.lost',
        data: { record: 'routing', seen: [`${NOW + 2}`], routingVerified: false },
      });
    });

    it('says nothing when only the message for the customer changes', async () => {
      const { environment } = await subject.plant();
      const domain = await attach(subject.store, environment);
      const after = { ...verifyingAt(domain, NOW), verificationError: 'Wrong.' };
      await subject.store.saveTransition({ before: domain, after, memory: NO_MEMORY, now: NOW });
      expect((await page(domain, 9)).items.map(({ type }) => type)).toEqual(['domain.created']);
    });

    it('bounds what customers can put into it', async () => {
      const { environment } = await subject.plant();
      const before = await attach(subject.store, environment);
      const after = { ...verifyingAt(before, NOW), ownershipVerifiedAt: NOW };
      const seen = { ownership: Array.from({ length: 99 }, () => '\u0000'.repeat(9999)) };
      await subject.store.saveTransition({ before, after, memory: NO_MEMORY, seen, now: NOW });
      const [event] = (await page(before, 1)).items;
      expect(event?.data.seen).toEqual(Array.from({ length: 8 }, () => '\u0000'.repeat(255)));
    });

    it('keeps who did it whatever the subject of a token is, and at most 255 characters of it', async () => {
      const { environment } = await subject.plant();
      const by = { ...AUTHOR, actor: `a\u0000${'b'.repeat(9999)}` };
      const domain = await attach(subject.store, environment, {}, by);
      expect(await timelineOf(subject.store, domain)).toMatchObject([{ actor: `a\ufffd${'b'.repeat(253)}` }]);
    });
  });

  it('pruning deletes the oldest events first, so many at a time, and none that is young enough', async () => {
    const { store } = subject;
    const { environment } = await subject.plant();
    // Older than everything that other tests leave in the store.
    const then = -1_000_000;
    const old = await attach(store, environment, { createdAt: then });
    let current = old;
    for (let i = 1; i < 4; i++) current = await flip(current, then + i);
    const young = await verify(store, environment);
    expect(await store.pruneEvents(then + 2, 1)).toBe(1);
    expect((await timelineOf(store, old)).map(({ type }) => type)).toEqual([
      'record.seen',
      'record.lost',
      'record.seen',
    ]);
    expect(await store.pruneEvents(then + 2, 9)).toBe(1);
    expect(await store.pruneEvents(then + 2, 9)).toBe(0);
    expect(await timelineOf(store, old)).toHaveLength(2);
    expect(await timelineOf(store, young)).toHaveLength(4);
    expect(await store.pruneEvents(then + 9, 9)).toBe(2);
  });
}
