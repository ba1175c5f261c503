import pg from 'pg';
import { type Bench, type Figure, showNumber } from '../figure.ts';
import type { PostgresChecks } from '../parts/postgresChecks.ts';
import { cpuMicrosOf, type PostgresPopulation, populatePostgres } from '../postgres.ts';
import { quantile } from '../spread.ts';

const MOST_DOMAINS = 100_000;
/** How long claims are watched before, at the end, and after. */
const WATCHED_SECONDS = 10;
/** Autovacuum looks once a minute. */
const PATIENCE_SECONDS = 150;

/**
 * Claims while another connection keeps a snapshot open, so that no dead row can be removed: the checks go on as time
 * does.
 */
export const postgresSnapshot: Figure = {
  name: 'postgresSnapshot',
  async measure(bench) {
    const { snapshotSeconds, mostDomains } = bench.effort;
    const server = await bench.postgres();
    const population = await populatePostgres(server, Math.min(MOST_DOMAINS, mostDomains), () => {});
    const part = await bench.start<PostgresChecks>('postgresChecks', { profiled: true });
    await part.call.open(population);
    const serverMicros = await cpuMicrosOf(server);
    const watch = async (words: string) => {
      const before = await serverMicros();
      const { claimsMs, checks } = await part.call.pace(WATCHED_SECONDS);
      const micros = ((await serverMicros()) - before) / checks;
      const dead = (await statistics(population)).dead;
      return { words, claimsMs, checks, micros, dead };
    };

    await part.call.pace(WATCHED_SECONDS);
    const watched = [await watch('before')];
    const other = await holdSnapshot(population);
    await part.call.pace(Math.max(0, snapshotSeconds - WATCHED_SECONDS));
    watched.push(await watch(`after ${snapshotSeconds} s of it`));
    await other.end();
    watched.push(await watch('right after its end'));
    await vacuumed(bench, population, () => part.call.pace(1));
    watched.push(await watch('after autovacuum has come round'));
    const [before] = watched;
    return watched.map(({ words, claimsMs, checks, micros, dead }) => ({
      figure: `PostgreSQL: claims of ${showNumber(population.domains)} pending domains, another snapshot open: ${words}`,
      measured: `p50 ${quantile(claimsMs, 0.5).toFixed(1)} ms, p99 ${quantile(claimsMs, 0.99).toFixed(1)} ms; ${showNumber(checks / WATCHED_SECONDS)} checks/s, each ${showNumber(micros)} CPU-µs of the server; ${showNumber(dead)} dead rows`,
      baseline: words === before?.words ? '' : 'before',
      result:
        before === undefined || words === before.words
          ? ''
          : `${(micros / before.micros).toFixed(2)} times its CPU time`,
      goal: '',
      met: null,
    }));
  },
};

/** A transaction that has read something, and does nothing then. */
async function holdSnapshot({ url }: PostgresPopulation): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('begin isolation level repeatable read');
  await client.query('select count(*) from workspaces');
  return client;
}

async function statistics({ url }: PostgresPopulation): Promise<{ dead: number; vacuums: number }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(
    "select n_dead_tup as dead, autovacuum_count as vacuums from pg_stat_user_tables where relname = 'checks'",
  );
  await client.end();
  return { dead: Number(rows[0]?.dead), vacuums: Number(rows[0]?.vacuums) };
}

async function vacuumed(
  bench: Bench,
  population: PostgresPopulation,
  meanwhile: () => Promise<unknown>,
): Promise<void> {
  const { vacuums } = await statistics(population);
  const end = performance.now() + PATIENCE_SECONDS * 1000;
  while ((await statistics(population)).vacuums === vacuums) {
    if (performance.now() > end) {
      bench.say(`autovacuum did not come round within ${PATIENCE_SECONDS} s`);
      return;
    }
    await meanwhile();
  }
}
