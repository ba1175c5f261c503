import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

export type DnsTransport = 'udp' | 'tcp';

/** Handles one message, and calls `reply` at most once. */
type OnMessage = (octets: Buffer, from: string, transport: DnsTransport, reply: (octets: Buffer) => void) => void;

/** A UDP socket and a TCP server on one port. */
export interface DnsListener {
  port: number;
  close(): Promise<void>;
}

/** A port that is free for UDP may be in use for TCP: number of ports to try. */
const PORT_TRIES = 50;
/** Buffer for bursts of queries from this same process, which cannot read while it sends. The system may grant less. */
const RECEIVE_OCTETS = 4_000_000;
const MAX_CONNECTIONS = 5_000;
const IDLE_MS = 10_000;

/** Listens on one port for UDP and TCP. Port 0: one that is free for both. Rejects with the system's error. */
export async function listen(host: string, port: number, onMessage: OnMessage): Promise<DnsListener> {
  for (let tries = 1; ; tries++) {
    const udp = await bindUdp(host, port);
    try {
      const tcp = await bindTcp(host, udp.address().port);
      return serve(udp, tcp, onMessage);
    } catch (error) {
      udp.close();
      if (port !== 0 || tries === PORT_TRIES) throw error;
    }
  }
}

async function bindUdp(host: string, port: number): Promise<UdpSocket> {
  const udp = createSocket({ type: host.includes(':') ? 'udp6' : 'udp4', recvBufferSize: RECEIVE_OCTETS });
  udp.bind(port, host);
  await once(udp, 'listening');
  return udp;
}

async function bindTcp(host: string, port: number): Promise<Server> {
  const tcp = createServer({ noDelay: true });
  tcp.maxConnections = MAX_CONNECTIONS;
  tcp.listen(port, host);
  await once(tcp, 'listening');
  return tcp;
}

function serve(udp: UdpSocket, tcp: Server, onMessage: OnMessage): DnsListener {
  const connections = new Set<Socket>();
  let closed = false;

  udp.on('message', (octets, from) => {
    onMessage(octets, `${from.address}:${from.port}`, 'udp', (reply) => {
      // Errors do not matter: the client may be gone.
      if (!closed) udp.send(reply, from.port, from.address, () => {});
    });
  });
  udp.on('error', () => {});

  tcp.on('connection', (socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.setTimeout(IDLE_MS, () => socket.destroy());
    const from = `${socket.remoteAddress}:${socket.remotePort}`;
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
        const end = 2 + received.readUInt16BE(0);
        onMessage(received.subarray(2, end), from, 'tcp', (reply) => {
          if (socket.writable) socket.write(withLength(reply));
        });
        received = received.subarray(end);
      }
    });
  });

  return {
    port: udp.address().port,
    async close() {
      closed = true;
      for (const socket of connections) socket.destroy();
      await Promise.all([
        new Promise<void>((resolve) => udp.close(() => resolve())),
        new Promise<void>((resolve) => tcp.close(() => resolve())),
      ]);
    },
  };
}

function withLength(octets: Buffer): Buffer {
  const prefix = Buffer.alloc(2);
  prefix.writeUInt16BE(octets.length);
  return Buffer.concat([prefix, octets]);
}
