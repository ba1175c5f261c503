import { isAbsolute, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { isFree, nextFree } from '../dev/ports.ts';
import { type PlaygroundFile, readPlaygroundFile } from '../dev/ready.ts';
import { isApi } from './api.ts';
import { Failure } from './failure.ts';
import { type DataOptions, DEFAULT_DATA, quoted } from './options.ts';

export interface DevOptions extends DataOptions {
  port: number;
  dnsPort: number;
  checkInterval?: number;
  window?: number;
}

/** Where a playground runs. */
interface Place {
  dataDir: string;
  port: number;
  dnsPort: number;
}

export const DEFAULT_PORT = 7070;
export const DEFAULT_DNS_PORT = 7053;

/** The place that was asked for; where that is taken, the next free one if the person agrees. Throws `Failure`, with the command that would do. */
export async function choosePlace(options: DevOptions): Promise<Place> {
  const { data: dataDir = DEFAULT_DATA, port, dnsPort } = options;
  const apiBusy = !(await isFree(port, { udp: false }));
  const dnsBusy = !(await isFree(dnsPort, { udp: true }));
  const other = await findRunning(dataDir);
  if (other === null && !apiBusy && !dnsBusy) return { dataDir, port, dnsPort };

  const ports = {
    port: apiBusy ? await nextFree(port, { udp: false }, [dnsPort]) : port,
    dnsPort: dnsBusy ? await nextFree(dnsPort, { udp: true }, [port]) : dnsPort,
  };
  if (other !== null) {
    const place = { dataDir: beside(dataDir, ports.port || 'second'), ...ports };
    const held = `A playground runs on ${dataDir} already (process ${other.pid}), at ${other.api}.`;
    if (!options.json && (await agreed(`${held} Start a second one on port ${place.port}? [y/N] `, false)))
      return place;
    throw new Failure(`${held} Use that one, or start a second one: ${commandFor(place, options)}`);
  }
  const place = { dataDir, ...ports };
  const busy = [apiBusy && port, dnsBusy && dnsPort].filter((each) => each !== false);
  const free = [apiBusy && ports.port, dnsBusy && ports.dnsPort].filter((each) => each !== false).join(' and ');
  const held = `${busy.length === 1 ? `Port ${busy[0]} is` : `Ports ${busy.join(' and ')} are`} in use by another program.`;
  if (!options.json && (await agreed(`${held} Take ${free} instead? [Y/n] `, true))) return place;
  throw new Failure(`${held} Take the next free one: ${commandFor(place, options)}`);
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
function commandFor({ dataDir, port, dnsPort }: Place, { json, checkInterval, window }: DevOptions): string {
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
