import { mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ControlResults } from '../../playground/control.ts';
import { type PlaygroundFile, readPlaygroundFile } from '../../server/src/cli/data-dir.ts';
import type { ShownDomain } from '../../server/src/cli/output/show-domain.ts';
import { PRESETS } from '../../words/presets.ts';
import { run, runJson, startPlayground, temporaryDirectory } from '../support/command.ts';

const directory = temporaryDirectory();
const data = ['--data', directory.path];
let playground: Awaited<ReturnType<typeof startPlayground>>;

beforeAll(async () => {
  playground = await startPlayground(directory.path, ['--check-interval', '1']);
});

afterAll(async () => {
  await playground.stop();
  directory.remove();
});

type Made = { id: string };

describe.concurrent('directly on the store, while a server runs on it', () => {
  test('a workspace is created, listed, limited, disabled and enabled', async () => {
    const { id } = await runJson<Made>(['workspaces', 'create', 'acme', ...data]);
    expect(id).toMatch(/^ws_/);
    expect(await runJson(['workspaces', 'list', ...data])).toContainEqual(
      expect.objectContaining({ id, name: 'acme' }),
    );

    const rate = ['--rate', 'domains.getDomain=5/1m', '--rate', '*=9/1h', '--domains', '3'];
    const rates = { 'domains.getDomain': { limit: 5, windowMs: 60_000 }, '*': { limit: 9, windowMs: 3_600_000 } };
    expect(await runJson(['workspaces', 'limits', id, ...rate, ...data])).toEqual({
      id,
      limits: { rates, domains: 3 },
    });
    expect(await runJson(['workspaces', 'limits', id, ...data])).toEqual({ id, limits: { rates, domains: 3 } });
    const lifted = ['--rate', '*=none', '--domains', 'none'];
    expect(await runJson(['workspaces', 'limits', id, ...lifted, ...data])).toEqual({
      id,
      limits: { rates: { 'domains.getDomain': rates['domains.getDomain'] } },
    });

    expect(await runJson(['workspaces', 'disable', id, ...data])).toEqual({ id, disabledAt: expect.any(Number) });
    expect(await runJson(['workspaces', 'enable', id, ...data])).toEqual({ id });
  });

  test.each(['keys', 'tokens'])(
    '%s create refuses a permission that does not exist, and creates nothing',
    async (of) => {
      const { workspaceId } = playground.ready;
      const permissions = ['environment.*.read_domain', 'enviroment.*.read_domain'].flatMap((one) => [
        '--permission',
        one,
      ]);
      const refused = await run([of, 'create', '--workspace', workspaceId, ...permissions, ...data]);
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toContain('"enviroment.*.read_domain". Did you mean environment.*.read_domain?');
      expect(refused.stderr).toContain('docs/reference/permissions.md lists all permissions');
      const keys = await runJson<{ permissions: string[] }[]>(['keys', 'list', ...data]);
      expect(keys.flatMap((each) => each.permissions)).not.toContain('enviroment.*.read_domain');
    },
  );

  test('a workspace is deleted with everything in it once its name is given; before, the command lists what would be deleted', async () => {
    const { id } = await runJson<Made>(['workspaces', 'create', 'Brief Ltd', ...data]);
    const permissions = ['project.*.create_project', 'app.*.create_app', 'environment.*.create_environment']
      .concat('environment.*.create_domain', 'environment.*.read_domain')
      .flatMap((permission) => ['--permission', permission]);
    const { key } = await runJson<{ key: string }>(['keys', 'create', '--workspace', id, ...permissions, ...data]);
    const as = { env: { NAMEPLATE_URL: playground.ready.api, NAMEPLATE_ROOT_KEY: key } };
    await runJson(['projects', 'create', 'shop'], as);
    await runJson(['apps', 'create', 'web', '--project', 'shop'], as);
    await runJson(['environments', 'create', 'production', '--project', 'shop', '--app', 'web'], as);
    const place = ['--project', 'shop', '--app', 'web', '--environment', 'production'];
    await runJson(['domains', 'create', 'brief.example.net', ...place], as);

    for (const guess of [[], ['--confirm', 'brief ltd']]) {
      const refused = await run(['workspaces', 'delete', id, ...guess, ...data]);
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toContain('has 1 domain, 1 project, 0 webhooks, 1 key; nothing was deleted.');
      expect(refused.stderr).toContain(`nameplate workspaces delete ${id} --confirm 'Brief Ltd' `);
    }
    await runJson(['domains', 'get', 'brief.example.net'], as);
    expect(await runJson(['workspaces', 'delete', id, '--confirm', 'Brief Ltd', ...data])).toMatchObject({
      deleted: true,
      domains: 1,
    });
    await waitUntil(async () =>
      (await run(['domains', 'get', 'brief.example.net'], as)).stderr.includes('Unauthorized'),
    );
    const left = await runJson<Made[]>(['workspaces', 'list', ...data]);
    expect(left.map((workspace) => workspace.id)).not.toContain(id);
  });

  test('a key has the permissions of its preset and its own; rotated, it works on until the overlap ends', async () => {
    const { workspaceId, api } = playground.ready;
    const about = ['--workspace', workspaceId, '--preset', 'support', '--permission', 'app.*.create_app'];
    type Made = { id: string; key: string; permissions: string[] };
    const old = await runJson<Made>(['keys', 'create', ...about, ...data]);
    expect(old.permissions).toEqual([...PRESETS.support, 'app.*.create_app']);
    const list = (key: string) => run(['projects', 'list', '--url', api, '--key', '-'], { input: `${key}\n` });

    const next = await runJson<Made>(['keys', 'rotate', old.id, '--overlap', '7d', ...data]);
    expect([(await list(old.key)).code, (await list(next.key)).code]).toEqual([0, 0]);
    const keys = await runJson<(Made & { replacedBy?: string; expiresAt?: number })[]>(['keys', 'list', ...data]);
    const [replaced, successor] = [old.id, next.id].map((id) => keys.find((key) => key.id === id));
    expect(replaced).toMatchObject({ replacedBy: next.id, expiresAt: expect.any(Number) });
    expect(successor?.permissions).toEqual(old.permissions);
    expect(await run(['keys', 'rotate', old.id, ...data])).toMatchObject({ code: 1, stdout: '' });

    const last = await runJson<Made>(['keys', 'rotate', next.id, '--overlap', '0', ...data]);
    await waitUntil(async () => (await list(next.key)).stderr.includes('Unauthorized'));
    expect((await list(last.key)).code).toBe(0);
    await runJson(['keys', 'revoke', last.id, ...data]);
    await waitUntil(async () => (await list(last.key)).stderr.includes('Unauthorized'));
  });

  test('a key works until it is disabled, and never again after it is revoked', async () => {
    const { workspaceId, api } = playground.ready;
    const permission = ['--permission', 'project.*.read_project', '--name', 'backend'];
    const { id, key } = await runJson<Made & { key: string }>([
      'keys',
      'create',
      '--workspace',
      workspaceId,
      ...permission,
      ...data,
    ]);
    expect(await runJson(['keys', 'list', '--workspace', workspaceId, ...data])).toContainEqual(
      expect.objectContaining({ id, name: 'backend', permissions: ['project.*.read_project'] }),
    );
    const list = () => run(['projects', 'list', '--url', api, '--key', '-'], { input: `${key}\n` });
    expect(await list()).toMatchObject({ code: 0 });
    await runJson(['keys', 'disable', id, ...data]);
    await waitUntil(async () => (await list()).stderr.includes('Forbidden: The root key is disabled.'));
    await runJson(['keys', 'enable', id, ...data]);
    await waitUntil(async () => (await list()).code === 0);
    await runJson(['keys', 'revoke', id, ...data]);
    await waitUntil(async () => (await list()).stderr.includes('Unauthorized'));
  });

  test('keys expire as requested, and times in the past are bad usage', async () => {
    const create = ['keys', 'create', '--workspace', playground.ready.workspaceId, ...data];
    const key = await runJson<{ expiresAt: number; createdAt: number }>([...create, '--expires', '30d']);
    expect(key.expiresAt - key.createdAt).toBeGreaterThan(29 * 86_400_000);
    expect(await runJson([...create, '--expires', '2090-01-31T12:00:00Z'])).toMatchObject({
      expiresAt: Date.UTC(2090, 0, 31, 12),
    });
    expect(await run([...create, '--expires', '2020-01-31T12:00:00Z'])).toMatchObject({ code: 2, stdout: '' });
    expect(await run([...create, '--expires', 'soon'])).toMatchObject({ code: 2, stdout: '' });
  });

  test('a missing workspace, key or store is an error that says how to find it', async () => {
    for (const args of [
      ['workspaces', 'disable', 'ws_none'],
      ['workspaces', 'limits', 'ws_none'],
      ['keys', 'create', '--workspace', 'ws_none'],
    ]) {
      expect(await run([...args, ...data])).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/no workspace ws_none.*workspaces list/),
      });
    }
    expect(await run(['keys', 'revoke', 'key_none', ...data])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('keys list'),
    });
    const missing = await run(['keys', 'list', '--database', `sqlite:${directory.path}/none.db`]);
    expect(missing).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/no store at .*nameplate migrate --database/),
    });
  });

  test('migrate --dry-run lists what migrate then does, once', async () => {
    const database = ['--database', `sqlite:${directory.path}/fresh/n.db`];
    const dry = await runJson<{ migrations: string[] }>(['migrate', '--dry-run', ...database]);
    expect(dry.migrations.length).toBeGreaterThan(0);
    expect(await runJson(['migrate', ...database])).toMatchObject({ migrations: dry.migrations });
    expect(await runJson(['migrate', ...database])).toMatchObject({ migrations: [] });
  });
});

