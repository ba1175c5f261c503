import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLog } from '../../server/src/base/log.ts';
import { FIRST_LOOK_MS, type LiveProblem, type Look } from '../../server/src/domain/live.ts';
import { createMetrics } from '../../server/src/roles/metrics.ts';
import type { Store } from '../../server/src/store/store.ts';
import { createLiveMonitor } from '../../server/src/verification/live-monitor.ts';
import { verify } from '../support/certificates.ts';
import { openEngine } from '../support/engine.ts';
import { NOW, type Planted, plant, timelineOf } from '../support/entities.ts';
import { seeded } from '../support/seeded-random.ts';

/*
 * Days of looks in a moment: a real store and the real loop, with a clock of our own. Only the connections are counted
 * in place of being made; test/verification/look-outside.test.ts makes them.
 */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const ADDRESSES = ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'];

let store: Store;
let remove: () => Promise<void>;
let planted: Planted;
let now: number;
/** The problem that is seen at a name; by default it is live. */
let seen: Map<string, LiveProblem | 'unreadable'>;
/** Whether a name can be reached at the addresses of the edge itself. */
let isEdgeReachable: boolean;
/** Whether anything outside can be reached. */
let isOnline: boolean;
/** When there was a connection to each address, by name. */
let connections: Map<string, number[]>;

beforeEach(async () => {
  ({ store, remove } = await openEngine());
  planted = await plant(store);
  now = NOW;
  seen = new Map();
  isEdgeReachable = true;
  isOnline = true;
  connections = new Map();
});
afterEach(() => remove());

async function look(name: string, _: AbortSignal, addressesOf = name): Promise<Look> {
  const found = addressesOf === name ? (seen.get(name) ?? null) : isEdgeReachable ? null : 'timeout';
  if (found === 'unreadable') return { kind: 'unreadable' };
  if (addressesOf === name) connections.set(name, [...(connections.get(name) ?? []), now]);
  return { kind: 'seen', addresses: ADDRESSES.map((address) => ({ address, problem: found })) };
}

function start(from = 'here') {
  const random = seeded(7).next;
  const clock = { now: () => now };
  return createLiveMonitor({
    ...{ store, look, from, clock, random, cnameZone: 'cname.nameplate.test', isOnline: async () => isOnline },
    log: createLog('silent'),
    metrics: createMetrics(),
  });
}

async function pass(ms: number, monitors = [start()], everyMs = MINUTE_MS / 4): Promise<void> {
  for (const end = now + ms; now < end; now += everyMs) await Promise.all(monitors.map((monitor) => monitor.runOnce()));
}

const attachMany = async (count: number) => {
  const domains = [];
  for (let i = 0; i < count; i++) domains.push(await verify(store, planted.environment));
  return domains;
};
type Attached = Awaited<ReturnType<typeof verify>>;
const eventsOf = async (domain: Attached) =>
  (await timelineOf(store, domain)).map(({ type }) => type).filter((type) => type.startsWith('site.'));
const liveOf = async ({ id, workspaceId }: Attached) => (await store.findListedDomain(workspaceId, id))?.live ?? null;

/** Most connections to one address of a name in any hour from then on. */
function mostInAnHour(from: number): number {
  let most = 0;
  for (const times of connections.values())
    for (const [i, time] of times.entries())
      if (time >= from) most = Math.max(most, times.slice(i).filter((other) => other < time + HOUR_MS).length);
  return most;
}

describe('connections', () => {
  test('to an address of a live site: two in any hour at most, over ten days, whether one node looks or three', async () => {
    const domains = await attachMany(10);
    await pass(240 * HOUR_MS, [start('a'), start('b'), start('c')], MINUTE_MS);
    expect(connections.size).toBe(10);
    expect(mostInAnHour(NOW)).toBe(2);
    // 25 to 31 on the first day, and five a day at most from then on.
    for (const times of connections.values()) expect(times.length).toBeLessThanOrEqual(31 + 9 * 5);
    for (const domain of domains) expect(await liveOf(domain)).toMatchObject({ state: 'live' });
  });

  test('to an address of a site that stays unreachable: two in any hour at most, once three hours have passed', async () => {
    for (const { name } of await attachMany(5)) seen.set(name, 'connection_refused');
    await pass(72 * HOUR_MS, [start()], MINUTE_MS);
    expect(mostInAnHour(NOW + 3 * HOUR_MS)).toBe(2);
    expect(mostInAnHour(NOW)).toBeLessThanOrEqual(10);
  });
});

describe('a site', () => {
  test('is looked at within minutes after it is verified, and told to be live once', async () => {
    const [domain] = (await attachMany(1)) as [Attached];
    await pass(FIRST_LOOK_MS + MINUTE_MS);
    expect(await liveOf(domain)).toMatchObject({ state: 'live', from: 'here', addresses: [{}, {}] });
    await pass(5 * HOUR_MS, [start()], MINUTE_MS);
    expect(await eventsOf(domain)).toEqual(['site.live']);
  });

  test('that goes elsewhere is told to be unreachable within two hours, and to be live again when it is back', async () => {
    const domains = await attachMany(3);
    const [gone] = domains as [Attached];
    await pass(2 * HOUR_MS, [start()], MINUTE_MS);
    seen.set(gone.name, 'answered_by_another');
    await pass(2 * HOUR_MS, [start()], MINUTE_MS);
    expect(await liveOf(gone)).toMatchObject({ state: 'unreachable', problem: 'answered_by_another' });
    seen.delete(gone.name);
    await pass(HOUR_MS, [start()], MINUTE_MS);
    expect(await eventsOf(gone)).toEqual(['site.live', 'site.unreachable', 'site.live']);
    for (const other of domains.slice(1)) expect(await eventsOf(other)).toEqual(['site.live']);
  });
});

describe('an outage on our side tells no site unreachable:', () => {
  const CASES: [string, () => void][] = [
    ['the DNS cannot be read', () => everywhere('unreadable')],
    ['the edge is down', () => edgeDown()],
    ['nothing but the edge on this machine can be reached', () => offline()],
    ['this machine has no route', () => everywhere('no_route')],
  ];
  let domains: Attached[];
  const edgeDown = () => {
    everywhere('timeout');
    isEdgeReachable = false;
  };
  const offline = () => {
    everywhere('timeout');
    isOnline = false;
  };
  const everywhere = (what: LiveProblem | 'unreadable') => {
    for (const { name } of domains) seen.set(name, what);
  };

  const rows = CASES.flatMap(([what, begin]) => [1, 5, 60].map((count) => [what, count, begin] as const));

  test.each(rows)('%s, with %i sites, whether new or steady', async (_, count, begin) => {
    domains = await attachMany(count);
    const monitors = [start()];
    for (const hours of [3, 30]) {
      await pass(hours * HOUR_MS, monitors, 4 * MINUTE_MS);
      const before = await Promise.all(domains.map(eventsOf));
      expect(before.flat()).toHaveLength(count);
      begin();
      await pass(16 * HOUR_MS, monitors, 4 * MINUTE_MS);
      expect(await Promise.all(domains.map(eventsOf))).toEqual(before);
      seen.clear();
      isEdgeReachable = true;
      isOnline = true;
      await pass(7 * HOUR_MS, monitors, 4 * MINUTE_MS);
      expect(await Promise.all(domains.map(eventsOf))).toEqual(before);
      for (const domain of domains) expect((await liveOf(domain))?.checkedAt).toBeGreaterThan(now - 7 * HOUR_MS);
    }
  });
});
