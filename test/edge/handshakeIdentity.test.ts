import { once } from 'node:events';
import type { Socket } from 'node:net';
import { duplexPair } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { connect } from 'node:tls';
import { expect, it } from 'vitest';
import { systemClock } from '../../server/src/base/clock.ts';
import { createTlsTerminator } from '../../server/src/edge/tls/tls.ts';
import { issue, ROOT } from './authority.ts';

it('a connection that closes does not disturb the handshake of another one with the same addresses', async () => {
  const certificate = { ...issue('a.example.com'), inherited: false };
  const outcomes: string[] = [];
  const secured: Socket[] = [];
  let lookups = 0;
  const tls = createTlsTerminator({
    async certificateFor() {
      lookups += 1;
      return { kind: 'certificate', hostname: 'a.example.com', certificate, domainId: 'dom_1', minTlsVersion: '1.2' };
    },
    onSecure: (_, { raw }) => void secured.push(raw),
    onFault: () => {},
    ticketSecret: () => new Uint8Array(32),
    metrics: { handshake: (outcome) => void outcomes.push(outcome) },
    handshakeMs: 60_000,
    contexts: 1,
    findTlsChallenge: async () => null,
    clock: systemClock,
  });
  /**
   * Streams without an address, as sockets once their client has reset them. What the server sends is held back until
   * `release`.
   */
  function open() {
    const [clientEnd, clientSide] = duplexPair();
    const [serverSide, serverEnd] = duplexPair();
    const raw = serverEnd as unknown as Socket;
    clientSide.pipe(serverSide);
    tls.accept(raw, '127.0.0.1');
    const client = connect({ socket: clientEnd, servername: 'a.example.com', ca: ROOT }).on('error', () => {});
    return { raw, client, release: () => void serverSide.pipe(clientSide) };
  }
  const first = open();
  const second = open();
  while (lookups < 2) await setImmediate();
  // Both handshakes have started.
  await setImmediate();
  first.raw.destroy();
  await once(first.raw, 'close');
  second.release();
  while (outcomes.length < 2) await setImmediate();
  expect(outcomes).toEqual(['closed', 'full']);
  expect(secured).toEqual([second.raw]);
  second.client.destroy();
});
