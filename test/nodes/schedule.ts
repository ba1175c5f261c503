import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { startPart } from '../../bench/part.ts';
import type { Nameserver } from '../../bench/parts/nameserver.ts';
import { familyCpuSeconds, percentiles } from '../support/figures.ts';
import type { PostgresServer } from '../support/postgres.ts';
import { onPostgres } from '../support/server-data.ts';
import { type Server, startServer } from '../support/server-process.ts';
import { createSite, plant } from '../support/server-site.ts';

/** How several nodes kept the schedule, as the database and the nameserver saw it. */
export interface Kept {
  checks: number;
  /** Questions for an ownership record that were asked again, since their answer did not come in time. */
  'asked again': number;
  /** From when a check was due to when it was claimed, and until the nameserver was asked, in ms. */
  'claimed late': string;
  'asked late': string;
  /** Checks that were claimed, and given up before the nameserver was asked. */
  'never asked': number;
  /** Longest time between two checks of a domain, in periods. */
  'longest gap': number;
  /** CPU time of the nodes together, of PostgreSQL, and of the nameserver. */
  'CPU µs a check': string;
  /** Errors that the nodes logged since their start, and how often. */
  errors: Record<string, number>;
}

export interface ScheduleOptions {
  nodes: number;
  domains: number;
  checkIntervalMs: number;
  /** Over which the first checks are spread, each of which writes that the domain is `verifying` from now on. */
  firstPeriods: number;
  /** Number of periods that are counted after the first ones. */
  periods: number;
}

const WINDOW_MS = 86_400_000;
const ZONES = 1000;
/** Deadline of one check. */
const DEADLINE_MS = 10_000;

/** Lets nodes check domains whose records are not there, and sees that each domain is checked once in each period. */
export async function keepSchedule(postgres: PostgresServer, options: ScheduleOptions): Promise<Kept> {
  const { nodes, domains, checkIntervalMs, firstPeriods, periods } = options;
  const schedule = { checkIntervalMs, windowMs: WINDOW_MS };
  const site = await createSite(schedule, onPostgres(postgres));
  const nameserver = await startPart<Nameserver>(new URL('../../bench/parts/nameserver.ts', import.meta.url), {
    output: join(site.directory, 'nameserver.log'),
  });
  const servers: Server[] = [];
  try {
    const nameserverPort = await nameserver.call.start('absent');
    const { workspaceId } = await plant(site);
    const sql = (text: string, ...values: unknown[]) => postgres.run(site.data.url, text, values);
    for (let i = 0; i < nodes; i++) {
      servers.push(await startServer({ ...schedule, database: site.data.url, nameserverPort }));
    }
    const postmaster = await postgres.pid();
    const cpuSeconds = async () => {
      const ofNodes = await Promise.all(servers.map(cpuOf));
      const ofNameserver = (await nameserver.cpuMicros()) / 1e6;
      return [ofNodes.reduce((sum, each) => sum + each, 0), familyCpuSeconds(postmaster), ofNameserver];
    };
    await sql(WATCH);
    const spreadMs = firstPeriods * checkIntervalMs;
    await sql(POPULATE, domains, workspaceId, Date.now() + 1000, spreadMs, WINDOW_MS, ZONES);
    await sql('analyze');
    await delay(spreadMs + checkIntervalMs);
    await nameserver.call.asked();
    const cpuBefore = await cpuSeconds();
    const from = Date.now();
    await delay(periods * checkIntervalMs);
    const until = Date.now();
    const cpuAfter = await cpuSeconds();
    await Promise.all(servers.map((server) => server.stop()));
    const asked = new Map(Object.entries(await nameserver.call.asked()));
    const claims = (await sql('select * from claims order by name, claimed_at')).map(toClaim);
    const errors: Record<string, number> = {};
    for (const { msg, err } of servers.flatMap((server) => server.errors())) {
      const text = `${msg}: ${err?.message}`;
      errors[text] = (errors[text] ?? 0) + 1;
    }
    const { faults } = await site.data.inspect({ ...schedule, now: () => until });
    expect(faults).toEqual([]);
    const kept = judge(claims, asked, { ...options, from, until });
    const cpu = cpuAfter.map((after, i) => Math.round((1e6 * (after - (cpuBefore[i] ?? 0))) / kept.checks));
    return { ...kept, 'CPU µs a check': cpu.join(' + '), errors };
  } finally {
    await Promise.all(servers.map((server) => server.kill()));
    await nameserver.stop();
    await site.close();
  }
}

/** One check that was claimed. Times are Unix ms. */
interface Claim {
  name: string;
  dueAt: number;
  claimedAt: number;
  nextAt: number;
}

