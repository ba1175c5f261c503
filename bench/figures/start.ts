import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { nextFree } from '../../src/playground/ports.ts';
import type { Bench, Figure, Row } from '../figure.ts';
import type { Population } from '../population.ts';
import { type Spread, spreadOf } from '../spread.ts';

const START_GOAL_MS = 1000;
const MEMORY_GOAL_MB = 120;
const IDLE_MS = 5000;
const PROGRAM = fileURLToPath(new URL('../../bin/nameplate', import.meta.url));

/** `nameplate serve` as an operator runs it, on a database that is there already. */
export const start: Figure = {
  name: 'start',
  async measure(bench) {
    const population = await bench.populate(Math.min(10_000, bench.effort.mostDomains));
    // Domains that are verified, so that the program is idle.
    const db = new DatabaseSync(population.path);
    db.exec('delete from checks');
    db.close();
    const times: number[] = [];
    for (let i = 0; i <= bench.effort.starts; i++) {
      const served = await serve(population);
      // The first one fills the cache of compiled code, as the first start after an upgrade does.
      if (i > 0) times.push(served.firstAnswerMs);
      await served.stop();
    }
    return [startRow(spreadOf(times), bench), memoryRow(await idleMemory(population))];
  },
};

async function idleMemory(population: Population): Promise<number> {
  const served = await serve(population);
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

async function serve({ path }: Population): Promise<Served> {
  const port = await nextFree(20_000 + Math.floor(Math.random() * 10_000), { udp: false });
  const metricsPort = await nextFree(port + 1, { udp: false });
  const env = {
    PATH: process.env.PATH,
    NAMEPLATE_LISTEN: `127.0.0.1:${port}`,
    NAMEPLATE_METRICS_LISTEN: `127.0.0.1:${metricsPort}`,
    NAMEPLATE_DATABASE_URL: `sqlite:${path}`,
    NAMEPLATE_CNAME_ZONE: 'cname.bench.test',
    // Nobody listens there, and nobody is asked.
    NAMEPLATE_DNS_RESOLVERS: '127.0.0.1:1',
    NAMEPLATE_ROLES: 'api,verifier',
  };
  const began = performance.now();
  const child = spawn(PROGRAM, ['serve'], { env, stdio: ['ignore', 'ignore', 'inherit'] });
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

function startRow({ median, low, high }: Spread, { effort }: Bench): Row {
  return {
    figure: `nameplate serve: start → first response, ${effort.starts} times`,
    measured: `${median.toFixed(0)} ms (${low.toFixed(0)}–${high.toFixed(0)})`,
    baseline: '',
    result: `${(median / 1000).toFixed(2)} s`,
    goal: `under ${START_GOAL_MS / 1000} s`,
    met: median < START_GOAL_MS,
  };
}

function memoryRow(megabytes: number): Row {
  return {
    figure: `nameplate serve: idle memory after ${IDLE_MS / 1000} s`,
    measured: `${megabytes.toFixed(0)} MB resident`,
    baseline: '',
    result: `${megabytes.toFixed(0)} MB`,
    goal: `under ${MEMORY_GOAL_MB} MB`,
    met: megabytes < MEMORY_GOAL_MB,
  };
}
