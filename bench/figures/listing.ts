import { DatabaseSync } from 'node:sqlite';
import { type Bench, type Figure, type Row, showNumber, showSpread } from '../figure.ts';
import type { Part } from '../part.ts';
import { FILTER_NAMES, type Filter, type Listing } from '../parts/listing.ts';
import { cpuMicrosOf, populatePostgres } from '../postgres.ts';
import { ratioOf, spreadOf } from '../spread.ts';

const SIZES = [1000, 100_000, 1_000_000];
const GOAL = 2;
/** It looks at as many domains as a page may, which are more than there are in the smallest database. */
const SCANS: Filter[] = ['a search that finds nothing', 'a common pair and a rare status'];

/**
 * A page of 100 of domains.listWorkspaceDomains through the store, by how many domains there are and how few of them
 * are wanted: all sizes in turn.
 */
export const listing: Figure = {
  name: 'listing',
  async measure(bench) {
    const measured: Measured[] = [];
    for (const domains of sizes(bench)) {
      const population = await bench.populate(domains);
      const db = new DatabaseSync(population.path);
      for (const statement of VARIETY) db.exec(statement);
      db.exec('pragma wal_checkpoint(truncate)');
      db.close();
      const { workspaceId } = population.ids;
      const part = await openPart(bench, { databaseUrl: `sqlite:${population.path}`, workspaceId });
      measured.push({ domains, part, serverMicros: async () => 0 });
    }
    return measureAll(bench, 'SQLite', measured);
  },
};

/** The same on PostgreSQL, each size on a server of its own; its CPU time counts. */
export const postgresListing: Figure = {
  name: 'postgresListing',
  async measure(bench) {
    const measured: Measured[] = [];
    for (const domains of sizes(bench)) {
      const server = await bench.postgres();
      const { url, ids } = await populatePostgres(server, domains, (done) => {
        if (done % 200_000 === 0) bench.say(`${done} of ${domains} domains made`);
      });
      for (const statement of [...VARIETY, 'vacuum analyze']) await server.run(url, statement);
      await server.run(server.url('postgres'), 'checkpoint');
      const part = await openPart(bench, { databaseUrl: url, workspaceId: ids.workspaceId });
      measured.push({ domains, part, serverMicros: await cpuMicrosOf(server) });
    }
    return measureAll(bench, 'PostgreSQL', measured);
  },
};

function sizes({ effort }: Bench): number[] {
  return [...new Set(SIZES.map((size) => Math.min(size, effort.mostDomains)))];
}

/**
 * All domains begin as `verifying`. A third becomes verified, with a certificate; three fail, and three certificates
 * do. A third has an external id and a pair of metadata; three have the same id.
 */
const VARIETY = [
  "update domains set status = 'verified' where substr(id, 30, 1) <= '9'",
  "insert into routes (hostname, domain_id, environment_id) select name, id, environment_id from domains where status = 'verified'",
  "insert into certificates (hostname, state, created_at, workspace_id, next_try_at, begun, lease, failures) select name, 'issued', 0, workspace_id, 0, 1, 1, 0 from domains where status = 'verified'",
  "update domains set status = 'failed' where id in (select id from domains where status = 'verifying' order by id limit 3)",
  `update domains set external_id = 'customer_' || name, metadata = '{"plan":"pro"}' where substr(id, 29, 1) <= '9'`,
  "update domains set external_id = 'customer_7' where id in (select id from domains order by id limit 3)",
  "insert into domain_pairs (workspace_id, key, value, place, domain_id) select workspace_id, '', external_id, environment_id || '.' || id, id from domains where external_id is not null",
  "insert into domain_pairs (workspace_id, key, value, place, domain_id) select workspace_id, 'plan', 'pro', environment_id || '.' || id, id from domains where metadata is not null",
  "update certificates set state = 'failed' where hostname in (select hostname from certificates order by hostname limit 3)",
];

async function openPart(
  bench: Bench,
  population: { databaseUrl: string; workspaceId: string },
): Promise<Part<Listing>> {
  const part = await bench.start<Listing>('listing', { profiled: true });
  await part.call.open(population);
  return part;
}

interface Measured {
  domains: number;
  part: Part<Listing>;
  serverMicros(): Promise<number>;
}

/** Time of one page, in microseconds. */
interface Sample {
  cpu: number;
  wall: number;
}

async function measureAll(bench: Bench, engine: string, measured: Measured[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const filter of FILTER_NAMES) rows.push(...(await measureFilter(bench, engine, measured, filter)));
  return rows;
}

async function measureFilter({ effort }: Bench, engine: string, measured: Measured[], filter: Filter): Promise<Row[]> {
  const seconds = effort.seconds / 4;
  for (const { part } of measured) await part.call.list(filter, seconds);
  const samples = measured.map((): Sample[] => []);
  for (let round = 0; round < effort.rounds; round++) {
    for (const [at, { part, serverMicros }] of measured.entries()) {
      const before = await serverMicros();
      const { pages, cpuMicros, wallMicros } = await part.call.list(filter, seconds);
      const server = (await serverMicros()) - before;
      samples[at]?.push({ cpu: (cpuMicros + server) / pages, wall: wallMicros / pages });
    }
  }
  const smallest = samples[0]?.map(({ cpu }) => cpu) ?? [];
  return measured.map(({ domains }, at): Row => {
    const own = samples[at] ?? [];
    const ratio = ratioOf(
      own.map(({ cpu }) => cpu),
      smallest,
    );
    const hasGoal = at > 0 && !SCANS.includes(filter);
    const show = (read: (sample: Sample) => number) => showSpread(spreadOf(own.map(read)), 0);
    return {
      figure: `${engine}: a page of ${showNumber(domains)} domains, ${filter}`,
      measured: `${show(({ wall }) => wall)} µs, ${show(({ cpu }) => cpu)} CPU-µs`,
      baseline: at === 0 ? '' : `with ${showNumber(measured[0]?.domains ?? 0)}`,
      result: `${showSpread(ratio)} of its CPU time`,
      goal: hasGoal ? `within ${GOAL} times` : '',
      met: hasGoal ? ratio.median <= GOAL : null,
    };
  });
}
