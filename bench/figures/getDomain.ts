import { alternate, type Bench, type Figure, medianOf, type Row, showNumber, showSpread } from '../figure.ts';
import { CONNECTIONS, getting, type LoadSample, saturate, startBoth } from '../http.ts';
import type { Load } from '../parts/load.ts';
import type { Population } from '../population.ts';
import { ratioOf } from '../spread.ts';

/** Requests a second when the server is the bottleneck, against the bare server. */
export const often: Figure = {
  name: 'often',
  measure: async (bench) =>
    compare(bench, await bench.populate(Math.min(10_000, bench.effort.mostDomains)), 'requested often', 0.75),
};

export const evenly: Figure = {
  name: 'evenly',
  measure: async (bench) => compare(bench, await bench.shared(bench.effort.mostDomains), 'requested evenly', 0.5),
};

async function compare(bench: Bench, population: Population, asked: string, goal: number): Promise<Row[]> {
  const { effort } = bench;
  const load = await bench.start<Load>('load');
  const { subject, baseline } = await startBoth(bench, population);
  const target = { ...getting(population), connections: CONNECTIONS, seconds: effort.seconds };
  const measureSubject = () => saturate(load, subject, target);
  const measureBaseline = () => saturate(load, baseline, target);
  // Until the compilers have settled.
  await alternate({ ...effort, rounds: 2 }, measureSubject, measureBaseline);
  const samples = await alternate(effort, measureSubject, measureBaseline);
  const ratio = ratioOf(
    samples.subject.map(({ perSecond }) => perSecond),
    samples.baseline.map(({ perSecond }) => perSecond),
  );
  return [
    {
      figure: `getDomain, ${showNumber(population.domains)} domains ${asked}`,
      measured: show(samples.subject),
      baseline: show(samples.baseline),
      result: `${showSpread(ratio)} of its requests a second`,
      goal: `${goal}`,
      met: ratio.median >= goal,
    },
  ];
}

function show(samples: LoadSample[]): string {
  const perSecond = medianOf(samples, (sample) => sample.perSecond);
  const micros = medianOf(samples, (sample) => sample.microsPerRequest);
  const busy = medianOf(samples, (sample) => sample.busy);
  return `${showNumber(perSecond)}/s, ${showNumber(micros)} CPU-µs each, ${busy.toFixed(2)} cores`;
}
