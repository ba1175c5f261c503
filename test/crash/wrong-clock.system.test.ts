import { expect, test } from 'vitest';
import { DAY_MS, logged, whileDomainsWait } from './wrong-clock.ts';

// Real servers on SQLite, whose clock is wrong by a day. Checks are a minute apart, so that each jump is seen by one of
// each domain.

const MINUTE_MS = 60_000;

test('a clock that is a day ahead for some seconds fails no domain, and is reported', async () => {
  await whileDomainsWait(MINUTE_MS, async (site) => {
    const server = await site.serve();
    await site.claimed(1);
    await server.tell(`step ${DAY_MS}`);
    await site.claimed(2);
    await logged(server, 'the clock jumped');
    await server.tell(`step ${-DAY_MS}`);
    await site.claimed(3);
    expect(await site.failed()).toBe(0);
  });
});

test('a process that starts with a clock a day ahead, and is corrected, fails no domain', async () => {
  await whileDomainsWait(MINUTE_MS, async (site) => {
    const first = await site.serve();
    await site.claimed(1);
    await first.stop();
    const server = await site.serve(DAY_MS);
    await site.claimed(2);
    await server.tell(`step ${-DAY_MS}`);
    await site.claimed(3);
    expect(await site.failed()).toBe(0);
  });
});

test('a clock that stays a day ahead, over many checks, fails no domain within the hour', async () => {
  await whileDomainsWait(500, async (site) => {
    const server = await site.serve();
    await site.claimed(1);
    await server.tell(`step ${DAY_MS}`);
    await site.claimed(5);
    expect(await site.failed()).toBe(0);
  });
});
