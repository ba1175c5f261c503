import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import packet from 'dns-packet';
import { expect, test, vi } from 'vitest';
import { closingAfterEach } from '../support/closing.ts';
import { freePort } from '../support/free-port.ts';
import { startReloadable } from './reloading.ts';

// Each starts a server several times.
vi.setConfig({ testTimeout: 120_000 });
const closing = closingAfterEach();
/** Clients, each with a port of its own, and the queries of each that are under way at any time. */
const CLIENTS = 100;
const AT_ONCE = 5;

test('three reloads in turn lose no DNS query over UDP: the successor reads the queue of the same socket', async () => {
  const port = await freePort();
  const server = await startReloadable(closing, {
    env: {
      NAMEPLATE_ROLES: 'api,edge,dns',
      NAMEPLATE_CHALLENGE_ZONE: 'acme.example.net',
      NAMEPLATE_DNS_SERVERS: 'ns1.acme.example.net=192.0.2.53',
      NAMEPLATE_DNS_LISTEN: `127.0.0.1:${port}`,
      NAMEPLATE_DNS_RESPONSES_PER_SECOND: '0',
    },
  });
  const questions = await sendQuestions(port);
  await questions.progress(1000);
  for (let i = 0; i < 3; i += 1) {
    expect(await server.reload()).toMatchObject({ code: 0 });
    await questions.progress(10_000);
  }
  expect(await questions.stop()).toEqual({ unanswered: 0 });
});

/** Sends queries as fast as they are answered, none of them twice. */
async function sendQuestions(port: number) {
  const pending = new Set<string>();
  let isStopped = false;
  let answered = 0;
  const startClient = async (client: number) => {
    const socket = createSocket('udp4');
    let id = 0;
    const send = () => {
      id = (id + 1) % 65_536;
      pending.add(`${client} ${id}`);
      const query = packet.encode({ type: 'query', id, questions: [{ name: 'acme.example.net', type: 'SOA' }] });
      socket.send(query, port, '127.0.0.1');
    };
    socket.on('message', (response) => {
      pending.delete(`${client} ${response.readUInt16BE(0)}`);
      answered += 1;
      if (!isStopped) send();
    });
    socket.bind(0, '127.0.0.1');
    await once(socket, 'listening');
    closing.push(() => void socket.close());
    for (let i = 0; i < AT_ONCE; i += 1) send();
  };
  for (let client = 0; client < CLIENTS; client += 1) await startClient(client);
  return {
    /** Resolves after so many further responses. */
    progress(count: number): Promise<void> {
      const goal = answered + count;
      return vi.waitFor(() => expect(answered).toBeGreaterThan(goal), { timeout: 30_000 });
    },
    /** Resolves once the last queries are answered, or have been lost. */
    async stop() {
      isStopped = true;
      await vi.waitFor(() => expect(pending.size).toBe(0), { timeout: 3000 }).catch(() => {});
      return { unanswered: pending.size };
    },
  };
}
