import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type Server, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { startSimulator } from '../../../playground/dns/simulator.ts';
import { certificateFor } from '../../../test/edge/selfsigned.ts';
import { closingAfterEach } from '../../../test/support/closing.ts';
import { listen } from '../../../test/support/listen.ts';
import { addressRule } from '../net/addresses.ts';
import { createDialer } from '../net/dialer.ts';
import { TooManyConnections } from '../net/origin-connections.ts';
import { systemLookUp } from '../net/system-dns.ts';
import { createSender, type SenderOptions, type SentRequest } from './sender.ts';

const closing = closingAfterEach();

/** Only 127.0.0.1 counts as public here. Every name leads there unless told otherwise. */
const PUBLIC = addressRule(['127.0.0.1/32']);
const running = new AbortController().signal;

function sender(options: Partial<SenderOptions> & { lookUp?: (name: string) => Promise<string[]> } = {}) {
  const { lookUp = async () => ['127.0.0.1'], ...rest } = options;
  const dialer = createDialer({ mayDial: PUBLIC, lookUp });
  const made = createSender({ dialer, schemes: ['https', 'http'], connections: 10, ...rest });
  closing.push(() => made.stop());
  return made;
}

const listening = (server: Server, host?: string, port?: number) => listen(closing, server, host, port);

const receiver = async (handle: RequestListener) =>
  `http://127.0.0.1:${await listening(createHttpServer({ keepAliveTimeout: 60_000 }, handle))}/hook?a=b`;

/** A receiver that answers every request with these bytes, then runs a callback. */
const rawReceiver = async (answer: (socket: Socket) => void) =>
  `http://127.0.0.1:${await listening(createServer((socket) => socket.once('data', () => answer(socket))))}/`;

const REQUEST = { fields: { 'webhook-id': 'evt_1' }, body: '{"name":"bücher.example"}' };

function send(url: string, options: Parameters<typeof sender>[0] = {}): Promise<SentRequest> {
  return sender(options).send({ ...REQUEST, url }, running);
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

test('a request is a POST of the body, with the given header fields', async () => {
  const got: unknown[] = [];
  const url = await receiver(async (request, response) => {
    const { method, url, headers } = request;
    got.push({
      method,
      url,
      id: headers['webhook-id'],
      length: headers['content-length'],
      body: await bodyOf(request),
    });
    response.writeHead(204).end();
  });
  expect(await send(url)).toEqual({
    ...{ outcome: 'delivered', status: 204, error: null, response: '', retryAfterMs: null },
  });
  expect(got).toEqual([{ method: 'POST', url: '/hook?a=b', id: 'evt_1', length: '26', body: REQUEST.body }]);
});

test.each([200, 201, 299])('status %i has delivered', async (status) => {
  const url = await receiver((_, response) => void response.writeHead(status).end('thanks'));
  expect(await send(url)).toMatchObject({ outcome: 'delivered', status, response: 'thanks' });
});

test.each([400, 404, 410, 429, 500, 503])(
  'status %i has not, and the start of the response is kept',
  async (status) => {
    const url = await receiver((_, response) => void response.writeHead(status, { 'retry-after': '7' }).end('no\0!'));
    const error = `The receiver answered with status ${status}.`;
    expect(await send(url)).toMatchObject({ outcome: 'status', status, error, response: 'no\ufffd!' });
  },
);

test('a URL whose scheme is not allowed any more gets no request', async () => {
  let requests = 0;
  const url = await receiver((_, response) => {
    requests += 1;
    response.end();
  });
  const error = 'The scheme of the URL is not allowed. Change the URL of the webhook.';
  const refused = { outcome: 'scheme', status: null, error, response: null, retryAfterMs: null };
  expect(await send(url, { schemes: ['https'] })).toEqual(refused);
  expect(await send(url, { schemes: [] })).toEqual(refused);
  expect(requests).toBe(0);
});

test('that too many connections are open is no failure of the receiver: nothing was sent', async () => {
  const url = await receiver(() => {});
  const { send } = sender({ connections: 1 });
  const stopping = new AbortController();
  const first = send({ ...REQUEST, url }, stopping.signal);
  await expect(send({ ...REQUEST, url }, running)).rejects.toThrow(TooManyConnections);
  stopping.abort(new Error('enough'));
  await expect(first).rejects.toThrow('enough');
});

test('a redirect is not followed, wherever it leads', async () => {
  let asked = 0;
  const url = await receiver((request, response) => {
    asked += 1;
    response
      .writeHead(302, { location: asked === 1 ? 'http://169.254.169.254/' : `http://${request.headers.host}/` })
      .end();
  });
  const error = 'The receiver answered with status 302. Redirects are not followed.';
  expect(await send(url)).toMatchObject({ outcome: 'redirect', status: 302, error });
  expect(asked).toBe(1);
});

describe('a receiver cannot hold an attempt for longer than its time limit', () => {
  const soon = { timeLimitMs: 200 };
  const late = { outcome: 'timeout', status: null, error: 'There was no answer within 0.2 s.' };

  test('that begins no handshake', async () => {
    const port = await listening(createServer());
    expect(await send(`https://127.0.0.1:${port}/`, soon)).toMatchObject(late);
  });
  test('that never answers', async () => {
    expect(await send(await receiver(() => {}), soon)).toMatchObject(late);
  });
  test('that ends no header', async () => {
    const url = await rawReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('x-a: b\r\n'), 5);
      socket.once('close', () => clearInterval(timer));
    });
    expect(await send(url, soon)).toMatchObject(late);
  });
  test('that never ends its body: its status counts', async () => {
    const url = await rawReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      const timer = setInterval(() => socket.write('1\r\nx\r\n'), 5);
      socket.once('close', () => clearInterval(timer));
    });
    const sent = await send(url, soon);
    expect(sent).toMatchObject({ outcome: 'delivered', status: 200, error: null });
    expect(sent.response).toMatch(/^x+$/);
  });
});