describe.concurrent('over the API', () => {
  test('projects, apps, environments and deployments are created and listed', async () => {
    const project = await runJson<Made>(['projects', 'create', 'shop', '--name', 'The shop', ...data]);
    expect(project).toEqual({ id: expect.stringMatching(/^proj_/), slug: 'shop', name: 'The shop' });
    const app = await runJson<Made>(['apps', 'create', 'storefront', '--project', 'shop', ...data]);
    const inApp = ['--project', 'shop', '--app', 'storefront'];
    const environment = await runJson<Made>(['environments', 'create', 'staging', ...inApp, ...data]);
    const inEnvironment = [...inApp, '--environment', 'staging'];
    const deployment = await runJson<Made>([
      'deployments',
      'create',
      'http://127.0.0.1:8080',
      ...inEnvironment,
      ...data,
    ]);

    expect(await runJson(['projects', 'list', ...data])).toContainEqual(
      expect.objectContaining({ id: project.id, slug: 'shop' }),
    );
    expect(await runJson(['apps', 'list', '--project', 'shop', ...data])).toEqual([
      expect.objectContaining({ id: app.id }),
    ]);
    expect(await runJson(['environments', 'list', ...inApp, ...data])).toEqual([
      expect.objectContaining({ id: environment.id }),
    ]);
    expect(await runJson(['deployments', 'list', ...inEnvironment, ...data])).toEqual([
      expect.objectContaining({ id: deployment.id, origin: 'http://127.0.0.1:8080' }),
    ]);
  });

  test('projects, apps and environments are deleted once they are empty, and no sooner', async () => {
    await runJson(['projects', 'create', 'brief', ...data]);
    await runJson(['apps', 'create', 'page', '--project', 'brief', ...data]);
    const inApp = ['--project', 'brief', '--app', 'page'];
    await runJson(['environments', 'create', 'live', ...inApp, ...data]);
    const inEnvironment = [...inApp, '--environment', 'live'];
    await runJson(['domains', 'create', 'brief.example.com', ...inEnvironment, ...data]);
    const deletions: [string[], string][] = [
      [['environments', 'delete', 'live', '--yes', ...inApp], 'still has domains'],
      [['apps', 'delete', 'page', '--project', 'brief'], 'still has environments'],
      [['projects', 'delete', 'brief'], 'still has apps'],
    ];
    for (const [typed, refusal] of deletions) {
      const refused = await run([...typed, ...data]);
      expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(refusal) });
    }
    await runJson(['domains', 'delete', 'brief.example.com', ...data]);
    for (const [typed] of deletions) expect(await runJson([...typed, ...data])).toMatchObject({ deleted: true });
    const left = await runJson<{ slug: string }[]>(['projects', 'list', ...data]);
    expect(left.map(({ slug }) => slug)).not.toContain('brief');
  });

  test('a domain is created with its records, found, listed and deleted', async () => {
    const made = await runJson<ShownDomain>(['domains', 'create', 'one.example.com', ...data]);
    const domain = await runJson<ShownDomain>(['domains', 'get', 'one.example.com', ...data]);
    expect(made).toEqual({ id: domain.id, domain: 'one.example.com', dnsRecords: domain.dnsRecords });
    expect(await runJson(['domains', 'records', made.id, ...data])).toEqual(domain.dnsRecords);
    expect(await runJson(['domains', 'list', '--search', 'ONE.', ...data])).toEqual([
      expect.objectContaining({ id: made.id }),
    ]);
    const { stdout } = await run(['domains', 'records', made.id, '--format', 'zone', ...data]);
    for (const { name, value } of domain.dnsRecords) {
      expect(stdout).toContain(`${name}. `);
      expect(stdout).toContain(value);
    }
    expect(await runJson(['domains', 'delete', 'one.example.com', ...data])).toEqual({
      domain: 'one.example.com',
      deleted: true,
    });
    expect(await run(['domains', 'get', 'one.example.com', ...data])).toMatchObject({ code: 1 });
  });

  test('an API error is printed with title, detail, each violated rule, its fix, and the request id', async () => {
    const refused = await run(['domains', 'create', 'https://shop.example.com', ...data]);
    expect(refused).toMatchObject({ code: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      /^nameplate: Bad Request: .*\n {2}body\.domain: .*\n {4}fix: .*\n {2}request req_\w+\n$/,
    );
    const { stdout } = await run(['domains', 'create', 'https://shop.example.com', ...data, '--json']);
    expect(JSON.parse(stdout)).toEqual({
      error: expect.objectContaining({ status: 400, title: 'Bad Request', requestId: expect.stringMatching(/^req_/) }),
    });
  });

  test("the key is read from standard input, a file or the environment; the playground's key is sent only to the playground", async () => {
    const { api, rootKey } = playground.ready;
    writeFileSync(`${directory.path}/key`, `${rootKey}\n`);
    const list = ['projects', 'list', '--url', api];
    const outcomes = await Promise.all([
      run([...list, '--key', '-'], { input: rootKey }),
      run([...list, '--key-file', `${directory.path}/key`]),
      run(list, { env: { NAMEPLATE_ROOT_KEY: rootKey } }),
      run(['projects', 'list'], { env: { NAMEPLATE_ROOT_KEY: rootKey, NAMEPLATE_URL: api } }),
    ]);
    for (const { code } of outcomes) expect(code).toBe(0);
    const distracting = { NAMEPLATE_URL: 'http://127.0.0.1:2', NAMEPLATE_ROOT_KEY: 'np_other' };
    expect(await run(['projects', 'list', ...data], { env: distracting })).toMatchObject({ code: 0 });
    const elsewhere = await run(['projects', 'list', '--url', 'http://127.0.0.1:2', ...data]);
    expect(elsewhere).toMatchObject({ code: 1, stderr: expect.stringContaining('No root key for http://127.0.0.1:2') });
  });

  test('without a server or playground, one line says how to start it', async () => {
    const nowhere = await run(['projects', 'list', '--url', 'http://127.0.0.1:2', '--key', 'np_x']);
    expect(nowhere).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'nameplate: No server is running at http://127.0.0.1:2. Start it, or name another with --url.\n',
    });
    const none = await run(['domains', 'list', '--data', `${directory.path}/none`]);
    expect(none.stderr).toMatch(
      /^nameplate: There is no playground in .*none\. Start one with "\.\/bin\/nameplate dev --data .*\n$/,
    );
    expect(await run(['dns', 'list', '--data', `${directory.path}/none`])).toMatchObject({
      code: 1,
      stderr: none.stderr,
    });
  });
});

