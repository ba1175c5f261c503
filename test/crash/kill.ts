import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { createLedger, type Entry, type Ledger, reconcile } from '../support/acknowledged.ts';
import { askPatiently } from '../support/api-client.ts';
import type { KeySaid } from '../support/keymaker.ts';
import { publish, readHeld, type Scene, startLoad, untilVerified } from '../support/load.ts';
import type { PostgresServer } from '../support/postgres.ts';
import type { Random } from '../support/seeded-random.ts';
import { embedded, onPostgres } from '../support/server-data.ts';
import { launchKeymaker, launchServer, type Server } from '../support/server-process.ts';
import { createSite, plant, type Site, until } from '../support/server-site.ts';

/** Counts of the attempts, and of acknowledged changes that were found again. */
export interface Survived extends Record<string, number> {
  kills: number;
  /** Kills while the server started. */
  'while starting': number;
  /** How often PostgreSQL was stopped as by a crash, and started again. */
  'stops of the store': number;
  /** Domains and keys that were looked at after the restarts, each time anew. */
  looks: number;
  /** Names that another workspace has taken over. */
  'taken over': number;
}

const SCHEDULE = { checkIntervalMs: 600, windowMs: 10_000 };
const LOAD = { clients: 6, pauseMs: 12, most: 60 };

/**
 * Kills the server `kills` times at random moments, under load and while it starts, and sees after each restart that
 * everything is there that was acknowledged, that nothing is torn, and that checks go on. Where the data is on a
 * PostgreSQL server, that one is stopped, too.
 */
export async function survive(kills: number, random: Random, postgres?: PostgresServer): Promise<Survived> {
  const site = await createSite(SCHEDULE, postgres === undefined ? embedded : onPostgres(postgres));
  const tally: Survived = { kills: 0, 'while starting': 0, 'stops of the store': 0, looks: 0, 'taken over': 0 };
  try {
    const tenants = [await plant(site), await plant(site)] as const;
    const scene: Scene = { site, tenants, ledger: createLedger(), random };
    while (tally.kills < kills) {
      if (random.chance(0.15)) await killStarting(scene, tally);
      else if (postgres !== undefined && random.chance(0.3)) await stopStore(scene, postgres, tally);
      else await killLoaded(scene, tally);
    }
    const server = await site.serve();
    await examine(scene, server, tally);
    await settle(scene, server);
    await examine(scene, server, tally);
    tally['taken over'] = await countTakeovers(scene, server);
    await server.kill();
    return { ...tally, ...scene.ledger.acknowledged };
  } finally {
    await site.close();
  }
}

async function killStarting({ site, random }: Scene, tally: Survived): Promise<void> {
  const program = launchServer({ ...SCHEDULE, database: site.data.url, nameserverPort: site.dns.port });
  await delay(random.between(0, 800));
  await program.kill();
  tally.kills += 1;
  tally['while starting'] += 1;
}

async function killLoaded(scene: Scene, tally: Survived): Promise<void> {
  const { site, ledger, random, tenants } = scene;
  const server = await site.serve();
  await examine(scene, server, tally);
  const keymaker = launchKeymaker(site.data.url, tenants[0].workspaceId);
  const load = startLoad(scene, () => server.url, LOAD);
  // In any order: commands die as servers do, and must not take the server along.
  await Promise.all([
    delay(random.between(0, 1000)).then(() => keymaker.kill()),
    delay(random.between(0, 1000)).then(() => {
      load.expectFailures();
      return server.kill();
    }),
  ]);
  load.finish();
  await load.ended;
  expect(server.errors()).toEqual([]);
  noteKeys(ledger, keymaker.lines);
  tally.kills += 1;
}

/**
 * Stops PostgreSQL in the middle of everything, and starts it again; the server goes on by itself, and is killed now
 * and then as well.
 */
