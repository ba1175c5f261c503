import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { judge } from '../support/api-contract.ts';
import { type Harness, startApi } from '../support/api-harness.ts';

let api: Harness;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

interface Raw {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A client that writes bytes and reads whole answers, one after the other, from one connection. */
function dial(port = api.port): { socket: Socket; answer(): Promise<Raw>; closed: Promise<void> } {
  const socket = connect(port, '127.0.0.1');
  let received = Buffer.alloc(0);
  let wake = () => {};
  let ended = false;
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    wake();
  });
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) =>
    socket.on('close', () => {
      ended = true;
      wake();
      resolve();
    }),
  );

  function take(): Raw | null {
    const end = received.indexOf('\r\n\r\n');
    if (end < 0) return null;
    const [first = '', ...lines] = received.subarray(0, end).toString().split('\r\n');
    const headers = Object.fromEntries(
      lines.map((line) => [line.split(':', 1)[0]?.toLowerCase(), line.replace(/^.*?: */, '')]),
    );
    const length = Number(headers['content-length'] ?? 0);
    if (received.length < end + 4 + length) return null;
    const body = received.subarray(end + 4, end + 4 + length).toString();
    received = received.subarray(end + 4 + length);
    return { status: Number(first.split(' ')[1]), headers, body };
  }

  async function answer(): Promise<Raw> {
    for (;;) {
      const raw = take();
      if (raw !== null) return raw;
      if (ended) throw new Error(`the connection was closed; received: ${received.toString()}`);
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }
  return { socket, answer, closed };
}

/** Holds a raw answer against openapi.json. */
function held(path: string, { status, headers, body }: Raw): Raw {
  judge('POST', path, { status, headers, text: body, body: JSON.parse(body) });
  return { status, headers, body };
}

const request = (operation: string, headers: string[], body = '') =>
  [`POST /v2/${operation} HTTP/1.1`, 'Host: api.test', ...headers, '', body].join('\r\n');
const authorized = () => `Authorization: Bearer ${api.rootKey}`;
const json = (body: string) => ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`];
const asking = (body = '{"domain":"nobody.test"}') => request('domains.getDomain', [authorized(), ...json(body)], body);

describe('a response before the body was read', () => {
  const large = 'x'.repeat(5 * 1024 * 1024);

  it.each([
    ['401', () => request('domains.getDomain', json(large), large), 401],
    ['404', () => request('domains.nothing', [authorized(), ...json(large)], large), 404],
    ['413', () => request('domains.getDomain', [authorized(), ...json(large)], large), 413],
  ])('(%s) leaves the connection usable: the rest of the body is read and dropped', async (_name, first, status) => {
    const { socket, answer } = dial();
    socket.write(first());
    expect((await answer()).status).toBe(status);
    socket.write(asking());
    expect(held('/v2/domains.getDomain', await answer()).status).toBe(404);
    socket.destroy();
  });

  it('(413) leaves the connection usable when the body came in chunks', async () => {
    const { socket, answer } = dial();
    socket.write(
      request('domains.getDomain', [authorized(), 'Content-Type: application/json', 'Transfer-Encoding: chunked']),
    );
    const chunk = 'x'.repeat(65_536);
    for (let i = 0; i < 40; i += 1) socket.write(`10000\r\n${chunk}\r\n`);
    expect((await answer()).status).toBe(413);
    socket.write('0\r\n\r\n');
    socket.write(asking());
    expect((await answer()).status).toBe(404);
    socket.destroy();
  });

  it('does not wait for the body: 401 comes at once, also when the body never does', async () => {
    const { socket, answer } = dial();
    socket.write(request('domains.getDomain', ['Content-Type: application/json', 'Content-Length: 1000000000']));
    expect(held('/v2/domains.getDomain', await answer()).status).toBe(401);
    socket.destroy();
  });

  it('(401) is sent to a client that waits for 100 (Continue)', async () => {
    const { socket, answer } = dial();
    socket.write(request('domains.getDomain', ['Expect: 100-continue', 'Content-Length: 10']));
    let first = await answer();
    if (first.status === 100) first = await answer();
    expect(first.status).toBe(401);
    socket.destroy();
  });
});

describe('a connection', () => {
  it('answers pipelined requests in their order', async () => {
    const { socket, answer } = dial();
    socket.write(asking('{"domain":"x"}') + request('domains.getDomain', json('{}'), '{}') + asking());
    expect([(await answer()).status, (await answer()).status, (await answer()).status]).toEqual([400, 401, 404]);
    socket.destroy();
  });

  it('stays open after a 400 for a body that is not JSON', async () => {
    const { socket, answer } = dial();
    socket.write(asking('{'));
    expect((await answer()).status).toBe(400);
    socket.write(asking());
    expect((await answer()).status).toBe(404);
    socket.destroy();
  });

  it.each(['http://api.test', 'https://other.test:8443'])('serves a target in absolute form (%s)', async (origin) => {
    const { socket, answer } = dial();
    socket.write(`GET ${origin}/healthz?a=b HTTP/1.1\r\nHost: api.test\r\n\r\n`);
    expect((await answer()).status).toBe(200);
    socket.write(asking().replace(' /', ` ${origin}/`));
    expect(held('/v2/domains.getDomain', await answer()).status).toBe(404);
    socket.destroy();
  });

  it('serves a Host that is empty, or an address with a port', async () => {
    const { socket, answer } = dial();
    for (const host of ['', '[::1]:7070', '127.0.0.1:7070']) {
      socket.write(`GET /healthz HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      expect((await answer()).status).toBe(200);
    }
    socket.destroy();
  });

  it('is closed when the client asks for it', async () => {
    const { socket, answer, closed } = dial();
    socket.write(request('domains.getDomain', [authorized(), 'Connection: close', ...json('{}')], '{}'));
    expect((await answer()).status).toBe(400);
    await closed;
  });

  it('serves HTTP/1.0 without a Host', async () => {
    const { socket, answer } = dial();
    socket.write('GET /healthz HTTP/1.0\r\n\r\n');
    expect((await answer()).status).toBe(200);
    socket.destroy();
  });

  it('that sends requests without end, smaller than any with a key, is closed, and no other', async () => {
    const greedy = dial();
    greedy.socket.write('GET /openapi.json HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1000));
    await greedy.closed;
    expect(await api.call('domains.getDomain', { domain: 'nobody.test' })).toMatchObject({ status: 404 });
  });

  it('that is closed in the middle of a body affects no other', async () => {
    const { socket, closed } = dial();
    socket.write(
      request('domains.getDomain', [authorized(), 'Content-Type: application/json', 'Content-Length: 100'], '{"dom'),
    );
    socket.end();
    await closed;
    expect(await api.call('domains.getDomain', { domain: 'nobody.test' })).toMatchObject({ status: 404 });
  });
});

