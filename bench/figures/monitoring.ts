import { DatabaseSync } from 'node:sqlite';
import { idMaker } from '../../server/src/base/ids.ts';
import { MONITORING_INTERVAL_MS } from '../../server/src/domain/monitoring-schedule.ts';
import { type Figure, type Row, showNumber, showSpread } from '../figure.ts';
import type { MonitoringPart, RanBeside } from '../parts/monitoring.ts';
import type { Nameserver } from '../parts/nameserver.ts';
import { inserting, newDomain, type Population } from '../population.ts';
import { quantile, spreadOf } from '../spread.ts';
import { recordsOf } from '../zone.ts';

const VERIFIED = 1_000_000;
const PENDING = 100_000;
const LATENESS_FACTOR = 2;

/**
 * Measures the daily cost of re-checks of a million verified domains, each in a zone of its own, alone and beside
 * 100,000 pending domains.
 */
export const monitoring: Figure = {
  name: 'monitoring',
  async measure(bench) {
    const { effort } = bench;
    const verified = Math.min(VERIFIED, effort.mostDomains);
    const population = await bench.populate(Math.min(PENDING, effort.mostDomains));
    bench.say(`adds ${showNumber(verified)} verified domains`);
    addVerified(population, verified);
    const nameserver = await bench.start<Nameserver>('nameserver');
    const port = await nameserver.call.start('absent');
    const part = await bench.start<MonitoringPart>('monitoring', { profiled: true });
    await part.call.open({ path: population.path, port });

    const simulate = () => part.call.simulate({ domains: verified, rechecks: 1000 * effort.seconds });
    await simulate();
    const samples = [];
    for (let round = 0; round < effort.rounds; round++) samples.push(await simulate());
    spread(population);
    const seconds = 10 * effort.seconds;
    const alone = await part.call.run({ seconds, monitored: false });
    const beside = await part.call.run({ seconds, monitored: true });
    return [simulatedRow(verified, samples), besideRow(population.domains, verified, alone, beside)];
  },
};

function simulatedRow(verified: number, samples: { micros: number; queries: number }[]): Row {
  const micros = spreadOf(samples.map((sample) => sample.micros));
  const queries = spreadOf(samples.map((sample) => sample.queries));
  return {
    figure: `a re-check with ${showNumber(verified)} verified domains, each in a zone of its own`,
    measured: `${showSpread(micros, 0)} CPU-µs, ${showSpread(queries, 1)} queries`,
    baseline: '',
    result: '',
    goal: '',
    met: null,
  };
}

function besideRow(pending: number, verified: number, alone: RanBeside, beside: RanBeside): Row {
  const p99 = ({ latenessMs }: RanBeside) => quantile(latenessMs, 0.99);
  const show = (run: RanBeside) =>
    `${run.cpuCores.toFixed(2)} cores, ${run.queries.toFixed(0)} queries a second; lateness p99 ${p99(run).toFixed(0)} ms`;
  return {
    figure: `${showNumber(pending)} pending domains, with ${showNumber(verified)} verified ones re-checked daily (${beside.rechecks.toFixed(1)} a second) beside them`,
    measured: show(beside),
    baseline: `without: ${show(alone)}`,
    result: `lateness times ${(p99(beside) / Math.max(1, p99(alone))).toFixed(2)}`,
    goal: `within ${LATENESS_FACTOR} times`,
    met: p99(beside) <= LATENESS_FACTOR * Math.max(p99(alone), 250),
  };
}

function addVerified({ path, ids, createdAt, zones }: Population, count: number): void {
  const db = new DatabaseSync(path);
  db.exec('pragma synchronous = off; pragma cache_size = -524288');
  const insert = inserting(db);
  const newId = idMaker({ now: () => createdAt });
  const flags = {
    status: 'verified',
    verifiedAt: createdAt,
    routingVerifiedAt: createdAt,
    ownershipVerifiedAt: createdAt,
  } as const;
  db.exec('begin');
  for (let number = 0; number < count; number++) {
    // Zones of their own, beyond those of the pending domains.
    const name = `www.z${zones + number}.test`;
    const domain = { ...newDomain(ids, newId('dom'), name, createdAt), ...recordsOf(name), ...flags };
    const { id: domainId, environmentId } = domain;
    const nextCheckAt = createdAt + Math.floor((MONITORING_INTERVAL_MS * number) / count);
    insert('domains', domain);
    insert('routes', { hostname: name, domainId, environmentId });
    insert('monitors', { domainId, nextCheckAt, attempts: 0 });
    if (number % 50_000 === 0) db.exec('commit; begin');
  }
  db.exec('commit; pragma wal_checkpoint(truncate)');
  db.close();
}

/** Makes re-checks due as evenly as they are in the long run, and checks due from now on. */
function spread({ path }: Population): void {
  const now = Date.now();
  const db = new DatabaseSync(path);
  db.exec('pragma synchronous = off');
  db.prepare('update monitors set next_check_at = ? + abs(random()) % ?').run(now, MONITORING_INTERVAL_MS);
  db.prepare('update checks set next_check_at = ? + abs(random()) % 60000, window_ends_at = ?').run(
    now,
    now + 86_400_000,
  );
  db.exec('pragma wal_checkpoint(truncate)');
  db.close();
}
