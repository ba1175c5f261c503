import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import { migrate } from '../../server/src/store/engine/sqlite/sqlite.ts';
import {
  type Ended,
  run,
  runJson,
  type Started,
  start,
  startCommand,
  startPlayground,
  temporaryDirectory,
} from '../support/command.ts';
import { ENCRYPTION_KEY } from '../support/encryption-key.ts';

const directory = temporaryDirectory();
const databaseFor = (name: string) => `sqlite:${directory.path}/${name}.db`;
const env = {
  NAMEPLATE_CNAME_ZONE: 'cname.example.net',
  NAMEPLATE_DNS_RESOLVERS: '192.0.2.53',
  NAMEPLATE_DATABASE_URL: databaseFor('any'),
  NAMEPLATE_LISTEN: '127.0.0.1:0',
  NAMEPLATE_METRICS_LISTEN: '127.0.0.1:0',
  NAMEPLATE_EDGE_HTTP_LISTEN: '127.0.0.1:0',
  NAMEPLATE_EDGE_HTTPS_LISTEN: '127.0.0.1:0',
  NAMEPLATE_ISSUER: 'internal',
  NAMEPLATE_ENCRYPTION_KEY: ENCRYPTION_KEY,
};
const running: Started[] = [];

afterAll(async () => {
  await Promise.all(running.map((server) => server.stop()));
  directory.remove();
});

interface ReadyLine {
  api: string | null;
  metrics: string | null;
  edge: { http: string; health: string | null } | null;
}

async function serve(changes: Record<string, string> = {}): Promise<Started & ReadyLine> {
  const server = start(['serve'], { env: { ...env, ...changes } });
  running.push(server);
  const [line] = await server.says(/^\{.*"msg":"ready"\}$/m);
  return { ...server, ...(JSON.parse(line) as ReadyLine) };
}

/** The one line that says why a server did not start. */
function startFailure({ code, stdout, stderr }: Ended): string {
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
  expect(stdout).toMatch(/^[^\n]+\n$/);
  const { level, time, msg } = JSON.parse(stdout);
  expect({ level, time }).toEqual({ level: 60, time: expect.any(Number) });
  return msg;
}

test.concurrent('a server is set up with commands, serves requests and metrics, stops cleanly, and then the store says when the key was used', async () => {
  const database = databaseFor('from-nothing');
  const { id } = await runJson<{ id: string }>(['workspaces', 'create', 'acme', '--database', database]);
  const permission = ['--permission', 'project.*.create_project', '--permission', 'project.*.read_project'];
  const key = await runJson<{ key: string }>([
    'keys',
    'create',
    '--workspace',
    id,
    ...permission,
    '--database',
    database,
  ]);
  const lastUses = async () => {
    const keys = await runJson<{ lastUsedAt?: number }[]>(['keys', 'list', '--database', database]);
    return keys.map(({ lastUsedAt }) => lastUsedAt);
  };
  expect(await lastUses()).toEqual([undefined]);
  const startedAt = Date.now();
  const server = await serve({ NAMEPLATE_DATABASE_URL: database });

  const there = { NAMEPLATE_URL: server.api ?? '', NAMEPLATE_ROOT_KEY: key.key };
  await runJson(['projects', 'create', 'shop'], { env: there });
  expect(await runJson(['projects', 'list'], { env: there })).toHaveLength(1);
  const metrics = await (await fetch(`${server.metrics}/metrics`)).text();
  expect(metrics).toContain('nameplate_requests_total{operation="projects.createProject",status="200"} 1');
  expect((await fetch(`${server.api}/metrics`)).status).toBe(404);

  const { code, stdout } = await server.stop();
  expect(code).toBe(0);
  expect(stdout).not.toContain(key.key);
  for (const line of stdout.trimEnd().split('\n')) expect(() => JSON.parse(line)).not.toThrow();
  const [usedAt] = await lastUses();
  expect(usedAt).toBeGreaterThanOrEqual(startedAt);
});

test.concurrent('an edge beside the API logs its requests where that is switched on, and stays ready while nobody can write to the store', async () => {
  const path = `${directory.path}/edge.db`;
  const server = await serve({
    NAMEPLATE_DATABASE_URL: `sqlite:${path}`,
    NAMEPLATE_EDGE_HEALTH_LISTEN: '127.0.0.1:0',
    NAMEPLATE_EDGE_ACCESS_LOG: '1',
  });
  const { edge, api } = server;
  const request = get(edge?.http ?? '', { headers: { host: 'nobody.example.com' }, agent: false });
  const [{ statusCode }] = (await once(request, 'response')) as [IncomingMessage];
  expect(statusCode).toBe(404);
  const [line] = await server.says(/^\{.*"msg":"edge request"\}$/m);
  expect(JSON.parse(line)).toMatchObject({ host: 'nobody.example.com', status: 404, client: '127.0.0.1' });

  const readiness = async (url: string | null) => {
    const response = await fetch(`${url}/readyz`);
    return [response.status, ((await response.json()) as { status: string }).status];
  };
  expect([await readiness(api), await readiness(edge?.health ?? null)]).toEqual([
    [200, 'ready'],
    [200, 'ready'],
  ]);
  const other = new DatabaseSync(path);
  other.exec('begin immediate');
  while ((await readiness(api))[1] !== 'degraded');
  expect([await readiness(api), await readiness(edge?.health ?? null)]).toEqual([
    [200, 'degraded'],
    [200, 'ready'],
  ]);
  other.close();
});

