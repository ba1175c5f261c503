import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ShownDelivery, ShownWebhook } from '../../server/src/cli/output/show-webhook.ts';
import { ANY_PORTS, run, runJson, type Started, start, temporaryDirectory } from '../support/command.ts';

const directory = temporaryDirectory();
const data = ['--data', directory.path];
let playground: Started;
let server: Server;
let url = '';
/** The status that the receiver responds with. */
let status = 204;

beforeAll(async () => {
  server = createServer((_, response) => response.writeHead(status).end(status === 204 ? '' : 'out of \u001b[2Jpaper'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  playground = start(['dev', ...data, ...ANY_PORTS]);
  await playground.says(/Ctrl-C stops it/);
});
afterAll(async () => {
  await playground.stop();
  server.closeAllConnections();
  server.close();
  directory.remove();
});

interface Created {
  id: string;
  url: string;
  types: string[];
  secret: string;
}

/** A webhook while `use` runs. */
async function withWebhook(flags: string[], use: (created: Created) => Promise<void>): Promise<void> {
  const created = await runJson<Created>(['webhooks', 'create', url, ...flags, ...data]);
  await use(created);
  await run(['webhooks', 'delete', created.id, ...data]);
}

test('a webhook is created, shown, changed and deleted; its secret is shown only by the commands that make one', async () => {
  await withWebhook(['--type', 'domain.verified', '--type', 'domain.failed'], async (created) => {
    const { id, secret } = created;
    const types = ['domain.verified', 'domain.failed'];
    expect(created).toEqual({
      id: expect.stringMatching(/^wh_/),
      url,
      types,
      secret: expect.stringMatching(/^whsec_/),
    });
    const webhook = await runJson<ShownWebhook>(['webhooks', 'get', id, ...data]);
    expect(webhook).toMatchObject({ id, url, types, enabled: true });
    expect(await runJson(['webhooks', 'list', ...data])).toEqual([webhook]);
    expect((await run(['webhooks', 'list', ...data])).stdout).toContain('domain.verified, domain.failed');

    const update = (...flags: string[]) => runJson(['webhooks', 'update', id, ...flags, ...data]);
    expect(await update('--receiver', `${url}/2`, '--type', '*')).toMatchObject({ url: `${url}/2`, types: ['*'] });
    expect(await update('--disable')).toMatchObject({ enabled: false, disabledReason: 'requested', url: `${url}/2` });
    expect((await run(['webhooks', 'get', id, ...data])).stdout).toContain(
      `"nameplate webhooks update ${id} --enable"`,
    );
    expect(await update('--enable')).toMatchObject({ enabled: true });

    const rotated = await runJson<Created>(['webhooks', 'rotate-secret', id, '--overlap', '0', ...data]);
    expect(rotated).toMatchObject({ id, secret: expect.stringMatching(/^whsec_/) });
    expect(rotated.secret).not.toBe(secret);
    const shown = await Promise.all(['get', 'deliveries'].map((verb) => run(['webhooks', verb, id, ...data])));
    for (const { code, stdout } of shown)
      expect({ code, leaks: stdout.includes('whsec_') }).toEqual({ code: 0, leaks: false });
  });
  expect((await run(['webhooks', 'list', ...data])).stdout).toBe('No webhooks yet.\n');
});

test('a test shows the response of the receiver, and fails unless it was delivered', async () => {
  await withWebhook(['--type', 'domain.failed'], async ({ id }) => {
    const delivered = await run(['webhooks', 'test', id, ...data]);
    expect(delivered).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^webhook\.test was delivered .*status 204/s),
    });
    await playground.says(new RegExp(`${id}: webhook\\.test delivered \\(status 204\\)`));
    status = 500;
    const refused = await run(['webhooks', 'test', id, ...data]);
    expect(refused).toMatchObject({ code: 3, stdout: expect.stringMatching(/was not delivered.*status 500/s) });
    // The receiver's response cannot control the terminal.
    expect(refused.stdout).toContain('The receiver answered:\n\n  out of \\u{1b}[2Jpaper\n');
    status = 204;
  });
});

test('deliveries are listed by state, shown with the response, and sent again; the playground prints each attempt', async () => {
  await run(['domains', 'create', 'before.example.com', ...data]);
  await withWebhook(['--type', 'domain.created'], async ({ id }) => {
    status = 503;
    await run(['domains', 'create', 'shop.example.com', ...data]);
    await playground.says(
      new RegExp(
        `shop\\.example\\.com: domain\\.created not delivered to ${id} \\(attempt 1\\): The receiver answered with status 503\\.`,
      ),
    );
    const list = (...flags: string[]) => runJson<ShownDelivery[]>(['webhooks', 'deliveries', id, ...flags, ...data]);
    const [waiting] = await list('--state', 'waiting');
    expect(waiting).toMatchObject({ domain: 'shop.example.com', type: 'domain.created', attempts: 1 });
    expect(await list('--state', 'delivered')).toEqual([]);
    const dlv = waiting?.id ?? '';
    expect((await run(['webhooks', 'delivery', dlv, ...data])).stdout).toMatch(/is waiting.*Next attempt/s);

    status = 204;
    expect(await runJson(['webhooks', 'redeliver', dlv, ...data])).toEqual({ id: dlv });
    await playground.says(
      new RegExp(`shop\\.example\\.com: domain\\.created delivered to ${id} \\(status 204, attempt 2\\)`),
    );
    expect(await list('--state', 'waiting')).toEqual([]);

    // The redelivery of a delivered event is a delivery of its own.
    const again = await runJson<{ id: string }>(['webhooks', 'redeliver', dlv, '--webhook', id, ...data]);
    expect(again.id).not.toBe(dlv);
    await playground.says(new RegExp(`domain\\.created delivered to ${id} \\(status 204\\)`));
    const both = await list();
    expect(both.map((delivery) => delivery.id)).toEqual([dlv, again.id]);
    expect(await list('--limit', '1')).toEqual([both[1]]);
  });
  const { stdout } = await playground.stop();
  expect(stdout).not.toContain('before.example.com: domain.created');
  playground = start(['dev', ...data, ...ANY_PORTS]);
  await playground.says(/Ctrl-C stops it/);
});

describe.concurrent('a mistake', () => {
  test('in a type names the nearest one, and all', async () => {
    const { code, stderr } = await run(['webhooks', 'create', url, '--type', 'domain.verifed', ...data]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/Did you mean domain\.verified\? Types are: domain\.created .*site\.unreachable \*/);
  });

  test('in the URL is reported by the API', async () => {
    expect(await run(['webhooks', 'create', 'http://ada@127.0.0.1:1/', ...data])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('body.url: must not have a user or a password'),
    });
  });

  test('an update without a change, or with two that contradict each other, is bad usage', async () => {
    expect(await run(['webhooks', 'update', 'wh_1', ...data])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Use --receiver, --type, --enable or --disable.'),
    });
    expect(await run(['webhooks', 'update', 'wh_1', '--enable', '--disable', ...data])).toMatchObject({ code: 2 });
  });

  test('a delivery that no webhook has says where to look', async () => {
    for (const verb of ['delivery', 'redeliver']) {
      expect(await run(['webhooks', verb, 'dlv_1', ...data])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('"nameplate webhooks deliveries WEBHOOK"'),
      });
    }
  });
});
