import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CLONE, type Started, temporaryDirectory, watch } from '../support/command.ts';
import { findPrograms, type Programs, START_LIMIT_MS, TOOLS } from '../support/debian.ts';
import { freePort } from '../support/free-port.ts';
import { read } from './files.ts';

// systemd's own programs read the units, and hand over sockets as systemd does.

const UNITS = readdirSync(join(CLONE, 'deploy')).filter((name) => /\.(service|socket)$/.test(name));
const directory = temporaryDirectory();
let systemd: Programs;
let server: Started | undefined;

beforeAll(async () => {
  systemd = await findPrograms('systemd', ['systemd']);
  for (const name of UNITS) {
    // The place where the guide installs it.
    writeFileSync(join(directory.path, name), read(`deploy/${name}`).replaceAll('/opt/nameplate/', CLONE));
  }
}, START_LIMIT_MS);
afterAll(async () => {
  server?.child.kill('SIGKILL');
  await server?.ended;
  directory.remove();
});

function analyze(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const unpacked = join(TOOLS, 'systemd');
  const libraries = `${systemd.env.LD_LIBRARY_PATH}`.split(':').flatMap((path) => [path, join(path, 'systemd')]);
  const env = {
    LD_LIBRARY_PATH: libraries.join(':'),
    SYSTEMD_UNIT_PATH: [directory.path, join(unpacked, 'lib/systemd/system')].join(':'),
  };
  return spawnSync(systemd.path('systemd-analyze'), args, { env, encoding: 'utf8' });
}

test('systemd finds nothing to correct in the units', () => {
  expect(UNITS.sort()).toEqual(['nameplate-http.socket', 'nameplate-https.socket', 'nameplate.service']);
  expect(analyze('verify', ...UNITS)).toMatchObject({ status: 0, stdout: '', stderr: '' });
});

test('systemd rates the exposure of the service 1.8 of 10 at most', () => {
  const rated = analyze('security', '--offline=yes', '--threshold=18', join(directory.path, 'nameplate.service'));
  expect(rated).toMatchObject({ status: 0, stdout: expect.stringContaining('Overall exposure level') });
});

test('the server listens on the sockets that systemd opens for it, by the names of the socket units', async () => {
  const sockets = UNITS.filter((name) => name.endsWith('.socket'));
  const ports = await Promise.all(sockets.map(freePort));
  const [http = 0, https = 0] = ports;
  const env = {
    NAMEPLATE_CNAME_ZONE: 'cname.example.net',
    NAMEPLATE_DNS_RESOLVERS: '192.0.2.53',
    NAMEPLATE_ISSUER: 'internal',
    NAMEPLATE_DATABASE_URL: `sqlite:${join(directory.path, 'nameplate.db')}`,
    NAMEPLATE_LISTEN: '127.0.0.1:0',
    NAMEPLATE_METRICS_LISTEN: '127.0.0.1:0',
    NAMEPLATE_EDGE_HTTP_LISTEN: `127.0.0.1:${http}`,
    NAMEPLATE_EDGE_HTTPS_LISTEN: `127.0.0.1:${https}`,
  };
  const words = [
    ...ports.map((port) => `--listen=127.0.0.1:${port}`),
    `--fdname=${sockets.join(':')}`,
    ...Object.entries({ ...env, PATH: process.env.PATH }).map(([name, value]) => `--setenv=${name}=${value}`),
    join(CLONE, 'bin/nameplate'),
    'serve',
  ];
  server = watch(spawn(systemd.path('systemd-socket-activate'), words, { env: systemd.env }));
  await server.says(/Listening on 127\.0\.0\.1:\d+ as 4\./);
  // It starts the server with the first connection, which waits.
  const response = await fetch(`http://127.0.0.1:${http}/`);
  expect({ status: response.status, body: await response.text() }).toMatchObject({
    status: 404,
    body: expect.stringContaining('No site at this name'),
  });
  const [, edge = ''] = await server.says(/"edge":(\{[^}]*\})/);
  expect(JSON.parse(edge)).toMatchObject({ http: `http://127.0.0.1:${http}`, https: `https://127.0.0.1:${https}` });
  expect((await server.stop()).code).toBe(0);
});
