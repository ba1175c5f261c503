import type { Socket } from 'node:net';
import { dial, loopback, type Victim } from './server.ts';

/** Clients that only hold connections send nothing, or bytes that never become a request. */
const BEGINNINGS = [
  '',
  'P',
  'POST /v2/domains.getDomain HTTP/1.1\r\nHost: a\r\nX-Slow: ',
  'POST /v2/domains.getDomain HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\nContent-Type: application/json\r\n\r\n{',
];

/** How the connections are spread over the attacker's addresses: this many from each. */
const PER_ADDRESS = 500;
const AT_ONCE = 100;

/** Opens connections that never become requests, from the address of the good client too. */
export async function hold(victim: Victim, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  const open = async (number: number) => {
    const socket = await dial(victim.port, number % 2 === 0 ? '127.0.0.1' : loopback(Math.floor(number / PER_ADDRESS)));
    socket.write(BEGINNINGS[number % BEGINNINGS.length] ?? '');
    // Some close their side and wait for ours.
    if (number % 8 >= 6) socket.end();
    socket.resume();
    sockets.push(socket);
  };
  for (let from = 0; from < count; from += AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, each) => open(from + each)));
  }
  return sockets;
}

/** Adds an octet to each that is still open, as slowly as an attacker likes. */
export function drip(sockets: readonly Socket[]): void {
  for (const socket of sockets) if (socket.writable) socket.write('x');
}