test('64 KiB of a body are kept, and the connection of one that goes on is closed at once', async () => {
  const closed = Promise.withResolvers<void>();
  const url = await rawReceiver((socket) => {
    socket.once('close', () => closed.resolve());
    socket.write('HTTP/1.1 500 No\r\ntransfer-encoding: chunked\r\n\r\n');
    const pour = () => {
      while (socket.writable && socket.write(`8000\r\n${'\xff'.repeat(0x8000)}\r\n`, 'latin1'));
    };
    socket.on('drain', pour);
    pour();
  });
  const { status, response } = await send(url, { timeLimitMs: 60_000 });
  await closed.promise;
  expect(status).toBe(500);
  // Each byte is invalid UTF-8, and its replacement takes three.
  expect(response?.length).toBe(21_845);
  expect(Buffer.byteLength(response ?? '')).toBeLessThanOrEqual(65_536);
});

const CHUNKED = 'HTTP/1.1 500 No\r\ntransfer-encoding: chunked\r\n\r\n';
const NO_END: [string, string, string, string][] = [
  ['extensions of chunks', CHUNKED, `1;${'a'.repeat(10_000)}\r\nx\r\n`, 'status'],
  ['zeros before the size of a chunk', CHUNKED, '0'.repeat(10_000), 'status'],
  ['empty lines before the status', '', '\r\n'.repeat(5000), 'invalid'],
];
test.each(NO_END)('a flood of %s is cut off', async (_, begin, flood, outcome) => {
  const closed = Promise.withResolvers<void>();
  const url = await rawReceiver((socket) => {
    socket.once('close', () => closed.resolve());
    socket.write(begin);
    const pour = () => {
      while (socket.writable && socket.write(flood));
    };
    socket.on('drain', pour);
    pour();
  });
  expect(await send(url, { timeLimitMs: 600_000 })).toMatchObject({ outcome });
  await closed.promise;
});

