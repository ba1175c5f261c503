import { isAbsolute, relative, resolve } from 'node:path';
import { isApi } from '../server/src/cli/api/api-client.ts';
import { CliError } from '../server/src/cli/cli-error.ts';
import { type PlaygroundFile, readPlaygroundFile } from '../server/src/cli/data-dir.ts';
import { type DataOptions, DEFAULT_DATA, PROGRAM, shellQuote } from '../server/src/cli/options.ts';
import { confirm } from '../server/src/cli/output/terminal.ts';
import { joinList } from '../server/src/domain/text.ts';

const PORTS = ['port', 'dnsPort', 'edgeHttpPort', 'edgeHttpsPort'] as const;
type Ports = Record<(typeof PORTS)[number], number>;

export interface DevOptions extends DataOptions, Ports {
  checkInterval?: number;
  monitorInterval?: number;
  window?: number;
  stopWithStdin?: boolean;
}

/** The data directory and the ports of a playground. */
interface DevAddresses extends Ports {
  dataDir: string;
}

export const DEFAULT_PORTS: Ports = { port: 7070, dnsPort: 7053, edgeHttpPort: 7080, edgeHttpsPort: 7443 };

/**
 * The requested addresses. The next free port replaces a default one that is busy, with a line on standard error; the
 * user has to agree to another one than requested. Throws `CliError` with the command to run instead.
 */
export async function chooseAddresses(options: DevOptions): Promise<DevAddresses> {
  const { data: dataDir = DEFAULT_DATA } = options;
  const ports = await freePorts(options);
  const moved = PORTS.filter((key) => ports[key] !== options[key] && options[key] !== DEFAULT_PORTS[key]);
  const other = await findRunning(dataDir);
  if (other === null && moved.length === 0) {
    for (const key of PORTS.filter((each) => ports[each] !== options[each]))
      console.error(`nameplate: Port ${options[key]} is in use by another program, so this uses ${ports[key]}.`);
    return { dataDir, ...ports };
  }

  if (other !== null) {
    const addresses = { dataDir: sibling(dataDir, ports.port || 'second'), ...ports };
    const problem = `A playground is already running on ${dataDir} (process ${other.pid}), at ${other.api}.`;
    if (await confirm(options, `${problem} Start a second one on port ${ports.port}? [y/N] `, false)) return addresses;
    throw new CliError(`${problem} Use that one, or start a second one: ${commandFor(addresses, options)}`);
  }
  const addresses = { dataDir, ...ports };
  const busy = joinList(
    moved.map((key) => String(options[key])),
    PORTS.length,
  );
  const instead = joinList(
    moved.map((key) => String(ports[key])),
    PORTS.length,
  );
  const problem = `${moved.length === 1 ? `Port ${busy} is` : `Ports ${busy} are`} in use by another program.`;
  if (await confirm(options, `${problem} Use ${instead} instead? [Y/n] `, true)) return addresses;
  throw new CliError(`${problem} To use the next free one: ${commandFor(addresses, options)}`);
}

/** The requested ports, with the next free one in place of each that is busy. */
async function freePorts({ port, dnsPort, edgeHttpPort, edgeHttpsPort }: Ports): Promise<Ports> {
  const { isFree, nextFree } = await import('../server/src/cli/api/ports.ts');
  const ports = { port, dnsPort, edgeHttpPort, edgeHttpsPort };
  for (const key of PORTS) {
    const use = { udp: key === 'dnsPort' };
    if (!(await isFree(ports[key], use))) ports[key] = await nextFree(ports[key], use, Object.values(ports));
  }
  return ports;
}

/** Another directory next to this one, relative if this one is. */
function sibling(dataDir: string, suffix: string | number): string {
  const path = `${resolve(dataDir)}-${suffix}`;
  return isAbsolute(dataDir) ? path : relative('', path);
}

/** The playground that is running on a directory, if any. */
async function findRunning(dataDir: string): Promise<PlaygroundFile | null> {
  const file = await readPlaygroundFile(dataDir);
  if (file === null) return null;
  try {
    process.kill(file.pid, 0);
  } catch {
    return null;
  }
  // After the playground has ended, its process id may belong to another program.
  return (await isApi(file.api)) ? file : null;
}

/** `edgeHttpPort`: `--edge-http-port`. */
function flagOf(key: string): string {
  return `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The same command with other addresses. */
function commandFor(
  { dataDir, ...ports }: DevAddresses,
  { json, checkInterval, monitorInterval, window }: DevOptions,
): string {
  const flags = [
    ...PORTS.map((key) => ports[key] !== DEFAULT_PORTS[key] && `${flagOf(key)} ${ports[key]}`),
    dataDir !== DEFAULT_DATA && `--data ${shellQuote(dataDir)}`,
    checkInterval !== undefined && `--check-interval ${checkInterval / 1000}`,
    monitorInterval !== undefined && `--monitor-interval ${monitorInterval / 1000}`,
    window !== undefined && `--window ${window / 1000}`,
    json && '--json',
  ];
  return [`${PROGRAM} dev`, ...flags.filter((flag) => typeof flag === 'string')].join(' ');
}
