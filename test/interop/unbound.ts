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
  /**
   * Leads it to the nameservers of a zone at these addresses; null: to nothing but the parent's answer. The cache stays
   * as it is.
   */
  delegate(zone: string, addresses: string[] | null): Promise<void>;
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
  /** DS record of the root; without one nothing is validated. */
  trustAnchor?: string;
  /** The zones that exist by now, with the addresses of their nameservers. */
  zones: ReadonlyMap<string, readonly string[]>;
}

/**
 * Referrals have no port, and Unbound would follow them to port 53. So each zone is configured as a stub zone beside
 * the delegation at its parent. Validation does not depend on that: Unbound asks the parent for DS records and follows
 * the chain from the root.
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
      if (addresses === null) await control('stub_remove', zone);
      else await control('stub_add', zone, ...addresses.map((one) => `${one}@${port}`));
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

function configuration({ directory, address, port, root, trustAnchor, zones }: UnboundOptions): string {
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
  ede: yes
  # What was registered a moment ago is not denied by what the zone said before.
  aggressive-nsec: no
  module-config: "${trustAnchor === undefined ? 'iterator' : 'validator iterator'}"
${trustAnchor === undefined ? '' : `  trust-anchor: "${trustAnchor}"`}
remote-control:
  control-enable: yes
  control-use-cert: no
  control-interface: ${join(directory, 'unbound.sock')}
${[...zones, ['.', [root]] as const].map(([zone, addresses]) => stubZone(zone, addresses, port)).join('')}`;
}

function stubZone(zone: string, addresses: readonly string[], port: number): string {
  return `stub-zone:\n  name: "${zone}"\n${addresses.map((one) => `  stub-addr: ${one}@${port}\n`).join('')}`;
}
