import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { systemLookUp } from './system-dns.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const A = 1;
const never = new AbortController().signal;

/**
 * A nameserver that knows one address for every name, and does not answer questions for names with `silent` in them.
 */
async function startNameserver(): Promise<string[]> {
  const socket = createSocket('udp4', (question, { port, address }) => {
    if (question.includes('silent')) return;
    const end = question.indexOf(0, 12) + 5;
    const isA = question.readUInt16BE(end - 4) === A;
    const answer = Buffer.from(question.subarray(0, end));
    answer.writeUInt16BE(0x8180, 2);
    answer.writeUInt16BE(isA ? 1 : 0, 6);
    answer.writeUInt32BE(0, 8);
    const record = Buffer.from(isA ? 'c00c000100010000003c0004c6336407' : '', 'hex');
    socket.send(Buffer.concat([answer, record]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  closing.push(() => socket.close());
  return [`127.0.0.1:${socket.address().port}`];
}

it('finds a name while others are never answered, however many', async () => {
  const lookUp = systemLookUp(await startNameserver());
  const ending = new AbortController();
  const silent = Array.from({ length: 50 }, (_, i) => lookUp(`${i}.silent.example`, ending.signal));
  expect(await lookUp('www.acme.com', never)).toEqual(['198.51.100.7']);
  ending.abort();
  for (const one of silent) await expect(one).rejects.toMatchObject({ code: 'ECANCELLED' });
});

it('finds the names of the hosts file, and nothing for impossible names', async () => {
  const lookUp = systemLookUp(await startNameserver());
  expect(await lookUp('localhost', never)).toContain('127.0.0.1');
  expect(await lookUp(`${'a'.repeat(64)}.test`, never)).toEqual([]);
});
