import { execFile } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Programs } from '../support/debian.ts';
import { type Service, startService } from '../support/service.ts';

const execute = promisify(execFile);

/** A nameserver's name and address. */
export interface Host {
  host: string;
  address: string;
}

/**
 * A nameserver: Knot DNS at its own address. Unlike NSD, it is one process (which can be stopped and continued), adds
 * and removes zones without a restart, signs zones, and has a module that answers over TCP only.
 */
export interface Nameserver extends Host, Service {
  /** Serves the zone with this content; null: has the zone configured, but cannot load it. */
  serve(zone: string, file: string | null, options?: ServeOptions): Promise<void>;
  /** Removes the zone. */
  drop(zone: string): Promise<void>;
  /** The DS records of a signed zone, for a trust anchor. */
  readDs(zone: string): Promise<string[]>;
  /** The private keys of a signed zone. */
  readKeys(zone: string): Promise<ZoneKey[]>;
  /** The zone as it is served, with its signatures. */
  readZone(zone: string): Promise<string>;
}

export interface ZoneKey {
  tag: number;
  pem: string;
}

export interface ServeOptions {
  signed?: boolean;
  /** Signed with NSEC3 in place of NSEC. */
  nsec3?: boolean;
  /** Truncates every UDP response. */
  tcpOnly?: boolean;
}

export interface KnotOptions {
  programs: Programs;
  /** For its files; created if missing. */
  directory: string;
  host: string;
  address: string;
  port: number;
}

export async function startKnot({ programs, directory, host, address, port }: KnotOptions): Promise<Nameserver> {
  const path = (name: string) => join(directory, name);
  const zones = new Map<string, ServeOptions>();
  const configure = () => writeFile(path('knot.conf'), configuration({ directory, address, port }, zones));
  const run = async (program: string, ...words: string[]) =>
    (await execute(programs.path(program), words, { env: programs.env })).stdout;
  const control = (...words: string[]) => run('knotc', '--socket', path('knot.sock'), '--blocking', ...words);

  async function drop(zone: string): Promise<void> {
    zones.delete(zone);
    await configure();
    await control('reload');
  }

  await mkdir(directory);
  await configure();
  const service = await startService(programs.path('knotd'), ['--config', path('knot.conf')], {
    env: programs.env,
    ready: /control, binding to/,
  });
  if (/cannot bind/.test(service.log())) {
    await service.close();
    throw new Error(service.log());
  }

  return {
    ...service,
    host,
    address,
    async serve(zone, file, options = {}) {
      if (file === null) {
        // A zone loaded before would still be served.
        await drop(zone);
        await rm(path(zoneFile(zone)), { force: true });
      } else {
        await writeFile(path(zoneFile(zone)), file);
      }
      const isNew = JSON.stringify(zones.get(zone)) !== JSON.stringify(options);
      zones.set(zone, options);
      if (isNew) {
        await configure();
        await control('reload');
      }
      // A reload of all zones does not wait until they are loaded.
      if (file !== null) await control('zone-reload', zone);
    },
    drop,
    async readDs(zone) {
      const text = await run('keymgr', '--config', path('knot.conf'), zone, 'ds');
      return text.trim().split('\n');
    },
    async readKeys(zone) {
      const text = await run('keymgr', '--config', path('knot.conf'), zone, 'list');
      const keys = [...text.matchAll(/^([0-9a-f]{40}) +0*(\d+) /gm)];
      return Promise.all(
        keys.map(async ([, id, tag]) => ({
          tag: Number(tag),
          pem: await readFile(path(`keys/keys/${id}.pem`), 'utf8'),
        })),
      );
    },
    async readZone(zone) {
      const text = await control('zone-read', zone);
      // Each line begins with the zone in brackets.
      return text.replaceAll(/^\[[^\]]*\] /gm, '');
    },
  };
}

function configuration(
  { directory, address, port }: Pick<KnotOptions, 'directory' | 'address' | 'port'>,
  zones: ReadonlyMap<string, ServeOptions>,
): string {
  const listed = [...zones].map(([zone, { signed, nsec3, tcpOnly }]) =>
    [
      `  - domain: "${zone}"`,
      `    file: ${zoneFile(zone)}`,
      ...(signed ? ['    dnssec-signing: on', `    dnssec-policy: ${nsec3 ? 'nsec3' : 'nsec'}`] : []),
      ...(tcpOnly ? ['    module: mod-noudp'] : []),
    ].join('\n'),
  );
  return `
server:
  rundir: ${directory}
  listen: ${address}@${port}
  udp-workers: 1
  tcp-workers: 1
  background-workers: 1
control:
  listen: ${join(directory, 'knot.sock')}
database:
  storage: ${directory}
log:
  - target: stderr
    any: info
policy:
  - id: nsec
  - id: nsec3
    nsec3: on
template:
  - id: default
    storage: ${directory}
    journal-content: none
    zonefile-sync: -1
zone:
${listed.join('\n')}
`;
}

function zoneFile(zone: string): string {
  return `${zone === '.' ? 'root' : zone}.zone`;
}
