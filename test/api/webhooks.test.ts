import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { webhookBody } from '../../server/src/domain/webhook-message.ts';
import { createKeyring } from '../../server/src/store/sealing/keyring.ts';
import { sealedStore } from '../../server/src/store/sealing/sealed-store.ts';
import { dataOf, type Harness, START, startApi } from '../support/api-harness.ts';
import { aDeliveryResult, aWebhookSecret, claimDue, saveResults } from '../support/webhooks.ts';

interface Created {
  webhookId: string;
  secret: string;
}

const URL = 'https://hooks.example.com/nameplate?tenant=1';
const ring = createKeyring({ name: 'the test', keys: () => [new Uint8Array(32)] });

let api: Harness;
beforeAll(async () => {
  api = await startApi({
    wrap: (store) => sealedStore(store, ring),
    settings: { webhooks: { perWorkspace: 500, schemes: ['https'], allowedNetworks: [] } },
  });
});
afterAll(() => api.close());

const create = (about: object = {}, key = api.rootKey) =>
  api.call('webhooks.createWebhook', { url: URL, ...about }, { key });
const created = async (about: object = {}, key = api.rootKey) => dataOf<Created>(await create(about, key));
const get = async (webhookId: string) => dataOf(await api.call('webhooks.getWebhook', { webhookId }));
const keyOf = async (...permissions: string[]) => (await api.createKey({ permissions })).key;
const elsewhere = async () => {
  const { id } = await api.createWorkspace();
  return { workspaceId: id, key: (await api.createKey({ workspaceId: id })).key };
};
const invalid = (location: string, message: unknown) => ({
  status: 400,
  body: { error: { errors: [{ location, message }] } },
});

const claim = (now: number) => claimDue(api.store, { now, leaseMs: 1 });

/** Every operation on one webhook, with the action that it requires. */
const OPERATIONS: [operation: string, action: string, more: object][] = [
  ['getWebhook', 'read_webhook', {}],
  ['updateWebhook', 'update_webhook', { enabled: true }],
  ['rotateSecret', 'update_webhook', {}],
  ['sendTest', 'update_webhook', {}],
  ['listDeliveries', 'read_webhook', {}],
  ['getDelivery', 'read_webhook', { deliveryId: 'dlv_00000000000000000000000000' }],
  ['redeliver', 'update_webhook', { deliveryId: 'dlv_00000000000000000000000000' }],
  ['deleteWebhook', 'delete_webhook', {}],
];

