import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer, type Socket } from 'node:net';
import { Webhook } from 'standardwebhooks';
import type { Closing } from '../support/closing.ts';
import { listen } from '../support/listen.ts';

/** A request that a receiver has got, whose signature is right. */
export interface Received {
  /** `webhook-id`, of the event. */
  id: string;
  type: string;
  /** Null in a test. */
  domain: string | null;
  body: string;
  /** `webhook-timestamp`. */
  seconds: number;
}

/** The receiver's response to a request: this status, or a function that responds. */
export type Behaviour = number | ((response: ServerResponse, request: IncomingMessage) => void);

export interface Receiver {
  url: string;
  received: Received[];
  /** May be changed at any time. */
  behaviour: Behaviour;
  /** Resolves once so many requests have come. */
  got(count: number): Promise<void>;
}

/** A receiver on loopback. Throws into the test where a signature does not verify. */
export async function startReceiver(
  closing: Closing,
  secret: string,
  behaviour: Behaviour = 200,
  tls?: { key: string; cert: string },
): Promise<Receiver> {
  const waiting = new Set<() => void>();
  const receiver: Receiver = {
    url: '',
    received: [],
    behaviour,
    async got(count) {
      while (receiver.received.length < count) await new Promise<void>((resolve) => waiting.add(resolve));
    },
  };
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    receiver.received.push(verified(secret, request, Buffer.concat(chunks).toString()));
    for (const resolve of waiting) resolve();
    waiting.clear();
    const { behaviour } = receiver;
    if (typeof behaviour === 'number') response.writeHead(behaviour).end('received');
    else behaviour(response, request);
  }
  const server = tls === undefined ? createHttpServer(handle) : createHttpsServer(tls, handle);
  receiver.url = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${await listen(closing, server)}/hook`;
  return receiver;
}

/**
 * Signatures are compared at their own time: the clock of a test may be days ahead. `signatures.test.ts` verifies as
 * receivers do.
 */
function verified(secret: string, { headers }: IncomingMessage, body: string): Received {
  const field = (name: string) => String(headers[name]);
  const [id, seconds] = [field('webhook-id'), Number(field('webhook-timestamp'))];
  const expected = new Webhook(secret).sign(id, new Date(seconds * 1000), body);
  if (!field('webhook-signature').split(' ').includes(expected)) throw new Error(`${id} is not signed`);
  const { type, data } = JSON.parse(body);
  return { id, type, domain: data.domain?.domain ?? null, body, seconds };
}

/** A server of bytes, on loopback. Returns its URL. */
export async function startRawReceiver(closing: Closing, handle: (socket: Socket) => void): Promise<string> {
  return `http://127.0.0.1:${await listen(closing, createServer(handle))}/`;
}
