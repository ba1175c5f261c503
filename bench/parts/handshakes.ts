import { connect } from 'node:tls';
import { nameOf } from '../edge/certificates.ts';
import { offer } from '../part.ts';

/** A client that shakes hands, says nothing, and goes. No session is ever resumed. */
export type Handshakes = typeof methods;

export interface Shaking {
  port: number;
  /** Names to ask for, one after another. */
  names: number;
  atOnce: number;
  /** For so long, or for so many handshakes. */
  seconds?: number;
  handshakes?: number;
}

const methods = {
  /** Handshakes done, and in how many seconds. */
  async shake({
    port,
    names,
    atOnce,
    seconds = Number.POSITIVE_INFINITY,
    handshakes = Number.POSITIVE_INFINITY,
  }: Shaking) {
    const began = performance.now();
    let begun = 0;
    let done = 0;
    const goOn = () => begun < handshakes && performance.now() - began < seconds * 1000;
    const client = async () => {
      while (goOn()) {
        await shakeOnce(port, nameOf(begun++ % names));
        done += 1;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, client));
    return { done, seconds: (performance.now() - began) / 1000 };
  },
};

function shakeOnce(port: number, servername: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // The certificates are of a CA that exists for the run alone: what they cost is measured, not whether they are
    // trusted.
    const socket = connect({
      host: '127.0.0.1',
      port,
      servername,
      rejectUnauthorized: false,
      ALPNProtocols: ['http/1.1'],
    });
    // Not destroyed: its last message would not be sent.
    socket.once('secureConnect', () => socket.end());
    socket.once('close', () => resolve());
    socket.once('error', reject);
  });
}

offer(methods);
