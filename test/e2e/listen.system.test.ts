import { writeFileSync } from 'node:fs';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ShownWebhook } from '../../server/src/cli/output/show-webhook.ts';
import { run, runJson, type Started, start, startPlayground, temporaryDirectory } from '../support/command.ts';
import { freePort } from '../support/free-port.ts';

const directory = temporaryDirectory();
const data = ['--data', directory.path];
let playground: Awaited<ReturnType<typeof startPlayground>>;

beforeAll(async () => {
  playground = await startPlayground(directory.path, ['--check-interval', '0.5']);
});
afterAll(async () => {
  await playground.stop();
  directory.remove();
});

interface Listening {
  started: Started;
  origin: string;
  webhookId: string;
}

async function listen(): Promise<Listening> {
  const started = start(['webhooks', 'listen', ...data]);
  const [, origin = '', webhookId = ''] = await started.says(/Listening at (\S+), as webhook (wh_\w+)\./);
  return { started, origin, webhookId };
}

const listed = async () => (await runJson<ShownWebhook[]>(['webhooks', 'list', ...data])).map(({ id }) => id);

/** Signs a body as Nameplate does. */
function signed(secret: string, body: string): RequestInit {
  const signature = new Webhook(secret).sign('evt_1', new Date(), body);
  const seconds = Math.floor(Date.now() / 1000);
  const headers = { 'webhook-id': 'evt_1', 'webhook-timestamp': `${seconds}`, 'webhook-signature': signature };
  return { method: 'POST', headers, body };
}

const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const OTHER = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
const TEST = JSON.stringify({
  type: 'webhook.test',
  timestamp: '2026-11-20T12:00:00.000Z',
  data: { webhookId: 'wh_1' },
});

function documents(stdout: string) {
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test('webhooks listen prints each event as it happens, with --json all of it; its webhook goes when it ends', async () => {
  const { started, webhookId } = await listen();
  const flags = ['--json', '--domain', 'SHOP.example.com', '--type', 'domain.created', '--type', 'domain.deleted'];
  const lines = start(['webhooks', 'listen', ...flags, ...data]);
  await lines.says(/"event":"ready"/);
  expect(await listed()).toHaveLength(2);

  for (const name of ['other.example.com', 'shop.example.com']) await run(['domains', 'create', name, ...data]);
  await run(['dns', 'publish', 'shop.example.com', ...data]);
  await started.says(/^\d\d:\d\d:\d\d {2}domain\.created {8}other\.example\.com$/m);
  await started.says(/record\.seen +shop\.example\.com {2}The TXT record was found with the right value\.$/m);
  await started.says(/certificate\.issued +shop\.example\.com {2}Valid until /);
  await run(['webhooks', 'test', webhookId, ...data]);
  await started.says(/webhook\.test$/m);
  await run(['domains', 'delete', 'shop.example.com', ...data]);
  await Promise.all([started.says(/domain\.deleted +shop\.example\.com$/m), lines.says(/domain\.deleted/)]);

  expect(await started.stop()).toMatchObject({ code: 0, stderr: '' });
  expect(await started.ended).toMatchObject({ stdout: expect.stringContaining(`Deleted webhook ${webhookId}.`) });
  lines.child.kill('SIGINT');
  const { code, stdout } = await lines.ended;
  expect(code).toBe(0);
  expect(await listed()).toEqual([]);
  const event = (type: string) => ({
    id: expect.stringMatching(/^evt_/),
    type,
    data: { domain: { domain: 'shop.example.com' } },
  });
  expect(documents(stdout)).toMatchObject([{ event: 'ready' }, event('domain.created'), event('domain.deleted')]);
});

test('webhooks listen refuses and reports a request that its webhook did not send', async () => {
  const { started, origin } = await listen();
  expect((await fetch(origin, signed(OTHER, TEST))).status).toBe(400);
  await started.says(/Refused a request: its signature is wrong \(No matching signature found\)\./);
  expect((await fetch(origin, { method: 'POST', body: TEST })).status).toBe(400);
  await started.says(/its signature is wrong \(Missing required headers\)\./);
  const { stdout } = await started.stop();
  expect(stdout).not.toContain('webhook.test\n');
});

test('the next webhooks listen deletes the webhook of a killed one, but no webhook in use', async () => {
  const used = await listen();
  const killed = await listen();
  killed.started.child.kill('SIGKILL');
  await killed.started.ended;
  const next = await listen();
  expect(await listed()).toEqual([used.webhookId, next.webhookId]);
  await Promise.all([used.started.stop(), next.started.stop()]);
});

test('webhooks listen says how to delete its webhook if the server has gone', async () => {
  const other = await startPlayground(`${directory.path}/gone`);
  const listening = start(['webhooks', 'listen', '--data', `${directory.path}/gone`]);
  const [, id] = await listening.says(/as webhook (wh_\w+)/);
  await other.stop();
  expect(await listening.stop()).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(new RegExp(`webhooks delete ${id} --data ${directory.path}/gone`)),
  });
});

