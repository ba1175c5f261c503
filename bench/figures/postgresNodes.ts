import { alternate, type Figure, medianOf, type Row, showNumber, showSpread, toBaseline } from '../figure.ts';
import { CONNECTIONS, getting, type Listening, startServer } from '../http.ts';
import type { Load, Paced } from '../parts/load.ts';
import { cpuMicrosOf, populatePostgres } from '../postgres.ts';

const GOAL = 1.15;
/** Ten times as many as a process remembers. */
const MOST_DOMAINS = 200_000;

/** CPU time of a request to two API processes on one PostgreSQL, against one of them. */
export const postgresNodes: Figure = {
  name: 'postgresNodes',
  async measure(bench) {
    const { effort } = bench;
    const server = await bench.postgres();
    const serverMicros = await cpuMicrosOf(server);
    const population = await populatePostgres(server, Math.min(MOST_DOMAINS, effort.mostDomains));
    const load = await bench.start<Load>('load');
    const nodes = [await startServer(bench, population), await startServer(bench, population)] as const;
    const asking = { ...getting(population), seconds: effort.seconds };

    async function sample(asked: readonly Listening[], run: (port: number) => Promise<Paced>): Promise<Sample> {
      const cpu = async () => (await Promise.all(asked.map(({ part }) => part.cpuMicros()))).reduce((a, b) => a + b);
      const before = [await cpu(), await serverMicros()] as const;
      const all = await Promise.all(asked.map(({ port }) => run(port)));
      const after = [await cpu(), await serverMicros()] as const;
      const requests = all.reduce((sum, { answers }) => sum + answers, 0);
      return { nodes: (after[0] - before[0]) / requests, server: (after[1] - before[1]) / requests };
    }
    const saturate = (connections: number) => (port: number) => load.call.saturate({ ...asking, connections, port });
    const [first] = nodes;
    // Until the compilers have settled.
    for (const { port } of nodes) await saturate(CONNECTIONS)(port);
    const { answers, seconds } = await saturate(CONNECTIONS)(first.port);
    const perSecond = Math.round(answers / seconds / 4);
    const paced = (port: number) => load.call.pace({ ...asking, connections: CONNECTIONS, perSecond, port });

    const rows: Row[] = [];
    for (const { words, two, one } of [
      {
        words: `each at the rate of the one, ${showNumber(perSecond)}/s`,
        two: () => sample(nodes, paced),
        one: () => sample([first], paced),
      },
      {
        words: `with half of ${CONNECTIONS} connections each, at full speed`,
        two: () => sample(nodes, saturate(CONNECTIONS / 2)),
        one: () => sample([first], saturate(CONNECTIONS)),
      },
    ]) {
      const samples = await alternate(effort, { subject: two, baseline: one });
      const ratio = toBaseline(samples, total);
      rows.push({
        figure: `PostgreSQL: getDomain of two API processes, ${words}, ${showNumber(population.domains)} domains requested evenly`,
        measured: show(samples.subject),
        baseline: `one process: ${show(samples.baseline)}`,
        result: `${showSpread(ratio)} times its CPU time`,
        goal: `at most ${GOAL}`,
        met: ratio.median <= GOAL,
      });
    }
    return rows;
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
