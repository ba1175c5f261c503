import { alternate, type Figure, medianOf, showNumber, showSpread } from '../figure.ts';
import { CONNECTIONS, getting, type Listening, saturate, serve } from '../http.ts';
import type { Load } from '../parts/load.ts';
import { cpuMicrosOf, populatePostgres } from '../postgres.ts';
import { ratioOf } from '../spread.ts';

const GOAL = 1.15;
/** Ten times as many as a process remembers. */
const MOST_DOMAINS = 200_000;
/** More than are ever busy, so that no request waits for one. */
const OPEN_CONNECTIONS = 128;

/** CPU time of a request to two API processes on one PostgreSQL, against as many requests to one of them. */
export const postgresNodes: Figure = {
  name: 'postgresNodes',
  async measure(bench) {
    const { effort } = bench;
    const server = await bench.postgres();
    const serverMicros = await cpuMicrosOf(server);
    const population = await populatePostgres(server, Math.min(MOST_DOMAINS, effort.mostDomains), () => {});
    const load = await bench.start<Load>('load');
    const nodes = [await serve(bench, population.url), await serve(bench, population.url)] as const;
    const asking = { ...getting(population), seconds: effort.seconds };
    for (const node of nodes) await saturate(load, node, { ...asking, connections: CONNECTIONS });
    const most = await saturate(load, nodes[0], { ...asking, connections: CONNECTIONS });
    const perSecond = Math.round(most.perSecond / 2);

    /** As many requests in all, the same to each. */
    async function sample(asked: readonly Listening[]): Promise<Sample> {
      const cpu = async () => (await Promise.all(asked.map(({ part }) => part.cpuMicros()))).reduce((a, b) => a + b);
      const before = [await cpu(), await serverMicros()] as const;
      const share = { perSecond: perSecond / asked.length, connections: OPEN_CONNECTIONS / asked.length };
      const paced = await Promise.all(asked.map(({ port }) => load.call.pace({ ...asking, ...share, port })));
      const after = [await cpu(), await serverMicros()] as const;
      const requests = paced.reduce((sum, { answers }) => sum + answers, 0);
      return { nodes: (after[0] - before[0]) / requests, server: (after[1] - before[1]) / requests };
    }
    const two = () => sample(nodes);
    const one = () => sample(nodes.slice(0, 1));
    await alternate({ ...effort, rounds: 1 }, two, one);
    const samples = await alternate(effort, two, one);
    const ratio = ratioOf(samples.subject.map(total), samples.baseline.map(total));
    return [
      {
        figure: `PostgreSQL: getDomain at ${showNumber(perSecond)}/s in all to two API processes, ${showNumber(population.domains)} domains asked evenly`,
        measured: show(samples.subject),
        baseline: `one process: ${show(samples.baseline)}`,
        result: `${showSpread(ratio)} times its CPU time`,
        goal: `at most ${GOAL}`,
        met: ratio.median <= GOAL,
      },
    ];
  },
};

/** CPU-µs of a request. */
interface Sample {
  nodes: number;
  server: number;
}

function total({ nodes, server }: Sample): number {
  return nodes + server;
}

function show(samples: Sample[]): string {
  const nodes = medianOf(samples, (sample) => sample.nodes);
  const server = medianOf(samples, (sample) => sample.server);
  return `${showNumber(nodes)} CPU-µs each and ${showNumber(server)} of the server`;
}