function judge(
  claims: Claim[],
  asked: Map<string, number[]>,
  { domains, checkIntervalMs, from, until }: ScheduleOptions & { from: number; until: number },
): Omit<Kept, 'CPU µs a check' | 'errors'> {
  const byName = Map.groupBy(claims, ({ name }) => name);
  expect(byName.size).toBe(domains);
  const claimedLate: number[] = [];
  const askedLate: number[] = [];
  let askedAgain = 0;
  let neverAsked = 0;
  let longest = 0;
  for (const [name, own] of byName) {
    for (const [i, claim] of own.entries()) {
      const before = own[i - 1];
      // Whoever claims moves the check by a period: nobody else has claimed it in between, and it was due.
      if (before !== undefined) expect(claim.dueAt, name).toBe(before.nextAt);
      expect(claim.claimedAt).toBeGreaterThanOrEqual(claim.dueAt);
      expect(claim.nextAt - claim.dueAt).toBeGreaterThanOrEqual(0.9 * checkIntervalMs);
      if (claim.claimedAt < from || claim.claimedAt >= until) continue;
      claimedLate.push(claim.claimedAt - claim.dueAt);
    }
    const times = asked.get(name) ?? [];
    // The same check asks again when no answer came in time.
    const begun = times.filter((at, i) => i === 0 || at - (times[i - 1] ?? 0) > checkIntervalMs / 2);
    askedAgain += times.length - begun.length;
    const ends = [from, ...begun, until];
    for (const [i, at] of ends.entries()) longest = Math.max(longest, at - (ends[i - 1] ?? at));
    const claimOf = (at: number) => own.findLast(({ claimedAt }) => claimedAt <= at);
    for (const at of begun) askedLate.push(at - (claimOf(at)?.dueAt ?? Number.NaN));
    const claimsAsked = new Set(begun.map(claimOf));
    // Nobody asks without a claim, nor twice for one.
    expect(claimsAsked.size, name).toBe(begun.length);
    const over = own.filter(({ claimedAt }) => claimedAt >= from && claimedAt < until - DEADLINE_MS);
    neverAsked += over.filter((claim) => !claimsAsked.has(claim)).length;
  }
  return {
    checks: claimedLate.length,
    'asked again': askedAgain,
    'never asked': neverAsked,
    'claimed late': percentiles(claimedLate),
    'asked late': percentiles(askedLate),
    'longest gap': Number((longest / checkIntervalMs).toFixed(2)),
  };
}

function toClaim(row: Record<string, unknown>): Claim {
  const { name, due_at, claimed_at, next_at } = row;
  return { name: String(name), dueAt: Number(due_at), claimedAt: Number(claimed_at), nextAt: Number(next_at) };
}

async function cpuOf(server: Server): Promise<number> {
  const said = await server.tell('vitals');
  return said.event === 'vitals' ? said.cpuSeconds : 0;
}

/** Notes each claim in the transaction that makes it. */
const WATCH = `
  create table claims (name text, due_at bigint, claimed_at bigint, next_at bigint);
  create function watch() returns trigger language plpgsql as $$
    begin
      insert into claims
        select d.name, before.next_check_at, floor(extract(epoch from clock_timestamp()) * 1000), after.next_check_at
        from before join after using (domain_id) join domains d on d.id = domain_id
        where after.attempts > before.attempts;
      return null;
    end $$;
  create trigger watch after update on checks referencing old table as before new table as after
    for each statement execute function watch()`;

/**
 * Domains as they are right after their creation, their first checks spread over a period: through the API it would
 * take many minutes.
 */
const POPULATE = `
  with asked as (
    select 'dom_' || lpad(i::text, 26, '0') as id, 'd' || i || '.z' || i % $6::int || '.test' as name, i, e.*
    from generate_series(0, $1::int - 1) as i,
      (select id as environment_id, app_id, project_id, workspace_id from environments where workspace_id = $2) as e
  ), added as (
    insert into domains (id, workspace_id, project_id, app_id, environment_id, name, kind, service, target, token, status,
      created_at, window_started_at, revision)
    select id, workspace_id, project_id, app_id, environment_id, name, 'subdomain', 'service',
      't' || lpad(i::text, 19, '0') || '.cname.nameplate.test', lpad(i::text, 24, '0'), 'pending', $3, $3, 1
    from asked
  ), told as (
    insert into events (id, domain_id, workspace_id, type, data, created_at)
    select 'evt_' || lpad(i::text, 26, '0'), id, workspace_id, 'domain.created', json_build_object('name', name, 'environmentId',
      environment_id, 'status', 'pending', 'routingVerified', false, 'ownershipVerified', false, 'verificationError', null)::text, $3
    from asked
  )
  insert into checks (domain_id, next_check_at, window_ends_at, attempts, unreadable_in_a_row)
  select id, $3 + $4::bigint * i / $1::int, $3 + $5::bigint, 0, 0 from asked`;
