import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
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
  systemd = await findPrograms('systemd-container', ['systemd', 'systemd-container']);
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

/** Its programs share a library that is in a folder of its own. */
function libraries(): string {
  const paths = `${systemd.env.LD_LIBRARY_PATH}`.split(':');
  return paths.flatMap((path) => [path, join(path, 'systemd')]).join(':');
}

function analyze(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  const env = {
    LD_LIBRARY_PATH: libraries(),
    SYSTEMD_UNIT_PATH: [directory.path, join(TOOLS, 'systemd-container/lib/systemd/system')].join(':'),
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
  server = watch(spawn(systemd.path('systemd-socket-activate'), words, { env: { LD_LIBRARY_PATH: libraries() } }));
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

/**
 * Runs inside, as a service of the machine's systemd. The reload comes last: its successor is no child of systemd, which
 * in a container with control groups of version 1 ends such a process without waiting for it.
 */
const VISITOR = `
  import { execFile, execFileSync } from 'node:child_process';
  import { readFileSync, writeFileSync } from 'node:fs';
  import { get } from 'node:http';
  import { promisify } from 'node:util';
  const systemctl = (...args) => execFileSync('systemctl', args, { encoding: 'utf8' }).trim();
  const value = (name) => systemctl('show', '--value', '--property', name, 'nameplate.service');
  const visit = () => new Promise((resolve) => {
    get('http://127.0.0.1/', { agent: false }, (response) => resolve(response.resume().statusCode))
      .on('error', ({ code }) => resolve(code));
  });
  const seen = { before: value('ActiveState'), first: await visit() };
  try {
    // It responds before systemd knows that it has started.
    systemctl('start', 'nameplate');
    const pid = value('MainPID');
    const status = readFileSync('/proc/' + pid + '/status', 'utf8');
    seen.capabilities = /^CapEff:\\s*(\\S+)/m.exec(status)[1];
    seen.isRoot = /^Uid:\\s*0/m.test(status);
    let restarted = false;
    const restart = promisify(execFile)('systemctl', ['restart', 'nameplate']).finally(() => { restarted = true; });
    const all = new Set();
    do all.add(await visit()); while (!restarted);
    await restart;
    seen.duringRestart = [...all];
    systemctl('stop', 'nameplate');
    seen.result = value('Result');
    systemctl('start', 'nameplate');
    const restartedPid = value('MainPID');
    systemctl('reload', 'nameplate');
    seen.isReplaced = value('MainPID') !== restartedPid;
  } catch (error) { seen.error = error.message; }
  seen.log = execFileSync('journalctl', ['--unit=nameplate', '--output=cat', '--no-pager'], { encoding: 'utf8' });
  writeFileSync('/seen.json', JSON.stringify(seen));
  systemctl('--no-block', 'exit', '0');
`;

test('systemd starts the service with the first visitor, as a user with one capability, and a restart refuses nobody', async () => {
  const at = (...names: string[]) => join(directory.path, 'machine', ...names);
  const changed = (...names: string[]) => at('changed', ...names);
  for (const name of ['etc/systemd/system', 'etc/nameplate', 'opt/nameplate'])
    mkdirSync(changed(name), { recursive: true });
  for (const name of ['work', 'root']) mkdirSync(at(name));
  const units = Object.fromEntries(UNITS.map((name) => [name, read(`deploy/${name}`)]));
  const sockets = UNITS.filter((name) => name.endsWith('.socket')).join(' ');
  units['visited.target'] = `[Unit]\nRequires=basic.target ${sockets}\nWants=visitor.service\nAfter=basic.target\n`;
  units['visitor.service'] =
    `[Unit]\nAfter=${sockets}\n[Service]\nExecStart=/opt/nameplate/node_modules/.bin/node /visitor.mjs\n`;
  for (const [name, text] of Object.entries(units)) writeFileSync(changed('etc/systemd/system', name), text);
  writeFileSync(changed('visitor.mjs'), VISITOR);
  const settings = `${read('deploy/nameplate.env.example')}NAMEPLATE_ISSUER=internal\n`;
  writeFileSync(changed('etc/nameplate/nameplate.env'), settings);
  for (const [name, line] of Object.entries({ passwd: 'nameplate:x:9999:9999::/:/', group: 'nameplate:x:9999:' })) {
    const text = readFileSync(`/etc/${name}`, 'utf8');
    writeFileSync(changed('etc', name), `${text.trimEnd()}\n${line}\n`);
  }
  // The machine's own files below, what is changed beside them: its systemd boots in namespaces, on a network of its own.
  const layers = `lowerdir=/,upperdir=${at('changed')},workdir=${at('work')}`;
  // Its control groups are below one of its own, so that two runs share none.
  const groups = `nameplate-${process.pid}`;
  const boot = `set -e
    for tree in /sys/fs/cgroup /sys/fs/cgroup/systemd /sys/fs/cgroup/unified; do
      [ -e $tree/cgroup.procs ] || continue
      mkdir $tree/${groups}
      echo $$ > $tree/${groups}/cgroup.procs
    done
    mount -t overlay overlay -o ${layers} ${at('root')}
    exec "$@"`;
  const machine = ['--register=no', '--keep-unit', '--private-network', '--quiet', '--directory', at('root')];
  const words = [systemd.path('systemd-nspawn'), ...machine, `--bind-ro=${CLONE}:/opt/nameplate`];
  const init = ['/lib/systemd/systemd', '--unit=visited.target'];
  execFileSync('unshare', ['--mount', 'sh', '-c', boot, 'sh', ...words, ...init], {
    env: { ...process.env, LD_LIBRARY_PATH: libraries() },
    timeout: 120_000,
    stdio: 'pipe',
  });
  execFileSync('find', [
    '/sys/fs/cgroup',
    '-depth',
    '-type',
    'd',
    '-path',
    `*/${groups}*`,
    '-exec',
    'rmdir',
    '{}',
    '+',
  ]);
  const { log, ...seen } = JSON.parse(readFileSync(changed('seen.json'), 'utf8'));
  expect(seen, log).toEqual({
    before: 'inactive',
    first: 404,
    // CAP_NET_BIND_SERVICE
    capabilities: '0000000000000400',
    isRoot: false,
    isReplaced: true,
    duringRestart: [404],
    result: 'success',
  });
});
