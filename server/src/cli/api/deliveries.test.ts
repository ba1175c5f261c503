import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import { closingAfterEach } from '../../../../test/support/closing.ts';
import { run } from '../../../../test/support/command.ts';
import { listen } from '../../../../test/support/listen.ts';

const closing = closingAfterEach();

it('a delivery is looked for with reads, and sent again with one call: repetitions are limited', async () => {
  const calls: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { webhookId = '' } = JSON.parse(body);
    const operation = request.url?.replace('/v2/webhooks.', '') ?? '';
    calls.push(`${operation} ${webhookId}`.trimEnd());
    const meta = { requestId: 'req_1' };
    const status = operation === 'listWebhooks' || webhookId === 'wh_3' ? 200 : 404;
    const list = { data: ['wh_1', 'wh_2', 'wh_3'].map((id) => ({ id })), pagination: { hasMore: false } };
    const success = operation === 'listWebhooks' ? list : { data: { webhookId, id: 'dlv_1', deliveryId: 'dlv_2' } };
    const error = { title: 'Not Found', detail: 'no such delivery', status, type: 'not-found' };
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ meta, ...(status === 200 ? success : { error }) }));
  });
  const env = { NAMEPLATE_URL: `http://127.0.0.1:${await listen(closing, server)}`, NAMEPLATE_ROOT_KEY: 'np_x' };
  const again = (...flags: string[]) => run(['webhooks', 'redeliver', 'dlv_1', '--json', ...flags], { env });
  expect(await again()).toMatchObject({ code: 0, stdout: expect.stringContaining('dlv_2') });
  expect(calls.splice(0)).toEqual([
    'listWebhooks',
    'getDelivery wh_1',
    'getDelivery wh_2',
    'getDelivery wh_3',
    'redeliver wh_3',
  ]);
  await again('--webhook', 'wh_3');
  expect(calls).toEqual(['redeliver wh_3']);
});
