import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { isBundled } from '../../bin/bundle.mjs';
import { nextFree } from '../../server/src/cli/api/ports.ts';
import { type Checkout, PRESENT } from '../checkout.ts';
import {
  alternate,
  alternateWarm,
  type Bench,
  type Contenders,
  eachOf,
  type Figure,
  medianOf,
  onBoth,
  type Row,
  showSpread,
  toOther,
} from '../figure.ts';
import type { Population } from '../population.ts';
import { spreadOf } from '../spread.ts';

const START_GOAL_MS = 600;
const VERSION_GOAL_MS = 100;
const ALL_ROLES = 'api,verifier,certificates,edge';
const MEMORY_GOAL_MB = { [ALL_ROLES]: 130, api: 110 } as const;
const IDLE_MS = 5000;

type Roles = keyof typeof MEMORY_GOAL_MB;

/** A command line without its arguments, and what its environment has besides the server's. */
interface Program {
  words: string[];
  env: Record<string, string | undefined>;
}

/**
 * `nameplate serve` as an operator runs it, on a database that is there already; beside it the sources, which a clone
 * without a bundle runs.
 */
export const start: Figure = {
  name: 'start',
  async measure(bench) {
    if (!isBundled(PRESENT.root)) throw new Error('dist/ is missing or outdated: npm run build');
    const words = [process.execPath, '--enable-source-maps', join(PRESENT.root, 'server/src/cli/cli.ts')];
    const sources = { words, env: { NODE_COMPILE_CACHE: bench.path('compiled') } };
    const both = await onBoth(bench, async (checkout) => ({
      program: programOf(checkout),
      population: await idlePopulation(bench, checkout),
    }));
    const contenders = (roles: Roles, measure: (served: Served) => Promise<number>): Contenders<number> => {
      const run = async (idle: Idle) => {
        const served = await serve(idle, roles);
        const measured = await measure(served);
        await served.stop();
        return measured;
      };
      const { population } = both.subject;
      return { ...eachOf(both, run), baseline: () => run({ program: sources, population }) };
    };
    const rows = [
      await startRow(
        bench,
        contenders(ALL_ROLES, async ({ firstAnswerMs }) => firstAnswerMs),
      ),
    ];
    for (const roles of Object.keys(MEMORY_GOAL_MB) as Roles[])
      rows.push(await memoryRow(roles, contenders(roles, idleMegabytes)));
    return [...rows, await versionRow(bench)];
  },
};

function programOf({ root }: Checkout): Program {
  return { words: [join(root, 'bin/nameplate')], env: {} };
}

/** Domains that are verified, so that the program is idle. */
async function idlePopulation(bench: Bench, checkout: Checkout): Promise<Population> {
  const population = await bench.populate(Math.min(10_000, bench.effort.mostDomains), { checkout });
  const db = new DatabaseSync(population.path);
  db.exec('delete from checks');
  db.close();
  return population;
}

async function startRow({ effort }: Bench, contenders: Contenders<number>): Promise<Row> {
  // The first ones fill the cache of compiled code, as the first start after an upgrade does.
  const samples = await alternateWarm({ rounds: effort.starts }, contenders);
  const { median } = spreadOf(samples.subject);
  return {
    figure: `nameplate serve, all roles: start → first response, ${effort.starts} times`,
    measured: showMs(samples.subject),
    baseline: `the sources: ${showMs(samples.baseline)}`,
    result: `${(median / 1000).toFixed(2)} s`,
    goal: `under ${START_GOAL_MS / 1000} s`,
    met: median < START_GOAL_MS,
    against: toOther(samples, showMs, { time: Number }),
  };
}

