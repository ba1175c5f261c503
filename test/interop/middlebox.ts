import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Host } from './knot.ts';

/** A middlebox at its own address, which forwards queries to a nameserver and its responses back. */
export interface Middlebox extends Host {
  /** UDP queries that arrived. */
  queries(): number;
  /** TCP connections that arrived. */
  connections(): number;
  close(): Promise<void>;
}

export interface MiddleboxOptions {
  port: number;
  /** Address of the nameserver. */
  to: string;
  /** Per UDP query: forward it, drop it, or answer with these octets. */
  treat?: (query: Buffer, from: string) => 'pass' | 'drop' | Buffer;
  /** Changes a response. */
  change?: (answer: Buffer) => Buffer;
  /** Delay of each response. */
  delayMs?: () => number;
  /**
   * TCP connections are forwarded, accepted without any response, or refused; `treated`: forwarded where a UDP query
   * is.
   */
  tcp?: 'pass' | 'silent' | 'refuse' | 'treated';
}

export async function startMiddlebox(host: Host, options: MiddleboxOptions): Promise<Middlebox> {
  const udp = await relayUdp(host, options);
  const tcp = await relayTcp(host, options);
  return {
    ...host,
    queries: udp.count,
    connections: tcp.count,
    async close() {
      udp.close();
      await tcp.close();
    },
  };
}

async function relayUdp(host: Host, options: MiddleboxOptions) {
  const { port, to, treat = () => 'pass', change = (answer) => answer, delayMs = () => 0 } = options;
  const socket = createSocket('udp4');
  const open = new Set<() => void>();
  let queries = 0;
  socket.on('message', (query, from) => {
    queries += 1;
    const treated = treat(query, from.address);
    if (treated === 'drop') return;
    if (treated !== 'pass') return socket.send(treated, from.port, from.address);
    const onward = createSocket('udp4');
    let timer: NodeJS.Timeout | undefined;
    const end = () => {
      open.delete(end);
      clearTimeout(timer);
      onward.close();
    };
    open.add(end);
    onward.once('message', (answer) => {
      timer = setTimeout(() => {
        socket.send(change(answer), from.port, from.address);
        end();
      }, delayMs());
    });
    onward.send(query, port, to);
  });
  socket.bind(port, host.address);
  await once(socket, 'listening');
  return {
    count: () => queries,
    close() {
      for (const end of [...open]) end();
      socket.close();
    },
  };
}

async function relayTcp({ address }: Host, { port, to, tcp = 'pass', treat }: MiddleboxOptions) {
  const open = new Set<Socket>();
  let connections = 0;
  const keep = (socket: Socket) => {
    open.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => open.delete(socket));
  };
  const listener = createServer((socket) => {
    connections += 1;
    keep(socket);
    const isTreated = tcp === 'treated' && treat?.(Buffer.alloc(0), socket.remoteAddress ?? '') === 'pass';
    if (tcp !== 'pass' && !isTreated) return;
    const onward = connect(port, to);
    keep(onward);
    socket.pipe(onward).pipe(socket);
  });
  if (tcp !== 'refuse') {
    listener.listen(port, address);
    await once(listener, 'listening');
  }
  return {
    count: () => connections,
    async close() {
      for (const socket of open) socket.destroy();
      if (listener.listening) await new Promise((resolve) => listener.close(resolve));
    },
  };
}
