import { describe, expect, it } from 'vitest';
import { digestOf } from '../../server/src/domain/check-result.ts';
import { type Domain, WINDOW_MS } from '../../server/src/domain/domain.ts';
import type { RecordDoubt } from '../../server/src/domain/status.ts';
import { NO_MEMORY } from '../../server/src/domain/status.ts';
import { DAY_MS, verify } from '../support/certificates.ts';
import { aCheckResult, attach, failedAt, NOW, verifiedAt } from '../support/entities.ts';
import { everywhere, observation, txt } from '../support/observations.ts';
import type { Subject } from './subject.ts';

const HOUR_MS = 3_600_000;

export function describeResults(subject: Subject): void {
  const find = ({ workspaceId, id }: Domain) => subject.store.findCheckResult(workspaceId, id);
  const save = (before: Domain, after: Domain, result = aCheckResult(before, {}), now = NOW) =>
    subject.store.saveTransition({ before, after, memory: NO_MEMORY, result, now });
  const one = async (now: number) => (await subject.store.claimDue(now, 1, 60_000, () => 0.5))[0];

  describe('the result of the last check', () => {
    it('is kept with its time, and a claim has its digest', async () => {
      const { environment } = await subject.plant();
      const domain = await attach(subject.store, environment);
      expect(await find(domain)).toMatchObject({ result: null });
      expect(await one(NOW)).toMatchObject({ resultDigest: null });
      const result = aCheckResult(domain, { code: 'record_missing' }, { code: 'proxied', seen: ['\u0000"', 'ü'] });
      expect(await save(domain, domain, result, NOW + 5)).toBe('saved');
      expect((await find(domain))?.result).toEqual({ ...result, checkedAt: NOW + 5, toldAt: null });
      expect(await one(NOW + HOUR_MS)).toMatchObject({ resultDigest: digestOf(result) });
    });

    it('replaces the one before it, and stays where a check brings none', async () => {
      const { environment } = await subject.plant();
      const domain = await attach(subject.store, environment);
      await save(domain, domain, aCheckResult(domain, {}));
      const result = aCheckResult(domain, { code: 'txt_missing' });
      await save(domain, domain, result, NOW + 1);
      await subject.store.saveTransition({ before: domain, after: domain, memory: NO_MEMORY, now: NOW + 2 });
      expect((await find(domain))?.result).toEqual({ ...result, checkedAt: NOW + 1, toldAt: null });
    });

    it('is not saved when the check is stale', async () => {
      const { environment } = await subject.plant();
      const domain = await attach(subject.store, environment);
      expect(await save({ ...domain, revision: 7 }, domain)).toBe('stale');
      expect((await find(domain))?.result).toBeNull();
    });

    it.for([
      ['verified', verifiedAt],
      ['failed', failedAt],
    ] as const)('is kept when the domain is %s, until it is deleted', async ([, next]) => {
      const { environment } = await subject.plant();
      const domain = await attach(subject.store, environment);
      await save(domain, next(domain, NOW));
      expect((await find(domain))?.result).toMatchObject({ findings: [{ code: 'record_missing' }] });
      await subject.store.deleteDomain(domain.workspaceId, domain.id, NOW);
      expect(await find(domain)).toBeNull();
    });

    it('is bounded: long lists are cut first, and the first findings are kept', async () => {
      const { environment } = await subject.plant();
      const domain = await attach(subject.store, environment);
      const values = Array.from({ length: 40 }, (_, i) => `${i} ${'ä'.repeat(250)}`);
      const findings = Array.from({ length: 30 }, (_, i) => ({ message: `${i} ${'m'.repeat(500)}`, seen: values }));
      const result = {
        ...aCheckResult(domain, ...findings),
        observation: observation(domain, 'example.com', { ownership: everywhere(txt(...values)) }),
      };
      await save(domain, domain, result);
      const stored = (await find(domain))?.result;
      expect(Buffer.byteLength(JSON.stringify(stored?.findings))).toBeLessThanOrEqual(8192);
      expect(Buffer.byteLength(JSON.stringify(stored?.observation))).toBeLessThanOrEqual(8192);
      expect(stored?.findings[0]).toMatchObject({ message: findings[0]?.message, fix: 'Add it.' });
      expect(stored?.observation.ownership.name).toBe(result.observation.ownership.name);
    });

    it('is of its own workspace alone', async () => {
      const { environment } = await subject.plant();
      const domain = await attach(subject.store, environment);
      const { workspace } = await subject.plant();
      expect(await subject.store.findCheckResult(workspace.id, domain.id)).toBeNull();
    });
  });

  describe('the schedule of a domain', () => {
    it('while it waits: attempts, the last claim, the next check, and the end of its window', async () => {
      const { environment } = await subject.plant();
      const domain = await attach(subject.store, environment);
      const window = { windowEndsAt: NOW + WINDOW_MS };
      expect((await find(domain))?.schedule).toEqual({ attempts: 0, lastCheckAt: null, nextCheckAt: NOW, ...window });
      await one(NOW + 7);
      const claimed = { attempts: 1, lastCheckAt: NOW + 7, nextCheckAt: NOW + 60_007, ...window };
      expect((await find(domain))?.schedule).toEqual(claimed);
    });

    it('once it is verified: that of its re-checks, the first after an hour or when the check says', async () => {
      const { environment } = await subject.plant();
      const domain = await verify(subject.store, environment);
      const schedule = { attempts: 0, lastCheckAt: null, nextCheckAt: NOW + HOUR_MS, windowEndsAt: null };
      expect((await find(domain))?.schedule).toEqual(schedule);
      const other = await attach(subject.store, environment);
      const after = verifiedAt(other, NOW);
      await subject.store.saveTransition({ before: other, after, memory: NO_MEMORY, recheckAt: NOW + 9, now: NOW });
      expect((await find(other))?.schedule).toEqual({ ...schedule, nextCheckAt: NOW + 9 });
    });

    it('once it has failed: none', async () => {
      const { environment } = await subject.plant();
      const domain = await attach(subject.store, environment);
      await one(NOW);
      await save(domain, failedAt(domain, NOW + DAY_MS));
      const none = { attempts: 0, lastCheckAt: null, nextCheckAt: null, windowEndsAt: null };
      expect((await find(domain))?.schedule).toEqual(none);
    });
  });

  it('what a check remembers of the records reaches the next check', async () => {
    const { environment } = await subject.plant();
    const domain = await attach(subject.store, environment);
    for (const [ownershipDoubt, routingDoubt] of [
      ['disputed', 'one_server'],
      ['one_server_twice', null],
    ] satisfies [RecordDoubt, RecordDoubt][]) {
      const memory = {
        unreadableInARow: 2,
        provenSince: NOW,
        ownershipDoubt,
        routingDoubt,
        fingerprint: 'a fingerprint',
      };
      await subject.store.saveTransition({ before: domain, after: domain, memory, now: NOW });
      expect((await subject.store.claimDue(NOW + DAY_MS, 1, 60_000, () => 0))[0]?.memory).toEqual(memory);
      await subject.store.retryVerification(domain.workspaceId, domain.id, NOW, WINDOW_MS);
    }
  });
}