async function memoryRow(roles: Roles, contenders: Contenders<number>): Promise<Row> {
  const samples = await alternate({ rounds: 1 }, contenders);
  const megabytes = medianOf(samples.subject, Number);
  const goal = MEMORY_GOAL_MB[roles];
  const show = (values: number[]) => `${medianOf(values, Number).toFixed(0)} MB`;
  return {
    figure: `nameplate serve, ${roles === 'api' ? 'role api' : 'all roles'}: idle memory after ${IDLE_MS / 1000} s`,
    measured: `${show(samples.subject)} resident`,
    baseline: `the sources: ${show(samples.baseline)}`,
    result: show(samples.subject),
    goal: `under ${goal} MB`,
    met: megabytes < goal,
    against: toOther(samples, show, { memory: Number }),
  };
}

async function versionRow(bench: Bench): Promise<Row> {
  const rounds = 2 * bench.effort.starts;
  const both = await onBoth(bench, async (checkout) => programOf(checkout));
  const samples = await alternate(
    { rounds },
    {
      ...eachOf(both, ({ words, env }) => duration([...words, '--version'], env)),
      baseline: () => duration([process.execPath, '--eval', '0'], {}),
    },
  );
  const extra = medianOf(samples.subject, Number) - medianOf(samples.baseline, Number);
  return {
    figure: `nameplate --version, ${rounds} times`,
    measured: showMs(samples.subject),
    baseline: `node --eval 0: ${showMs(samples.baseline)}`,
    result: `${extra.toFixed(0)} ms more`,
    goal: `under ${VERSION_GOAL_MS} ms more`,
    met: extra < VERSION_GOAL_MS,
    against: toOther(samples, showMs, { time: Number }),
  };
}

function showMs(values: number[]): string {
  return `${showSpread(spreadOf(values), 0)} ms`;
}

async function duration([command = '', ...words]: string[], env: Program['env']): Promise<number> {
  const began = performance.now();
  await once(spawn(command, words, { env: { PATH: process.env.PATH, ...env }, stdio: 'ignore' }), 'exit');
  return performance.now() - began;
}

async function idleMegabytes({ metrics }: Served): Promise<number> {
  await delay(IDLE_MS);
  const text = await (await fetch(`${metrics}/metrics`)).text();
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1]) / 1e6;
}

interface Idle {
  program: Program;
  population: Population;
}

interface Served {
  /** From the start of the process to its first response. */
  firstAnswerMs: number;
  metrics: string;
  stop(): Promise<void>;
}

async function serve({ program: { words, env: own }, population: { path } }: Idle, roles: Roles): Promise<Served> {
  const port = await nextFree(20_000 + Math.floor(Math.random() * 10_000), { udp: false });
  const metricsPort = await nextFree(port + 1, { udp: false });
  const env = {
    PATH: process.env.PATH,
    NAMEPLATE_LISTEN: `127.0.0.1:${port}`,
    NAMEPLATE_METRICS_LISTEN: `127.0.0.1:${metricsPort}`,
    NAMEPLATE_EDGE_HTTP_LISTEN: '127.0.0.1:0',
    NAMEPLATE_EDGE_HTTPS_LISTEN: '127.0.0.1:0',
    NAMEPLATE_EDGE_THREADS: '1',
    NAMEPLATE_DATABASE_URL: `sqlite:${path}`,
    NAMEPLATE_CNAME_ZONE: 'cname.bench.test',
    // Nobody listens there, and nobody is asked.
    NAMEPLATE_DNS_RESOLVERS: '127.0.0.1:1',
    NAMEPLATE_ISSUER: 'internal',
    NAMEPLATE_ROLES: roles,
    ...own,
  };
  const [command = '', ...rest] = words;
  const began = performance.now();
  const child = spawn(command, [...rest, 'serve'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  await answered(`http://127.0.0.1:${port}/v2/liveness`, child);
  const firstAnswerMs = performance.now() - began;
  return { firstAnswerMs, metrics: `http://127.0.0.1:${metricsPort}`, stop: () => end(child) };
}

async function answered(url: string, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const answer = await fetch(url).catch(() => null);
    if (answer?.ok) return;
    await delay(5);
  }
  throw new Error(`nameplate serve ended with ${child.exitCode}`);
}

async function end(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