describe('webhooks.createWebhook', () => {
  it('answers with the id and a secret of 32 random bytes, which is shown nowhere else', async () => {
    const [first, second] = [await created(), await created()];
    expect(first.webhookId).toMatch(/^wh_[0-9a-z]{26}$/);
    expect(first.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(Buffer.from(first.secret.slice(6), 'base64')).toHaveLength(32);
    expect(second.secret).not.toBe(first.secret);
    const shown = { id: first.webhookId, url: URL, types: ['*'], enabled: true, createdAt: START };
    expect(await get(first.webhookId)).toEqual(shown);
    expect(api.logged.join('')).not.toContain(first.secret.slice(6));
  });

  it('takes the types to subscribe to, each once; "*" is all of them', async () => {
    const types = ['domain.verified', 'certificate.expiring', 'domain.verified'];
    expect(await get((await created({ types })).webhookId)).toMatchObject({ types: types.slice(0, 2) });
    expect(await get((await created({ types: ['*', 'domain.failed'] })).webhookId)).toMatchObject({ types: ['*'] });
    expect(await create({ types: ['domain.exploded'] })).toMatchObject({
      status: 400,
      body: { error: { errors: [{ location: 'body.types.0' }] } },
    });
    expect(await create({ types: [] })).toMatchObject({ status: 400, body: { error: { errors: [{}] } } });
    expect(await create({ types: 'domain.failed' })).toMatchObject(invalid('body.types', 'must be a list'));
  });

  it.each([
    ['http://hooks.example.com/', 'must begin with "https://"'],
    ['https://user:pass@hooks.example.com/', 'must not have a user or a password'],
    ['https://hooks.example.com/#part', 'must not have a fragment'],
    ['https://hooks.example.com/#', 'must not have a fragment'],
    ['https://127.0.0.1/', 'must not have a private, loopback or other special address'],
    ['https://2130706433/', 'must not have a private, loopback or other special address'],
    ['https://0x7f.1:8443/', 'must not have a private, loopback or other special address'],
    ['https://169.254.169.254/latest/meta-data', 'must not have a private, loopback or other special address'],
    ['https://[::1]/', 'must not have a private, loopback or other special address'],
    ['https://[::ffff:10.0.0.1]/', 'must not have a private, loopback or other special address'],
    ['https://[fd00:ec2::254]/', 'must not have a private, loopback or other special address'],
    ['https://hooks.example.com:0/', 'must not have the port 0'],
    ['https://localhost:8443/', 'must not have a name below ".localhost", which leads to no public address'],
    ['https://hooks.LOCALHOST./', 'must not have a name below ".localhost", which leads to no public address'],
    ['https://hooks.corp.internal/', 'must not have a name below ".internal", which leads to no public address'],
    ['https://printer.local/', 'must not have a name below ".local", which leads to no public address'],
    ['https://1.0.0.10.in-addr.arpa/', 'must not have a name below ".arpa", which leads to no public address'],
    ['https://hooks.onion/', 'must not have a name below ".onion", which leads to no public address'],
    ['https://hooks..example.com/', 'must have a host name of at most 253 characters, with 1 to 63 between two dots'],
    ['https://.example.com/', 'must have a host name of at most 253 characters, with 1 to 63 between two dots'],
    [
      `https://${'a'.repeat(64)}.example.com/`,
      'must have a host name of at most 253 characters, with 1 to 63 between two dots',
    ],
    [
      `https://${'a.'.repeat(126)}com/`,
      'must have a host name of at most 253 characters, with 1 to 63 between two dots',
    ],
    ['ftp://hooks.example.com/', 'must be a URL with a scheme and a host, without white space'],
    ['hooks.example.com/nameplate', 'must be a URL with a scheme and a host, without white space'],
    ['https://hooks.example.com/a b', 'must be a URL with a scheme and a host, without white space'],
    ['https://hooks.example.com/\n', 'must be a URL with a scheme and a host, without white space'],
    ['https:\\\\hooks.example.com\\', 'must be a URL with a scheme and a host, without white space'],
    ['https://hooks.exa mple.com/', 'must be a URL with a scheme and a host, without white space'],
    ['https://', 'must be a URL with a scheme and a host, without white space'],
    [`https://hooks.example.com/${'a'.repeat(2048)}`, 'must have at most 2048 characters'],
    [`https://hooks.example.com/${'ä'.repeat(2000)}`, 'must have at most 2048 characters once it is encoded'],
  ])('refuses the URL %j', async (url, message) => {
    expect(await create({ url })).toMatchObject(invalid('body.url', message));
  });

  it('names everything that is wrong with a URL', async () => {
    const answer = await create({ url: 'http://me@10.0.0.1/#x' });
    expect(answer.body.error?.errors).toHaveLength(4);
  });

  it('keeps the URL in the form in which it is called', async () => {
    const { webhookId } = await created({ url: 'HTTPS://Hööks.Example.com:443/Päth?q=1' });
    expect(await get(webhookId)).toMatchObject({ url: 'https://xn--hks-snaa.example.com/P%C3%A4th?q=1' });
  });

  it('takes names that are reserved for tests, with any port but 0 and with a final dot', async () => {
    for (const url of ['https://hooks.test:1/', 'https://hooks.example:65535/', 'https://hooks.example.com./'])
      expect(await create({ url }), url).toMatchObject({ status: 200 });
  });

  it('refuses them when a webhook is changed, too', async () => {
    const { webhookId } = await created();
    for (const url of ['https://hooks.example.com:0/', 'https://hooks.internal/'])
      expect(await api.call('webhooks.updateWebhook', { webhookId, url })).toMatchObject({ status: 400 });
  });

  it('takes http, special addresses and names that may lead to them where the operator allows them', async () => {
    const webhooks = { perWorkspace: 2, schemes: ['https', 'http'], allowedNetworks: ['127.0.0.0/8'] } as const;
    const open = await startApi({ settings: { webhooks } });
    const tryUrl = (url: string) => open.call('webhooks.createWebhook', { url });
    expect(await tryUrl('http://10.0.0.1/')).toMatchObject({ status: 400 });
    expect(await tryUrl('http://hooks.onion/')).toMatchObject({ status: 400 });
    expect(await tryUrl('http://127.0.0.1:3000/hooks')).toMatchObject({ status: 200 });
    expect(await tryUrl('http://localhost:3000/hooks')).toMatchObject({ status: 200 });
    expect(await tryUrl('https://hooks.example.com/')).toMatchObject({
      status: 403,
      body: { error: { detail: 'The workspace has reached its limit of webhooks.' } },
    });
    await open.close();
  });

  it('answers a repeat under the same Idempotency-Key with the same secret, which is sealed where it is kept', async () => {
    const headers = { 'idempotency-key': 'one-webhook' };
    const ask = () => api.call('webhooks.createWebhook', { url: URL }, { headers });
    const [first, repeat] = [await ask(), await ask()];
    expect(repeat.headers['idempotency-replayed']).toBe('true');
    expect(dataOf(repeat)).toEqual(dataOf(first));
    const { webhookId, secret } = dataOf<Created>(first);
    expect(await get(webhookId)).toMatchObject({ url: URL });
    await api.call('webhooks.sendTest', { webhookId });
    const due = (await claimDue(sealedStore(api.store, ring), { now: START, leaseMs: 1 })).find(
      (each) => each.webhookId === webhookId,
    );
    expect(due?.secrets.map((each) => Buffer.from(each.secret).toString())).toEqual([secret]);
  });

  it('answers 403 to a key without the permission on all webhooks', async () => {
    for (const permissions of [['webhook.*.read_webhook'], ['webhook.wh_1.create_webhook']]) {
      expect(await create({}, await keyOf(...permissions))).toMatchObject({
        status: 403,
        body: { error: { type: 'forbidden' } },
      });
    }
    const reading = 'environment.*.read_domain';
    expect(await create({}, await keyOf('webhook.*.create_webhook', reading))).toMatchObject({ status: 200 });
  });

  it('and updateWebhook let nobody receive events of domains that they may not read: 403 names read_domain', async () => {
    const { webhookId } = await created();
    const some = 'environment.env_1.read_domain';
    const update = (change: object, key: string) =>
      api.call('webhooks.updateWebhook', { webhookId, ...change }, { key });
    for (const refused of [
      await create({}, await keyOf('webhook.*.create_webhook', some)),
      await update({ url: 'https://elsewhere.acme.com/' }, await keyOf('webhook.*.update_webhook', some)),
      await update({ types: ['*'] }, await keyOf('webhook.*.update_webhook')),
    ]) {
      expect(refused).toMatchObject({ status: 403 });
      expect(refused.body.error?.detail).toContain('"environment.*.read_domain"');
    }
    const key = await keyOf('webhook.*.update_webhook');
    expect(await update({ enabled: false }, key)).toMatchObject({ status: 200 });
  });

  it('without a key to encrypt the secret with: answers 412 with advice for the operator, and stores nothing', async () => {
    const keyless = createKeyring({ name: 'the configuration', keys: () => [] });
    const open = await startApi({ wrap: (store) => sealedStore(store, keyless) });
    expect(await open.call('webhooks.createWebhook', { url: URL })).toMatchObject({
      status: 412,
      body: { error: { type: 'precondition-failed', detail: expect.stringContaining('operator') } },
    });
    expect(dataOf(await open.call('webhooks.listWebhooks'))).toEqual([]);
    await open.close();
  });
});

describe('webhooks.listWebhooks', () => {
  it('answers in order of creation, page by page, with only those of the workspace', async () => {
    const { key } = await elsewhere();
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push((await created({}, key)).webhookId);
    const first = await api.call('webhooks.listWebhooks', { limit: 2 }, { key });
    expect(first.body).toMatchObject({
      data: [{ id: ids[0] }, { id: ids[1] }],
      pagination: { hasMore: true, cursor: ids[2] },
    });
    const rest = await api.call('webhooks.listWebhooks', { limit: 2, cursor: ids[2] }, { key });
    expect(rest.body).toMatchObject({ data: [{ id: ids[2] }], pagination: { hasMore: false } });
  });

  it('answers 403 to a key that may read some webhooks only', async () => {
    const { webhookId } = await created();
    const key = await keyOf(`webhook.${webhookId}.read_webhook`);
    expect(await api.call('webhooks.listWebhooks', {}, { key })).toMatchObject({ status: 403 });
  });
});

describe('every operation on one webhook', () => {
  it.each(OPERATIONS)('%s needs %s, on all webhooks or on this one', async (operation, action, more) => {
    for (const scope of ['*', 'own'] as const) {
      const { webhookId } = await created();
      const key = await keyOf(`webhook.${scope === '*' ? '*' : webhookId}.${action}`);
      const answer = await api.call(`webhooks.${operation}`, { webhookId, ...more }, { key });
      expect(answer.status).toBe('deliveryId' in more ? 404 : 200);
      expect(answer.body.error?.detail ?? 'delivery').toMatch(/delivery/);
    }
  });

  it.each(OPERATIONS)(
    '%s answers alike for a webhook of another workspace, without permission, and without one',
    async (operation, _, more) => {
      const { webhookId } = await created();
      const { key } = await elsewhere();
      const answers = [
        await api.call(`webhooks.${operation}`, { webhookId, ...more }, { key }),
        await api.call(
          `webhooks.${operation}`,
          { webhookId, ...more },
          { key: await keyOf('webhook.wh_1.read_webhook') },
        ),
        await api.call(`webhooks.${operation}`, { webhookId: 'wh_00000000000000000000000000', ...more }),
      ];
      const errors = answers.map(({ status, body }) => ({ status, error: body.error }));
      expect(errors[0]).toMatchObject({ status: 404, error: { type: 'not-found' } });
      expect(errors[1]).toEqual(errors[0]);
      expect(errors[2]).toEqual(errors[0]);
      expect(await get(webhookId)).toMatchObject({ enabled: true });
    },
  );
});

describe('webhooks.updateWebhook', () => {
  const update = (webhookId: string, change: object) => api.call('webhooks.updateWebhook', { webhookId, ...change });

  it('changes what is given, and answers with the webhook', async () => {
    const { webhookId } = await created({ types: ['domain.failed'] });
    const url = 'https://other.example.com/';
    const moved = dataOf(await update(webhookId, { url }));
    expect(moved).toMatchObject({ url, types: ['domain.failed'], enabled: true, updatedAt: START });
    expect(await get(webhookId)).toEqual(moved);
    expect(dataOf(await update(webhookId, { types: ['*'] }))).toMatchObject({ url, types: ['*'] });
    const off = dataOf(await update(webhookId, { enabled: false }));
    expect(off).toMatchObject({ enabled: false, disabledAt: START, disabledReason: 'requested' });
    expect(dataOf(await update(webhookId, { enabled: true }))).not.toHaveProperty('disabledAt');
  });

  it('refuses the same URLs as at creation', async () => {
    const { webhookId } = await created();
    expect(await update(webhookId, { url: 'https://10.0.0.1/' })).toMatchObject({ status: 400 });
    expect(await get(webhookId)).toMatchObject({ url: URL });
  });
});

it('webhooks.deleteWebhook deletes; a second call answers 404', async () => {
  const { webhookId } = await created();
  expect(dataOf(await api.call('webhooks.deleteWebhook', { webhookId }))).toEqual({});
  for (const operation of ['getWebhook', 'deleteWebhook', 'listDeliveries', 'sendTest']) {
    expect(await api.call(`webhooks.${operation}`, { webhookId })).toMatchObject({ status: 404 });
  }
});

describe('webhooks.rotateSecret', () => {
  /** The secrets that sign the next request. */
  const signing = async (webhookId: string, now: number) => {
    await api.call('webhooks.sendTest', { webhookId });
    const due = await claimDue(sealedStore(api.store, ring), { now, leaseMs: 1 });
    const own = due.find((each) => each.webhookId === webhookId);
    return own?.secrets.map(({ secret }) => Buffer.from(secret).toString());
  };

  it('answers with a new secret; both sign for a day', async () => {
    const { webhookId, secret: first } = await created();
    const rotated = dataOf<{ secret: string; previousExpiresAt: number }>(
      await api.call('webhooks.rotateSecret', { webhookId }),
    );
    expect(rotated.previousExpiresAt).toBe(START + 86_400_000);
    expect(rotated.secret).toMatch(/^whsec_/);
    expect(await signing(webhookId, START)).toEqual([rotated.secret, first]);
    expect(await signing(webhookId, rotated.previousExpiresAt)).toEqual([rotated.secret]);
  });

  it('repeated under its Idempotency-Key gives the same secret, and the previous one goes on signing', async () => {
    const { webhookId, secret: first } = await created();
    const rotate = () =>
      api.call('webhooks.rotateSecret', { webhookId }, { headers: { 'idempotency-key': 'lost response' } });
    const [lost, repeated] = [await rotate(), await rotate()];
    expect(repeated.headers['idempotency-replayed']).toBe('true');
    expect(repeated.body.data).toEqual(lost.body.data);
    expect(await signing(webhookId, START)).toEqual([dataOf<{ secret: string }>(lost).secret, first]);
  });

  it('gives no secret to sign with while one of those that sign cannot be unsealed', async () => {
    const { webhookId } = await created();
    const another = createKeyring({ name: 'the configuration', keys: () => [Buffer.alloc(32, 9)] });
    const secret = { ...aWebhookSecret(), createdAt: START };
    await sealedStore(api.store, another).rotateWebhookSecret(api.workspaceId, webhookId, secret, START + 1000);
    expect(await signing(webhookId, START)).toEqual([]);
    const alone = claimDue(sealedStore(api.store, another), { now: START + 1000, leaseMs: 1 });
    const own = (await alone).find((each) => each.webhookId === webhookId);
    expect(own?.secrets).toEqual([{ id: secret.id, secret: secret.secret }]);
  });

  it('ends the previous secret at once where that is asked for', async () => {
    const { webhookId } = await created();
    const rotated = dataOf<{ secret: string }>(
      await api.call('webhooks.rotateSecret', { webhookId, overlapSeconds: 0 }),
    );
    expect(await signing(webhookId, START)).toEqual([rotated.secret]);
    expect(await api.call('webhooks.rotateSecret', { webhookId, overlapSeconds: 604_801 })).toMatchObject(
      invalid('body.overlapSeconds', 'must be at most 604800'),
    );
  });
});

describe('deliveries', () => {
  const list = async (webhookId: string, page: object = {}) =>
    (await api.call('webhooks.listDeliveries', { webhookId, ...page })).body;
  const delivery = async (webhookId: string, deliveryId: string) =>
    dataOf<Record<string, unknown>>(await api.call('webhooks.getDelivery', { webhookId, deliveryId }));

  it('of a test: waits, is attempted, and then has the response', async () => {
    const { webhookId } = await created({ types: ['domain.failed'] });
    const { deliveryId } = dataOf<{ deliveryId: string }>(await api.call('webhooks.sendTest', { webhookId }));
    const waiting = {
      id: deliveryId,
      webhookId,
      eventId: expect.stringMatching(/^evt_/),
      type: 'webhook.test',
      state: 'waiting',
      attempts: 0,
      nextAttemptAt: START,
      happenedAt: START,
      createdAt: START,
    };
    expect(await list(webhookId)).toMatchObject({ data: [waiting], pagination: { hasMore: false } });
    const due = (await claim(START)).find((each) => each.deliveryId === deliveryId);
    if (due === undefined) throw new Error('the test is not due');
    expect(JSON.parse(webhookBody(due))).toEqual({
      type: 'webhook.test',
      timestamp: new Date(START).toISOString(),
      data: { webhookId },
    });
    const result = aDeliveryResult(due, { outcome: { kind: 'failed' }, at: START + 5 });
    await saveResults(api.store, [result], START + 20);
    const { nextAttemptAt, ...rest } = waiting;
    const lastAttempt = { at: START + 5, durationMs: 12, status: 500, error: expect.any(String) };
    const failed = { ...rest, state: 'failed', attempts: 1, lastAttempt, finishedAt: START + 20 };
    expect((await list(webhookId)).data).toEqual([failed]);
    expect(await delivery(webhookId, deliveryId)).toEqual({
      ...failed,
      lastAttempt: { ...lastAttempt, response: 'oops' },
    });
    expect(await get(webhookId)).not.toHaveProperty('failingSince');
  });

  it('are only those of the webhook, page by page, the newest first; the domain is named', async () => {
    const { key } = await elsewhere();
    const tree = await api.createTree('demo', key);
    const { webhookId } = await created({}, key);
    const domains = [];
    for (const i of [1, 2, 3]) domains.push(await api.createDomain(tree, `page${i}.example.com`, key));
    const first = await api.call('webhooks.listDeliveries', { webhookId, limit: 2 }, { key });
    const shown = domains.map(({ id, name }) => ({ type: 'domain.created', domainId: id, domain: name }));
    expect(first.body).toMatchObject({ data: [shown[2], shown[1]], pagination: { hasMore: true } });
    const { cursor } = first.body.pagination as { cursor: string };
    const rest = await api.call('webhooks.listDeliveries', { webhookId, limit: 2, cursor }, { key });
    expect(rest.body).toMatchObject({ data: [shown[0]], pagination: { hasMore: false } });
  });

  it('are listed by state, page by page', async () => {
    const { key } = await elsewhere();
    const tree = await api.createTree('demo', key);
    const { webhookId } = await created({}, key);
    const names = Array.from({ length: 6 }, (_, i) => `state${i}.example.com`);
    for (const name of names) await api.createDomain(tree, name, key);
    const due = (await claim(START)).filter((each) => each.webhookId === webhookId);
    const ends = ['delivered', 'failed', 'delivered', 'failed'] as const;
    const nameOf = ({ message }: (typeof due)[number]) => message?.domain.name ?? '';
    const results = ends.map((kind, i) => {
      const each = due.find((one) => nameOf(one) === names[i]);
      if (each === undefined) throw new Error(`${names[i]} is not due`);
      return aDeliveryResult(each, { outcome: { kind }, at: START });
    });
    await saveResults(api.store, results, START);
    const listed = async (state: string) => {
      const pages: string[][] = [];
      for (let cursor: string | undefined, more = true; more; ) {
        const { body } = await api.call('webhooks.listDeliveries', { webhookId, state, limit: 1, cursor }, { key });
        const { data, pagination } = body as {
          data: { domain: string; state: string }[];
          pagination: { cursor?: string; hasMore: boolean };
        };
        expect(data.every((each) => each.state === state)).toBe(true);
        pages.push(data.map(({ domain }) => domain));
        ({ cursor, hasMore: more } = pagination);
      }
      return pages;
    };
    expect(await listed('waiting')).toEqual([[names[5]], [names[4]]]);
    expect(await listed('delivered')).toEqual([[names[2]], [names[0]]]);
    expect(await listed('failed')).toEqual([[names[3]], [names[1]]]);
    expect(await api.call('webhooks.listDeliveries', { webhookId, state: 'lost' }, { key })).toMatchObject({
      status: 400,
    });
  });

  it('are sent again on request, with the same event', async () => {
    const { webhookId } = await created();
    const { deliveryId } = dataOf<{ deliveryId: string }>(await api.call('webhooks.sendTest', { webhookId }));
    const due = (await claim(START)).filter((each) => each.deliveryId === deliveryId);
    const results = due.map((each) => aDeliveryResult(each));
    await saveResults(api.store, results, START);
    const again = dataOf<{ deliveryId: string }>(await api.call('webhooks.redeliver', { webhookId, deliveryId }));
    expect(again.deliveryId).not.toBe(deliveryId);
    const { eventId } = await delivery(webhookId, deliveryId);
    expect(await delivery(webhookId, again.deliveryId)).toMatchObject({ eventId, state: 'waiting', attempts: 0 });
  });

  it.each(['sendTest', 'redeliver'])(
    'are asked for 60 times a minute at most by %s, unless the operator says otherwise',
    async (operation) => {
      const workspace = async (rates = {}) => {
        const { id } = await api.createWorkspace({ limits: { rates, domains: null } });
        const { key } = await api.createKey({ workspaceId: id });
        const { webhookId } = await created({}, key);
        const { deliveryId } = dataOf<{ deliveryId: string }>(
          await api.call('webhooks.sendTest', { webhookId }, { key }),
        );
        const input = { webhookId, ...(operation === 'redeliver' && { deliveryId }) };
        return async () => (await api.call(`webhooks.${operation}`, input, { key })).status;
      };
      const ask = await workspace();
      const statuses = [];
      for (let i = operation === 'redeliver' ? 0 : 1; i < 61; i++) statuses.push(await ask());
      expect(statuses.lastIndexOf(200)).toBe(statuses.length - 2);
      expect(statuses.at(-1)).toBe(429);
      const lifted = await workspace({ [`webhooks.${operation}`]: { limit: 1000, windowMs: 60_000 } });
      for (let i = 0; i < 61; i++) expect(await lifted()).toBe(200);
    },
  );

  it('are not sent to a disabled webhook: a test and a repetition are refused with 412', async () => {
    const { webhookId } = await created();
    const { deliveryId } = dataOf<{ deliveryId: string }>(await api.call('webhooks.sendTest', { webhookId }));
    await api.call('webhooks.updateWebhook', { webhookId, enabled: false });
    for (const [operation, more] of [
      ['sendTest', {}],
      ['redeliver', { deliveryId }],
    ] as const) {
      expect(await api.call(`webhooks.${operation}`, { webhookId, ...more })).toMatchObject({
        status: 412,
        body: { error: { type: 'precondition-failed', detail: expect.stringContaining('updateWebhook') } },
      });
    }
  });
});

describe('the body of an event', () => {
  it('has the domain exactly as domains.getDomain gave it after the change', async () => {
    const { key, workspaceId } = await elsewhere();
    const tree = await api.createTree('demo', key);
    await created({}, key);
    const bodies: { type: string; data: { domain: unknown; actor?: string } }[] = [];
    const take = async () => {
      const due = (await claim(START)).filter((each) => each.workspaceId === workspaceId);
      bodies.push(...due.map((each) => JSON.parse(webhookBody(each))));
      const results = due.map((each) => aDeliveryResult(each));
      await saveResults(api.store, results, START);
    };
    for (const name of ['shop.example.com', 'example.org']) {
      const { id } = await api.createDomain(tree, name, key);
      const shown = dataOf(await api.call('domains.getDomain', { domain: id }, { key }));
      await take();
      await api.call('domains.deleteDomain', { domain: id }, { key });
      await take();
      expect(bodies.splice(0)).toEqual(
        ['domain.created', 'domain.deleted'].map((type) => ({
          type,
          timestamp: new Date(START).toISOString(),
          data: { domain: shown, actor: expect.stringMatching(/^key_/) },
        })),
      );
    }
  });
});
