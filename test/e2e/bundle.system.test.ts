import { execFile, execFileSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isBundled } from '../../bin/bundle.mjs';
import { bundle } from '../../scripts/bundle.ts';
import { ANY_PORTS, CLONE, type Started, startCommand, temporaryDirectory } from '../support/command.ts';

// Tests the results of `npm run build` and `npm pack`, and whether a clone runs its bundle or its sources.

const directory = temporaryDirectory();
const clone = join(directory.path, 'clone');
/** As npm installs the package. */
const installed = join(directory.path, 'node_modules/nameplate');
const running: Started[] = [];

/** The parts of the repository that belong to a bundle or a package. */
const FILES = [
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'bin',
  'deploy',
  'package-lock.json',
  'package.json',
  'scripts',
  'client',
  'page',
  'playground',
  'server',
  'words',
].sort();

beforeAll(async () => {
  const filter = (path: string) => !path.endsWith('.test.ts');
  for (const file of FILES) cpSync(join(CLONE, file), join(clone, file), { recursive: true, filter });
  symlinkSync(join(CLONE, 'node_modules'), join(clone, 'node_modules'));
  // Copies the build of these sources, if there is one.
  if (isBundled(CLONE)) cpSync(join(CLONE, 'dist'), join(clone, 'dist'), { recursive: true });
  else await bundle(clone);
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--json', '--ignore-scripts'], { cwd: clone, stdio: 'pipe' }).toString(),
  );
  // Offline, so that a package it needs would be missing.
  writeFileSync(join(directory.path, 'package.json'), '{ "private": true }');
  const install = ['install', '--offline', '--no-audit', '--no-fund'];
  execFileSync('npm', [...install, join(clone, packed.filename)], { cwd: directory.path, stdio: 'pipe' });
});
afterAll(async () => {
  await Promise.all(running.map((program) => program.stop()));
  directory.remove();
});

function start(root: string, args: string[], env: Record<string, string> = {}): Started {
  const surroundings = {
    PATH: `${dirname(process.execPath)}:/usr/bin:/bin`,
    NODE_COMPILE_CACHE: join(directory.path, 'cache'),
    ...env,
  };
  const started = startCommand(join(root, 'bin/nameplate'), args, { env: surroundings });
  running.push(started);
  return started;
}

async function json<T>(args: string[]): Promise<T> {
  const { code, stdout, stderr } = await start(installed, [...args, '--json']).ended;
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
  return JSON.parse(stdout) as T;
}

const database = `sqlite:${directory.path}/data/nameplate.db`;
const server = {
  NAMEPLATE_CNAME_ZONE: 'cname.example.net',
  NAMEPLATE_DNS_RESOLVERS: '192.0.2.53',
  NAMEPLATE_DATABASE_URL: database,
  NAMEPLATE_LISTEN: '127.0.0.1:0',
  NAMEPLATE_METRICS_LISTEN: '127.0.0.1:0',
  NAMEPLATE_EDGE_HTTP_LISTEN: '127.0.0.1:0',
  NAMEPLATE_EDGE_HTTPS_LISTEN: '127.0.0.1:0',
  NAMEPLATE_EDGE_THREADS: '1',
  NAMEPLATE_ISSUER: 'internal',
};

interface ReadyLine {
  api: string;
  metrics: string;
  edge: { http: string };
}

test('the package is the bundle without sources, and names the licence of each package in it', async () => {
  expect(readdirSync(installed).sort()).toEqual(
    ['CHANGELOG.md', 'LICENSE', 'README.md', 'bin', 'deploy', 'dist', 'package.json'].sort(),
  );
  expect(existsSync(join(installed, 'deploy/healthcheck.ts'))).toBe(false);
  expect(readdirSync(join(installed, '..')).sort()).toEqual(['.bin', '.package-lock.json', 'nameplate']);
  const licences = readFileSync(join(installed, 'dist/licenses.txt'), 'utf8');
  const named = [...licences.matchAll(/^(\S+) \d\S* \(\S+\)\n\n\S/gm)].map(([, name]) => name);
  expect(named).toEqual(expect.arrayContaining(['fastify', 'jose', 'lru-cache', 'pg', 'preact', 'tldts']));
});

test.concurrent('a project that installs it runs its program by npx', async ({ expect }) => {
  const { version } = JSON.parse(readFileSync(join(CLONE, 'package.json'), 'utf8'));
  expect(await run('npx', ['--offline', 'nameplate', '--version'])).toBe(`${version}\n`);
});

async function run(command: string, args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, { cwd: directory.path });
  return stdout;
}

test.concurrent('an installed package runs with the Node on the PATH, and caches code where NODE_COMPILE_CACHE says', async () => {
  const cache = join(directory.path, 'own-cache');
  const { version } = JSON.parse(readFileSync(join(CLONE, 'package.json'), 'utf8'));
  expect(await start(installed, ['--version'], { NODE_COMPILE_CACHE: cache }).ended).toEqual({
    code: 0,
    signal: null,
    stdout: `${version}\n`,
    stderr: '',
  });
  expect(readdirSync(cache)).not.toEqual([]);
});

