import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { closingAfterEach } from '../../../test/support/closing.ts';
import { listen } from '../../../test/support/listen.ts';
import { networkRule } from './addresses.ts';
import { createProxyHeaderReader, type Opener } from './proxy-header-reader.ts';

const closing = closingAfterEach();
const SENDER = '127.0.0.2';
const LINE = 'PROXY TCP4 203.0.113.7 192.0.2.1 56324 443\r\n';

interface Accepted {
  socket: Socket;
  opener: Opener;
}

/** A server that reads headers from 127.0.0.2, and reports each connection's outcome. */
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
