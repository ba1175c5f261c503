import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { closingAfterEach } from '../../../test/support/closing.ts';
import { listen } from '../../../test/support/listen.ts';
import { addressRule } from './addresses.ts';
import { createDialer, type DialerOptions } from './dialer.ts';

const closing = closingAfterEach();

const LOOPBACK = addressRule(['127.0.0.0/8']);

function subject(options: Partial<DialerOptions> & { names?: Record<string, string[]> } = {}) {
  const asked: string[] = [];
  const lookUp = async (name: string) => {
    asked.push(name);
    return options.names?.[name] ?? [];
  };
  return { asked, ...createDialer({ mayDial: LOOPBACK, lookUp, ...options }) };
}

const listening = (server: Server, host: string, port?: number) => listen(closing, server, host, port);

/** A server that sends its own address to each client. */
const greeter = (host: string, port?: number) =>
  listening(
    createServer((socket) => socket.end(host)),
    host,
    port,
  );

async function heard(socket: Socket): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

describe('a special address is not connected to', () => {
  test.each([
    ['127.0.0.1'],
    ['10.0.0.1'],
    ['169.254.169.254'],
    ['[::1]'],
    ['::1'],
    ['[fe80::1]'],
    ['[fd00:ec2::254]'],
    ['mapped', '[::ffff:169.254.169.254]'],
    ['mapped, in hexadecimal', '::ffff:a9fe:a9fe'],
    ['translated', '[64:ff9b::a9fe:a9fe]'],
    ['compatible', '[::169.254.169.254]'],
    ['6to4', '[2002:a9fe:a9fe::1]'],
    ['as one number', '2852039166'],
    ['in octal', '0251.0376.0251.0376'],
    ['in hexadecimal', '0xa9fea9fe'],
    ['in parts', '169.254.43518'],
    ['in wide digits', '１６９.254.169.254'],
    ['with a final dot', '169.254.169.254.'],
    ['0'],
  ])('%s', async (label, hostname = label) => {
    const { asked, dial } = subject({ mayDial: addressRule() });
    await expect(dial({ hostname, port: 80 })).rejects.toMatchObject({ name: 'DialError', reason: 'not_allowed' });
    expect(asked).toEqual([]);
  });

  test('nor where a name leads to it, and the message names the address', async () => {
    const { dial } = subject({
      names: { 'app.acme.com': ['169.254.169.254', 'fe80::1%eth0', '::ffff:7f00:1'] },
      mayDial: addressRule(),
    });
    await expect(dial({ hostname: 'app.acme.com', port: 80 })).rejects.toThrow(
      '"app.acme.com" leads to 169.254.169.254, fe80::1%eth0 and ::ffff:7f00:1. Connections are allowed to public addresses only.',
    );
  });

  test('unless the rule allows it, and then no other', async () => {
    const port = await greeter('127.0.0.1');
    const { dial } = subject({ names: { 'app.acme.com': ['10.255.255.1', '127.0.0.1'] } });
    expect(await heard(await dial({ hostname: 'app.acme.com', port }))).toBe('127.0.0.1');
    expect(await heard(await dial({ hostname: '0x7f.1', port }))).toBe('127.0.0.1');
  });
});

test('it connects to the address that was checked: the name is looked up once', async () => {
  const port = await greeter('127.0.0.1');
  const answers = [['127.0.0.1'], ['169.254.169.254']];
  const dialer = subject({ lookUp: async () => answers.shift() ?? [] });
  const socket = await dialer.dial({ hostname: 'rebinding.acme.com', port });
  expect(socket.remoteAddress).toBe('127.0.0.1');
  await heard(socket);
  expect(answers).toHaveLength(1);
});

// Only Linux has loopback addresses other than 127.0.0.1.
describe.skipIf(process.platform !== 'linux')('of several addresses', () => {
  test('the next is tried when one refuses', async () => {
    const port = await greeter('127.0.0.3');
    const { dial } = subject({ names: { 'app.acme.com': ['127.0.0.2', '127.0.0.3'] } });
    expect(await heard(await dial({ hostname: 'app.acme.com', port }))).toBe('127.0.0.3');
  });

  test('the next is tried when one is silent', async () => {
    const port = await greeter('127.0.0.3');
    await silence('127.0.0.2', port);
    const { dial } = subject({ names: { 'app.acme.com': ['127.0.0.2', '127.0.0.3'] }, addressTimeoutMs: 100 });
    expect(await heard(await dial({ hostname: 'app.acme.com', port }))).toBe('127.0.0.3');
  });

  test('a few are tried at most, and the message has the outcome of each', async () => {
    const port = await greeter('127.0.0.1');
    const others = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5'];
    const { dial } = subject({ names: { 'app.acme.com': [...others, '127.0.0.1'] } });
    const failed = dial({ hostname: 'app.acme.com', port });
    await expect(failed).rejects.toMatchObject({
      reason: 'refused',
      message: `127.0.0.2:${port} refused the connection, 127.0.0.3:${port} refused the connection, 127.0.0.4:${port} refused the connection and 1 more.`,
    });
  });
});

