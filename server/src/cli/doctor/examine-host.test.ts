import { createServer } from 'node:net';
import { expect, it } from 'vitest';
import { closingAfterEach } from '../../../../test/support/closing.ts';
import { listen } from '../../../../test/support/listen.ts';
import { examineListeners } from './examine-host.ts';

const closing = closingAfterEach();

it('a port of the edge in use is no failure where its listener requires a PROXY header from this machine', async () => {
  const port = await listen(
    closing,
    createServer((socket) => socket.destroy()),
  );
  const config = { roles: ['edge' as const], edgeHttpListen: { host: '127.0.0.1', port } };
  const levels = async (edgeProxyProtocol?: string[]) =>
    (await examineListeners({ ...config, ...(edgeProxyProtocol && { edgeProxyProtocol }) }, false)).map(
      ({ level }) => level,
    );
  expect(await levels(['127.0.0.0/8'])).toEqual(['warn']);
  expect(await levels(['10.0.0.0/8'])).toEqual(['fail']);
  expect(await levels()).toEqual(['fail']);
});

it.each([
  ['unrecognized_name', 112, 'up', 'ok'],
  ['unrecognized_name', 112, 'down', 'ok'],
  ['internal_error, as Caddy does', 80, 'up', 'fail'],
  ['internal_error, as the edge does', 80, 'down', 'ok'],
  ['handshake_failure', 40, 'down', 'fail'],
])(
  'whoever rejects an unknown name with the alert %s (%d) while the database is %s is taken for the edge or not: %s',
  async (_, alert, database, level) => {
    const fatalAlert = Buffer.from([0x15, 3, 3, 0, 2, 2, alert]);
    const port = await listen(
      closing,
      createServer((socket) => socket.on('error', () => {}).once('data', () => socket.end(fatalAlert))),
    );
    const [found] = await examineListeners(
      { roles: ['edge'], edgeHttpsListen: { host: '127.0.0.1', port } },
      database === 'down',
    );
    expect(found?.level).toBe(level);
  },
);
