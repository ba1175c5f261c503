import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { createSetupToken } from '../../server/src/access/setup-link.ts';
import { createLoadShedder } from '../../server/src/api/load-shedding.ts';
import { type Harness, type HarnessOptions, startApi } from '../support/api-harness.ts';

const open: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

async function start(options: HarnessOptions): Promise<Harness> {
  const api = await startApi(options);
  open.push(api);
  return api;
}

/** A connection from one of this machine's many loopback addresses. */
async function dial(port: number, localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port, localAddress });
  socket.on('error', () => {});
  open.push({ close: async () => socket.destroy() });
  await once(socket, 'connect');
  return socket;
}

/** Resolves however the connection ends. */
function closed(socket: Socket): Promise<void> {
  socket.resume();
  return new Promise((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())));
}

const isOpen = (socket: Socket) => !socket.closed && !socket.destroyed;
const HALF = 'POST /v2/domains.getDomain HTTP/1.1\r\nHost:';

describe('more work than can be done', () => {
  /** A server on which one request may be in progress, and on which creating a project ends when the test says so. */
  async function busy() {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    let asked = 0;
    const api = await start({
      loadShedder: createLoadShedder({ inFlight: 1 }),
      wrap: (store) => ({
        ...store,
        findPrincipal: (hash) => {
          asked += 1;
          return store.findPrincipal(hash);
        },
        isSetupOrigin: (origin) => {
          asked += 1;
          return store.isSetupOrigin(origin);
        },
        findSetupLinkByToken: (hash) => {
          asked += 1;
          return store.findSetupLinkByToken(hash);
        },
        changesOnce: (call) => ({
          ...store.changesOnce(call),
          createProject(project) {
            begin();
            return promise.then(() => store.changesOnce(call).createProject(project));
          },
        }),
      }),
    });
    const first = api.call('projects.createProject', { slug: 'slow' });
    await begun;
    asked = 0;
    return { api, first, finish: resolve, asked: () => asked };
  }

  it('is refused with 429 and Retry-After before the key is looked at, and again admitted when there is less', async () => {
    const { api, first, finish, asked } = await busy();
    for (const key of [api.rootKey, 'nonsense', null]) {
      expect(await api.call('projects.listProjects', {}, { key })).toMatchObject({
        status: 429,
        headers: { 'retry-after': '1' },
        body: { error: { type: 'rate-limited', detail: expect.stringContaining('overloaded') } },
      });
    }
    expect(asked()).toBe(0);
    finish();
    expect(await first).toMatchObject({ status: 200 });
    expect(await api.call('projects.listProjects')).toMatchObject({ status: 200 });
  });

  it('is refused to pages of customers too, before their origin or their link is looked up', async () => {
    const { api, first, finish, asked } = await busy();
    const [origin, { token }] = ['https://app.acme.com', createSetupToken(randomBytes)];
    await api.store.saveSetupPage(api.workspaceId, { origins: [origin] });
    const headers = { origin, 'access-control-request-method': 'POST' };
    const preflight = (operation: string) => fetch(`${api.url}/v2/${operation}`, { method: 'OPTIONS', headers });
    for (const operation of ['domains.getDomain', 'setup.openSession']) {
      const { status, headers: answered } = await preflight(operation);
      expect([status, answered.get('retry-after')]).toEqual([429, '1']);
      expect(answered.get('access-control-allow-origin')).toBeNull();
    }
    const open = () => api.call('setup.openSession', { token }, { key: null, headers: { origin } });
    expect(await open()).toMatchObject({ status: 429, headers: { 'retry-after': '1' } });
    expect(asked()).toBe(0);
    finish();
    await first;
    expect((await preflight('domains.getDomain')).status).toBe(204);
    expect(await open()).toMatchObject({ status: 401 });
  });

  it('leaves health checks available', async () => {
    const { api, first, finish } = await busy();
    for (const path of ['/healthz', '/readyz', '/v2/liveness']) {
      expect(await api.send({ method: 'GET', path, key: null })).toMatchObject({ status: 200 });
    }
    finish();
    await first;
  });

  it('pings the store once at a time for all readiness checks', async () => {
    let asked = 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    const ping = () => {
      asked += 1;
      return promise;
    };
    const api = await start({ wrap: (store) => ({ ...store, ping }) });
    const answers = Array.from({ length: 20 }, () => api.send({ method: 'GET', path: '/readyz', key: null }));
    while (asked === 0) await new Promise(setImmediate);
    // Each has been received once the last of them, sent later, is.
    await api.send({ method: 'GET', path: '/healthz', key: null });
    resolve();
    for (const answer of await Promise.all(answers)) expect(answer.status).toBe(200);
    expect(asked).toBeLessThan(20);
  });

  it('pings the store at most once a second for readiness checks, whatever the result', async () => {
    let asked = 0;
    let full = false;
    const ping = async () => {
      asked += 1;
      if (full) throw new Error('full');
    };
    const api = await start({ wrap: (store) => ({ ...store, ping }) });
    const statuses = async () => {
      const seen = new Set<number>();
      for (let i = 0; i < 3; i += 1) seen.add((await api.send({ method: 'GET', path: '/readyz', key: null })).status);
      return [...seen];
    };
    expect([await statuses(), asked]).toEqual([[200], 1]);
    full = true;
    api.clock.advance(999);
    expect([await statuses(), asked]).toEqual([[200], 1]);
    api.clock.advance(1);
    expect([await statuses(), asked]).toEqual([[503], 2]);
    full = false;
    api.clock.advance(-60_000);
    expect([await statuses(), asked]).toEqual([[200], 3]);
  });
});

