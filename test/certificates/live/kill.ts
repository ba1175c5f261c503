import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Store } from '../../../server/src/store/store.ts';
import type { Random } from '../../support/seeded-random.ts';
import type { Server } from '../../support/server-process.ts';
import { until } from '../../support/server-site.ts';
import type { Moment, Step } from './book.ts';
import { each, expectServed } from './names.ts';
import { judge, type Killed } from './orders.ts';
import { expectNoErrors, expectNothingLeft, settle } from './rest.ts';
import type { IssuingSite } from './site.ts';
import { startTraffic } from './traffic.ts';

/** The kills, and their results. */
export interface Survived extends Record<string, number> {
  kills: number;
}

/**
 * When a node is killed: at a moment of a request to the CA, when a name is validated over HTTP, at any time, or while
 * it starts.
 */
type Place =
  | `${Exclude<Step, 'directory' | 'nonce' | 'account'>} ${Moment['when']}`
  | 'a look'
  | 'any time'
  | 'starting';

const PLACES: readonly Place[] = [
  'new order asked',
  'new order answered',
  'new order told',
  'authorization asked',
  'authorization told',
  'challenge asked',
  'challenge answered',
  'challenge told',
  'order told',
  'finalize asked',
  'finalize answered',
  'finalize told',
  'certificate asked',
  'certificate answered',
  'certificate told',
  'certificate told',
  'a look',
  'any time',
  'any time',
  'starting',
];
/** Concurrency limit of a node: the most orders that one kill can leave without a URL. */
const CAPACITY = 25;
/** Names with a certificate before the first kill. */
const RENEWABLE = 5;
/** For a node to reach a step. */
const PATIENCE_MS = 20_000;
/** A node continues within that time after a response. */
const NEXT_MS = 30;

interface Scene {
  site: IssuingSite;
  store: Store;
  random: Random;
  kills: Killed[];
}

/**
 * Kills nodes `kills` times at every step of issuing, while names are added, renewed and visited, and sees that in the
 * end all have a certificate, that none was ordered twice at a time, and that nothing is left over.
 */
export async function surviveIssuing(
  site: IssuingSite,
  options: { kills: number; nodes: number; random: Random; waiting: number },
): Promise<Survived> {
  const { kills, nodes, random } = options;
  for (let i = 0; i < nodes; i++) await site.serve();
  const scene: Scene = { site, store: await site.open(), random, kills: [] };
  const traffic = startTraffic(site, scene.store, { ...options, kills: scene.kills });
  const tally: Record<string, number> = {};
  const isBegun = async () => ((await scene.store.countCertificates()).issued ?? 0) >= RENEWABLE;
  await Promise.race([until('there is something to renew', isBegun), traffic.failed]);
  for (let places: Place[] = []; scene.kills.length < kills; ) {
    if (places.length === 0) places = shuffled(PLACES, random);
    const place = await Promise.race([killAt(scene, places.pop() ?? 'any time'), traffic.failed]);
    tally[`killed: ${place}`] = (tally[`killed: ${place}`] ?? 0) + 1;
    await delay(random.between(0, 300));
    while (site.nodes.size < nodes) await site.serve();
  }
  const names = await traffic.stop();
  await settle(site, scene.store, names.length);
  await each(names, 8, (name) => expectServed(site, scene.store, name));
  const seen = await examine(scene, names.length);
  await scene.store.close();
  return { kills: scene.kills.length, ...tally, names: names.length, ...traffic.tally, ...seen };
}

/** Resolves with the place at which a node was killed. */
async function killAt(scene: Scene, place: Place): Promise<Place> {
  const { site, random } = scene;
  if (place === 'any time') return killAny(scene, random.between(0, 2000));
  if (place === 'starting') {
    await killAny(scene, 0);
    const program = site.launch();
    await delay(random.between(0, 1500));
    await program.kill();
    scene.kills.push({ pid: program.pid, at: Date.now() });
    return place;
  }
  const come = place === 'a look' ? await untilLook(scene) : await untilMoment(scene, place);
  return come ? place : killAny(scene, 0);
}

async function killAny(scene: Scene, afterMs: number): Promise<Place> {
  await delay(afterMs);
  await kill(scene, scene.random.pick([...scene.site.nodes]));
  return 'any time';
}

async function kill({ site, kills }: Scene, node: Server | undefined): Promise<void> {
  if (node === undefined) throw new Error('there is no node to kill');
  await site.end(node, 'kill');
  kills.push({ pid: node.pid, at: Date.now() });
}

/** Kills the node that reaches the moment. False: none did. */
function untilMoment(scene: Scene, place: Place): Promise<boolean> {
  const { site, random } = scene;
  const { recorder } = site;
  return new Promise((resolve, reject) => {
    const end = (come: boolean) => {
      clearTimeout(late);
      recorder.onMoment = async () => true;
      resolve(come);
    };
    const late = setTimeout(() => end(false), PATIENCE_MS);
    recorder.onMoment = async ({ step, when, pid }) => {
      const node = [...site.nodes].find((one) => one.pid === pid);
      if (`${step} ${when}` !== place || node === undefined) return true;
      recorder.onMoment = async () => true;
      if (when === 'told') await delay(random.between(0, NEXT_MS));
      await kill(scene, node).then(() => end(true), reject);
      // Its requests may still arrive.
      return random.chance(0.5);
    };
  });
}

/** Kills a node while a name is validated, by itself or by the CA. False: none was. */
function untilLook(scene: Scene): Promise<boolean> {
  const { site, random } = scene;
  return new Promise((resolve, reject) => {
    const end = (come: boolean) => {
      clearTimeout(late);
      site.http.onConnection = () => {};
      resolve(come);
    };
    const late = setTimeout(() => end(false), PATIENCE_MS);
    site.http.onConnection = () => {
      site.http.onConnection = () => {};
      killAny(scene, random.between(0, NEXT_MS)).then(() => end(true), reject);
    };
  });
}

async function examine({ site, store, kills }: Scene, names: number): Promise<Record<string, number>> {
  const { recorder, data } = site;
  const { faults, orders, valid, lost, 'most lost in a kill': most } = judge(recorder.orders, kills);
  expect(faults).toEqual([]);
  expect(most).toBeLessThanOrEqual(CAPACITY);
  const ledger = await store.countLedgerEntries(recorder.directoryUrl, 0);
  expect(ledger.orders).toBeGreaterThanOrEqual(orders);
  // Every issued certificate was put in use, once.
  const events = await data.query(
    "select count(*) as count from events where type in ('certificate.issued', 'certificate.renewed')",
  );
  expect(Number(events[0]?.count)).toBe(valid);
  expect(ledger.issued).toBe(valid);
  await expectNothingLeft(site);
  const late = expectNoErrors(site);
  return {
    orders,
    issued: valid,
    'failed at the CA': recorder.orders.filter(({ end }) => end === 'invalid').length,
    'orders whose URL was lost': lost,
    'most of these in a kill': most,
    'orders in the ledger': ledger.orders,
    renewals: valid - names,
    'errors since the store was late': late,
  };
}

function shuffled<T>(items: readonly T[], random: Random): T[] {
  return items
    .map((item) => ({ item, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
