import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Closing } from '../support/closing.ts';

/** A connection that speaks bytes. */
export interface Raw {
  socket: Socket;
  /** The text that has arrived so far, in latin1. */
  readonly text: string;
  send(text: string): Raw;
  /** Waits until what has come matches. Rejects when the connection ends before. */
  heard(pattern: RegExp): Promise<string>;
  /** Waits for the end of the connection. */
  closed(): Promise<string>;
}

export async function openRaw(closing: Closing, port: number): Promise<Raw> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  closing.push(() => void socket.destroy());
  await once(socket, 'connect');
  return asRaw(socket);
}

/** The same of a socket that is open. */
export function asRaw(socket: Socket): Raw {
  let text = '';
  let over = false;
  const waiting = new Set<() => void>();
  const look = () => {
    for (const one of waiting) one();
  };
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
    look();
  });
  for (const event of ['end', 'close', 'error']) {
    socket.on(event, () => {
      over = true;
      look();
    });
  }
  function wait(done: () => boolean): Promise<string> {
    return new Promise((resolve, reject) => {
      const one = () => {
        if (!done() && !over) return;
        waiting.delete(one);
        if (done()) resolve(text);
        else reject(new Error(`the connection ended after ${JSON.stringify(text)}`));
      };
      waiting.add(one);
      one();
    });
  }
  const raw: Raw = {
    socket,
    get text() {
      return text;
    },
    send(more) {
      socket.write(more, 'latin1');
      return raw;
    },
    heard: (pattern) => wait(() => pattern.test(text)),
    closed: () => wait(() => over),
  };
  return raw;
}
