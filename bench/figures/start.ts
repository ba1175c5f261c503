import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { isBundled } from '../../bin/bundle.mjs';
import { nextFree } from '../../src/playground/ports.ts';
import { alternate, type Bench, type Figure, medianOf, type Row, showSpread } from '../figure.ts';
import type { Population } from '../population.ts';
import { spreadOf } from '../spread.ts';

const START_GOAL_MS = 600;
const VERSION_GOAL_MS = 100;
const MEMORY_GOAL_MB = { 'api,verifier,certificates,edge': 130, api: 110 };
const IDLE_MS = 5000;
const ROOT = dirname(dirname(import.meta.dirname));

type Roles = keyof typeof MEMORY_GOAL_MB;

/** A command line without its arguments, and what its environment has besides the server's. */
interface Program {
  words: string[];
  env: Record<string, string | undefined>;
}

/** `nameplate serve` as an operator runs it, on a database that is there already; beside it the sources, which a clone without a bundle runs. */
export const start: Figure = {
  name: 'start',
  async measure(bench) {
    if (!isBundled(ROOT)) throw new Error('dist/ is missing or outdated: npm run build');
    const bundle = { words: [join(ROOT, 'bin/nameplate')], env: {} };
    const words = [process.execPath, '--enable-source-maps', join(ROOT, 'src/cli/cli.ts')];
    const sources = { words, env: { NODE_COMPILE_CACHE: bench.path('compiled') } };
    const population = await bench.populate(Math.min(10_000, bench.effort.mostDomains));
    // Domains that are verified, so that the program is idle.
    const db = new DatabaseSync(population.path);
    db.exec('delete from checks');
    db.close();
    const rows = [await startRow(bench, population, bundle, sources)];
    for (const roles of Object.keys(MEMORY_GOAL_MB) as Roles[])
      rows.push(await memoryRow(roles, population, bundle, sources));
    return [...rows, await versionRow(bench, bundle)];
  },
};

async function startRow(bench: Bench, population: Population, bundle: Program, sources: Program): Promise<Row> {
  const startOnce = (program: Program) => async () => {
    const served = await serve(program, population);
    await served.stop();
    return served.firstAnswerMs;
  };
  // The first ones fill the cache of compiled code, as the first start after an upgrade does.
  await startOnce(bundle)();
  await startOnce(sources)();
  const effort = { ...bench.effort, rounds: bench.effort.starts };
  const { subject, baseline } = await alternate(effort, startOnce(bundle), startOnce(sources));
  const { median } = spreadOf(subject);
  return {
    figure: `nameplate serve, all roles: start → first response, ${effort.rounds} times`,
    measured: `${showSpread(spreadOf(subject), 0)} ms`,
    baseline: `the sources: ${showSpread(spreadOf(baseline), 0)} ms`,
    result: `${(median / 1000).toFixed(2)} s`,
    goal: `under ${START_GOAL_MS / 1000} s`,
    met: median < START_GOAL_MS,
  };
}

async function memoryRow(roles: Roles, population: Population, bundle: Program, sources: Program): Promise<Row> {
  const megabytes = await idleMemory(bundle, population, roles);
  const ofSources = await idleMemory(sources, population, roles);
  const goal = MEMORY_GOAL_MB[roles];
  return {
    figure: `nameplate serve, ${roles === 'api' ? 'role api' : 'all roles'}: idle memory after ${IDLE_MS / 1000} s`,
    measured: `${megabytes.toFixed(0)} MB resident`,
    baseline: `the sources: ${ofSources.toFixed(0)} MB`,
    result: `${megabytes.toFixed(0)} MB`,
    goal: `under ${goal} MB`,
    met: megabytes < goal,
  };
}

async function versionRow({ effort }: Bench, bundle: Program): Promise<Row> {
  const rounds = { ...effort, rounds: 2 * effort.starts };
  const version = () => duration([...bundle.words, '--version'], bundle.env);
  const bare = () => duration([process.execPath, '--eval', '0'], {});
  const { subject, baseline } = await alternate(rounds, version, bare);
  const extra = medianOf(subject, Number) - medianOf(baseline, Number);
  return {
    figure: `nameplate --version, ${rounds.rounds} times`,
    measured: `${showSpread(spreadOf(subject), 0)} ms`,
    baseline: `node --eval 0: ${showSpread(spreadOf(baseline), 0)} ms`,
    result: `${extra.toFixed(0)} ms more`,
    goal: `under ${VERSION_GOAL_MS} ms more`,
    met: extra < VERSION_GOAL_MS,
  };
}

async function duration([command = '', ...words]: string[], env: Program['env']): Promise<number> {
  const began = performance.now();
  await once(spawn(command, words, { env: { PATH: process.env.PATH, ...env }, stdio: 'ignore' }), 'exit');
  return performance.now() - began;
}

async function idleMemory(program: Program, population: Population, roles: Roles): Promise<number> {
  const served = await serve(program, population, roles);
  await delay(IDLE_MS);
  const metrics = await (await fetch(`${served.metrics}/metrics`)).text();
  await served.stop();
  const octets = Number(/^process_resident_memory_bytes (\S+)/m.exec(metrics)?.[1]);
  return octets / 1e6;
}

interface Served {
  /** From the start of the process to its first response. */
  firstAnswerMs: number;
  metrics: string;
  stop(): Promise<void>;
}

async function serve(
  { words, env: own }: Program,
  { path }: Population,
  roles: Roles = 'api,verifier,certificates,edge',
): Promise<Served> {
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
