import { expect, test } from 'vitest';
import { chooseSeed, seeded } from '../crash/random.ts';
import { START_LIMIT_MS } from '../fixtures/debian.ts';
import { surviveIssuing } from './live/kill.ts';
import { createIssuingSite } from './live/site.ts';

test(
  'kill -9 at any step of issuing: every name is certified, none ordered twice at a time, and what is renewed is served',
  async ({ onTestFinished }) => {
    // A crash leaves a certificate alone for as long.
    const site = await createIssuingSite({ leaseMs: 10_000 });
    onTestFinished(() => site.close());
    const survived = await surviveIssuing(site, { kills: 5, nodes: 1, random: seeded(chooseSeed()), waiting: 12 });
    console.log(survived);
    expect(survived.kills).toBeGreaterThanOrEqual(5);
  },
  START_LIMIT_MS,
);
