import { describe, expect, it } from 'vitest';
import {
  afterLook,
  askedLookAt,
  CONFIRM_MS,
  LIVE_PROBLEMS,
  type LiveMemory,
  type LiveProblem,
  type Look,
  NEVER_SEEN,
  nextLookAt,
  verdictOf,
} from './live.ts';

const NOW = 1_800_000_000_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const seen = (...problems: (LiveProblem | null)[]): Look => ({
  kind: 'seen',
  addresses: problems.map((problem, i) => ({ address: `192.0.2.${i + 1}`, problem })),
});
const LIVE = seen(null, null);
const PARTLY = seen(null, 'timeout');
const DEAD = seen('timeout', 'timeout');
const UNREADABLE: Look = { kind: 'unreadable' };

/** The looks in order, each an hour after the one before; `own`: those that this installation is at fault for. */
function looks(...each: (Look | { own: Look })[]) {
  let memory: LiveMemory = NEVER_SEEN;
  const events: (string | null)[] = [];
  const outcomes: string[] = [];
  for (const [i, one] of each.entries()) {
    const isOwnFault = 'own' in one;
    const looked = afterLook(memory, isOwnFault ? one.own : one, {
      now: NOW + i * HOUR_MS,
      from: 'here',
      isOwnFault,
    });
    memory = looked.memory;
    if (looked.event !== null) events.push(looked.event);
    outcomes.push(looked.outcome);
  }
  return { memory, state: memory.live?.state ?? null, events, outcomes };
}

describe('the verdict of a look', () => {
  it.each<[string, Look, string | null, LiveProblem | null]>([
    ['all addresses reach the site', LIVE, 'live', null],
    ['some do', PARTLY, 'partly_live', 'timeout'],
    ['none does', DEAD, 'unreachable', 'timeout'],
    ['there is no address', seen(), 'unreachable', 'no_address'],
    ['DNS could not be read', UNREADABLE, null, null],
    ['there is no route to any', seen('no_route', 'no_route'), null, null],
    ['there is no route to some', seen('no_route', null), 'live', null],
    ['there is no route to some, and the others are dead', seen('no_route', 'timeout'), 'unreachable', 'timeout'],
  ])('where %s', (_, look, state, problem) => {
    const verdict = verdictOf(look);
    expect([verdict?.state ?? null, verdict?.problem ?? null]).toEqual([state, problem]);
  });

  it('names the problem that says most, whatever the order of the addresses', () => {
    const problems = LIVE_PROBLEMS.filter((problem) => problem !== 'no_address' && problem !== 'no_route');
    for (const [i, first] of problems.entries())
      for (const second of problems.slice(i)) {
        expect(verdictOf(seen(first, second))?.problem).toBe(first);
        expect(verdictOf(seen(second, first))?.problem).toBe(first);
      }
  });
});

describe('a site', () => {
  it('is live at once, and told so once', () => {
    expect(looks(LIVE, LIVE)).toMatchObject({ state: 'live', events: ['site.live'] });
  });

  it('turns unreachable when two looks in a row find it so, and not when one does', () => {
    expect(looks(LIVE, DEAD)).toMatchObject({ state: 'live', outcomes: ['live', 'doubted'], events: ['site.live'] });
    expect(looks(LIVE, DEAD, LIVE, DEAD, LIVE)).toMatchObject({ state: 'live', events: ['site.live'] });
    expect(looks(LIVE, DEAD, DEAD, DEAD)).toMatchObject({
      state: 'unreachable',
      events: ['site.live', 'site.unreachable'],
    });
    expect(looks(LIVE, PARTLY, PARTLY, DEAD)).toMatchObject({ state: 'partly_live' });
  });

  it('is live again at the first look that finds it so', () => {
    expect(looks(LIVE, DEAD, DEAD, LIVE)).toMatchObject({ state: 'live' });
    expect(looks(LIVE, DEAD, DEAD, LIVE).events).toEqual(['site.live', 'site.unreachable', 'site.live']);
  });

  it('that was never live is not told to be unreachable', () => {
    expect(looks(DEAD, DEAD, DEAD)).toMatchObject({ state: 'unreachable', events: [] });
    expect(looks(DEAD, DEAD, LIVE)).toMatchObject({ state: 'live', events: ['site.live'] });
  });

  it('keeps its state, and when it was seen, where a look says nothing about it', () => {
    for (const nothing of [UNREADABLE, seen('no_route'), { own: DEAD }]) {
      expect(looks(nothing)).toMatchObject({ state: null, events: [], outcomes: ['inconclusive'] });
      const { memory } = looks(LIVE, nothing, nothing);
      expect(memory.live).toMatchObject({ state: 'live', checkedAt: NOW });
      expect(looks(LIVE, DEAD, nothing, DEAD)).toMatchObject({ state: 'live', events: ['site.live'] });
    }
  });
});

describe('the next look', () => {
  const minutesAfter = (...each: Parameters<typeof looks>) => {
    const { memory, outcomes } = looks(...each);
    const outcome = outcomes.at(-1) as Parameters<typeof nextLookAt>[0]['outcome'];
    const at = NOW + (each.length - 1) * HOUR_MS;
    const [first, last] = [0, 1].map((random) => nextLookAt({ memory, event: null, outcome }, at, random) - at);
    return [(first ?? 0) / MINUTE_MS, (last ?? 0) / MINUTE_MS];
  };

  it('at a live site is about an hour later, and two in an hour at most', () => {
    expect(minutesAfter(LIVE)).toEqual([48, 57]);
    expect(minutesAfter(LIVE, UNREADABLE, UNREADABLE)).toEqual([48, 57]);
  });

  it('at a site that has been live for a day is about six hours later, until anything else is seen', () => {
    const day = Array(25).fill(LIVE);
    expect(minutesAfter(...day.slice(1))).toEqual([48, 57]);
    expect(minutesAfter(...day)).toEqual([288, 342]);
    expect(minutesAfter(...day, UNREADABLE)).toEqual([48, 57]);
    expect(minutesAfter(...day, DEAD)[1]).toBeLessThanOrEqual(CONFIRM_MS / MINUTE_MS);
    expect(minutesAfter(...day, DEAD, DEAD, LIVE)).toEqual([48, 57]);
  });

  it('that somebody asks for comes within half a minute, and once for all who ask meanwhile', () => {
    const times = Array.from({ length: 60 }, (_, second) => askedLookAt(NOW + 1 + second * 1000) - NOW);
    expect(new Set(times)).toEqual(new Set([30_000, 60_000]));
  });

  it('confirms a worse state soon', () => {
    expect(minutesAfter(LIVE, DEAD)[1]).toBeLessThanOrEqual(CONFIRM_MS / MINUTE_MS);
  });

  it('at a site that is not live comes after as long as it has been so: from a minute to an hour', () => {
    const longest = Array.from({ length: 12 }, (_, i) => minutesAfter(...Array(i + 1).fill(DEAD))[1]);
    expect(longest).toEqual([0.95, ...Array(11).fill(57)]);
    const { memory } = looks(PARTLY);
    const after = (minutes: number) => {
      const now = NOW + minutes * MINUTE_MS;
      return (nextLookAt({ memory, event: null, outcome: 'partly_live' }, now, 1) - now) / MINUTE_MS;
    };
    expect([0, 1, 2, 30, 60, 600].map(after)).toEqual([0.95, 0.95, 1.9, 28.5, 57, 57]);
    expect(minutesAfter(...Array(2000).fill(UNREADABLE))).toEqual([8, 9.5]);
  });
});