describe('a request that was executed gets its own response, once, in its turn', () => {
  let slow: Harness;
  let executing = 0;
  let released = Promise.withResolvers<void>();
  beforeAll(async () => {
    slow = await startApi({
      wrap: (store) => ({
        ...store,
        changesOnce: (call) => ({
          ...store.changesOnce(call),
          createProject(project) {
            executing += 1;
            return released.promise.then(() => store.changesOnce(call).createProject(project));
          },
        }),
      }),
    });
  });
  afterAll(() => slow.close());

  let projects = 0;
  const head = (line: string, ...fields: string[]) => [line, 'Host: api.test', ...fields, '', ''].join('\r\n');
  function creating(version = '1.1', ...fields: string[]): string {
    projects += 1;
    const body = JSON.stringify({ slug: `project-${projects}` });
    const key = `Authorization: Bearer ${slow.rootKey}`;
    return head(`POST /v2/projects.createProject HTTP/${version}`, key, ...json(body), ...fields) + body;
  }

  /** The statuses that a client hears until the end of its connection. Nothing is answered before all has been sent. */
  async function statuses(requests: string[], more: string): Promise<number[]> {
    executing = 0;
    released = Promise.withResolvers<void>();
    const { socket, answer, closed } = dial(slow.port);
    socket.write(requests.join('') + more);
    while (executing < Math.min(requests.length, 32)) await new Promise(setImmediate);
    released.resolve();
    await closed;
    const heard: number[] = [];
    for (;;) {
      const raw = await answer().catch(() => null);
      if (raw === null) return heard;
      heard.push(raw.status);
    }
  }
  const counts = [1, 2, 3, 40];
  const several = (count: number) => Array.from({ length: count }, () => creating());
  const successes = (count: number) => Array<number>(count).fill(200);

  it('however many are sent at once: 32 are executed at a time, and no more is read meanwhile', async () => {
    const COUNT = 2000;
    executing = 0;
    released = Promise.withResolvers<void>();
    const { socket, answer } = dial(slow.port);
    socket.write(several(COUNT).join(''));
    while (executing < 32) await new Promise(setImmediate);
    expect(executing).toBe(32);
    released.resolve();
    for (let i = 0; i < COUNT; i += 1) expect((await answer()).status).toBe(200);
    expect(executing).toBe(COUNT);
    socket.destroy();
  });

  describe.each<[string, string, number]>([
    ['something other than HTTP', 'hello\r\n\r\n', 400],
    ['a header without a colon', head('GET /healthz HTTP/1.1', 'broken'), 400],
    ['too large a header', head('GET /healthz HTTP/1.1', `X: ${'x'.repeat(20_000)}`), 431],
    ['an unknown method', head('FETCH /healthz HTTP/1.1'), 400],
    ['a body that cannot be read', `${head('POST /v2/a HTTP/1.1', 'Transfer-Encoding: chunked')}x\r\n`, 404],
    ['CONNECT', head('CONNECT api.test:80 HTTP/1.1'), 400],
  ])('before %s', (_, bytes, status) => {
    it.each(counts)('%i in flight', async (count) => {
      expect(await statuses(several(count), bytes)).toEqual([...successes(count), status]);
    });
  });

  it.each(counts)(
    'before the connection ends with the last of %i, as it asked; what follows is ignored',
    async (count) => {
      for (const more of [head('GET /healthz HTTP/1.1'), 'hello\r\n\r\n', head('CONNECT api.test:80 HTTP/1.1')]) {
        for (const last of [creating('1.1', 'Connection: close'), creating('1.0')]) {
          expect(await statuses([...several(count - 1), last], more)).toEqual(successes(count));
        }
      }
    },
  );

  it.each(counts)(
    'before a request to upgrade, which is answered as any other and is the last: %i in flight',
    async (count) => {
      const upgrade = head('GET /healthz HTTP/1.1', 'Upgrade: websocket', 'Connection: Upgrade');
      for (const more of ['', creating(), creating().slice(0, 20)]) {
        expect(await statuses(several(count), upgrade + more)).toEqual(successes(count + 1));
        expect(executing).toBe(count);
      }
    },
  );
});

