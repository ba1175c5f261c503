import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Simulator, startSimulator } from '../../playground/dns/simulator.ts';
import type { ShownDomain } from '../../server/src/cli/output/show-domain.ts';
import { run, runJson, type Started, start } from '../support/command.ts';
import { ENCRYPTION_KEY } from '../support/encryption-key.ts';
import { type Postgres, sharedPostgres } from '../support/postgres.ts';

// The program on PostgreSQL, as whoever outgrows one machine runs it: the same commands, another
// NAMEPLATE_DATABASE_URL.

let server: Postgres;
let dns: Simulator;
let env: Record<string, string>;
const running: Started[] = [];

beforeAll(async () => {
  server = sharedPostgres();
  dns = await startSimulator({ port: 0 });
  env = {
    NAMEPLATE_DATABASE_URL: await server.createDatabase(),
    NAMEPLATE_CNAME_ZONE: 'cname.example.net',
    NAMEPLATE_DNS_MODE: 'recursive',
    NAMEPLATE_DNS_RESOLVERS: `127.0.0.1:${dns.port}`,
    NAMEPLATE_LISTEN: '127.0.0.1:0',
    NAMEPLATE_METRICS_LISTEN: 'off',
    NAMEPLATE_EDGE_HTTP_LISTEN: '127.0.0.1:0',
    NAMEPLATE_EDGE_HTTPS_LISTEN: '127.0.0.1:0',
    NAMEPLATE_ISSUER: 'internal',
    NAMEPLATE_ENCRYPTION_KEY: ENCRYPTION_KEY,
  };
});
afterAll(async () => {
  await Promise.all(running.map((node) => node.stop()));
  await dns.close();
});

async function serve(
  roles: string,
  settings: Record<string, string> = {},
): Promise<Started & { url: string; metrics: string }> {
  const node = start(['serve'], { env: { ...env, ...settings, NAMEPLATE_ROLES: roles } });
  running.push(node);
  const [line] = await node.says(/^\{.*"msg":"ready"\}$/m);
  const { api, metrics } = JSON.parse(line);
  return { ...node, url: api ?? '', metrics: metrics ?? '' };
}

const GRANTS = [
  'project.*.create_project',
  'app.*.create_app',
  'environment.*.create_environment',
  'environment.*.create_domain',
  'environment.*.read_domain',
  'environment.*.verify_domain',
];

test('a domain that one node is given is verified by another, once its records are published', async () => {
  const migrated = await runJson<{ migrations: string[]; database: string }>(['migrate'], { env });
  expect(migrated.migrations).toEqual(['0001-schema']);
  expect(migrated.database).toMatch(/^postgres:\/\/test\w+@127\.0\.0\.1:\d+\/test\w+$/);
  const { id } = await runJson<{ id: string }>(['workspaces', 'create', 'acme'], { env });
  const grants = GRANTS.flatMap((grant) => ['--permission', grant]);
  const made = await runJson<{ key: string; id: string }>(['keys', 'create', '--workspace', id, ...grants], { env });

  const [api, other, verifier] = await Promise.all([serve('api'), serve('api,verifier'), serve('verifier')]);
  const there = { env: { NAMEPLATE_URL: api.url, NAMEPLATE_ROOT_KEY: made.key } };
  await runJson(['projects', 'create', 'shop'], there);
  await runJson(['apps', 'create', 'web', '--project', 'shop'], there);
  await runJson(['environments', 'create', 'live', '--project', 'shop', '--app', 'web'], there);
  const place = ['--project', 'shop', '--app', 'web', '--environment', 'live'];
  await runJson(['domains', 'create', 'shop.example.com', ...place], there);
  const { dnsRecords } = await runJson<ShownDomain>(['domains', 'get', 'shop.example.com'], there);
  for (const { name, type, value } of dnsRecords) dns.set(name, type, [value]);
  await run(['domains', 'verify', 'shop.example.com'], there);
  const elsewhere = { env: { ...there.env, NAMEPLATE_URL: other.url } };
  expect(await runJson(['domains', 'wait', 'shop.example.com'], elsewhere)).toMatchObject({ status: 'verified' });

  await runJson(['keys', 'revoke', made.id], { env });
  const refused = () => run(['domains', 'get', 'shop.example.com'], elsewhere);
  await expect
    .poll(refused, { timeout: 20_000 })
    .toMatchObject({ code: 1, stderr: expect.stringContaining('Unauthorized') });

  const password = new URL(env.NAMEPLATE_DATABASE_URL ?? '').password;
  for (const node of [api, other, verifier]) {
    const { code, stdout, stderr } = await node.stop();
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).not.toContain(password);
    expect(stdout).not.toContain(decodeURIComponent(password));
  }
});

test('doctor finds the store, and says what is wrong with one that it cannot use', async () => {
  const storeOf = async (url: string) => {
    const { stdout } = await run(['doctor', '--json'], { env: { ...env, NAMEPLATE_DATABASE_URL: url } });
    expect(stdout).not.toContain('horse');
    const findings = JSON.parse(stdout) as { about: string; level: string; found: string }[];
    return findings.find(({ about }) => about === 'store');
  };
  const empty = await server.createDatabase();
  expect(await storeOf(empty)).toMatchObject({ level: 'ok', found: expect.stringContaining('is empty;') });
  expect(await run(['workspaces', 'list'], { env: { NAMEPLATE_DATABASE_URL: empty } })).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^nameplate: There is no store at postgres:\/\//),
  });
  await runJson(['migrate'], { env: { NAMEPLATE_DATABASE_URL: empty } });
  expect(await storeOf(empty)).toMatchObject({ level: 'ok', found: expect.stringContaining('is writable') });
  const wrong = Object.assign(new URL(empty), { password: 'wrong-horse' }).href;
  expect(await storeOf(wrong)).toMatchObject({ level: 'fail', found: expect.stringContaining('refused the password') });
});

test('the metrics of a process have the connections of all its threads', async () => {
  const url = await server.createDatabase();
  const settings = { NAMEPLATE_DATABASE_URL: url, NAMEPLATE_METRICS_LISTEN: '127.0.0.1:0', NAMEPLATE_API_THREADS: '2' };
  const { url: api, metrics } = await serve('api,verifier', settings);
  // Each thread of the API reads; the first one writes.
  await Promise.all(Array.from({ length: 20 }, () => fetch(`${api}/readyz`)));
  async function connections(): Promise<number> {
    const text = await (await fetch(`${metrics}/metrics`)).text();
    const lines = [
      ...text.matchAll(/^nameplate_database_connections\{pool="(?:reads|writes)",state="(?:in_use|idle)"\} (\d+)$/gm),
    ];
    expect(lines).toHaveLength(4);
    return lines.reduce((sum, [, count]) => sum + Number(count), 0);
  }
  const own = `from pg_stat_activity where application_name = 'nameplate' and datname = current_database()`;
  const open = async () =>
    Number((await server.run(url, `select count(*) as count ${own} and query not ilike 'listen %'`))[0]?.count);
  const difference = async () => (await open()) - (await connections());
  // Between the two, one may be opened.
  await expect.poll(difference).toBe(0);
  expect(await connections()).toBeGreaterThan(3);
});