test('of a body in chunks of one byte less is kept: their framing counts', async () => {
  const url = await rawReceiver((socket) => socket.end(`${CHUNKED}${'1\r\nx\r\n'.repeat(65_536)}0\r\n\r\n`));
  const { status, response } = await send(url);
  expect(status).toBe(500);
  expect(response).toMatch(/^x+$/);
  expect(response?.length).toBeLessThan(131_072 / '1\r\nx\r\n'.length);
});

describe('anything but a proper response is a failure', () => {
  test.each([
    ['nothing', '', 'connection', 'The connection was closed without a response. See the log of the receiver.'],
    [
      'half a header',
      'HTTP/1.1 200 OK\r\nx-a: ',
      'connection',
      'The connection was closed without a response. See the log of the receiver.',
    ],
    ['another protocol', 'SSH-2.0-OpenSSH_9.2p1\r\n', 'invalid', 'The response is not HTTP.'],
    ['a change of protocol', 'HTTP/1.1 101 Switching\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n', 'connection', null],
    [
      'a header bomb',
      `HTTP/1.1 200 OK\r\nx-a: ${'a'.repeat(100_000)}\r\n\r\n`,
      'invalid',
      'The header of the response is larger than 16 KiB.',
    ],
    [
      'a flood of fields',
      `HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(20_000)}\r\n`,
      'invalid',
      'The header of the response is larger than 16 KiB.',
    ],
    [
      'a flood of interim responses',
      'HTTP/1.1 103 Early\r\nlink: </a>\r\n\r\n'.repeat(2000),
      'invalid',
      'The response cannot be used.',
    ],
  ])('%s', async (_, bytes, outcome, error) => {
    const sent = await send(await rawReceiver((socket) => socket.end(bytes)));
    expect(sent).toMatchObject({ outcome, status: null, response: null, ...(error !== null && { error }) });
  });
  test('nobody listens', async () => {
    const server = createServer();
    const port = await listening(server);
    server.close();
    expect(await send(`http://127.0.0.1:${port}/`)).toMatchObject({
      outcome: 'connection',
      error: 'The host refused the connection. Start the receiver, or correct the port of the URL.',
    });
  });
});

