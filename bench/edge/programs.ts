import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findPrograms, type Programs } from '../../test/support/debian.ts';
import { freePort } from '../../test/support/free-port.ts';
import { quantile } from '../spread.ts';

/**
 * The programs that the edge is measured with and against, from Debian's packages: Caddy, nginx as the origin, h2load
 * as the client.
 */
export interface BenchPrograms {
  startOrigin(directory: string): Promise<Program>;
  /** Serves all certificates of a directory; each name leads to the port. */
  startCaddy(directory: string, to: { certificates: string; port: number }): Promise<Program>;
  /** Runs a file of `deploy/caddy` with these ports instead of its own. */
  startDeployed(directory: string, file: string, ports: DeployedPorts): Promise<Program>;
  load(loading: Loading): Promise<Loaded>;
  /** Stops all that were started. */
  stop(): Promise<void>;
}

interface DeployedPorts {
  /** Nameplate's, for certificates and routes. */
  ask: number;
  /** Nameplate's, for requests. */
  edge: number;
  origin: number;
}

export interface Program {
  port: number;
  /** CPU time so far, in microseconds. */
  cpuMicros(): Promise<number>;
  /** Resident memory in bytes. */
  memory(): Promise<number>;
  stop(): Promise<void>;
}

export interface Loading {
  port: number;
  name: string;
  protocol: 'h1' | 'h2';
  /** Whole seconds, after one for warming up. */
  seconds: number;
  /** Where the client may write the time of each request. */
  log: string;
}

export interface Loaded {
  perSecond: number;
  /** The slowest of a hundred, in milliseconds. */
  p99: number;
}

/** 32 requests under way at a time, either way. */
const SHAPES = { h1: ['--h1', '-c32', '-m1'], h2: ['-c4', '-m8'] };
const TICKS_PER_SECOND = 100;
const PAGE_BYTES = 4096;

export async function benchPrograms(): Promise<BenchPrograms> {
  const programs = await findPrograms('edge-bench', ['caddy', 'nginx', 'nghttp2-client']);
  const running: Program[] = [];
  const track = async (starting: Promise<Program>) => {
    const program = await starting;
    running.push(program);
    return program;
  };
  return {
    startOrigin: (directory) => track(startOrigin(programs, directory)),
    startCaddy: (directory, to) => track(startCaddy(programs, directory, to)),
    startDeployed: (directory, file, ports) => track(startDeployed(programs, directory, file, ports)),
    load: (loading) => load(programs, loading),
    async stop() {
      await Promise.all(running.map((program) => program.stop()));
    },
  };
}

async function startOrigin(programs: Programs, directory: string): Promise<Program> {
  const port = await freePort();
  const root = join(directory, 'origin');
  await mkdir(root);
  await writeFile(join(root, 'index.html'), 'x'.repeat(1000));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${root}/${kind};`,
  );
  // Started by root, its workers would be somebody who may not read the directory.
  const user = process.getuid?.() === 0 ? 'user root; ' : '';
  const file = join(root, 'nginx.conf');
  await writeFile(
    file,
    `${user}daemon off; worker_processes 1; pid ${root}/pid; error_log ${root}/errors;
events { worker_connections 8192; }
http { access_log off; keepalive_requests 1000000000; keepalive_timeout 300; ${temporary.join(' ')}
  server { listen 127.0.0.1:${port} backlog=4096; root ${root}; open_file_cache max=10; } }\n`,
  );
  return startProgram(programs, 'nginx', ['-c', file, '-p', root, '-e', join(root, 'errors')], { directory, port });
}

async function startCaddy(
  programs: Programs,
  directory: string,
  { certificates, port: to }: { certificates: string; port: number },
): Promise<Program> {
  const port = await freePort();
  const config = {
    admin: { disabled: true },
    logging: { logs: { default: { level: 'ERROR' } } },
    apps: {
      http: {
        servers: {
          bench: {
            listen: [`127.0.0.1:${port}`],
            automatic_https: { disable: true },
            tls_connection_policies: [{}],
            routes: [{ handle: [{ handler: 'reverse_proxy', upstreams: [{ dial: `127.0.0.1:${to}` }] }] }],
          },
        },
      },
      tls: { certificates: { load_folders: [certificates] } },
    },
  };
  const file = join(directory, `caddy.${port}.json`);
  await writeFile(file, JSON.stringify(config));
  return startProgram(programs, 'caddy', ['run', '--config', file], { directory, port, env: homeIn(directory) });
}

async function startDeployed(
  programs: Programs,
  directory: string,
  name: string,
  { ask, edge, origin }: DeployedPorts,
): Promise<Program> {
  const [httpPort, port] = [await freePort(), await freePort()];
  const text = await readFile(join(import.meta.dirname, '../../deploy/caddy', name), 'utf8');
  const file = join(directory, `${port}.${name}`);
  await writeFile(
    file,
    text
      .replace(/^\{\n/m, `{\n\tadmin off\n\tskip_install_trust\n\thttp_port ${httpPort}\n\thttps_port ${port}\n`)
      .replaceAll('127.0.0.1:7072', `127.0.0.1:${ask}`)
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${edge}`)
      .replaceAll('10.20.0.10:8080', `127.0.0.1:${origin}`),
  );
  const words = ['run', '--config', file, '--adapter', 'caddyfile'];
  return startProgram(programs, 'caddy', words, { directory, port, env: homeIn(directory) });
}

