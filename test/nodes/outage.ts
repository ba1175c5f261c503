import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { createLedger, type Entry, reconcile } from '../support/acknowledged.ts';
import { type Answer, ask, type Operation } from '../support/api-client.ts';
import { percentiles } from '../support/figures.ts';
import { create, publish, readHeld, type Scene } from '../support/load.ts';
import type { PostgresServer } from '../support/postgres.ts';
import type { Random } from '../support/seeded-random.ts';
import { onPostgres } from '../support/server-data.ts';
import type { Server } from '../support/server-process.ts';
import { createSite, plant, until } from '../support/server-site.ts';
import { watchChecks } from './watch.ts';

/**
 * The responses to clients before, during and after an outage of PostgreSQL, and the time until everything worked
 * again.
 */
export interface Outlived {
  phases: Row[];
  /** From when PostgreSQL took connections again, in ms. */
  recovery: Record<'read' | 'written' | 'ready' | 'checked', number>;
}

interface Row {
  phase: string;
  seconds: number;
  operation: Operation;
  requests: number;
  /** Responses with 500 and Retry-After. */
  failed: number;
  ms: string;
}

export interface OutageOptions {
  awayMs: number;
  /** Under load, before and after. */
  aroundMs: number;
  checkIntervalMs: number;
  /** That wait for their records all the time. */
  domains: number;
}

interface Asked {
  at: number;
  operation: Operation;
  status: number;
  tookMs: number;
}

const WINDOW_MS = 86_400_000;
const CLIENTS = 8;
const PAUSE_MS = 25;

/**
 * Stops PostgreSQL for a time while two nodes are used, and sees that they say so, go on by themselves, and lose
 * nothing.
 */
export async function outlive(postgres: PostgresServer, random: Random, options: OutageOptions): Promise<Outlived> {
  const { awayMs, aroundMs, checkIntervalMs, domains } = options;
  const site = await createSite({ checkIntervalMs, windowMs: WINDOW_MS }, onPostgres(postgres));
  const watch = watchChecks(site.dns);
  try {
    const tenants = [await plant(site), await plant(site)] as const;
    const scene: Scene = { site, tenants, ledger: createLedger(), random };
    const nodes = await Promise.all([site.serve(), site.serve()]);
    const waiting = await Promise.all(Array.from({ length: domains }, () => createWaiting(scene, nodes)));
    const load = startAsking(scene, nodes, waiting);
    await delay(aroundMs);
    const [late, published] = [waiting[0] as Entry, waiting[1] as Entry];
    await endWindows(postgres, scene, [late, published], Date.now() + awayMs / 2);

    const marks = [{ phase: 'before', at: load.beganAt }];
    const mark = (phase: string) => marks.push({ phase, at: Date.now() });
    load.mayFail(true);
    mark('away');
    await postgres.stop();
    await Promise.all([delay(awayMs), expectUnready(nodes)]);
    publish(site, published);
    mark('starting');
    await postgres.start();
    mark('recovering');
    const backAt = Date.now();
    const recovery = await recovered(load, nodes, watch.asked, backAt);
    load.mayFail(false);
    mark('after');
    await delay(aroundMs);
    await load.stop();
    mark('end');

    await until('every domain is looked at again', () =>
      waiting.every(({ name }) => (watch.asked.get(name)?.at(-1) ?? 0) > backAt),
    );
    await expectLastLook(postgres, scene, { late, published, backAt }, watch.asked);
    for (const node of nodes) expect(node.isRunning()).toBe(true);
    const contents = await site.data.inspect({ ...site, now: Date.now });
    // Both windows were ended by hand.
    expect(contents.faults.filter((fault) => !fault.startsWith("a check's window"))).toEqual([]);
    expect(reconcile(scene.ledger, contents)).toEqual([]);
    await Promise.all(nodes.map((node) => node.stop()));
    return { phases: tabulate(load.asked, marks), recovery };
  } finally {
    watch.stop();
    await site.close();
  }
}

/** A domain whose records are not there. */
async function createWaiting({ site, ...scene }: Scene, [node]: Server[]): Promise<Entry> {
  const [tenant] = scene.tenants;
  const entry = await create(
    { ...scene, site, random: { ...scene.random, chance: () => false } },
    node?.url ?? '',
    tenant,
  );
  await until('its first check is over', async () => (await readHeld(node?.url ?? '', entry)).status === 'verifying');
  return entry;
}

