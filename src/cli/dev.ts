import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import { readPlaygroundConfig } from '../config.ts';
import { isFree, nextFree } from '../dev/ports.ts';
import { type Ready, readPlaygroundFile } from '../dev/ready.ts';
import { Failure } from './failure.ts';
import {
  type DataOptions,
  DEFAULT_DATA,
  dataFlag,
  dataOption,
  define,
  jsonOption,
  parseDuration,
  parsePort,
  quoted,
} from './options.ts';
import { clockTime, harmless, paint, print, span } from './output.ts';
import { stopInTime, untilSignal } from './signals.ts';

interface DevOptions extends DataOptions {
  port: number;
  dnsPort: number;
  checkInterval?: number;
  window?: number;
}

const DEFAULT_PORT = 7070;
const DEFAULT_DNS_PORT = 7053;

export function addDev(program: Command): void {
  const summary = 'Run the playground: API, DNS checks and a DNS simulator in one process on loopback.';
  const examples = ['nameplate dev', 'nameplate dev --port 0 --dns-port 0 --data /tmp/playground --json'];
  jsonOption(dataOption(define(program, 'dev', summary, examples)))
    .option('--port <port>', 'port of the API; 0 is any free one', parsePort, DEFAULT_PORT)
    .option('--dns-port <port>', 'port of the DNS simulator', parsePort, DEFAULT_DNS_PORT)
    .option('--edge-http-port <port>', 'port of the edge for HTTP (not built yet)', parsePort, 7080)
    .option('--edge-https-port <port>', 'port of the edge for HTTPS (not built yet)', parsePort, 7443)
    .option('--check-interval <seconds>', 'time between two checks of a domain (default: 5)', parseDuration)
    .option('--window <seconds>', 'length of the verification window (default: 24h)', parseDuration)
    .action(run);
}

async function run(options: DevOptions): Promise<void> {
  const config = readPlaygroundConfig();
  const dataDir = options.data ?? DEFAULT_DATA;
  const ports = await choosePorts(options, dataDir);
  const signal = untilSignal();
  const [{ startPlayground, PLAYGROUND_INTERVAL_MS }, { narrator }, { createLog }] = await Promise.all([
    import('../dev/playground.ts'),
    import('../dev/narrator.ts'),
    import('../log.ts'),
  ]);
  const log = createLog(
    config.logLevel,
    options.json ? process.stderr : narrator((words, at) => print(`  ${clockTime(at)}  ${harmless(words)}`)),
  );
  const { checkInterval: checkIntervalMs = PLAYGROUND_INTERVAL_MS, window } = options;
  const timing = { checkIntervalMs, ...(window !== undefined && { windowMs: window }) };
  const playground = await startPlayground({ dataDir, ...ports, config, log, ...timing });
  if (options.json) print(JSON.stringify(playground.ready));
  else {
    const { store, ready } = playground;
    const isNew = async (name: string) => (await store.findDomainByName(ready.workspaceId, name)) === null;
    print(welcome(ready, dataDir, checkIntervalMs, await firstNew(isNew)));
  }
  await signal;
  if (!options.json) print('\n  Stopping…');
  await stopInTime(playground.stop);
}

/** What a person sees first: where everything is, and three commands that end in `verified`. */
function welcome(
  { api, dns, rootKey, project, app, environment }: Ready,
  dataDir: string,
  intervalMs: number,
  name: string,
): string {
  const command = (words: string) => `    ${paint('bold', `./bin/nameplate ${words} ${name}${dataFlag(dataDir)}`)}`;
  return [
    '',
    `  ${paint('bold', 'Nameplate playground')}`,
    '',
    `  API       ${api}`,
    `  DNS       ${dns} (a simulator; it answers for every name)`,
    `  Root key  ${rootKey}`,
    `  Data      ${dataDir}`,
    '',
    `  Project ${project.slug}, app ${app.slug}, environment ${environment.slug}, with a built-in origin.`,
    `  Records are checked every ${span(intervalMs)} here, every minute in production.`,
    '',
    '  Type next, in another terminal:',
    '',
    command('domains create'),
    command('dns publish'),
    command('domains wait'),
    '',
    `  ${paint('dim', 'Ctrl-C stops it. What becomes of domains is told here:')}`,
    '',
  ].join('\n');
}

/** A name to try that the playground does not have yet. */
async function firstNew(isNew: (name: string) => Promise<boolean>): Promise<string> {
  for (let number = 1; ; number++) {
    const name = `shop${number === 1 ? '' : number}.example.com`;
    if (await isNew(name)) return name;
  }
}

interface Ports {
  port: number;
  dnsPort: number;
}

/** The ports that were asked for; where one is busy, the next free one if the person agrees. Throws `Failure`. */
async function choosePorts(options: DevOptions, dataDir: string): Promise<Ports> {
  const { port, dnsPort } = options;
  const apiBusy = !(await isFree(port, { udp: false }));
  const dnsBusy = !(await isFree(dnsPort, { udp: true }));
  if (!apiBusy && !dnsBusy) return { port, dnsPort };

  const busy = [apiBusy && port, dnsBusy && dnsPort].filter((each) => each !== false);
  const what = busy.length === 1 ? `Port ${busy[0]} is` : `Ports ${busy.join(' and ')} are`;
  const free = {
    port: apiBusy ? await nextFree(port, { udp: false }, [dnsPort]) : port,
    dnsPort: dnsBusy ? await nextFree(dnsPort, { udp: true }, [port]) : dnsPort,
  };
  const holder = await holderOf(dataDir, busy);
  if (holder !== null) {
    const second = commandOf(options, free, `${dataDir}/${free.port}`);
    throw new Failure(
      `${what} in use by the playground of ${dataDir} (process ${holder}). Use that one, or start a second one: ${second}`,
    );
  }
  const taken = [apiBusy && free.port, dnsBusy && free.dnsPort].filter((each) => each !== false).join(' and ');
  if (!options.json && (await agreed(`${what} in use by another program. Take ${taken} instead? [Y/n] `))) return free;
  throw new Failure(`${what} in use by another program. Take the next free one: ${commandOf(options, free, dataDir)}`);
}

/** Process id of the playground that runs on this directory and holds one of the ports. */
async function holderOf(dataDir: string, busy: number[]): Promise<number | null> {
  const file = await readPlaygroundFile(dataDir);
  if (file === null || !busy.some((port) => [file.api, file.dns].some((address) => address.endsWith(`:${port}`))))
    return null;
  try {
    process.kill(file.pid, 0);
    return file.pid;
  } catch {
    return null;
  }
}

/** Asks where there is somebody to answer. */
async function agreed(question: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return false;
  const asking = createInterface({ input: process.stdin, output: process.stdout });
  const gone = new Promise<string>((resolve) => asking.once('close', () => resolve('n')));
  const answer = await Promise.race([asking.question(question), gone]);
  asking.close();
  return /^(y|yes|)$/i.test(answer.trim());
}

/** The same command, with other ports and directory. */
function commandOf({ json, checkInterval, window }: DevOptions, { port, dnsPort }: Ports, dataDir: string): string {
  const flags = [
    port !== DEFAULT_PORT && `--port ${port}`,
    dnsPort !== DEFAULT_DNS_PORT && `--dns-port ${dnsPort}`,
    dataDir !== DEFAULT_DATA && `--data ${quoted(dataDir)}`,
    checkInterval !== undefined && `--check-interval ${checkInterval / 1000}`,
    window !== undefined && `--window ${window / 1000}`,
    json && '--json',
  ];
  return ['./bin/nameplate dev', ...flags.filter((flag) => typeof flag === 'string')].join(' ');
}
