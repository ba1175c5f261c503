import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import packet, { type DecodedPacket, type RecordType } from 'dns-packet';
import type { HostileRecord } from './hostile-server.ts';

interface RawQuery {
  address: string;
  port: number;
  name: string;
  type: RecordType;
  recursion?: boolean;
}

/** A packet may get lost, also on a loopback address that is busy. */
const AGAIN_MS = 1000;

/** Asks a server over UDP until it answers, with a client of the tests' own. */
export async function askRaw({ address, port, name, type, recursion = false }: RawQuery): Promise<DecodedPacket> {
  const socket = createSocket('udp4');
  const query = packet.encode({
    type: 'query',
    id: 4711,
    flags: (recursion ? packet.RECURSION_DESIRED : 0) | packet.AUTHENTIC_DATA,
    questions: [{ name, type }],
    additionals: [
      {
        type: 'OPT',
        name: '.',
        udpPayloadSize: 1232,
        extendedRcode: 0,
        ednsVersion: 0,
        flags: 0,
        flag_do: false,
        options: [],
      },
    ],
  });
  const send = () => socket.send(query, port, address);
  send();
  const again = setInterval(send, AGAIN_MS);
  const [octets] = (await once(socket, 'message')) as [Buffer];
  clearInterval(again);
  socket.close();
  return packet.decode(octets);
}

const EDE_OPTION = 15;

/** Code of the Extended DNS Error in a response (RFC 8914); null without one. */
export function extendedError({ additionals = [] }: DecodedPacket): number | null {
  const opt = additionals.find((record) => record.type === 'OPT');
  const options: { code: number; data?: unknown }[] = opt?.options ?? [];
  const data = options.find(({ code }) => code === EDE_OPTION)?.data;
  return Buffer.isBuffer(data) ? data.readUInt16BE(0) : null;
}

/** The response with this record as its only answer. */
export function answerWith(response: Buffer, { name, type, data }: HostileRecord): Buffer {
  const message = packet.decode(response);
  const value = type === 'TXT' ? [data] : data;
  return packet.encode({
    ...message,
    flags: ((message.flags ?? 0) & ~0x0f) | packet.AUTHORITATIVE_ANSWER,
    type: 'response',
    answers: [{ name, type, ttl: 60, data: value } as packet.Answer],
    authorities: [],
  });
}