/** A socket that listens and is never served: once its queue is full, the system answers nobody any more. */
async function silence(host: string, port: number): Promise<void> {
  const code = `
    const { parentPort } = require('node:worker_threads');
    require('node:net').createServer().listen({ host: '${host}', port: ${port}, backlog: 1 }, () => {
      parentPort.postMessage('listening');
      setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0));
    });`;
  const worker = new Worker(code, { eval: true });
  await once(worker, 'message');
  const fillers = Array.from({ length: 8 }, () => connect({ host, port }).on('error', () => {}));
  closing.push(async () => {
    for (const filler of fillers) filler.destroy();
    await worker.terminate();
  });
}

describe('there is an end to it', () => {
  test('when no address answers', async () => {
    const port = await listening(createServer(), '127.0.0.1');
    const lookUp = () => new Promise<string[]>(() => {});
    const slow = subject({ lookUp, timeoutMs: 50 }).dial({ hostname: 'app.acme.com', port });
    await expect(slow).rejects.toMatchObject({ reason: 'timeout', message: 'There was no answer within 0.05 s.' });
    const mute = subject({ timeoutMs: 50 }).dialTls({ hostname: '127.0.0.1', port });
    await expect(mute).rejects.toMatchObject({ reason: 'timeout' });
  });

  test('when the signal ends, with its reason, and the connection is gone', async () => {
    const server = createServer();
    const port = await listening(server, '127.0.0.1');
    const controller = new AbortController();
    const accepted = once(server, 'connection') as Promise<[Socket]>;
    const dialled = subject().dialTls({ hostname: '127.0.0.1', port, signal: controller.signal });
    const [socket] = await accepted;
    controller.abort(new Error('enough'));
    await expect(dialled).rejects.toThrow('enough');
    await once(socket.resume(), 'close');
    await expect(subject().dial({ hostname: '127.0.0.1', port, signal: controller.signal })).rejects.toThrow('enough');
  });
});

test.each([
  ['a name without addresses', 'gone.acme.com', 'no_address', '"gone.acme.com" has no address.'],
  ['what is no name', 'a b', 'no_address', '"a b" is not the name of a host.'],
])('%s has nobody to connect to', async (_, hostname, reason, message) => {
  await expect(subject().dial({ hostname, port: 80 })).rejects.toMatchObject({ reason, message });
});

test('a failed look-up differs from a name without addresses', async () => {
  const dialer = subject({
    lookUp: async () => {
      throw new Error('SERVFAIL');
    },
  });
  await expect(dialer.dial({ hostname: 'app.acme.com', port: 80 })).rejects.toMatchObject({ reason: 'lookup' });
});

test('over TLS the name is asked for and the handshake is over', async () => {
  const psk = { key: Buffer.alloc(32, 1), identity: 'test' };
  const server = createTlsServer({ ciphers: 'PSK', maxVersion: 'TLSv1.2', pskCallback: () => psk.key });
  const port = await listening(server, '127.0.0.1');
  const accepted = once(server, 'secureConnection') as Promise<[TLSSocket]>;
  const { dialTls } = subject({ names: { 'app.acme.com': ['127.0.0.1'] } });
  const options = {
    ciphers: 'PSK',
    maxVersion: 'TLSv1.2',
    pskCallback: () => ({ psk: psk.key, identity: psk.identity }),
    checkServerIdentity: () => undefined,
  } as const;
  const socket = await dialTls({ hostname: 'app.acme.com', port }, options);
  const [peer] = await accepted;
  expect(peer).toMatchObject({ servername: 'app.acme.com' });
  peer.end('hello');
  expect(await heard(socket)).toBe('hello');
});

test('a server without TLS differs from no server', async () => {
  const port = await listening(
    createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')),
    '127.0.0.1',
  );
  await expect(subject().dialTls({ hostname: '127.0.0.1', port })).rejects.toMatchObject({ reason: 'tls' });
});
