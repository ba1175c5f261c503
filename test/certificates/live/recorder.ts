import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent, createServer, request } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createIdentity, type Pebble } from '../../support/pebble.ts';
import { createBook, type Moment, type Order, type Request } from './book.ts';
import { ownerOf } from './owner.ts';

/** A proxy in front of pebble that records the requests of each node, and can delay them. */
export interface Recorder {
  directoryUrl: string;
  /** PEM: of its own HTTPS. */
  trustRoots: string;
  /** Every order that pebble accepted, in order of time. */
  orders: readonly Order[];
  /** Every request, in order of time, but for nonces. */
  requests: readonly Request[];
  /**
   * Called at each moment of a request, which continues when it resolves; at `asked` it is forwarded only if that is
   * `true`.
   */
  onMoment: (moment: Moment) => Promise<boolean>;
  close(): Promise<void>;
}

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** The CA's issuer domain name. Real CAs have one in their directory; pebble does not. */
export const CAA_NAME = 'pebble.test';

/** `pids`: of the nodes. */
export async function startRecorder(pebble: Pebble, pids: () => Iterable<number>): Promise<Recorder> {
  const { trustRoots, key, chain } = createIdentity();
  const target = new URL(pebble.directoryUrl);
  const agent = new Agent({ keepAlive: true, ca: pebble.trustRoots });
  const book = createBook();
  const requests: Request[] = [];
  /** By the port of their end of the connection. */
  const owners = new Map<number | undefined, number | null>();
  const sockets = new Set<Socket>();
  const recorder: Pick<Recorder, 'onMoment'> = { onMoment: async () => true };

  function forward({ method, url, headers }: IncomingMessage, body: Buffer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      // Pebble builds URLs from the Host header.
      const to = { hostname: target.hostname, port: target.port, path: url, method, headers, agent };
      const sent = request({ ...to, servername: 'localhost' }, (response) => {
        const { statusCode: status = 0, headers } = response;
        buffer(response).then((read) => resolve({ status, headers, body: read }), reject);
      });
      sent.once('error', reject);
      sent.end(body);
    });
  }

  const server = createServer({ key, cert: chain }, async (incoming, outgoing) => {
    try {
      const body = await buffer(incoming);
      const path = incoming.url ?? '';
      const { step, hostname } = book.read(path, body);
      const about: Request = { step, hostname, pid: owners.get(incoming.socket.remotePort) ?? null, at: Date.now() };
      if (step !== 'nonce') requests.push(about);
      book.ask(path, about);
      if (!(await recorder.onMoment({ ...about, when: 'asked' }))) return void incoming.socket.destroy();
      const answer = await forward(incoming, body);
      if (step === 'directory') answer.body = withCaaName(answer.body);
      book.answer(path, about, answer);
      await recorder.onMoment({ ...about, when: 'answered' });
      const { 'transfer-encoding': _, connection: __, ...headers } = answer.headers;
      outgoing.writeHead(answer.status, { ...headers, 'content-length': answer.body.length });
      outgoing.end(incoming.method === 'HEAD' ? undefined : answer.body);
      await recorder.onMoment({ ...about, when: 'told' });
    } catch {
      // One side has closed: closes the other one.
      incoming.socket.destroy();
    }
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket.on('error', () => {}));
    owners.set(socket.remotePort, ownerOf(socket.remotePort ?? 0, socket.localPort ?? 0, pids()));
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return Object.assign(recorder, {
    directoryUrl: `https://localhost:${port}${target.pathname}`,
    trustRoots,
    orders: book.orders,
    requests,
    async close() {
      for (const socket of sockets) socket.destroy();
      agent.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

function withCaaName(directory: Buffer): Buffer {
  const { meta, ...rest } = JSON.parse(directory.toString());
  return Buffer.from(JSON.stringify({ ...rest, meta: { ...meta, caaIdentities: [CAA_NAME] } }));
}