/** Clients that create, read and retry domains at both nodes, and hold every answer against what was promised. */
function startAsking({ ledger, tenants, random }: Scene, nodes: Server[], waiting: Entry[]) {
  const asked: Asked[] = [];
  const beganAt = Date.now();
  let [stopped, mayFail, names] = [false, false, 0];

  async function askAny(operation: Operation, name: string): Promise<Answer> {
    const { url } = random.pick(nodes) as Server;
    const at = Date.now();
    const answer = await ask(url, tenants[0], operation, name);
    asked.push({ at, operation, status: answer.status, tookMs: Date.now() - at });
    if (answer.status === 500) expectRefusal(answer);
    expect([200, 202, ...(mayFail ? [500] : [])], `${operation} ${name}`).toContain(answer.status);
    return answer;
  }

  async function act(): Promise<void> {
    const entry = random.pick(waiting.slice(2)) as Entry;
    const dice = random.next();
    if (dice < 0.6) await askAny('getDomain', entry.name);
    else if (dice < 0.8) await askAny('verifyDomain', entry.name);
    else {
      names += 1;
      const added: Entry = { ...entry, name: `a${names}.outage.test`, state: 'asked', id: null, records: [] };
      ledger.entries.push(added);
      const { status, data } = await askAny('createDomain', added.name);
      if (status === 200) Object.assign(added, { state: 'held', id: data?.domainId, records: data?.dnsRecords });
    }
  }

  const clients = Array.from({ length: CLIENTS }, async () => {
    while (!stopped) {
      await act();
      await delay(random.between(0, 2 * PAUSE_MS));
    }
  });
  const ended = Promise.all(clients);
  ended.catch(() => {});
  return {
    asked,
    beganAt,
    ended,
    mayFail(may: boolean) {
      mayFail = may;
    },
    async stop() {
      stopped = true;
      await ended;
    },
  };
}

/** The documented error, and when to come again. */
function expectRefusal({ error, requestId, headers }: Answer): void {
  expect(headers.get('retry-after')).toBe('1');
  expect(error).toMatchObject({ status: 500, title: 'Internal Server Error', type: 'internal-server-error' });
  expect(error?.detail).toContain(requestId);
}

/** Alive, and not ready, with the reason. */
async function expectUnready(nodes: Server[]): Promise<void> {
  for (const { url } of nodes) {
    await until('it says that it is not ready', async () => (await fetch(`${url}/readyz`)).status === 503);
    expect(await (await fetch(`${url}/readyz`)).json()).toEqual({
      status: 'not ready',
      reason: 'The store cannot be read and written.',
    });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect((await fetch(`${url}/v2/liveness`)).status).toBe(200);
  }
}

/** How soon after `backAt` each thing worked again, for the first time. */
async function recovered(
  load: ReturnType<typeof startAsking>,
  nodes: Server[],
  checked: ReadonlyMap<string, number[]>,
  backAt: number,
): Promise<Outlived['recovery']> {
  const since = async (what: string, at: () => number | undefined | Promise<number | undefined>) => {
    let found: number | undefined;
    await until(what, async () => {
      found = await Promise.race([at(), load.ended.then(() => undefined)]);
      return found !== undefined;
    });
    return (found ?? 0) - backAt;
  };
  const first = (...operations: Operation[]) =>
    load.asked.find(({ at, operation, status }) => at >= backAt && status !== 500 && operations.includes(operation))
      ?.at;
  const ready = async () => {
    const answers = await Promise.all(nodes.map(({ url }) => fetch(`${url}/readyz`)));
    return answers.every(({ status }) => status === 200) ? Date.now() : undefined;
  };
  const [read, written, isReady, isChecked] = await Promise.all([
    since('domains are read again', () => first('getDomain')),
    since('domains are written again', () => first('createDomain')),
    since('both nodes are ready again', ready),
    since('checks go on', () =>
      [...checked.values()]
        .flat()
        .sort()
        .find((at) => at >= backAt),
    ),
  ]);
  return { read, written, ready: isReady, checked: isChecked };
}

/** Moves the windows of domains, so that they end at a time. */
async function endWindows(postgres: PostgresServer, { site }: Scene, entries: Entry[], at: number): Promise<void> {
  const ids = entries.map(({ id }) => id);
  const run = (sql: string, value: number) => postgres.run(site.data.url, sql, [ids, value]);
  await run('update domains set window_started_at = $2 where id = any($1)', at - WINDOW_MS);
  await run(
    'update checks set window_ends_at = $2, next_check_at = least(next_check_at, $2) where domain_id = any($1)',
    at,
  );
}

/**
 * A window that ended while nobody could look: whoever published meanwhile is verified, and nobody fails without a
 * look.
 */
async function expectLastLook(
  postgres: PostgresServer,
  { site }: Scene,
  { late, published, backAt }: { late: Entry; published: Entry; backAt: number },
  asked: ReadonlyMap<string, number[]>,
): Promise<void> {
  const statusOf = async ({ id }: Entry) =>
    (await postgres.run(site.data.url, 'select status, updated_at from domains where id = $1', [id]))[0];
  await until('the windows are over', async () => {
    const found = [await statusOf(late), await statusOf(published)];
    return found.every((row) => row?.status === 'verified' || row?.status === 'failed');
  });
  expect((await statusOf(published))?.status).toBe('verified');
  const failed = await statusOf(late);
  expect(failed?.status).toBe('failed');
  const looked = asked.get(late.name)?.filter((at) => at > backAt && at <= Number(failed?.updated_at)) ?? [];
  expect(looked.length).toBeGreaterThan(0);
}

function tabulate(asked: Asked[], marks: { phase: string; at: number }[]): Row[] {
  return marks.slice(0, -1).flatMap(({ phase, at: from }, i) => {
    const until = marks[i + 1]?.at ?? from;
    const within = asked.filter(({ at }) => at >= from && at < until);
    return [...Map.groupBy(within, ({ operation }) => operation)].map(([operation, own]) => ({
      phase,
      seconds: Number(((until - from) / 1000).toFixed(1)),
      operation,
      requests: own.length,
      failed: own.filter(({ status }) => status === 500).length,
      ms: percentiles(own.map(({ tookMs }) => tookMs)),
    }));
  });
}
