import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ARCHITECTURE, IMAGE, writeImage } from '../../scripts/image.ts';
import { CLONE, type Started, temporaryDirectory, watch } from '../support/command.ts';
import { findPrograms, type Programs, START_LIMIT_MS, TOOLS } from '../support/debian.ts';
import { CONFINED } from './files.ts';

// Builds the image, unpacks it and starts it in namespaces of its own, without a network: needs root.

const directory = temporaryDirectory();
const file = join(directory.path, 'image.tar');
const rootfs = join(directory.path, 'unpacked/rootfs');
const volume = join(directory.path, 'volume');
const version = '1.2.3';
let tools: Programs;
const running: Started[] = [];

beforeAll(async () => {
  tools = await findPrograms('containers', ['skopeo', 'umoci', 'runc']);
  execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', directory.path], { cwd: CLONE });
  const program = readdirSync(directory.path).find((name) => name.endsWith('.tgz')) ?? '';
  writeImage(CLONE, file, {
    version,
    revision: 'the commit',
    createdMs: Date.UTC(2026, 0, 1),
    program: join(directory.path, program),
    packages: join(TOOLS, 'image/debian'),
  });
  const layout = join(directory.path, 'layout');
  mkdirSync(layout);
  execFileSync('tar', ['--extract', '--file', file, '--directory', layout]);
  // It reads every blob by its digest.
  tool('umoci', 'unpack', '--image', `${layout}:${version}`, join(directory.path, 'unpacked'));
  // A bundle is readable for root alone.
  chmodSync(join(directory.path, 'unpacked'), 0o755);
  chmodSync(directory.path, 0o755);
  mkdirSync(volume, { mode: 0o700 });
  chownSync(volume, CONFINED.user, CONFINED.user);
}, START_LIMIT_MS);
afterAll(async () => {
  for (const { child } of running) child.kill('SIGKILL');
  await Promise.all(running.map(({ ended }) => ended));
  directory.remove();
});

function tool(name: string, ...args: string[]): string {
  return execFileSync(tools.path(name), args, { env: { ...process.env, ...tools.env }, encoding: 'utf8' });
}

interface Running extends Started {
  /** Runs another program in the container. */
  exec(...args: string[]): Started['ended'];
}

/** Starts the image as compose.yaml and the chart do, in place of a runtime with a daemon. */
function startContainer({ args, env = {} }: { args: string[]; env?: Record<string, string> }): Running {
  const id = `nameplate-${randomUUID()}`;
  const bundle = join(directory.path, id);
  mkdirSync(bundle);
  const config = JSON.parse(readFileSync(join(directory.path, 'unpacked/config.json'), 'utf8'));
  const { user, readOnly, capabilities, noNewPrivileges, temporary } = CONFINED;
  expect(config.process.user).toMatchObject({ uid: user, gid: user });
  config.root = { path: rootfs, readonly: readOnly };
  config.process.terminal = false;
  config.process.args = args;
  config.process.rlimits = [];
  config.process.noNewPrivileges = noNewPrivileges;
  for (const set of Object.keys(config.process.capabilities)) config.process.capabilities[set] = capabilities;
  config.process.env.push(...Object.entries(env).map((each) => each.join('=')));
  const own = ['nosuid', 'nodev'];
  config.mounts.push(
    ...temporary.map((destination) => ({ destination, type: 'tmpfs', source: 'tmpfs', options: own })),
    { destination: '/var/lib/nameplate', type: 'bind', source: volume, options: ['bind', ...own] },
  );
  writeFileSync(join(bundle, 'config.json'), JSON.stringify(config));
  const runc = (...words: string[]) =>
    spawn(tools.path('runc'), ['--root', join(directory.path, 'runc'), ...words], {
      env: { ...process.env, ...tools.env },
    });
  const started = watch(runc('run', '--bundle', bundle, id));
  running.push(started);
  return { ...started, exec: (...words) => watch(runc('exec', id, ...words)).ended };
}

const command = (...args: string[]) => [...IMAGE.Entrypoint, ...args];
const check = IMAGE.Healthcheck.Test.slice(1);

const SETTINGS = {
  NAMEPLATE_CNAME_ZONE: 'cname.example.net',
  NAMEPLATE_DNS_RESOLVERS: '192.0.2.53',
  NAMEPLATE_ISSUER: 'internal',
};

