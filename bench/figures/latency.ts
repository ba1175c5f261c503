import { alternate, type Bench, type Figure, medianOf, type Row, showNumber, showSpread } from '../figure.ts';
import { CONNECTIONS, getting, saturate, startBoth, startServer } from '../http.ts';
import type { Load, Paced } from '../parts/load.ts';
import type { Nameserver } from '../parts/nameserver.ts';
import { ratioOf } from '../spread.ts';

const GOAL = 2;
/** More than are ever busy, so that no request waits for one. */
const OPEN_CONNECTIONS = 128;

/** The slowest of a hundred requests, when they come at half the rate that Nameplate can bear; the bare server gets as many. */
export const latency: Figure = {
  name: 'latency',
  async measure(bench) {
    const { effort } = bench;
    const population = await bench.populate(Math.min(10_000, effort.mostDomains));
    const load = await bench.start<Load>('load');
    const { subject, baseline } = await startBoth(bench, population);
    const asking = { ...getting(population), seconds: effort.seconds };
    await saturate(load, baseline, { ...asking, connections: CONNECTIONS });
    await saturate(load, subject, { ...asking, connections: CONNECTIONS });
    const most = await saturate(load, subject, { ...asking, connections: CONNECTIONS });
    const perSecond = Math.round(most.perSecond / 2);
    const pace = { ...asking, connections: OPEN_CONNECTIONS, perSecond };
    const samples = await alternate(
      effort,
      () => load.call.pace({ ...pace, port: subject.port }),
      () => load.call.pace({ ...pace, port: baseline.port }),
    );
    return [compare(`p99 of getDomain at ${showNumber(perSecond)}/s, half of what saturates`, samples)];
  },
};

/** The same with checks going on in the process, against the same process without. */
export const beside: Figure = {
  name: 'beside',
  measure: async (bench) => [
    await measureBeside(bench, '100,000 domains checked once a minute', 60_000),
    await measureBeside(bench, 'continuous checks', 1),
  ],
};

async function measureBeside(bench: Bench, words: string, checkIntervalMs: number): Promise<Row> {
  const { effort } = bench;
  const population = await bench.populate(Math.min(100_000, effort.mostDomains));
  const nameserver = await bench.start<Nameserver>('nameserver');
  const port = await nameserver.call.start('absent');
  const load = await bench.start<Load>('load');
  const server = await startServer(bench, population);
  const asking = { ...getting(population), seconds: effort.seconds };
  await saturate(load, server, { ...asking, connections: CONNECTIONS });
  const most = await saturate(load, server, { ...asking, connections: CONNECTIONS });
  const perSecond = Math.round(most.perSecond / 2);
  const paced = () => load.call.pace({ ...asking, connections: OPEN_CONNECTIONS, perSecond, port: server.port });
  const checking = async () => {
    await server.part.call.check({ port, checkIntervalMs });
    const sample = await paced();
    await server.part.call.rest();
    return sample;
  };
  const samples = await alternate(effort, checking, paced);
  await Promise.all([server.part.stop(), nameserver.stop(), load.stop()]);
  return compare(`p99 of getDomain at ${showNumber(perSecond)}/s beside ${words}`, samples);
}

function compare(figure: string, { subject, baseline }: { subject: Paced[]; baseline: Paced[] }): Row {
  const ratio = ratioOf(
    subject.map(({ p99Ms }) => p99Ms),
    baseline.map(({ p99Ms }) => p99Ms),
  );
  return {
    figure,
    measured: show(subject),
    baseline: show(baseline),
    result: `${showSpread(ratio)} times as long`,
    goal: `within ${GOAL} times`,
    met: ratio.median <= GOAL,
  };
}

function show(samples: Paced[]): string {
  const p50 = medianOf(samples, ({ p50Ms }) => p50Ms);
  const p99 = medianOf(samples, ({ p99Ms }) => p99Ms);
  return `${p99.toFixed(2)} ms (p50 ${p50.toFixed(2)} ms)`;
}
