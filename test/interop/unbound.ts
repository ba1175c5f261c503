import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Programs } from '../support/debian.ts';
import { type Service, startService } from '../support/service.ts';

/** The recursive resolver: Unbound, with its usual cache. */
export interface Unbound extends Service {
  address: string;
  /** Delegates a zone to nameservers at these addresses. The cache stays as it is. */
  delegate(zone: string, addresses: string[]): Promise<void>;
  /** Removes names at and below this one from the cache, and the list of silent nameservers. */
  forget(name: string): Promise<void>;
}

export interface UnboundOptions {
  programs: Programs;
  /** For its files; created if missing. */
  directory: string;
  address: string;
  port: number;
  /** Address of the root nameserver. */
  root: string;
  /** DS records; the zones that they name are validated. */
  trustAnchors?: string[];
}

/**
 * Referrals have no port, and Unbound would follow them to port 53. So each zone is configured as a stub zone in place of
 * the delegation at its parent.
 */
export async function startUnbound(options: UnboundOptions): Promise<Unbound> {
  const { programs, directory, address, port } = options;
  await mkdir(directory);
  const file = join(directory, 'unbound.conf');
  await writeFile(file, configuration(options));
  const service = await startService(programs.path('unbound'), ['-d', '-c', file], {
    env: programs.env,
    ready: /start of service/,
  });
  const control = (...words: string[]) => ask(join(directory, 'unbound.sock'), words.join(' '));
  return {
    ...service,
    address,
    async delegate(zone, addresses) {
      await control('stub_add', zone, ...addresses.map((one) => `${one}@${port}`));
    },
    async forget(name) {
      await control('flush_zone', name);
      await control('flush_infra', 'all');
    },
  };
}

/** One command of unbound-control (its protocol, version 1). */
async function ask(path: string, command: string): Promise<void> {
  const socket = connect(path);
  await once(socket, 'connect');
  socket.write(`UBCT1 ${command}\n`);
  const answer = await text(socket);
  if (!answer.startsWith('ok')) throw new Error(`unbound-control ${command}: ${answer}`);
}

function configuration({ directory, address, port, root, trustAnchors = [] }: UnboundOptions): string {
  return `
server:
  directory: "${directory}"
  chroot: ""
  username: ""
  pidfile: ""
  use-syslog: no
  logfile: ""
  verbosity: 1
  interface: ${address}
  outgoing-interface: ${address}
  port: ${port}
  do-ip6: no
  num-threads: 1
  access-control: 127.0.0.0/8 allow_snoop
  do-not-query-localhost: no
  local-zone: "test." nodefault
  module-config: "${trustAnchors.length > 0 ? 'validator iterator' : 'iterator'}"
${trustAnchors.map((anchor) => `  trust-anchor: "${anchor}"`).join('\n')}
remote-control:
  control-enable: yes
  control-use-cert: no
  control-interface: ${join(directory, 'unbound.sock')}
stub-zone:
  name: "."
  stub-addr: ${root}@${port}
`;
}
