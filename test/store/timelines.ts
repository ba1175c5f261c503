import { describe, expect, it } from 'vitest';
import { digestOfMistakes } from '../../server/src/domain/check-result.ts';
import type { Domain } from '../../server/src/domain/domain.ts';
import { DIAGNOSIS_EVERY_MS } from '../../server/src/domain/domain-event.ts';
import { NO_MEMORY } from '../../server/src/domain/status.ts';
import { DAY_MS, verify } from '../support/certificates.ts';
import { AUTHOR, aCheckResult, attach, failedAt, NOW, timelineOf, verifyingAt } from '../support/entities.ts';
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

    it('says nothing when only the message for the customer changes, and no check tells of mistakes', async () => {
      const { environment } = await subject.plant();
      const domain = await attach(subject.store, environment);
      const after = { ...verifyingAt(domain, NOW), verificationError: 'Wrong.' };
      await subject.store.saveTransition({ before: domain, after, memory: NO_MEMORY, now: NOW });
      expect((await page(domain, 9)).items.map(({ type }) => type)).toEqual(['domain.created']);
    });

    describe('mistakes in the DNS', () => {
      /** A check that found this value in place of the right one; null: nothing to correct. */
      const check = async (domain: Domain, value: string | null, now: number) => {
        const mistake = { code: 'cname_other_target' as const, seen: [value ?? ''] };
        const result = aCheckResult(domain, ...(value === null ? [] : [mistake]));
        const mistakes = digestOfMistakes(result.findings);
        const save = { before: domain, after: domain, memory: NO_MEMORY, result, mistakes, now };
        expect(await subject.store.saveTransition(save)).toBe('saved');
        return result.findings;
      };
      const diagnoses = async (domain: Domain) =>
        (await page(domain, 50)).items
          .filter(({ type }) => type === 'diagnosis.changed')
          .map(({ createdAt, data }) => ({ at: createdAt - NOW, findings: data.findings }))
          .toReversed();
      const digest = async ({ id }: Domain) => {
        const due = await subject.store.claimDue(NOW + 365 * DAY_MS, 999, 60_000, () => 0);
        return due.find(({ domain }) => domain.id === id)?.resultDigest;
      };

      it('are told with their fields when they change, and when there are none any more', async () => {
        const { environment } = await subject.plant();
        const domain = await attach(subject.store, environment);
        await check(domain, null, NOW);
        const first = await check(domain, 'typo.test.', NOW + 1);
        await check(domain, 'typo.test.', NOW + DIAGNOSIS_EVERY_MS + 1);
        const second = await check(domain, 'other.test.', NOW + DIAGNOSIS_EVERY_MS + 2);
        await check(domain, null, NOW + 2 * DIAGNOSIS_EVERY_MS + 2);
        expect(await diagnoses(domain)).toEqual([
          { at: 1, findings: first },
          { at: DIAGNOSIS_EVERY_MS + 2, findings: second },
          { at: 2 * DIAGNOSIS_EVERY_MS + 2, findings: [] },
        ]);
      });

      it('that change each minute are told once in ten minutes, the last of them too', async () => {
        const { environment } = await subject.plant();
        const domain = await attach(subject.store, environment);
        for (let minute = 0; minute < 10; minute += 1) await check(domain, `${minute}.test.`, NOW + minute * 60_000);
        expect((await diagnoses(domain)).map(({ at }) => at)).toEqual([0]);
        // A check that finds the same again saves it again.
        expect(await digest(domain)).toBe('');
        const last = await check(domain, '9.test.', NOW + DIAGNOSIS_EVERY_MS);
        expect((await diagnoses(domain)).at(-1)).toEqual({ at: DIAGNOSIS_EVERY_MS, findings: last });
        expect(await digest(domain)).not.toBe('');
      });

      it('are told anew after the clock was set back', async () => {
        const { environment } = await subject.plant();
        const domain = await attach(subject.store, environment);
        await check(domain, 'one.test.', NOW + DAY_MS);
        await check(domain, 'two.test.', NOW);
        expect(await diagnoses(domain)).toHaveLength(2);
      });

      it('are in the event of a failure, and no second event tells them', async () => {
        const { environment } = await subject.plant();
        const before = await attach(subject.store, environment);
        const result = aCheckResult(before, { code: 'txt_wrong_value', record: 'ownership' });
        const { findings } = result;
        const save = { before, after: failedAt(before, NOW), memory: NO_MEMORY, result, now: NOW };
        await subject.store.saveTransition({ ...save, mistakes: digestOfMistakes(findings) });
        const [event, ...others] = (await page(before, 9)).items;
        expect(event).toMatchObject({ type: 'domain.failed', data: { findings } });
        expect(others.map(({ type }) => type)).toEqual(['domain.created']);
      });

      it('about a record that is lost are in the event that says so', async () => {
        const { environment } = await subject.plant();
        const seen = await flip(await attach(subject.store, environment), NOW);
        const about = [
          { code: 'cname_other_target', record: 'routing' },
          { code: 'txt_missing', record: 'ownership' },
        ] as const;
        const result = aCheckResult(seen, ...about);
        const after = { ...verifyingAt(seen, NOW + 1), routingVerifiedAt: null };
        await subject.store.saveTransition({ before: seen, after, memory: NO_MEMORY, result, now: NOW + 1 });
        const [event] = (await page(seen, 1)).items;
        expect(event).toMatchObject({ type: 'record.lost', data: { findings: result.findings.slice(0, 1) } });
      });

      it('take 8 KiB of an event at most', async () => {
        const { environment } = await subject.plant();
        const domain = await attach(subject.store, environment);
        const seen = Array.from({ length: 10 }, () => '\u0001'.repeat(255));
        const mistake = { code: 'txt_wrong_value' as const, seen };
        const result = aCheckResult(domain, ...Array.from({ length: 30 }, () => mistake));
        const save = { before: domain, after: domain, memory: NO_MEMORY, result, now: NOW };
        await subject.store.saveTransition({ ...save, mistakes: digestOfMistakes(result.findings) });
        const [event] = (await page(domain, 1)).items;
        expect(event?.type).toBe('diagnosis.changed');
        expect(Buffer.byteLength(JSON.stringify(event?.data.findings))).toBeLessThanOrEqual(8192);
      });
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
