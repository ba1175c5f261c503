import { isAbsolute, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { isFree, nextFree } from '../playground/ports.ts';
import { type PlaygroundFile, readPlaygroundFile } from '../playground/ready.ts';
import { isApi } from './api-client.ts';
import { CliError } from './cli-error.ts';
import { type DataOptions, DEFAULT_DATA, quoted } from './options.ts';

const PORTS = ['port', 'dnsPort', 'edgeHttpPort', 'edgeHttpsPort'] as const;
type Ports = Record<(typeof PORTS)[number], number>;

export interface DevOptions extends DataOptions, Ports {
  checkInterval?: number;
  window?: number;
}

/** Where a playground runs. */
interface Place extends Ports {
  dataDir: string;
}

export const DEFAULTS: Ports = { port: 7070, dnsPort: 7053, edgeHttpPort: 7080, edgeHttpsPort: 7443 };

const FLAGS = {
  port: '--port',
  dnsPort: '--dns-port',
  edgeHttpPort: '--edge-http-port',
  edgeHttpsPort: '--edge-https-port',
} as const;

/** The place that was asked for; where that is taken, the next free one if the person agrees. Throws `CliError`, with the command that would do. */
export async function choosePlace(options: DevOptions): Promise<Place> {
  const { data: dataDir = DEFAULT_DATA } = options;
  const { ports, busy, instead } = await freePorts(options);
  const other = await findRunning(dataDir);
  if (other === null && busy.length === 0) return { dataDir, ...ports };

  if (other !== null) {
    const place = { dataDir: beside(dataDir, ports.port || 'second'), ...ports };
    const held = `A playground runs on ${dataDir} already (process ${other.pid}), at ${other.api}.`;
    if (!options.json && (await agreed(`${held} Start a second one on port ${place.port}? [y/N] `, false)))
      return place;
    throw new CliError(`${held} Use that one, or start a second one: ${commandFor(place, options)}`);
  }
  const place = { dataDir, ...ports };
  const held = `${busy.length === 1 ? `Port ${busy[0]} is` : `Ports ${list(busy)} are`} in use by another program.`;
  if (!options.json && (await agreed(`${held} Take ${list(instead)} instead? [Y/n] `, true))) return place;
  throw new CliError(`${held} Take the next free one: ${commandFor(place, options)}`);
}

/** The ports that were asked for, and in the place of those that are busy the next free ones. */
async function freePorts(asked: Ports): Promise<{ ports: Ports; busy: number[]; instead: number[] }> {
  const { port, dnsPort, edgeHttpPort, edgeHttpsPort } = asked;
  const ports = { port, dnsPort, edgeHttpPort, edgeHttpsPort };
  const busy: number[] = [];
  const instead: number[] = [];
  for (const key of PORTS) {
    const use = { udp: key === 'dnsPort' };
    if (await isFree(asked[key], use)) continue;
    ports[key] = await nextFree(asked[key], use, Object.values(ports));
    busy.push(asked[key]);
    instead.push(ports[key]);
  }
  return { ports, busy, instead };
}

function list(ports: readonly number[]): string {
  return ports.join(', ').replace(/, (\d+)$/, ' and $1');
}

/** Another directory next to this one, written as this one is: relative or not. */
function beside(dataDir: string, name: string | number): string {
  const path = `${resolve(dataDir)}-${name}`;
  return isAbsolute(dataDir) ? path : relative('', path);
}

/** The playground that runs on a directory now, if one does. */
async function findRunning(dataDir: string): Promise<PlaygroundFile | null> {
  const file = await readPlaygroundFile(dataDir);
  if (file === null) return null;
  try {
    process.kill(file.pid, 0);
  } catch {
    return null;
  }
  // Long after it ended, its process id may be another program's.
  return (await isApi(file.api)) ? file : null;
}

/** Asks where there is somebody to answer. A mere Enter is `otherwise`; no answer at all is no. */
async function agreed(question: string, otherwise: boolean): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return false;
  const asking = createInterface({ input: process.stdin, output: process.stdout });
  const gone = new Promise<null>((resolve) => asking.once('close', () => resolve(null)));
  const answer = await Promise.race([asking.question(question), gone]);
  asking.close();
  if (answer === null) process.stdout.write('\n');
  return answer !== null && (answer.trim() === '' ? otherwise : /^y(es)?$/i.test(answer.trim()));
}

/** The same command, for another place. */
function commandFor({ dataDir, ...ports }: Place, { json, checkInterval, window }: DevOptions): string {
  const flags = [
    ...PORTS.map((key) => ports[key] !== DEFAULTS[key] && `${FLAGS[key]} ${ports[key]}`),
    dataDir !== DEFAULT_DATA && `--data ${quoted(dataDir)}`,
    checkInterval !== undefined && `--check-interval ${checkInterval / 1000}`,
    window !== undefined && `--window ${window / 1000}`,
    json && '--json',
  ];
  return ['./bin/nameplate dev', ...flags.filter((flag) => typeof flag === 'string')].join(' ');
}