function homeIn(directory: string): NodeJS.ProcessEnv {
  return { XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory, HOME: directory };
}

/** Resolves once it listens over TCP; `name` is that of the program. Its log is in the directory. */
export async function startProgram(
  programs: Programs,
  name: string,
  words: string[],
  { directory, port, env = {} }: { directory: string; port: number; env?: NodeJS.ProcessEnv },
): Promise<Program> {
  const output = openSync(join(directory, `${name}.log`), 'a');
  // It must not outlive the measurement, however that ends.
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', programs.path(name), ...words], {
    env: { ...process.env, ...programs.env, ...env },
    stdio: ['ignore', output, output],
  });
  await untilListening(child, name, port);
  const all = () => processesOf(child.pid ?? 0);
  return {
    port,
    async cpuMicros() {
      const ticks = (await all()).map(async (pid) => {
        const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
        return Number(fields[11]) + Number(fields[12]);
      });
      return (sum(await Promise.all(ticks)) * 1e6) / TICKS_PER_SECOND;
    },
    async memory() {
      const pages = (await all()).map(async (pid) =>
        Number((await readFile(`/proc/${pid}/statm`, 'utf8')).split(' ')[1]),
      );
      return sum(await Promise.all(pages)) * PAGE_BYTES;
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    },
  };
}

/** A process and those that it has begun. */
async function processesOf(pid: number): Promise<number[]> {
  const tasks = await readdir(`/proc/${pid}/task`);
  const children = await Promise.all(tasks.map((task) => readFile(`/proc/${pid}/task/${task}/children`, 'utf8')));
  const pids = children.flatMap((text) => text.split(' ').filter((one) => one !== '')).map(Number);
  return [pid, ...(await Promise.all(pids.map(processesOf))).flat()];
}

async function load(programs: Programs, { port, name, protocol, seconds, log }: Loading): Promise<Loaded> {
  // It appends.
  await writeFile(log, '');
  const words = ['-t1', `-D${seconds}`, '--warm-up-time=1', `--log-file=${log}`, ...SHAPES[protocol]];
  const child = spawn(programs.path('h2load'), [...words, `--connect-to=127.0.0.1:${port}`, `https://${name}/`], {
    env: { ...process.env, ...programs.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await once(child, 'close');
  const perSecond = Number(/finished in .*?, ([\d.]+) req\/s/.exec(said)?.[1]);
  const bad = /(\d+) failed, (\d+) errored/.exec(said);
  const wrong = /(\d+) 3xx, (\d+) 4xx, (\d+) 5xx/.exec(said);
  if (!(perSecond > 0) || bad?.[1] !== '0' || wrong?.slice(1).some((count) => count !== '0'))
    throw new Error(`h2load did not get what it asked for:\n${said}`);
  const micros = (await readFile(log, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => Number(line.split('\t')[2]));
  return { perSecond, p99: quantile(micros, 0.99) / 1000 };
}

async function untilListening(child: ChildProcess, name: string, port: number): Promise<void> {
  while (child.exitCode === null) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return;
    } catch {
      await sleep(50);
    } finally {
      socket.destroy();
    }
  }
  throw new Error(`${name} ended with ${child.exitCode} before it listened; its log is beside its configuration`);
}

function sum(values: readonly number[]): number {
  return values.reduce((all, one) => all + one, 0);
}
