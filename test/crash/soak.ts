import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { createLedger, reconcile } from '../support/acknowledged.ts';
import { inspect } from '../support/inspection.ts';
import { create, type Scene, startLoad } from '../support/load.ts';
import type { Random } from '../support/seeded-random.ts';
import type { Server } from '../support/server-process.ts';
import { createSite, plant, type Site, until } from '../support/server-site.ts';

/** A server at one moment, seen from outside. */
export interface Vitals {
  atMs: number;
  /** Size of the JavaScript heap, right after a collection of garbage. */
  heapBytes: number;
  rssBytes: number;
  /** Open files and sockets. */
  descriptors: number;
  /** Resources that keep the event loop alive: timers, sockets, requests. */
  resources: number;
  /** Size of the write-ahead log. */
  logBytes: number;
}

export interface Soaked {
  vitals: Vitals[];
  domains: number;
  acknowledged: Record<string, number>;
}

export interface SoakOptions {
  /** How often it is used, and comes to rest. */
  spells: number;
  spellMs: number;
  clients: number;
  /** Domains that are there all the time, about. */
  domains: number;
}

const SCHEDULE = { checkIntervalMs: 15_000, windowMs: 86_400_000 };
const MINUTE = 60_000;
/**
 * Fewer things than that keep the event loop alive: each check on its way is several, and a server at rest has about
 * 40.
 */
const AT_REST = 100;
/** Each look collects garbage, which takes the server's time. */
const LOOK_EVERY_MS = 500;
/** How long changes are told of. */
const CHANGES_KEPT_MS = 10 * MINUTE;

/** Uses a server, looks at its vitals, and sees at the end that nothing is missing. */
export async function soak(random: Random, options: SoakOptions): Promise<Soaked> {
  const site = await createSite(SCHEDULE);
  try {
    const tenants = [await plant(site), await plant(site)] as const;
    const scene: Scene = { site, tenants, ledger: createLedger(), random };
    const server = await site.serve();
    await populate(scene, server, options);
    const vitals = await use(scene, server, options);
    const contents = inspect(site.path, { ...SCHEDULE, now: () => Date.now() + CHANGES_KEPT_MS });
    expect(contents.faults).toEqual([]);
    expect(reconcile(scene.ledger, contents)).toEqual([]);
    expect(server.errors()).toEqual([]);
    await server.stop();
    return { vitals, domains: contents.domains.length, acknowledged: scene.ledger.acknowledged };
  } finally {
    await site.close();
  }
}

async function populate(scene: Scene, { url }: Server, { domains, clients }: SoakOptions): Promise<void> {
  let missing = domains;
  const populating = Array.from({ length: clients }, async (_, client) => {
    while (missing-- > 0) await create(scene, url, scene.tenants[client % 2 === 0 ? 0 : 1]);
  });
  await Promise.all(populating);
}

/**
 * Uses it in spells, and looks at its vitals when it is at rest after each: what is on its way would hide what it
 * keeps.
 */
async function use(scene: Scene, server: Server, options: SoakOptions): Promise<Vitals[]> {
  const { spells, spellMs, clients, domains } = options;
  const vitals: Vitals[] = [];
  const began = performance.now();
  for (let spell = 0; spell < spells; spell++) {
    const load = startLoad(scene, () => server.url, { clients, pauseMs: 20, most: domains / clients });
    await Promise.race([delay(spellMs), load.ended]);
    load.finish();
    await load.ended;
    await until('it is at rest', async () => {
      await delay(LOOK_EVERY_MS);
      const seen = await look(scene.site, server, performance.now() - began);
      const rests = seen.resources < AT_REST;
      if (rests) vitals.push(seen);
      return rests;
    });
  }
  return vitals;
}

async function look({ path }: Site, server: Server, atMs: number): Promise<Vitals> {
  const said = await server.tell('vitals');
  if (said.event !== 'vitals') throw new Error(`the server said ${JSON.stringify(said)}`);
  const rss = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1];
  return {
    atMs: Math.round(atMs),
    heapBytes: said.heapBytes,
    rssBytes: Number(rss) * 1024,
    descriptors: readdirSync(`/proc/${server.pid}/fd`).length,
    resources: said.resources,
    logBytes: existsSync(`${path}-wal`) ? statSync(`${path}-wal`).size : 0,
  };
}

/** By how much a vital grows in a minute, by the line that fits it best. */
export function growthPerMinute(vitals: readonly Vitals[], vital: Exclude<keyof Vitals, 'atMs'>): number {
  const mean = (of: (each: Vitals) => number) => vitals.reduce((sum, each) => sum + of(each), 0) / vitals.length;
  const [middle, level] = [mean(({ atMs }) => atMs), mean((each) => each[vital])];
  const rise = mean((each) => (each.atMs - middle) * (each[vital] - level));
  return (rise / mean(({ atMs }) => (atMs - middle) ** 2)) * MINUTE;
}

/**
 * Lets a used server grow older by as long as changes are told of, and waits until it has forgotten those from before.
 */
export async function expectForgotten(random: Random): Promise<void> {
  const site = await createSite(SCHEDULE);
  try {
    const tenants = [await plant(site), await plant(site)] as const;
    const scene: Scene = { site, tenants, ledger: createLedger(), random };
    const server = await site.serve();
    const load = startLoad(scene, () => server.url, { clients: 4, pauseMs: 20, most: 50 });
    await until('changes are told of', () => changesIn(site).newest > 50);
    load.finish();
    await load.ended;
    await server.tell(`step ${CHANGES_KEPT_MS + MINUTE}`);
    // The newest is kept, so that readers know how far the log goes.
    const { newest } = changesIn(site);
    await until('they are forgotten', () => changesIn(site).oldest >= newest);
    await server.stop();
  } finally {
    await site.close();
  }
}

/** Their numbers in order; 0 where there are none. */
function changesIn({ path }: Site): { oldest: number; newest: number } {
  const db = new DatabaseSync(path, { readOnly: true });
  const ends = db.prepare('select min(seq) as oldest, max(seq) as newest from changes').get();
  db.close();
  return { oldest: Number(ends?.oldest), newest: Number(ends?.newest) };
}
