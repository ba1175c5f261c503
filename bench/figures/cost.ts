import { DatabaseSync } from 'node:sqlite';
import { CHECK_INTERVAL_MS } from '../../server/src/domain/schedule.ts';
import { type Bench, type Figure, medianOf, onBoth, type Row, showNumber, showSpread, toOther } from '../figure.ts';
import type { Nameserver } from '../parts/nameserver.ts';
import type { VerifierPart } from '../parts/verifier.ts';
import type { Population } from '../population.ts';
import { ratioOf, spreadOf } from '../spread.ts';
import { type CheckSample, sample } from './checks.ts';

const GOAL = 0.25;
const SMALLEST = 1000;
/** Until the compilers have settled; more where it takes more to read every zone. */
const LEAST_CHECKS = 5000;
const OWN_ZONES = [SMALLEST, 100_000, 1_000_000];
const SHARED = { domains: 100_000, zones: [1000, 1] };

/**
 * CPU time of a check by how many domains are on the schedule, and in how many zones: all in turn, on the present
 * source and the other.
 */
export const cost: Figure = {
  name: 'cost',
  async measure(bench) {
    const most = (domains: number) => Math.min(domains, bench.effort.mostDomains);
    const sizes = [...new Set(OWN_ZONES.map(most))].map((domains) => ({ domains, zones: domains }));
    for (const zones of SHARED.zones) sizes.push({ domains: most(SHARED.domains), zones });
    const nameserver = await bench.start<Nameserver>('nameserver');
    const port = await nameserver.call.start('absent');
    const all: Measured[] = [];
    for (const size of sizes) all.push(await open(bench, port, size));
    for (let round = 0; round < bench.effort.rounds; round++) {
      for (const { runs, samples } of all) {
        samples.subject.push(await runs.subject());
        if (runs.against !== undefined) samples.against.push(await runs.against());
      }
    }
    const smallest = all[0]?.samples.subject.map(microsOf) ?? [];
    return all.map((measured) => rowOf(measured, smallest));
  },
};

interface Size {
  domains: number;
  zones: number;
}

interface Measured extends Size {
  runs: { subject(): Promise<CheckSample>; against: (() => Promise<CheckSample>) | undefined };
  samples: Record<'subject' | 'baseline' | 'against', CheckSample[]>;
}

async function open(bench: Bench, port: number, { domains, zones }: Size): Promise<Measured> {
  const { effort } = bench;
  const { subject, against } = await onBoth(bench, async (checkout) => {
    const population = await bench.populate(domains, { zones, checkout });
    const checkIntervalMs = intervalFor(domains);
    scatter(population, checkIntervalMs);
    const part = await bench.start<VerifierPart>('verifier', { profiled: true, checkout });
    await part.call.open({ path: population.path, port, checkIntervalMs });
    await part.call.warmUp(Math.max(LEAST_CHECKS, zones));
    return () => sample(part, () => part.call.run(effort.seconds));
  });
  return { domains, zones, runs: { subject, against }, samples: { subject: [], baseline: [], against: [] } };
}

/** As many checks fall due in a second, and more than can be done, whatever the number of domains. */
function intervalFor(domains: number): number {
  return (CHECK_INTERVAL_MS * domains) / 1_000_000;
}

/** Makes the checks due in no order, as they are once each has been put off by its own jitter a few times. */
function scatter({ path, createdAt }: Population, intervalMs: number): void {
  const db = new DatabaseSync(path);
  db.exec('pragma synchronous = off');
  db.prepare('update checks set next_check_at = ? + abs(random()) % ?').run(createdAt, Math.ceil(intervalMs));
  db.exec('pragma wal_checkpoint(truncate)');
  db.close();
}

function rowOf({ domains, zones, samples }: Measured, smallest: number[]): Row {
  const ratio = ratioOf(samples.subject.map(microsOf), smallest);
  const where = zones === domains ? 'one zone each' : zones === 1 ? 'one zone' : `${showNumber(zones)} zones`;
  const isOwn = zones === domains;
  return {
    figure: `a check with ${showNumber(domains)} pending domains, ${where}`,
    measured: show(samples.subject),
    baseline: domains === SMALLEST ? '' : `with ${showNumber(SMALLEST)}, one zone each`,
    result: showSpread(ratio),
    goal: isOwn ? `within ${GOAL * 100}%` : '',
    met: isOwn ? Math.abs(ratio.median - 1) <= GOAL : null,
    against: toOther(samples, show, { 'CPU time': microsOf }),
  };
}

const microsOf = ({ microsPerCheck }: CheckSample) => microsPerCheck;

function show(samples: CheckSample[]): string {
  const perSecond = medianOf(samples, (one) => one.perSecond);
  const asked = medianOf(samples, (one) => one.queriesPerCheck).toFixed(1);
  return `${showSpread(spreadOf(samples.map(microsOf)), 0)} CPU-µs, ${asked} queries; ${showNumber(perSecond)}/s`;
}
