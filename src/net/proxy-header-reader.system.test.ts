import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { closingAfterEach } from '../../test/support/closing.ts';
import { listen } from '../../test/support/listen.ts';
import { networkRule } from './addresses.ts';
import { createProxyHeaderReader, type Opener } from './proxy-header-reader.ts';

const closing = closingAfterEach();
const SENDER = '127.0.0.2';
const LINE = 'PROXY TCP4 203.0.113.7 192.0.2.1 56324 443\r\n';
const BLOCK = Buffer.from('0d0a0d0a000d0a515549540a2111000ccb007107c0000201dc0401bb', 'hex').toString('latin1');

interface Accepted {
  socket: Socket;
  opener: Opener;
}

/** A server that reads headers from 127.0.0.2, and what becomes of its connections. */
async function startReader({ timeoutMs = 60_000, maxWaiting = 10, isRequired = true } = {}) {
  const outcomes: string[] = [];
  const raw: Socket[] = [];
  const accepted: Accepted[] = [];
  const read = createProxyHeaderReader({
    isSender: networkRule([SENDER]),
    isRequired,
    timeoutMs,
    maxWaiting,
    onOutcome: (outcome, peer) => void outcomes.push(`${outcome} ${peer}`),
  });
  const server = createServer((socket) => {
    closing.push(() => void socket.destroy());
    raw.push(socket.on('error', () => {}));
    read(socket, (opener) => void accepted.push({ socket, opener }));
    server.emit('taken');
  });
  const port = await listen(closing, server, '127.0.0.1');
  const open = async (from = SENDER) => {
    const taken = once(server, 'taken');
    const socket = connect({ port, host: '127.0.0.1', localAddress: from, noDelay: true }).on('error', () => {});
    closing.push(() => void socket.destroy());
    await taken;
    return socket;
  };
  return { outcomes, raw, accepted, open };
}

const until = async (isSo: () => boolean) => {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
};

/** The first bytes that come on a connection. */
function readFrom(socket: Socket | undefined, length: number): Promise<string> {
  let text = '';
  return new Promise((resolve) => {
    socket?.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
      if (text.length >= length) resolve(text);
    });
  });
}

describe.each([
  ['1', LINE],
  ['2', BLOCK],
])('a connection with a header of version %s', (_, header) => {
  it('is that of the client, and what follows the header is kept, wherever the bytes are split', async () => {
    const { accepted, raw, open } = await startReader();
    const sent = `${header}hello`;
    for (let split = 1; split < sent.length; split += 1) {
      const socket = await open();
      socket.write(sent.slice(0, split), 'latin1');
      // Only then the rest is sent.
      await until(() => raw.at(-1)?.bytesRead === split);
      socket.write(sent.slice(split), 'latin1');
      await until(() => accepted.length === split);
      const last = accepted.at(-1);
      expect(last?.opener).toEqual({ address: '203.0.113.7', headerBytes: header.length });
      expect(await readFrom(last?.socket, 5)).toBe('hello');
      socket.destroy();
    }
  });

  it('is that of the client, one byte at a time', async () => {
    const { accepted, outcomes, raw, open } = await startReader();
    const socket = await open();
    for (let i = 0; i < header.length; i += 1) {
      expect(accepted).toEqual([]);
      socket.write(header[i] ?? '', 'latin1');
      await until(() => raw[0]?.bytesRead === i + 1);
    }
    await until(() => accepted.length === 1);
    socket.write('hello');
    expect(await readFrom(accepted[0]?.socket, 5)).toBe('hello');
    expect(outcomes).toEqual([`client ${SENDER}`]);
  });
});

it('a header that names no client leaves the address of the peer', async () => {
  const { accepted, outcomes, open } = await startReader();
  (await open()).write('PROXY UNKNOWN\r\n');
  await until(() => accepted.length === 1);
  expect(accepted[0]?.opener).toEqual({ address: SENDER, headerBytes: 15 });
  expect(outcomes).toEqual([`local ${SENDER}`]);
});

it('from elsewhere nothing is read, and a header is what the client sent', async () => {
  const { accepted, outcomes, open } = await startReader();
  const socket = await open('127.0.0.1');
  await until(() => accepted.length === 1);
  expect(accepted[0]?.opener).toEqual({ address: '127.0.0.1', headerBytes: 0 });
  socket.write(LINE);
  expect(await readFrom(accepted[0]?.socket, LINE.length)).toBe(LINE);
  expect(outcomes).toEqual([]);
});

describe('where the header is not required', () => {
  it.each([
    ['it is skipped', LINE, 'hello'],
    ['a connection without one is left as it is', '', 'hello'],
    ['so is one that begins like one', '', 'PROPFIND'],
  ])('%s', async (_, header, rest) => {
    const { accepted, open } = await startReader({ isRequired: false });
    (await open()).write(header + rest);
    await until(() => accepted.length === 1);
    expect(await readFrom(accepted[0]?.socket, rest.length)).toBe(rest);
  });
});

describe('a connection without a valid header is closed', () => {
  it('at once where it begins otherwise', async () => {
    const { accepted, outcomes, open } = await startReader();
    const socket = (await open()).resume();
    socket.write('GET / HTTP/1.1\r\n\r\n');
    await once(socket, 'close');
    expect([accepted, outcomes]).toEqual([[], [`malformed ${SENDER}`]]);
  });

  it.each(['', LINE.slice(0, -1), BLOCK.slice(0, -1)])('after the time limit where it stops at %o', async (part) => {
    const { accepted, outcomes, open } = await startReader({ timeoutMs: 50 });
    const socket = (await open()).resume();
    socket.write(part, 'latin1');
    await once(socket, 'close');
    expect([accepted, outcomes]).toEqual([[], [`timeout ${SENDER}`]]);
  });

  it('by its sender, as a health check is', async () => {
    const { accepted, outcomes, open } = await startReader();
    (await open()).end();
    await until(() => outcomes.length === 1);
    expect([accepted, outcomes]).toEqual([[], [`closed ${SENDER}`]]);
  });

  it('where too many wait for theirs, and one that has ended makes room', async () => {
    const { accepted, outcomes, open } = await startReader({ maxWaiting: 2 });
    const waiting = [await open(), await open()];
    await once((await open()).resume(), 'close');
    expect(outcomes).toEqual([`refused ${SENDER}`]);
    waiting[0]?.destroy();
    await until(() => outcomes.length === 2);
    (await open()).write(LINE);
    await until(() => accepted.length === 1);
    expect(outcomes).toEqual([`refused ${SENDER}`, `closed ${SENDER}`, `client ${SENDER}`]);
  });
});