describe('bytes that are not a request', () => {
  it.each([
    ['no HTTP at all', 'hello\r\n\r\n', 400],
    ['TLS on a plain port', Buffer.from([0x16, 3, 1, 0, 5, 1, 0, 0, 1, 0]), 400],
    ['an unknown method', 'FETCH /v2/domains.getDomain HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    ['a header without a colon', 'POST / HTTP/1.1\r\nHost: a\r\nbroken\r\n\r\n', 400],
    ['two lengths', 'POST /v2/a HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab', 400],
    [
      'a length and chunks',
      'POST /v2/a HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['CONNECT', 'CONNECT api.test:443 HTTP/1.1\r\nHost: api.test:443\r\n\r\n', 400],
    ['too large a header', `POST / HTTP/1.1\r\nHost: a\r\nX-Large: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ])('%s is answered in the envelope, and the connection is closed', async (_what, bytes, status) => {
    const { socket, answer, closed } = dial();
    socket.write(bytes);
    const raw = held('/', await answer());
    expect(raw).toMatchObject({ status, headers: { connection: 'close' } });
    await closed;
  });

  it.each([
    ['no Host', ''],
    ['two', 'Host: a\r\nhost: a\r\n'],
    ['one that is no host', 'Host: a/b\r\n'],
  ])('HTTP/1.1 with %s is answered with 400 in the envelope, whatever the target', async (_name, host) => {
    for (const target of ['/v2/domains.getDomain', 'http://api.test/v2/domains.getDomain', '/nothing', '/%']) {
      const { socket, answer } = dial();
      socket.write(`POST ${target} HTTP/1.1\r\n${host}${authorized()}\r\n\r\n`);
      const raw = held('/v2/domains.getDomain', await answer());
      expect([raw.status, raw.body]).toEqual([400, expect.stringContaining('header.host')]);
      socket.destroy();
    }
  });

  it.each(['0.9', '2.0', '3.0'])('HTTP/%s, as text, is answered with 400 in the envelope', async (version) => {
    const { socket, answer } = dial();
    socket.write(`POST /v2/domains.getDomain HTTP/${version}\r\nHost: a\r\n${authorized()}\r\n\r\n`);
    const raw = held('/v2/domains.getDomain', await answer());
    expect([raw.status, raw.body]).toEqual([400, expect.stringContaining('well-formed HTTP/1.1')]);
    socket.destroy();
  });

  it('an unknown expectation is ignored', async () => {
    const { socket, answer } = dial();
    socket.write(request('domains.getDomain', [authorized(), 'Expect: miracles', ...json('{}')], '{}'));
    expect(held('/v2/domains.getDomain', await answer()).status).toBe(400);
    socket.destroy();
  });

  it('an upgrade that is not offered is ignored', async () => {
    const { socket, answer } = dial();
    socket.write(
      request('domains.getDomain', [authorized(), 'Connection: Upgrade', 'Upgrade: websocket', ...json('{}')], '{}'),
    );
    expect(held('/v2/domains.getDomain', await answer()).status).toBe(400);
    socket.destroy();
  });
});

describe('a server that stops', () => {
  it('responds to requests in flight, and accepts no more', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const stopping = await startApi({
      wrap: (store) => ({
        ...store,
        async findDomainByName(workspaceId, name) {
          begin();
          await released;
          return store.findDomainByName(workspaceId, name);
        },
      }),
    });
    const answer = stopping.call('domains.getDomain', { domain: 'nobody.test' });
    await begun;
    const stopped = stopping.close();
    release();
    expect(await answer).toMatchObject({ status: 404 });
    await stopped;
    await expect(stopping.call('domains.getDomain', {})).rejects.toThrow('ECONNREFUSED');
  });
});