describe.concurrent('the DNS simulator', () => {
  const list = () => runJson<ControlResults['list']>(['dns', 'list', ...data]);

  test('records and faults are set, replaced, listed and removed', async () => {
    await run(['dns', 'set', 'Set.example.org', 'txt', 'one', 'two', '--ttl', '5', ...data]);
    expect((await list()).records).toContainEqual({
      name: 'set.example.org',
      type: 'TXT',
      values: ['one', 'two'],
      ttl: 5,
    });
    await run(['dns', 'set', 'set.example.org', 'TXT', 'three', ...data]);
    expect((await list()).records).toContainEqual({ name: 'set.example.org', type: 'TXT', values: ['three'], ttl: 60 });
    // As in a zone file, after the shell has taken the quotation marks away; or as one word.
    await run(['dns', 'set', 'caa.example.org', 'CAA', '0', 'issue', 'ca.test; validationmethods=http-01', ...data]);
    await run(['dns', 'set', 'caa2.example.org', 'CAA', '0 issue "ca.test"', '0 issuewild ";"', ...data]);
    const caa = (await list()).records.filter(({ type }) => type === 'CAA').map(({ values }) => values);
    expect(caa).toEqual([['0 issue "ca.test; validationmethods=http-01"'], ['0 issue "ca.test"', '0 issuewild ";"']]);
    for (const name of ['caa', 'caa2']) await run(['dns', 'remove', `${name}.example.org`, ...data]);
    await run(['dns', 'fail', 'set.example.org', 'refused', ...data]);
    expect((await list()).faults).toContainEqual({ name: 'set.example.org', fault: 'refused', delayMs: 0 });
    await run(['dns', 'fail', 'set.example.org', 'none', ...data]);
    expect((await list()).faults).toEqual([]);
    expect(await runJson(['dns', 'remove', 'set.example.org', ...data])).toMatchObject({ removed: true });
    expect(await runJson(['dns', 'remove', 'set.example.org', 'TXT', ...data])).toMatchObject({ removed: false });
  });

  test('invalid records are rejected as by a DNS provider', async () => {
    expect(await run(['dns', 'set', 'example.org', 'CNAME', 'elsewhere.example.net', ...data])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('apex of its zone'),
    });
    expect(await run(['dns', 'fail', 'example.org', 'gently', ...data])).toMatchObject({ code: 2 });
    expect(await run(['dns', 'set', 'example.org', 'CNAM', 'x', ...data])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('does not support type'),
    });
  });

  test.each(['apex-of-a-shop.com', 'wrong.example.com'])(
    'publishing for %s replaces other routing records; the log has the queries',
    async (name) => {
      await run(['domains', 'create', name, ...data]);
      await run(['dns', 'set', name, 'A', '192.0.2.1', ...data]);
      const records = await runJson<ShownDomain['dnsRecords']>(['dns', 'publish', name, ...data]);
      const set = (await list()).records.filter((record) => record.name.endsWith(name));
      expect(set).toEqual(records.map(({ name, type, value, ttl }) => ({ name, type, values: [value], ttl })));
      expect(await runJson(['domains', 'wait', name, ...data])).toMatchObject({ status: 'verified' });
      // A check that began before the record was published may have verified the name by its route alone.
      const log = await runJson(['dns', 'log', ...data]);
      expect(log).toContainEqual(expect.objectContaining({ name, rcode: 'NOERROR', transport: 'udp' }));
      expect(log).toContainEqual(expect.objectContaining({ name: `_service.${name}`, type: 'TXT', transport: 'udp' }));
    },
  );
});

