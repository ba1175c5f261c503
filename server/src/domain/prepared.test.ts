import fc from 'fast-check';
import { expect, it } from 'vitest';
import { aDomain, NOW } from '../../../test/support/entities.ts';
import type { Domain } from './domain.ts';
import type { Reading, RecordReading } from './reading.ts';
import { isDecision, isPreparedBy, NO_MEMORY, transition, windowEndsAt } from './status.ts';

const READINGS: RecordReading[] = [
  { kind: 'matched' },
  { kind: 'wrong', values: ['x'] },
  { kind: 'elsewhere', chain: ['old.example.net'] },
  { kind: 'hidden', addresses: ['192.0.2.1'], chain: [] },
  { kind: 'conflicting', chain: ['a.example.net'], beside: ['192.0.2.1'] },
  { kind: 'absent', reason: 'nxdomain' },
  { kind: 'disagree' },
  { kind: 'bogus' },
  { kind: 'unconfirmed', reason: 'one_server' },
  { kind: 'unreadable', reason: 'timeout', chain: [] },
];
const MATCHED: RecordReading = { kind: 'matched' };
const reading = fc.constantFrom(...READINGS);
const environment = {
  ...{ id: 'env_1', workspaceId: 'ws_1', projectId: 'proj_1', appId: 'app_1' },
  ...{ slug: 'production', name: null, currentDeploymentId: null, createdAt: NOW },
};
const domain: Domain = { ...aDomain(environment), createdAt: NOW, windowStartedAt: NOW };
const incumbent: Domain = { ...aDomain(environment), workspaceId: 'ws_2', status: 'verified', verifiedAt: NOW - 1 };
const check = (seen: Reading, about: Partial<Parameters<typeof transition>[0]> = {}) =>
  transition({ domain, memory: NO_MEMORY, incumbent: null, claimedAt: NOW, ...about }, seen, [], NOW);

it('a domain is prepared by its own TXT record and its challenge record alone, and never against a verified one', () => {
  fc.assert(
    fc.property(
      ...[reading, reading, fc.option(reading, { nil: undefined }), fc.boolean(), fc.boolean()],
      (ownership, routing, challenge, isHeld, isPrepared) => {
        const seen = { ownership, routing, ...(challenge && { challenge }) };
        const held = isHeld ? incumbent : null;
        const { after, prepares = false } = check(seen, { incumbent: held, isPrepared });
        const proves = ownership.kind === 'matched' && challenge?.kind === 'matched' && !isHeld;
        expect(prepares).toBe(proves && !isPrepared && after.status === 'verifying');
        expect(isPreparedBy(seen, held)).toBe(proves);
      },
    ),
  );
});

it('the challenge record changes no status: with and without it, a check comes to the same', () => {
  fc.assert(
    fc.property(reading, reading, reading, fc.boolean(), (ownership, routing, challenge, isHeld) => {
      const held = isHeld ? incumbent : null;
      const [without, withIt] = [
        { ownership, routing },
        { ownership, routing, challenge },
      ].map((seen) => check(seen, { incumbent: held }).after);
      expect(withIt?.status).toBe(without?.status);
      expect(withIt?.verificationError).toBe(without?.verificationError);
    }),
  );
});

it('to be prepared is a decision, by answers that nobody can forge', () => {
  const routing: RecordReading = { kind: 'elsewhere', chain: ['old.example.net'] };
  const seen = { ownership: MATCHED, routing, challenge: MATCHED };
  const known = { ...domain, status: 'verifying', ownershipVerifiedAt: NOW, challengeVerifiedAt: NOW } as const;
  const next = check(seen, { domain: known });
  expect(next.prepares).toBe(true);
  expect(isDecision(known, next)).toBe(true);
  expect(isDecision(known, check(seen, { domain: known, isPrepared: true }))).toBe(false);
});

it('what an earlier window has proved prepares nothing: both records have to be read again', () => {
  const tried: Domain = { ...domain, ownershipVerifiedAt: NOW, challengeVerifiedAt: NOW };
  const unread: RecordReading = { kind: 'unreadable', reason: 'timeout', chain: [] };
  for (const seen of [
    { ownership: unread, routing: unread, challenge: MATCHED },
    { ownership: MATCHED, routing: unread, challenge: unread },
    { ownership: MATCHED, routing: unread },
  ])
    expect(check(seen, { domain: tried }).prepares).toBeUndefined();
});

it('the last check of the window prepares nothing', () => {
  const seen: Reading = { ownership: MATCHED, routing: { kind: 'absent', reason: 'nodata' }, challenge: MATCHED };
  const next = check(seen, { claimedAt: windowEndsAt(domain) });
  expect(next.after.status).toBe('failed');
  expect(next.prepares).toBeUndefined();
});
