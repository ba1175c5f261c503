import type { TLSSocket } from 'node:tls';
import { opening } from './frames.ts';
import { handshake } from './harness.ts';

/** HTTP/2 in bytes (RFC 9113 section 6), for what no client sends. */

export const DATA = 0;
export const HEADERS = 1;
export const PRIORITY = 2;
export const RST_STREAM = 3;
export const SETTINGS = 4;
export const PING = 6;
export const GOAWAY = 7;
export const WINDOW_UPDATE = 8;
export const CONTINUATION = 9;

export const END_STREAM = 1;
export const END_HEADERS = 4;

export function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A field as a literal that is not indexed (RFC 7541 section 6.2.2); names and values of up to 126 bytes. */
export function field(name: string, value: string): Buffer {
  const text = (one: string) => Buffer.concat([Buffer.from([one.length]), Buffer.from(one, 'latin1')]);
  return Buffer.concat([Buffer.from([0]), text(name), text(value)]);
}

export function requestFields(authority: string, path = '/', method = 'GET'): Buffer {
  const pseudo = { ':method': method, ':scheme': 'https', ':authority': authority, ':path': path };
  return Buffer.concat(Object.entries(pseudo).map(([name, value]) => field(name, value)));
}

export interface Http2Socket {
  socket: TLSSocket;
  /** Frames that have come so far. */
  frames: { type: number; flags: number; stream: number; payload: Buffer }[];
  send(...frames: Buffer[]): boolean;
  /** Resolves when the other side has ended the connection. */
  ended: Promise<void>;
}

/** An HTTP/2 connection whose preface was sent. */
export async function openHttp2(port: number, servername: string): Promise<Http2Socket> {
  const socket = await handshake(port, { servername, ALPNProtocols: ['h2'] });
  const frames: Http2Socket['frames'] = [];
  let rest: Buffer = Buffer.alloc(0);
  socket.on('error', () => {});
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 9 && rest.length >= 9 + rest.readUIntBE(0, 3)) {
      const length = rest.readUIntBE(0, 3);
      const [type = 0, flags = 0] = [rest[3], rest[4]];
      frames.push({ type, flags, stream: rest.readUInt32BE(5), payload: rest.subarray(9, 9 + length) });
      rest = rest.subarray(9 + length);
    }
  });
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.write(opening);
  return { socket, frames, ended, send: (...sent) => socket.writable && socket.write(Buffer.concat(sent)) };
}
