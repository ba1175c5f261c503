import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createIssuing, type Issuing } from './issuing.ts';

/** Profiles of certificates (draft-ietf-acme-profiles). */

let world: Issuing;
beforeAll(async () => {
  world = await createIssuing();
});
afterAll(() => world.close());

const profiles = { classic: 'as ever', shortlived: 'six days' };

describe('a profile', () => {
  test('is ordered where it is configured, and none where it is not', async () => {
    const ca = await world.startCa({ profiles });
    await world.issuer(ca, { profile: 'shortlived' }).issue(world.task());
    await world.issuer(ca).issue(world.task());
    expect(ca.profilesOrdered).toEqual(['shortlived', null]);
  });

  test.each([
    [profiles, 'It has: classic and shortlived.'],
    [undefined, 'It has none.'],
  ])(
    'that the CA does not have is refused before anything is ordered, with the list of those that it has',
    async (has, says) => {
      const ca = await world.startCa({ ...(has && { profiles: has }) });
      await expect(world.issuer(ca, { profile: 'longlived' }).issue(world.task())).rejects.toMatchObject({
        kind: 'refused',
        message: expect.stringMatching(new RegExp(`has no profile "longlived".*${says}`)),
      });
      expect(ca.requests.newOrder).toBe(0);
    },
  );

  test('with a name that is hostile is not listed', async () => {
    const ca = await world.startCa({ profiles: { ok: '', 'not\nok': '', ['x'.repeat(100)]: '' } });
    await expect(world.issuer(ca, { profile: 'other' }).issue(world.task())).rejects.toThrow(/It has: ok\.$/);
  });
});
