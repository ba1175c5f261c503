/** Frames of HTTP/2 (RFC 9113), as a client sends them that has no library. */

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
const TYPES = { data: 0, headers: 1, reset: 3, settings: 4 } as const;
const END_STREAM = 1;
const END_HEADERS = 4;

export function frame(type: keyof typeof TYPES, stream: number, payload: Buffer | string, flags = 0): Buffer {
  const content = Buffer.from(payload);
  const head = Buffer.alloc(9);
  head.writeUIntBE(content.length, 0, 3);
  head[3] = TYPES[type];
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, content]);
}

/** The first octets of a connection. */
export const opening = Buffer.concat([Buffer.from(PREFACE), frame('settings', 0, '')]);

/** Header fields without compression (RFC 7541 section 6.2.2). All shorter than 127 bytes. */
export function headers(stream: number, fields: Record<string, string>, ends = true): Buffer {
  const block = Object.entries(fields).flatMap(([name, value]) => [
    Buffer.from([0, name.length]),
    Buffer.from(name, 'latin1'),
    Buffer.from([value.length]),
    Buffer.from(value, 'latin1'),
  ]);
  return frame('headers', stream, Buffer.concat(block), END_HEADERS | (ends ? END_STREAM : 0));
}

/** RST_STREAM (RFC 9113 section 6.4). */
export function reset(stream: number, code: number): Buffer {
  const payload = Buffer.alloc(4);
  payload.writeUInt32BE(code);
  return frame('reset', stream, payload);
}