describe.concurrent('doctor', () => {
  test('finds no problem in a running playground', async () => {
    const findings = await runJson<{ about: string; level: string }[]>(['doctor', ...data]);
    expect(findings.map(({ level }) => level)).not.toContain('fail');
    expect(findings.map(({ about }) => about)).toEqual([
      'configuration',
      'store',
      'server',
      'resolver',
      'CNAME zone',
      'nameserver',
      'edge',
      'clock',
      'account',
      'sealing',
      'expiry',
    ]);
  });

  test('gives advice on every problem, and fails', async () => {
    const { port } = new URL(playground.ready.api);
    const { control } = (await readPlaygroundFile(directory.path)) as PlaygroundFile;
    const env = {
      NAMEPLATE_CNAME_ZONE: 'cname.example.net',
      NAMEPLATE_DNS_RESOLVERS: playground.ready.dns,
      NAMEPLATE_DATABASE_URL: `sqlite:${directory.path}/key/n.db`,
      NAMEPLATE_LISTEN: `127.0.0.1:${port}`,
      NAMEPLATE_METRICS_LISTEN: control.replace('http://', ''),
      NAMEPLATE_EDGE_HTTP_LISTEN: '192.0.2.1:80',
      NAMEPLATE_EDGE_HTTPS_LISTEN: '127.0.0.1:0',
      NAMEPLATE_ACME_DIRECTORY: 'http://127.0.0.1:1/directory',
    };
    const { code, stdout } = await run(['doctor', '--json'], { env });
    expect(code).toBe(1);
    const findings: { about: string; level: string; advice?: string }[] = JSON.parse(stdout);
    expect(findings.map(({ about, level }) => `${about} ${level}`)).toEqual([
      'configuration ok',
      'store fail',
      'resolver warn',
      'CNAME zone fail',
      'nameserver warn',
      'port ok',
      'port fail',
      'port fail',
      'port ok',
      'reach ok',
      'clock ok',
      'CA fail',
    ]);
    for (const { level, advice } of findings) expect(advice === undefined).toBe(level === 'ok');
  });

  test.each([
    ['with --data', ['--data', 'DIR'], {}],
    ['with a variable', [], { NAMEPLATE_DATABASE_URL: 'sqlite:DIR/nameplate.db' }],
  ])('examines a store that is named %s, whatever else is wrong', async (_, flags, variables) => {
    const dataDir = `${directory.path}/damaged`;
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(`${dataDir}/nameplate.db`, 'Dear diary, '.repeat(1000));
    const named = (text: string) => text.replace('DIR', dataDir);
    const env = Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, named(value)]));
    const { code, stdout } = await run(['doctor', ...flags.map(named)], { env: { ...env, NAMEPLATE_FOO: 'x' } });
    expect(code).toBe(1);
    for (const found of ['NAMEPLATE_FOO', 'NAMEPLATE_CNAME_ZONE', 'not a database']) expect(stdout).toContain(found);
  });

  test('examines the resolvers if another variable is invalid', async () => {
    const env = {
      NAMEPLATE_CNAME_ZONE: 'cname.example.net',
      NAMEPLATE_DNS_RESOLVERS: playground.ready.dns,
      NAMEPLATE_ROLES: 'y',
    };
    expect((await run(['doctor'], { env })).stdout).toContain(`${playground.ready.dns} responds in`);
  });

  test('lists every invalid variable', async () => {
    const { code, stdout } = await run(['doctor'], { env: { NAMEPLATE_CNAME_ZONE: 'x', NAMEPLATE_ROLES: 'y' } });
    expect(code).toBe(1);
    for (const name of ['NAMEPLATE_CNAME_ZONE', 'NAMEPLATE_DNS_RESOLVERS', 'NAMEPLATE_ROLES'])
      expect(stdout).toContain(name);
  });
});

/** Changes made on the store reach a running server within a second. */
async function waitUntil(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds()));
}
