import { once } from 'node:events';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import {
  connect,
  createServer as createTcpServer,
  type ListenOptions,
  type NetConnectOpts,
  type Server,
} from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Internet, startInternet } from '../interop/internet.ts';
import { startCommand } from '../support/command.ts';
import { startPebble } from '../support/pebble.ts';

/** The Internet of a machine that has nothing but loopback: nameservers, a resolver, a CA, and an origin. */
export interface World {
  internet: Internet;
  /** Address of the server's resolver. */
  resolver: string;
  /** Settings that differ from those on the Internet: every address is special, and the CA is pebble. */
  env: Record<string, string>;
  close(): Promise<void>;
}

export const ORIGIN_PORT = 8080;

/** `greeting`: what the origin answers. */
export async function startWorld(greeting: string): Promise<World> {
  const directory = await mkdtemp(join(tmpdir(), 'nameplate-fresh-'));
  const internet = await startInternet({ port: 53 });
  // The resolver of visitors and the CA. The server's own may cache for an hour that the customer's name does not exist
  // yet.
  const { address } = await internet.startResolver({ validates: true });
  await writeFile(join(directory, 'resolv.conf'), `nameserver ${address}\n`);
  const mount = startCommand('mount', ['--bind', join(directory, 'resolv.conf'), '/etc/resolv.conf'], {});
  const { code, stderr } = await mount.ended;
  if (code !== 0) throw new Error(`mount ended with ${code}: ${stderr}`);
  const pebble = await startPebble({
    dns: { address, port: internet.port },
    httpPort: 80,
    env: { PEBBLE_VA_NOSLEEP: '1' },
  });
  await writeFile(join(directory, 'ca.pem'), pebble.trustRoots);
  await writeFile(join(directory, 'issuing.pem'), pebble.issuingRoots);
  const origin = createServer((_, response) => void response.end(greeting)).listen(ORIGIN_PORT, '127.0.0.1');
  await once(origin, 'listening');
  return {
    internet,
    resolver: internet.resolver.address,
    env: {
      NAMEPLATE_DNS_ALLOWED_NETWORKS: '127.0.0.0/8',
      NAMEPLATE_EDGE_ALLOWED_NETWORKS: '127.0.0.0/8',
      NAMEPLATE_ACME_ALLOWED_NETWORKS: '127.0.0.0/8',
      NAMEPLATE_ACME_DIRECTORY: pebble.directoryUrl,
      NAMEPLATE_ACME_CA_FILE: join(directory, 'ca.pem'),
      CURL_CA_BUNDLE: join(directory, 'issuing.pem'),
    },
    async close() {
      origin.close();
      await pebble.close();
      await internet.close();
    },
  };
}

/** Leads connections to somewhere else, such as out of a network namespace by a socket in the file system. */
export async function openWay(from: ListenOptions, to: NetConnectOpts): Promise<Server> {
  const way = createTcpServer((near) => {
    const far = connect(to);
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const)
      end.on('error', () => other.destroy());
    near.pipe(far).pipe(near);
  }).listen(from);
  await once(way, 'listening');
  return way;
}

/** The text of the `sh` blocks of a page, in order. */
export function blocksOf(markdown: string): string[] {
  return [...markdown.matchAll(/^( *)```sh\n([\s\S]*?)^ *```/gm)].map(([, indent = '', text = '']) =>
    text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

/** The commands of a block; one that goes on in the next line is one. */
export function commandsOf(block: string): string[] {
  return block
    .replaceAll('\\\n', '')
    .replaceAll(/\|\n\s*/g, '| ')
    .trimEnd()
    .split('\n')
    .filter((line) => !line.startsWith('#'));
}