test.concurrent('it migrates a store, serves all roles, writes and reads, and stops', async ({ expect }) => {
  const { id } = await json<{ id: string }>(['workspaces', 'create', 'acme', '--database', database]);
  const permissions = ['project.*.create_project', 'app.*.create_app', 'environment.*.create_environment'];
  const all = [...permissions, 'environment.*.create_domain', 'environment.*.read_domain'];
  const granted = all.flatMap((permission) => ['--permission', permission]);
  const { key } = await json<{ key: string }>([
    'keys',
    'create',
    '--workspace',
    id,
    ...granted,
    '--database',
    database,
  ]);
  const served = start(installed, ['serve'], server);
  const [line] = await served.says(/^\{.*"msg":"ready"\}$/m);
  const { api, metrics, edge } = JSON.parse(line) as ReadyLine;

  async function call<T>(operation: string, body: object): Promise<T> {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const response = await fetch(`${api}/v2/${operation}`, { method: 'POST', headers, body: JSON.stringify(body) });
    expect({ operation, status: response.status }).toEqual({ operation, status: 200 });
    return ((await response.json()) as { data: T }).data;
  }
  const place = { project: 'shop', app: 'web', environment: 'production' };
  await call('projects.createProject', { slug: 'shop' });
  await call('apps.createApp', { project: 'shop', slug: 'web' });
  await call('environments.createEnvironment', { project: 'shop', app: 'web', slug: 'production' });
  const { domainId } = await call<{ domainId: string }>('domains.createDomain', {
    ...place,
    domain: 'www.example.com',
  });
  expect(await call('domains.getDomain', { domain: 'www.example.com' })).toMatchObject({ id: domainId });

  // From a thread of the edge.
  expect((await fetch(edge.http)).status).toBe(404);
  await expect
    .poll(async () => (await fetch(`${metrics}/metrics`)).text())
    .toContain('nameplate_edge_requests_total{protocol="http/1.1",status="4xx"} 1');
  expect((await served.stop()).code).toBe(0);
});

test.concurrent('its playground takes a domain from nothing to HTTPS, with a diagnosis on the way', async () => {
  const { code, stdout, stderr } = await start(installed, ['demo', '--data', join(directory.path, 'demo')]).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  for (const part of ['Problem name_doubled', '"state": "issued"', 'It all worked']) expect(stdout).toContain(part);
});

test.concurrent('stacks name the sources', async () => {
  const args = ['migrate', '--database', 'sqlite:/dev/null/nameplate.db'];
  const { code, stderr } = await start(installed, args, { NAMEPLATE_LOG_LEVEL: 'debug' }).ended;
  expect(code).toBe(1);
  expect(stderr).toMatch(
    / at (?:Module\.)?prepareFile \(.*\/server\/src\/store\/engine\/sqlite\/database-file\.ts:\d+:\d+\)/,
  );
  expect(stderr).not.toContain('/dist/');
});

test.concurrent('a stack can be read whatever was thrown', ({ expect }) => {
  const program = `
    class Unprintable extends Error { toString() { throw this; } }
    const bare = Object.create(null);
    Error.captureStackTrace(bare);
    const silent = Object.defineProperty(new Error(), 'message', { get() { throw this; } });
    for (const { stack } of [new Unprintable('why'), bare, silent]) console.log(stack.split('\\n')[0]);`;
  const args = ['--import', join(installed, 'bin/stacks.mjs'), '--eval', program];
  expect(execFileSync(process.execPath, args).toString()).toBe('Error: why\nError\nError\n');
});

test('a clone runs its bundle while that is of its sources, and else the sources, of which serve tells', async () => {
  appendFileSync(join(clone, 'dist/cli.js'), "\nconsole.error('from the bundle');\n");
  const version = expect.stringMatching(/^\d+\.\d+\.\d+\n$/);
  const runs = () => start(clone, ['--version']).ended;
  expect(await runs()).toMatchObject({ code: 0, stdout: version, stderr: 'from the bundle\n' });

  appendFileSync(join(clone, 'server/src/base/clock.ts'), '\n// Changed.\n');
  expect(await runs()).toMatchObject({ code: 0, stdout: version, stderr: '' });
  const served = start(clone, ['serve'], { ...server, NAMEPLATE_DATABASE_URL: `sqlite:${directory.path}/outdated.db` });
  await served.says(/"msg":"dist\/ was built from other sources, so the sources run: npm run build"/);
  await served.stop();

  rmSync(join(clone, 'dist'), { recursive: true });
  expect(await runs()).toMatchObject({ code: 0, stdout: version, stderr: '' });

  rmSync(join(clone, 'node_modules'));
  mkdirSync(join(clone, 'node_modules/.bin'), { recursive: true });
  symlinkSync(process.execPath, join(clone, 'node_modules/.bin/node'));
  expect(await runs()).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining(`Run "npm ci" in ${clone}`),
  });
});

test.concurrent('its playground serves the DNS panel', async () => {
  const playground = start(installed, ['dev', '--json', '--data', join(directory.path, 'dev'), ...ANY_PORTS]);
  const [line] = await playground.says(/^\{"event":"ready".*\}$/m);
  const { dnsPanel } = JSON.parse(line) as { dnsPanel: string };
  const page = await (await fetch(dnsPanel)).text();
  const files = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, file = '']) => file);
  expect(files).toContain('panel.js');
  for (const file of files) expect((await fetch(new URL(file, dnsPanel))).status).toBe(200);
  expect((await playground.stop()).code).toBe(0);
});