test('a body that breaks off after a status has no effect on that status', async () => {
  const url = await rawReceiver((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nab'));
  expect(await send(url)).toMatchObject({ outcome: 'delivered', status: 200, response: 'ab' });
});

describe('special addresses', () => {
  const NO_ADDRESS = {
    outcome: 'address',
    status: null,
    error: expect.stringMatching(/^The host has no public address\./),
  };

  test.each([
    'http://169.254.169.254/',
    'http://10.0.0.1/',
    'http://[::1]:80/',
    'http://0x7f000002/',
    'https://127.0.0.2/',
  ])('%s gets no request', async (url) => {
    expect(await send(url)).toEqual({ ...NO_ADDRESS, response: null, retryAfterMs: null });
  });
  test('a name that leads to one reads like one that does not exist', async () => {
    const lookUp = async (name: string) => (name === 'internal.example' ? ['10.1.2.3'] : []);
    const [internal, missing] = [
      await send('http://internal.example/', { lookUp }),
      await send('http://no.example/', { lookUp }),
    ];
    expect(internal).toEqual(missing);
    expect(internal).toMatchObject(NO_ADDRESS);
  });
  // Only Linux has loopback addresses other than 127.0.0.1.
  test.skipIf(process.platform !== 'linux')(
    'a name that is rebound between two attempts, or between check and connection, leads nowhere',
    async () => {
      const forbidden = createHttpServer((_, response) => void response.end());
      const allowed = createHttpServer((_, response) => void response.setHeader('connection', 'close').end());
      const port = await listening(allowed);
      await listening(forbidden, '127.0.0.2', port);
      let requests = 0;
      forbidden.on('request', () => (requests += 1));
      const dns = await startSimulator({ port: 0 });
      closing.push(() => dns.close());
      const lookUp = systemLookUp([`${dns.address}:${dns.port}`]);
      const dialer = createDialer({ mayDial: PUBLIC, lookUp });
      const { send } = sender({ dialer });
      const url = `http://rebinding.test:${port}/`;

      dns.set('rebinding.test', 'A', ['127.0.0.1']);
      expect(await send({ ...REQUEST, url }, running)).toMatchObject({ outcome: 'delivered' });
      dns.set('rebinding.test', 'A', ['127.0.0.2']);
      expect(await send({ ...REQUEST, url }, running)).toMatchObject(NO_ADDRESS);
      dns.set('rebinding.test', 'A', ['127.0.0.2', '127.0.0.1']);
      expect(await send({ ...REQUEST, url }, running)).toMatchObject({ outcome: 'delivered' });
      expect(requests).toBe(0);
    },
  );
});

describe('over HTTPS', () => {
  const good = certificateFor('hooks.example');

  async function secureReceiver(certificate: { key: string; cert: string }): Promise<number> {
    const server = createHttpsServer(certificate, (_, response) => void response.end('thanks'));
    return listening(server);
  }

  test('a certificate for the name, of a trusted CA, is accepted', async () => {
    const port = await secureReceiver(good);
    expect(await send(`https://hooks.example:${port}/`, { tls: { ca: good.ca } })).toMatchObject({ status: 200 });
  });
  test.each([
    ['for another name', 'other.example', { ca: good.ca }],
    ['of an unknown CA', 'hooks.example', {}],
  ])('a certificate %s is not, and no request is sent', async (_, name, tls) => {
    let requests = 0;
    const server = createHttpsServer(good, (_request, response) => {
      requests += 1;
      response.end();
    });
    const port = await listening(server);
    const sent = await send(`https://${name}:${port}/`, { tls });
    expect(sent).toMatchObject({ outcome: 'tls', status: null });
    expect(sent.error).toContain('failed the TLS handshake');
    expect(requests).toBe(0);
  });
  test('nor is plain HTTP', async () => {
    const url = (await receiver((_, response) => void response.end())).replace('http:', 'https:');
    expect(await send(url)).toMatchObject({ outcome: 'tls', status: null });
  });
});

describe('a connection', () => {
  test('is used again for the same host', async () => {
    const ports = new Set<number | undefined>();
    const url = await receiver((request, response) => {
      ports.add(request.socket.remotePort);
      response.end('thanks');
    });
    const { send } = sender();
    for (let i = 0; i < 3; i++) await send({ ...REQUEST, url }, running);
    expect(ports.size).toBe(1);
  });
  test('that the receiver has closed meanwhile is replaced within the attempt', async () => {
    let connections = 0;
    const port = await listening(
      createServer((socket) => {
        connections += 1;
        let requests = 0;
        socket.on('data', () => {
          requests += 1;
          // The server closes as the second request arrives.
          if (requests === 1) socket.write('HTTP/1.1 204 OK\r\n\r\n');
          else socket.destroy();
        });
      }),
    );
    const { send } = sender();
    const url = `http://127.0.0.1:${port}/`;
    for (let i = 0; i < 3; i++) expect(await send({ ...REQUEST, url }, running)).toMatchObject({ status: 204 });
    expect(connections).toBe(3);
  });
  test('with unrequested bytes is not used again: they do not answer the next request', async () => {
    let answers = 0;
    const url = await rawReceiver((socket) => {
      answers += 1;
      socket.write(answers === 1 ? 'HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n' : 'HTTP/1.1 204 Yes\r\n\r\n');
      if (answers === 1) socket.write('HTTP/1.1 200 Forged\r\ncontent-length: 0\r\n\r\n');
    });
    const { send } = sender();
    expect(await send({ ...REQUEST, url }, running)).toMatchObject({ status: 500 });
    expect(await send({ ...REQUEST, url }, running)).toMatchObject({ status: 204 });
  });
});

test('an attempt that is aborted rejects with the reason', async () => {
  const controller = new AbortController();
  const url = await receiver(() => controller.abort(new Error('the process stops')));
  await expect(sender().send({ ...REQUEST, url }, controller.signal)).rejects.toThrow('the process stops');
});
