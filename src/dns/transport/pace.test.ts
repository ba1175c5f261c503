import { describe, expect, test } from 'vitest';
import { systemClock } from '../../clock.ts';
import { type Pace, pace } from './pace.ts';

const FOREVER = new AbortController().signal;
const UNLIMITED = 1_000_000;

/** What has happened so far to a promise. */
async function stateOf(promise: Promise<boolean>): Promise<boolean | 'waiting'> {
  await new Promise(setImmediate);
  return Promise.race([promise, Promise.resolve<'waiting'>('waiting')]);
}

describe('turns at the same time', () => {
  let turns: Pace;
  const enter = (address: string, signal = FOREVER) => turns.enter(address, signal);

  test('are bounded for each address; who waits is let in, in order, as others leave', async () => {
    turns = pace({ perAddressInFlight: 2, perAddressPerSecond: UNLIMITED }, systemClock);
    expect(await Promise.all([enter('192.0.2.1'), enter('192.0.2.1')])).toEqual([true, true]);
    expect(turns.hasRoom('192.0.2.1')).toBe(false);
    const third = enter('192.0.2.1');
    const fourth = enter('192.0.2.1');
    expect(await stateOf(third)).toBe('waiting');
    turns.leave('192.0.2.1');
    expect(await third).toBe(true);
    expect(await stateOf(fourth)).toBe('waiting');
    turns.leave('192.0.2.1');
    expect(await fourth).toBe(true);
  });

  test('a full address holds up no other one', async () => {
    turns = pace({ perAddressInFlight: 1, perAddressPerSecond: UNLIMITED }, systemClock);
    await enter('192.0.2.1');
    expect(turns.hasRoom('192.0.2.2')).toBe(true);
    expect(await enter('192.0.2.2')).toBe(true);
  });

  test('who waits past the end of the signal gets no turn and takes none away', async () => {
    turns = pace({ perAddressInFlight: 1, perAddressPerSecond: UNLIMITED }, systemClock);
    const controller = new AbortController();
    await enter('192.0.2.1');
    const impatient = enter('192.0.2.1', controller.signal);
    const patient = enter('192.0.2.1');
    controller.abort();
    expect(await impatient).toBe(false);
    expect(await enter('192.0.2.1', controller.signal)).toBe(false);
    turns.leave('192.0.2.1');
    expect(await patient).toBe(true);
    turns.leave('192.0.2.1');
    expect(turns.hasRoom('192.0.2.1')).toBe(true);
  });
});

describe('turns in a second', () => {
  test('are bounded for each address', async () => {
    let now = 1_000_000;
    const turns = pace({ perAddressInFlight: UNLIMITED, perAddressPerSecond: 100 }, { now: () => now });
    const controller = new AbortController();
    const enter = async () => stateOf(turns.enter('192.0.2.1', controller.signal));
    let begun = 0;
    while ((await enter()) === true) begun++;
    expect(begun).toBeGreaterThan(5);
    expect(begun).toBeLessThan(30);
    now += 1000;
    let later = 0;
    while ((await enter()) === true) later++;
    expect(later).toBeLessThan(30);
    expect(await turns.enter('192.0.2.2', FOREVER)).toBe(true);
    controller.abort();
  });

  test('whose end comes before the turn has none, and the place in flight is free again', async () => {
    const turns = pace({ perAddressInFlight: 2, perAddressPerSecond: 0.001 }, systemClock);
    const controller = new AbortController();
    expect(await turns.enter('192.0.2.1', FOREVER)).toBe(true);
    const second = turns.enter('192.0.2.1', controller.signal);
    expect(await stateOf(second)).toBe('waiting');
    expect(turns.hasRoom('192.0.2.1')).toBe(false);
    controller.abort();
    expect(await second).toBe(false);
    expect(turns.hasRoom('192.0.2.1')).toBe(true);
  });

  test('a clock that was set back makes nobody wait for the time it lost', async () => {
    let now = 1_000_000_000;
    const turns = pace({ perAddressInFlight: 2, perAddressPerSecond: 1000 }, { now: () => now });
    expect(await turns.enter('192.0.2.1', FOREVER)).toBe(true);
    now -= 3_600_000;
    expect(await turns.enter('192.0.2.1', AbortSignal.timeout(5000))).toBe(true);
  });
});