test('runtimes read the image, by OCI and as "docker load" does', () => {
  for (const transport of ['oci-archive', 'docker-archive']) {
    const { Os, Architecture, Labels, Env } = JSON.parse(tool('skopeo', 'inspect', `${transport}:${file}`));
    expect({ Os, Architecture }).toEqual({ Os: 'linux', Architecture: ARCHITECTURE });
    expect(Labels).toMatchObject({ 'org.opencontainers.image.version': version });
    expect(Env).toContain('NAMEPLATE_LISTEN=*:7070');
  }
});

test('the image has no shell and no other program than Node and its init, and names its Debian packages to scanners', () => {
  expect(readdirSync(join(rootfs, 'usr/bin'))).toEqual(['node', 'tini']);
  for (const folder of ['bin', 'sbin', 'usr/sbin']) expect(existsSync(join(rootfs, folder))).toBe(false);
  const packages = readdirSync(join(rootfs, 'var/lib/dpkg/status.d'));
  expect(packages).toEqual(expect.arrayContaining(['libc6', 'libgcc-s1', 'libstdc++6', 'tini']));
  for (const name of packages) {
    expect(readFileSync(join(rootfs, 'var/lib/dpkg/status.d', name), 'utf8')).toMatch(/^Version: \d/m);
    expect(existsSync(join(rootfs, 'usr/share/doc', name, 'copyright'))).toBe(true);
  }
});

test('in a namespace without a network, the image serves a first name over HTTPS', async () => {
  const { code, stdout, stderr } = await startContainer({ args: command('demo') }).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('Hello from the playground. You requested shop.example.com.');
});

test('the image runs read-only, without a privilege and with no network but its own, migrates, serves, reloads and stops', async () => {
  const env = { ...SETTINGS };
  expect(await startContainer({ args: command('migrate'), env }).ended).toMatchObject({ code: 0, stderr: '' });
  const server = startContainer({ args: command(...IMAGE.Cmd), env });
  await server.says(/"msg":"ready"/);
  const look = `const { readFileSync, writeFileSync } = require('fs');
    const status = readFileSync('/proc/self/status', 'utf8');
    const value = (name) => status.match(new RegExp(name + ':\\\\s*(\\\\S+)'))[1];
    let written;
    try { writeFileSync('/app/file', ''); } catch (error) { written = error.code; }
    console.log(JSON.stringify({
      uid: value('Uid'), privileges: ['CapEff', 'CapPrm', 'CapBnd', 'CapAmb'].map(value), noNew: value('NoNewPrivs'),
      interfaces: Object.keys(require('os').networkInterfaces()), written,
    }));`;
  const none = '0'.repeat(16);
  expect(JSON.parse((await server.exec('/usr/bin/node', '-e', look)).stdout)).toEqual({
    uid: `${CONFINED.user}`,
    privileges: [none, none, none, none],
    noNew: '1',
    interfaces: ['lo'],
    written: 'EROFS',
  });
  const fetchAll = `Promise.all(['/v2/liveness', '/readyz', '/openapi.json', '/docs', '/dashboard']
    .map((path) => fetch('http://127.0.0.1:7070' + path).then(({ status }) => status))).then((all) => console.log(all.join()))`;
  const isServed = async () =>
    expect((await server.exec('/usr/bin/node', '-e', fetchAll)).stdout).toBe('200,200,200,200,200\n');
  await isServed();
  expect(await server.exec('nameplate', 'workspaces', 'create', 'acme')).toMatchObject({ code: 0, stderr: '' });
  expect(await server.exec('nameplate', 'reload')).toMatchObject({ code: 0, stderr: '' });
  await server.says(/"msg":"drained/);
  await isServed();
  expect(await server.exec(...check)).toMatchObject({ code: 0, stdout: '', stderr: '' });
  expect(await server.stop()).toMatchObject({ code: 0, stderr: '' });
});

test.each(['api,verifier,certificates,edge', 'edge'])(
  'the health check of the image tells a process with the roles %s from none',
  async (roles) => {
    const env = { ...SETTINGS, NAMEPLATE_ROLES: roles, NAMEPLATE_DATABASE_URL: `sqlite:${roles.length}.db` };
    expect((await startContainer({ args: check, env }).ended).code).toBe(1);
    const server = startContainer({ args: command(...IMAGE.Cmd), env });
    await server.says(/"msg":"ready"/);
    expect(await server.exec(...check)).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect((await server.stop()).code).toBe(0);
  },
);