test.each(['standard input', 'a file', 'a variable'])(
  'with a secret from %s, webhooks listen makes no webhook and calls no server',
  async (source) => {
    writeFileSync(`${directory.path}/secret`, `${SECRET}\n`);
    const port = await freePort();
    const flags = { 'standard input': ['-'], 'a file': [`${directory.path}/secret`], 'a variable': [] }[source] ?? [];
    const nowhere = { NAMEPLATE_URL: 'http://127.0.0.1:2', NAMEPLATE_ROOT_KEY: 'np_x' };
    const listening = start(
      ['webhooks', 'listen', '--port', `${port}`, ...flags.flatMap((path) => ['--secret-file', path]), '--json'],
      source === 'a variable'
        ? { env: { ...nowhere, NAMEPLATE_WEBHOOK_SECRET: SECRET } }
        : { env: nowhere, input: `${SECRET}\n` },
    );
    await listening.says(/"event":"ready"/);
    const send = async (secret: string) => (await fetch(`http://127.0.0.1:${port}/any`, signed(secret, TEST))).status;
    expect([await send(SECRET), await send(OTHER)]).toEqual([204, 400]);
    const { code, stdout } = await listening.stop();
    expect(code).toBe(0);
    expect(documents(stdout)).toEqual([
      { event: 'ready', receiver: `http://127.0.0.1:${port}` },
      { id: 'evt_1', ...JSON.parse(TEST) },
      { error: { message: expect.stringContaining('its signature is wrong') } },
    ]);
  },
);

test('webhooks listen says what is missing: a port, a free port, a secret', async () => {
  const env = { NAMEPLATE_WEBHOOK_SECRET: SECRET };
  expect(await start(['webhooks', 'listen'], { env }).ended).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Use --port with a secret'),
  });
  const taken = new URL(playground.ready.api).port;
  expect(await start(['webhooks', 'listen', '--port', taken, ...data]).ended).toMatchObject({
    code: 1,
    stderr: `nameplate: Port ${taken} is in use by another program. Use another --port.\n`,
  });
  const wrong = await start(['webhooks', 'listen', '--port', '1', '--secret-file', '-'], { input: 'hunter2' }).ended;
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('begins with "whsec_"') });
  expect(wrong.stderr).not.toContain('hunter2');
});

test('where a server sends to public addresses only, webhooks listen says how to receive all the same', async () => {
  const database = ['--database', `sqlite:${directory.path}/public.db`];
  const { id } = await runJson<{ id: string }>(['workspaces', 'create', 'acme', ...database]);
  const server = start(['serve'], {
    env: {
      NAMEPLATE_CNAME_ZONE: 'cname.example.net',
      NAMEPLATE_DNS_RESOLVERS: '192.0.2.53',
      NAMEPLATE_DATABASE_URL: `sqlite:${directory.path}/public.db`,
      NAMEPLATE_LISTEN: '127.0.0.1:0',
      NAMEPLATE_METRICS_LISTEN: 'off',
      NAMEPLATE_ROLES: 'api',
    },
  });
  const [, line = ''] = await server.says(/^(\{.*"msg":"ready"\})$/m);
  const permission = ['--permission', 'webhook.*.create_webhook', '--permission', 'environment.*.read_domain'];
  const { key } = await runJson<{ key: string }>(['keys', 'create', '--workspace', id, ...permission, ...database]);
  const env = { NAMEPLATE_URL: JSON.parse(line).api, NAMEPLATE_ROOT_KEY: key };
  const { code, stderr } = await start(['webhooks', 'listen'], { env }).ended;
  expect(code).toBe(1);
  expect(stderr).toContain('body.url: must not have a private, loopback or other special address');
  expect(stderr).toContain('NAMEPLATE_WEBHOOK_SECRET=whsec_… nameplate webhooks listen --port 3000');
  await server.stop();
});
