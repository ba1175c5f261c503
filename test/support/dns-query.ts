import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import packet, { type DecodedPacket } from 'dns-packet';

/** A DNS client of tests: dns-packet over sockets of its own, for one server. */
export interface DnsQuery {
  name: string;
  type: string;
  transport?: 'udp' | 'tcp';
}

/** The response of the server at `host:port`; rejects after five seconds without one. */
export async function queryDns(server: string, { name, type, transport = 'udp' }: DnsQuery): Promise<DecodedPacket> {
  const query = packet.encode({ type: 'query', id: 4711, questions: [{ name, type: type as 'A' }] });
  const response = transport === 'udp' ? await sendUdp(server, query) : (await sendTcp(server, [query]))[0];
  return packet.decode(response ?? Buffer.alloc(0));
}

/** The TXT values or addresses that a server answers with, in order; otherwise the RCODE. */
export async function answersOf(server: string, query: DnsQuery): Promise<string[] | string> {
  const { answers = [], rcode } = (await queryDns(server, query)) as DecodedPacket & { rcode: string };
  if (answers.length === 0) return rcode;
  return answers.map((answer) => String((answer as { data: unknown }).data)).sort();
}

export async function sendUdp(server: string, message: Uint8Array): Promise<Buffer> {
  const { host, port } = placeOf(server);
  const socket = createSocket(host.includes(':') ? 'udp6' : 'udp4');
  try {
    const received = once(socket, 'message', { signal: AbortSignal.timeout(5000) });
    socket.send(message, port, host);
    return (await received)[0];
  } finally {
    socket.close();
  }
}

/** Sends all messages at once over one connection; the responses come in their order. */
export async function sendTcp(server: string, messages: readonly Uint8Array[]): Promise<Buffer[]> {
  const socket = connect(placeOf(server));
  try {
    for (const message of messages) {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(message.length);
      socket.write(length);
      socket.write(message);
    }
    const responses: Buffer[] = [];
    let received = Buffer.alloc(0);
    while (responses.length < messages.length) {
      const [chunk] = await once(socket, 'data', { signal: AbortSignal.timeout(5000) });
      received = Buffer.concat([received, chunk]);
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
        const end = 2 + received.readUInt16BE(0);
        responses.push(received.subarray(2, end));
        received = received.subarray(end);
      }
    }
    return responses;
  } finally {
    socket.destroy();
  }
}

function placeOf(server: string): { host: string; port: number } {
  const { hostname, port } = new URL(`dns://${server}`);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) };
}
