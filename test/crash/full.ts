import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { createLedger, type Entry, type Ledger, newEntry, reconcile } from '../support/acknowledged.ts';
import { type Answer, ask } from '../support/api-client.ts';
import { inspect } from '../support/inspection.ts';
import { publish, readHeld, untilVerified } from '../support/load.ts';
import { launchServer, type Server, startServer } from '../support/server-process.ts';
import { createSite, plant, type Site, type Tenant, until } from '../support/server-site.ts';
import type { Room } from './room.ts';

/** Counts of the attempts and their outcomes. */
export interface Endured extends Record<string, number> {
  acknowledged: number;
  refused: number;
  'read while full': number;
}

const SCHEDULE = { checkIntervalMs: 500, windowMs: 600_000 };

/**
 * Fills the disk of a server that is used, for a time, and sees that it says so, loses nothing, and recovers by itself.
 */
export async function endure(room: Room, fullMs: number): Promise<Endured> {
  const site = await createSite(SCHEDULE);
  const tenant = await plant(site);
  const path = join(room.inside, 'nameplate.db');
  await copyFile(site.path, join(room.outside, 'nameplate.db'));
  const start = { ...SCHEDULE, database: `sqlite:${path}`, nameserverPort: site.dns.port, wrapper: room.wrapper };
  const server = await startServer(start);
  try {
    const world: World = { site, server, tenant, ledger: createLedger(), refused: 0, full: false };
    const reads = await use(world, room, fullMs, () =>
      expectNoStart({ ...start, database: `sqlite:${join(room.inside, 'other.db')}` }),
    );
    expect(server.errors().map(({ err }) => err?.message)).toContainEqual(expect.stringContaining('the disk is full'));
    await server.kill();
    await expectKept(world, room);
    return { acknowledged: world.ledger.acknowledged.created, refused: world.refused, 'read while full': reads };
  } finally {
    await server.kill();
    await site.close();
  }
}

interface World {
  site: Site;
  server: Server;
  tenant: Tenant;
  ledger: Ledger;
  /** Creations that were answered with an error. */
  refused: number;
  full: boolean;
}

/**
 * Creates domains all the time, and reads them, while the disk becomes full, stays so, and has room again. How many
 * were read meanwhile.
 */
async function use(world: World, room: Room, fullMs: number, whileFull: () => Promise<void>): Promise<number> {
  const { ledger, server } = world;
  let over = false;
  let reads = 0;
  const users = Array.from({ length: 4 }, async (_, user) => {
    for (let i = 0; !over; i += 1) {
      await create(world, `d${i}.u${user}.test`);
      const entry = ledger.entries.findLast(({ state }) => state === 'held');
      if (entry !== undefined) await readHeld(server.url, entry);
      if (world.full) reads += 1;
      await delay(10);
    }
  });
  const story = async () => {
    await until('domains are created', () => ledger.acknowledged.created > 20);
    const waiting = ledger.entries.find(({ state }) => state === 'held');
    world.full = true;
    room.fill();
    await until('a creation is refused', () => world.refused > 0);
    await expectUnready(server);
    if (waiting !== undefined) publish(world.site, waiting);
    await whileFull();
    await delay(fullMs);
    world.full = false;
    room.clear();
    const before = ledger.acknowledged.created;
    await until('domains are created again', () => ledger.acknowledged.created > before + 20);
    await until('it is ready again', async () => (await fetch(`${server.url}/readyz`)).status === 200);
    if (waiting !== undefined) await untilVerified(server.url, ledger, waiting);
  };
  await Promise.all([
    story().finally(() => {
      over = true;
    }),
    ...users,
  ]);
  return reads;
}

async function create(world: World, name: string): Promise<void> {
  const { ledger, tenant, server } = world;
  const entry: Entry = newEntry(tenant, name);
  ledger.entries.push(entry);
  const answer = await ask(server.url, tenant, 'createDomain', name);
  if (answer.status === 200) {
    Object.assign(entry, { state: 'held', id: answer.data?.domainId, records: answer.data?.dnsRecords });
    ledger.acknowledged.created += 1;
    return;
  }
  world.refused += 1;
  expectRefusal(answer);
}

/** A clear error, and when to come again; whether the change was made is open. */
function expectRefusal({ status, headers }: Answer): void {
  expect({ status, retryAfter: headers.get('retry-after') }).toEqual({ status: 500, retryAfter: '1' });
}

/** Alive, and not ready. */
async function expectUnready({ url }: Server): Promise<void> {
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  const response = await fetch(`${url}/readyz`);
  expect(response.status).toBe(503);
  expect(await response.json()).toEqual({ status: 'not ready', reason: 'The disk of the store is full.' });
}

async function expectNoStart(start: Parameters<typeof launchServer>[0]): Promise<void> {
  const other = launchServer(start);
  expect(await other.ended).not.toBe(0);
  expect(other.complaints()).toContain('the disk is full');
}

/** Everything that was acknowledged is in the file, and nothing else is torn. */
async function expectKept({ site, ledger }: World, room: Room): Promise<void> {
  for (const end of ['', '-wal']) await copyFile(join(room.outside, `nameplate.db${end}`), site.path + end);
  const contents = inspect(site.path, { ...SCHEDULE, now: Date.now });
  expect(contents.faults).toEqual([]);
  expect(reconcile(ledger, contents)).toEqual([]);
}
