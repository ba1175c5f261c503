import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import type { DomainEventType } from '../../server/src/domain/domain-event.ts';
import { createLedger, reconcile } from '../support/acknowledged.ts';
import { askPatiently } from '../support/api-client.ts';
import { publish, type Scene, startLoad } from '../support/load.ts';
import type { PostgresServer } from '../support/postgres.ts';
import type { Random } from '../support/seeded-random.ts';
import { onPostgres } from '../support/server-data.ts';
import { createSite, plant, type Site, until } from '../support/server-site.ts';
import { startFleet } from './fleet.ts';
import { type Happened, longestUnchecked, type Wait, waitsIn } from './life.ts';
import { type Watch, watchChecks } from './watch.ts';

/** Counts of events at the nodes, and of the responses to their clients meanwhile. */
export interface Weathered extends Record<string, number> {
  /** Requests without an outcome. */
  failures: number;
  /** Waits of domains whose checks were looked at, and the longest time between two, in periods. */
  waits: number;
  'longest gap': number;
}

export interface ChaosOptions {
  nodes: number;
  forMs: number;
  /** Longest time between two things that happen to a node, and for which one is stopped. */
  everyMs: number;
  stoppedMs: number;
  checkIntervalMs: number;
  windowMs: number;
  clients: number;
  /** Longest pause of a client, and domains that it holds. */
  pauseMs: number;
  most: number;
}

/** A client gives up on a node that does not answer for so long. */
const TIMEOUT_MS = 5000;
/** How late a node may tell what another has done (docs/internals/architecture.md). */
const STALE_MS = 1000;
/** How late checks may be on top of the schedule. */
const LATE_MS = 5000;

/**
 * Lets clients create, verify and delete domains at nodes that are killed, stopped and started all the time, and sees
 * that nothing that was acknowledged is missing, that every timeline is legal, and that every domain that waits is
 * checked.
 */
export async function weather(postgres: PostgresServer, random: Random, options: ChaosOptions): Promise<Weathered> {
  const { checkIntervalMs, windowMs, clients, pauseMs, most, forMs } = options;
  const schedule = { checkIntervalMs, windowMs };
  const site = await createSite(schedule, onPostgres(postgres));
  const watch = watchChecks(site.dns);
  try {
    const tenants = [await plant(site), await plant(site)] as const;
    const scene: Scene = { site, tenants, ledger: createLedger(), random };
    const start = { ...schedule, database: site.data.url, nameserverPort: site.dns.port };
    const fleet = await startFleet(random, { ...options, start });
    const load = startLoad(scene, fleet.anyone, { clients, pauseMs, most, timeoutMs: TIMEOUT_MS, staleMs: STALE_MS });
    load.expectFailures();
    await Promise.race([delay(forMs), load.ended]);
    load.finish();
    await load.ended;
    const endedAt = Date.now();
    await fleet.end();
    await examine(scene);
    const seen = judge(waitsIn(await timeline(postgres, site), endedAt), watch, options);
    await settle(scene, postgres);
    await examine(scene);
    return { ...fleet.tally, failures: load.failures(), ...seen, ...scene.ledger.acknowledged };
  } finally {
    watch.stop();
    await site.close();
  }
}

async function examine({ site, ledger }: Scene): Promise<void> {
  const contents = await site.data.inspect({ ...site, now: Date.now });
  expect(contents.faults).toEqual([]);
  expect(reconcile(ledger, contents)).toEqual([]);
}

/** Every domain that waits is verified once its records are there. */
async function settle({ site, ledger }: Scene, postgres: PostgresServer): Promise<void> {
  const server = await site.serve();
  const waiting = ledger.entries.filter((entry) => entry.state === 'held' && !entry.verified && !entry.contested);
  for (const entry of waiting) {
    const { data } = await askPatiently(server.url, entry.tenant, 'getDomain', entry.name);
    entry.records = data?.dnsRecords ?? [];
    publish(site, entry);
    expect([202, 412]).toContain((await askPatiently(server.url, entry.tenant, 'verifyDomain', entry.name)).status);
  }
  const sql = "select count(*) from domains where id = any($1) and status <> 'verified'";
  const ids = waiting.map(({ id }) => id);
  const left = async () => Number((await postgres.run(site.data.url, sql, [ids]))[0]?.count);
  await until('every domain is verified', async () => (await left()) === 0);
  await server.stop();
}

/** A name that two workspaces have is asked for on behalf of both, so that nobody could tell whose check it was. */
function judge(all: Wait[], { asked }: Watch, { checkIntervalMs }: ChaosOptions) {
  const owners = Map.groupBy(all, ({ name }) => name);
  const isShared = ({ domainId, name, from, until }: Wait) =>
    (owners.get(name) ?? []).some((other) => other.domainId !== domainId && other.from < until && from < other.until);
  const waits = all.filter((wait) => !isShared(wait));
  let longest = 0;
  for (const wait of waits) {
    const times = asked.get(wait.name) ?? [];
    longest = Math.max(longest, longestUnchecked(wait, times));
    if (wait.end !== 'domain.failed') continue;
    // A whole check may fit in one millisecond.
    const lastLook = times.findLast((at) => at <= wait.until) ?? 0;
    const looks = times.slice(-5).map((at) => wait.until - at);
    expect(wait.until - lastLook, `${wait.name} failed; ms from its last looks to then: ${looks}`).toBeLessThan(20_000);
  }
  // A node that is killed in mid-check costs the domain one period; a period may be longer by a tenth.
  expect(longest).toBeLessThan(2.2 * checkIntervalMs + LATE_MS);
  return { waits: waits.length, 'longest gap': Number((longest / checkIntervalMs).toFixed(2)) };
}

async function timeline(postgres: PostgresServer, { data }: Site): Promise<Happened[]> {
  const sql = "select domain_id, data::json ->> 'name' as name, type, created_at from events order by seq";
  const rows = await postgres.run(data.url, sql);
  return rows.map(({ domain_id, name, type, created_at }) => ({
    domainId: String(domain_id),
    name: String(name),
    type: type as DomainEventType,
    at: Number(created_at),
  }));
}