// Only Linux has loopback addresses other than 127.0.0.1.
describe.skipIf(process.platform !== 'linux')('more connections than there may be', () => {
  it('from one address close its longest idle ones, and none of other addresses', async () => {
    const api = await start({ limits: { connectionsPerAddress: 3 } });
    const other = await dial(api.port, '127.0.0.9');
    const sockets = [];
    for (let i = 0; i < 3; i += 1) sockets.push(await dial(api.port, '127.0.0.2'));
    const [first, second, third] = sockets as [Socket, Socket, Socket];
    // A request makes the first connection the one that began to wait last.
    first.write('GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n');
    await once(first, 'data');
    await dial(api.port, '127.0.0.2');
    await closed(second);
    await dial(api.port, '127.0.0.2');
    await closed(third);
    expect([isOpen(first), isOpen(other)]).toEqual([true, true]);
  });

  it('in all cost the one that has waited longest for a request, wherever it came from', async () => {
    const api = await start({ limits: { connections: 3 } });
    const first = await dial(api.port, '127.0.0.2');
    for (let i = 3; i < 6; i += 1) await dial(api.port, `127.0.0.${i}`);
    await closed(first);
    expect(await api.call('projects.listProjects')).toMatchObject({ status: 200 });
  });

  it('cost no request that is in progress', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const api = await start({
      limits: { connectionsPerAddress: 2 },
      wrap: (store) => ({
        ...store,
        async listProjects(...args) {
          begin();
          await promise;
          return store.listProjects(...args);
        },
      }),
    });
    const asked = api.call('projects.listProjects');
    await begun;
    const held = await dial(api.port);
    await dial(api.port);
    await closed(held);
    resolve();
    expect(await asked).toMatchObject({ status: 200 });
  });

  it('are limited only in total when they come from a trusted proxy', async () => {
    const api = await start({ limits: { connectionsPerAddress: 1 }, settings: { trustedProxies: ['127.0.0.2/32'] } });
    const proxied = [await dial(api.port, '127.0.0.2'), await dial(api.port, '127.0.0.2')];
    const direct = await dial(api.port, '127.0.0.3');
    await dial(api.port, '127.0.0.3');
    await closed(direct);
    expect(proxied.map(isOpen)).toEqual([true, true]);
  });
});

describe('a slow client', () => {
  it.each([
    ['that says nothing', ''],
    ['whose header does not end', HALF],
  ])('%s is disconnected in time', async (_what, bytes) => {
    const api = await start({ limits: { headerTimeoutMs: 50 } });
    const socket = await dial(api.port);
    socket.write(bytes);
    expect(await text(socket)).toMatch(/^(HTTP\/1\.1 408 Request Timeout\r\n.*)?$/s);
  });

  it('whose body does not end is disconnected in time', async () => {
    const api = await start({ limits: { headerTimeoutMs: 50, requestTimeoutMs: 100 } });
    const socket = await dial(api.port);
    const headers = [`Authorization: Bearer ${api.rootKey}`, 'Content-Type: application/json', 'Content-Length: 9'];
    socket.write(['POST /v2/domains.getDomain HTTP/1.1', 'Host: a', ...headers, '', '{'].join('\r\n'));
    expect(await text(socket)).toMatch(/^(HTTP\/1\.1 408 Request Timeout\r\n.*)?$/s);
  });
});

describe('a client that was refused', () => {
  it('and never closes its side is disconnected all the same', async () => {
    const api = await start({});
    const socket = connect({ host: '127.0.0.1', port: api.port, allowHalfOpen: true });
    socket.on('error', () => {});
    socket.write('hello\r\n\r\n');
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
    const dripping = setInterval(() => socket.write('x'), 10);
    await closed(socket);
    clearInterval(dripping);
  });
});

describe('a trusted proxy', () => {
  const forwarded = (api: Harness, address: string, key = 'nonsense') =>
    api.call('projects.listProjects', {}, { key, headers: { 'x-forwarded-for': address } });

  it('determines the client address: one with too many failures is refused, another is not', async () => {
    const api = await start({ settings: { trustedProxies: ['127.0.0.0/8'] } });
    await api.changes.stop();
    for (let i = 0; i < 300; i += 1) expect(await forwarded(api, '192.0.2.1')).toMatchObject({ status: 401 });
    expect(await forwarded(api, '192.0.2.1')).toMatchObject({ status: 429 });
    expect(await forwarded(api, '198.51.100.7, 192.0.2.1')).toMatchObject({ status: 429 });
    expect(await forwarded(api, '192.0.2.2')).toMatchObject({ status: 401 });
  });

  it('is the only one whose header counts', async () => {
    const api = await start({});
    for (let i = 0; i < 300; i += 1) expect(await forwarded(api, `192.0.2.${i % 250}`)).toMatchObject({ status: 401 });
    expect(await forwarded(api, '198.51.100.7')).toMatchObject({ status: 429 });
  });
});
