import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { findPrograms } from '../support/debian.ts';
import { startService } from '../support/service.ts';
import { askRaw } from './dns-packets.ts';
import type { Host, Nameserver } from './knot.ts';

interface NsdOptions extends Host {
  /** For its files; created if missing. */
  directory: string;
  port: number;
}

/** A nameserver of another make: NSD. It serves zones as they are written; it signs none. */
export async function startNsd({ directory, host, address, port }: NsdOptions): Promise<Nameserver> {
  const programs = await findPrograms('nsd', ['nsd']);
  const path = (name: string) => join(directory, name);
  await mkdir(directory);
  await writeFile(path('nsd.conf'), configuration(directory, address, port));
  const service = await startService(programs.path('nsd'), ['-d', '-c', path('nsd.conf')], {
    env: programs.env,
    ready: /nsd started/,
  });
  const known = new Set<string>();
  const cannot = () => Promise.reject(new Error('NSD cannot do that'));
  return {
    ...service,
    host,
    address,
    readDs: cannot,
    readKeys: cannot,
    readZone: cannot,
    async drop(zone) {
      known.delete(zone);
      await control(path('nsd.sock'), `delzone ${zone}`);
    },
    async serve(zone, file, { signed, tcpOnly } = {}) {
      if (file === null || signed || tcpOnly) return cannot();
      await writeFile(path(`${zone}.zone`), file);
      await control(path('nsd.sock'), known.has(zone) ? `reload ${zone}` : `addzone ${zone} plain`);
      known.add(zone);
      const serial = Number(file.match(/\sSOA\s+\S+\s+\S+\s+(\d+)/)?.[1]);
      // Loading goes on after the command has ended.
      while ((await serialOf({ address, port, zone })) !== serial);
    },
  };
}

async function serialOf({ address, port, zone }: { address: string; port: number; zone: string }): Promise<unknown> {
  const { answers } = await askRaw({ address, port, name: zone, type: 'SOA' });
  const [soa] = answers ?? [];
  return soa?.type === 'SOA' ? soa.data.serial : null;
}

/** One command of nsd-control (its protocol, version 1). */
async function control(path: string, command: string): Promise<void> {
  const socket = connect(path);
  await once(socket, 'connect');
  socket.write(`NSDCT1 ${command}\n`);
  const answer = await text(socket);
  if (!answer.startsWith('ok')) throw new Error(`nsd-control ${command}: ${answer}`);
}

function configuration(directory: string, address: string, port: number): string {
  return `
server:
  ip-address: ${address}@${port}
  username: ""
  zonesdir: "${directory}"
  zonelistfile: "${directory}/zone.list"
  xfrdfile: "${directory}/xfrd.state"
  xfrdir: "${directory}"
  pidfile: ""
  database: ""
  verbosity: 1
  server-count: 1
remote-control:
  control-enable: yes
  control-interface: "${directory}/nsd.sock"
pattern:
  name: plain
  zonefile: "%s.zone"
`;
}