async function stopStore(scene: Scene, postgres: PostgresServer, tally: Survived): Promise<void> {
  const { site, ledger, random, tenants } = scene;
  const server = await site.serve();
  await examine(scene, server, tally);
  const keymaker = launchKeymaker(site.data.url, tenants[0].workspaceId);
  const load = startLoad(scene, () => server.url, LOAD);
  await delay(random.between(0, 1000));
  load.expectFailures();
  await postgres.stop('immediate');
  tally['stops of the store'] += 1;
  const dies = random.chance(0.3);
  if (dies) await server.kill();
  await delay(random.between(0, 300));
  await postgres.start();
  const { created } = ledger.acknowledged;
  if (!dies) await until('domains are created again', () => ledger.acknowledged.created > created);
  load.finish();
  await Promise.all([load.ended, keymaker.kill()]);
  noteKeys(ledger, keymaker.lines);
  if (dies) tally.kills += 1;
  else await examine(scene, server, tally);
  await server.kill();
}

/** Looks at everything after a restart: at the file, at what the API answers, and whether checks go on. */
async function examine({ site, ledger, random }: Scene, server: Server, tally: Survived): Promise<void> {
  const contents = await site.data.inspect({ ...SCHEDULE, now: Date.now });
  expect(contents.faults).toEqual([]);
  expect(reconcile(ledger, contents)).toEqual([]);
  tally.looks += ledger.entries.length + ledger.keys.size;

  const held = ledger.entries.filter(({ state }) => state === 'held');
  const unread = held.filter(({ records }) => records.length === 0);
  await Promise.all([...unread, ...some(held, 20, random)].map((entry) => readHeld(server.url, entry)));
  await expectGone(ledger, held, server, random);
  for (const { there, text } of some([...ledger.keys.values()], 10, random)) {
    const { status } = await askPatiently(server.url, { key: text }, 'getDomain', 'nobody.test');
    expect(status).toBe(there ? 404 : 401);
  }
  const waiting = held.filter(({ verified, contested }) => !verified && !contested);
  await Promise.all(some(waiting, 1, random).map((entry) => verify(site, server, ledger, entry)));
}

async function expectGone(ledger: Ledger, held: Entry[], { url }: Server, random: Random): Promise<void> {
  const place = ({ tenant, name }: Entry) => `${tenant.workspaceId} ${name}`;
  const places = new Set(held.map(place));
  const gone = ledger.entries.filter((entry) => entry.state === 'gone' && !places.has(place(entry)));
  for (const { tenant, name } of some(gone, 10, random)) {
    expect((await askPatiently(url, tenant, 'getDomain', name)).status, name).toBe(404);
  }
}

/** Every domain that waits for its records is verified once they are there. */
async function settle({ site, ledger }: Scene, server: Server): Promise<void> {
  const waiting = ledger.entries.filter((entry) => entry.state === 'held' && !entry.verified && !entry.contested);
  await Promise.all(waiting.map((entry) => verify(site, server, ledger, entry)));
}

async function countTakeovers({ ledger }: Scene, { url }: Server): Promise<number> {
  const contested = ledger.entries.filter((entry) => entry.contested);
  const found = await Promise.all(contested.map((entry) => readHeld(url, entry)));
  return found.filter(({ status }) => status === 'failed').length;
}

async function verify(site: Site, { url }: Server, ledger: Ledger, entry: Entry): Promise<void> {
  publish(site, entry);
  await untilVerified(url, ledger, entry);
}

function noteKeys({ keys, acknowledged }: Ledger, lines: readonly KeySaid[]): void {
  for (const said of lines) {
    if ('asked' in said) {
      keys.set(said.hash, { there: null, text: said.key });
      continue;
    }
    keys.set(said.hash, { there: said.done === 'make', text: said.key });
    acknowledged[said.done === 'make' ? 'keys made' : 'keys revoked'] += 1;
  }
}

function some<T>(items: readonly T[], most: number, random: Random): T[] {
  const picked = Array.from({ length: Math.min(most, items.length) }, () => random.pick(items));
  return [...new Set(picked.filter((item) => item !== undefined))];
}