test.concurrent('SIGTERM ends a start that reports waiting for another process', async () => {
  const path = `${directory.path}/locked.db`;
  await migrate(path);
  const other = new DatabaseSync(path);
  other.exec('begin immediate');
  const waiting = start(['serve'], { env: { ...env, NAMEPLATE_DATABASE_URL: `sqlite:${path}` } });
  await waiting.says(/"msg":"waiting for another process, which holds the write lock of [^"]*locked\.db"/);
  const { code, stdout } = await waiting.stop();
  expect(code).toBe(0);
  expect(stdout).toContain('stopped before it was ready');
  other.close();
});

test.concurrent('a file has one verifier process at a time; another process can serve the API', async () => {
  const shared = { NAMEPLATE_DATABASE_URL: databaseFor('shared') };
  const first = await serve(shared);
  const second = await run(['serve'], { env: { ...env, ...shared } });
  expect(startFailure(second)).toMatch(/^the server does not start: .*\(\d+\) already runs the verifier/);
  const api = await serve({ ...shared, NAMEPLATE_ROLES: 'api' });
  expect((await fetch(`${api.api}/v2/liveness`)).status).toBe(200);
  await first.stop();
  expect((await serve({ ...shared, NAMEPLATE_ROLES: 'verifier', NAMEPLATE_METRICS_LISTEN: 'off' })).api).toBeNull();
});

test.concurrent('a port in use: one JSON line, exit code 1', async () => {
  const holder = await serve({ NAMEPLATE_ROLES: 'api' });
  const address = holder.api?.replace('http://', '') ?? '';
  const second = await run(['serve'], { env: { ...env, NAMEPLATE_ROLES: 'api', NAMEPLATE_LISTEN: address } });
  expect(startFailure(second)).toBe(
    `the server does not start: ${address} is in use by another program. Stop it, or set NAMEPLATE_LISTEN to another port.`,
  );
});

test.concurrent('an IPv6 address in use is printed as in the configuration', async () => {
  const holder = createServer().listen(0, '::1');
  await once(holder, 'listening');
  const { port } = holder.address() as AddressInfo;
  const changes = { NAMEPLATE_ROLES: 'api', NAMEPLATE_LISTEN: `[::1]:${port}` };
  const refused = await run(['serve'], { env: { ...env, ...changes } });
  holder.close();
  expect(startFailure(refused)).toContain(`: [::1]:${port} is in use`);
});

test.concurrent("a playground's store is not served: its key lies beside it", async () => {
  const data = `${directory.path}/playground`;
  const playground = await startPlayground(data);
  await playground.stop();
  const database = { NAMEPLATE_DATABASE_URL: `sqlite:${data}/nameplate.db` };
  expect(startFailure(await run(['serve'], { env: { ...env, ...database } }))).toMatch(
    / is a playground's store.* Set NAMEPLATE_DATABASE_URL to another file/,
  );
});

test.concurrent.each<[what: string, changes: Record<string, string>, says: RegExp]>([
  ['an address of another machine', { NAMEPLATE_LISTEN: '192.0.2.1:7070' }, /not an address of this machine/],
  ['a store that cannot be made', { NAMEPLATE_DATABASE_URL: 'sqlite:DIR/file/n.db' }, /file\/n\.db/],
  ['a file that is no database', { NAMEPLATE_DATABASE_URL: 'sqlite:DIR/file' }, /file.*not a database/],
  [
    'a PostgreSQL that is not there',
    { NAMEPLATE_DATABASE_URL: 'postgres://me:hunter2@127.0.0.1:1/n' },
    /^the server does not start: cannot use the database postgres:\/\/me@127\.0\.0\.1:1\/n: nothing listens there: /,
  ],
  [
    'no such operation',
    { NAMEPLATE_RATE_LIMITS: 'domains.getDomian=1/1m' },
    /RATE_LIMITS is .*did you mean domains\.getDomain\?/,
  ],
])('%s: one JSON line, exit code 1, no stack', async (_, changes, says) => {
  const bad = `${directory.path}/bad`;
  mkdirSync(bad, { recursive: true });
  writeFileSync(`${bad}/file`, 'no database, but long enough to be looked at. '.repeat(100));
  const changed = Object.entries(changes).map(([name, value]) => [name, value.replace('DIR', bad)]);
  const own = { ...env, NAMEPLATE_DATABASE_URL: `sqlite:${bad}/own.db` };
  const refused = await run(['serve'], { env: { ...own, ...Object.fromEntries(changed) } });
  expect(startFailure(refused)).toMatch(says);
  expect(refused.stdout).not.toMatch(/\n +at |hunter2/);
});

test.concurrent('two wrong settings: one JSON line that lists both, whatever the level of the log', async () => {
  const changes = { NAMEPLATE_LISTEN: 'nowhere', NAMEPLATE_CNAME_ZONE: '', NAMEPLATE_LOG_LEVEL: 'silent' };
  const refused = await run(['serve'], { env: { ...env, ...changes } });
  expect(startFailure(refused)).toMatch(/: \(1\) NAMEPLATE_LISTEN is .* \(2\) NAMEPLATE_CNAME_ZONE is not set/);
  expect(JSON.parse(refused.stdout).problems).toEqual([
    expect.stringContaining('NAMEPLATE_LISTEN is'),
    expect.stringContaining('NAMEPLATE_CNAME_ZONE is not set'),
  ]);
});

test.concurrent('on a terminal, a server that cannot start says why in text', async () => {
  const line = "script --quiet --return --command './bin/nameplate serve' /dev/null";
  const { code, stdout } = await startCommand('sh', ['-c', line], { env: { ...env, NAMEPLATE_LISTEN: 'nowhere' } })
    .ended;
  expect(code).toBe(1);
  expect(stdout).toMatch(/^nameplate: The configuration has a problem:\r\n {2}NAMEPLATE_LISTEN is [^\n]*\r\n$/);
});
