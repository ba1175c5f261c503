import { expect, test } from 'vitest';
import { LONGEST_ATTEMPT_WAIT_MS } from '../../server/src/domain/furthest-attempt.ts';
import { type OwnFailure, retryOwnFailureAt } from '../../server/src/webhooks/policy/own-failure.ts';
import { nextAttemptAt } from '../../server/src/webhooks/policy/retry-schedule.ts';
import { closingAfterEach } from '../support/closing.ts';
import { addDomain, openWorld, plantReceiver } from './world.ts';

const DAY_MS = 86_400_000;

const closing = closingAfterEach();

test('no wait between two attempts is so long that it is taken for that of a wrong clock', () => {
  for (let attempts = 1; attempts < 40; attempts++) {
    const at = nextAttemptAt({ createdAt: 0, attempts, retryAfterMs: 30 * DAY_MS }, 0, 0.999) ?? 0;
    expect(at).toBeLessThan(LONGEST_ATTEMPT_WAIT_MS);
  }
  const failures: OwnFailure[] = ['busy', 'secret', 'error'];
  for (const failure of failures) {
    const at = retryOwnFailureAt(failure, 0, DAY_MS, 0.999) ?? 0;
    expect(at - DAY_MS).toBeLessThan(LONGEST_ATTEMPT_WAIT_MS);
  }
});

test('a retry that a clock which was days ahead has put off is made once the clock is right', async () => {
  const world = await openWorld(closing);
  const { planted, receiver } = await plantReceiver(closing, world, 500);
  await addDomain(world, planted, 'a.example.com');
  world.clock.advance(DAY_MS);
  await world.worker.runOnce();
  receiver.behaviour = 200;
  world.clock.advance(-DAY_MS);
  await world.worker.runOnce();
  expect(receiver.received).toHaveLength(2);
});

test('a clock that steps over a lease has an event sent twice at once, with the same id', async () => {
  const world = await openWorld(closing);
  const answers: (() => void)[] = [];
  const { planted, receiver } = await plantReceiver(closing, world, (response) => {
    answers.push(() => response.end());
  });
  await addDomain(world, planted, 'a.example.com');
  const first = world.worker.runOnce();
  await receiver.got(1);
  world.clock.advance(31_000);
  const second = world.makeWorker().runOnce();
  await receiver.got(2);
  for (const answer of answers) answer();
  await Promise.all([first, second]);
  expect(receiver.received[1]?.id).toBe(receiver.received[0]?.id);
  expect(await world.worker.runOnce()).toBe(0);
});
