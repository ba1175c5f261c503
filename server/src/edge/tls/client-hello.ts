/**
 * Reads the server name of a TLS ClientHello before TLS starts, and whether it is one of a CA. So an unknown name costs no TLS state, and each name
 * has its own TLS context from the first byte on: session tickets are valid for one name only (RFC 6066 section 3;
 * OpenSSL does not switch contexts when it resumes a session). Pure.
 */

export type Hello =
  /** `serverName`: as sent; null without one (RFC 6066 section 3). `isAcmeTls`: a CA validates the name (RFC 8737 section 3). */
  | { kind: 'hello'; serverName: string | null; isAcmeTls: boolean }
  /** More bytes are needed. */
  | { kind: 'partial' }
  /** Not TLS, or not as RFC 8446 section 4.1.2 describes it, or longer than `MAX_HELLO_BYTES`. */
  | { kind: 'malformed' };

/** With post-quantum key shares they have about 2,000 bytes. */
export const MAX_HELLO_BYTES = 16_384;

const HANDSHAKE_RECORD = 22;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
const HOST_NAME = 0;
const ALPN = 16;
/** The extension of a client that offers `acme-tls/1` and nothing else (RFC 7301 section 3.1). */
const ACME_TLS_ALONE = '\0\x0b\x0aacme-tls/1';

const PARTIAL: Hello = { kind: 'partial' };
const MALFORMED: Hello = { kind: 'malformed' };

/** `bytes`: all that has arrived on the connection. */
export function readClientHello(bytes: Buffer): Hello {
  const message = handshakeBytes(bytes);
  if (message === null) return MALFORMED;
  if (message.length < 4) return bytes.length > MAX_HELLO_BYTES ? MALFORMED : PARTIAL;
  const length = message.readUIntBE(1, 3);
  if (message[0] !== CLIENT_HELLO || length > MAX_HELLO_BYTES) return MALFORMED;
  if (message.length < 4 + length) return bytes.length > 2 * MAX_HELLO_BYTES ? MALFORMED : PARTIAL;
  try {
    return { kind: 'hello', ...readHello(reader(message.subarray(4, 4 + length))) };
  } catch {
    return MALFORMED;
  }
}

/** The concatenated payloads of handshake records (RFC 8446 section 5.1); null when there is another record. */
function handshakeBytes(bytes: Buffer): Buffer | null {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    if (bytes[at] !== HANDSHAKE_RECORD || (bytes[at + 1] ?? 3) !== 3) return null;
    if (at + 5 > bytes.length) break;
    const length = bytes.readUInt16BE(at + 3);
    if (length === 0 || length > MAX_HELLO_BYTES) return null;
    parts.push(bytes.subarray(at + 5, at + 5 + length));
    at += 5 + length;
  }
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
}

function readHello(hello: Reader): { serverName: string | null; isAcmeTls: boolean } {
  const read = { serverName: null as string | null, isAcmeTls: false };
  hello.skip(2 + 32); // version, random
  hello.vector(1); // session id
  hello.vector(2); // cipher suites
  hello.vector(1); // compression methods
  if (hello.isDone()) return read;
  const extensions = hello.vector(2);
  while (!extensions.isDone()) {
    const type = extensions.number(2);
    const body = extensions.vector(2);
    if (type === SERVER_NAME) read.serverName ??= hostName(body.vector(2));
    if (type === ALPN) read.isAcmeTls = body.text() === ACME_TLS_ALONE;
  }
  return read;
}

function hostName(names: Reader): string | null {
  while (!names.isDone()) {
    const type = names.number(1);
    const name = names.vector(2);
    if (type === HOST_NAME) return name.text();
  }
  return null;
}

/** Throws `RangeError` past the end. */
interface Reader {
  number(bytes: 1 | 2): number;
  skip(bytes: number): void;
  /** A vector with a length prefix of so many bytes (RFC 8446 section 3.4). */
  vector(lengthBytes: 1 | 2): Reader;
  isDone(): boolean;
  text(): string;
}

function reader(bytes: Buffer): Reader {
  let at = 0;
  const take = (count: number) => {
    if (at + count > bytes.length) throw new RangeError('past the end');
    at += count;
    return bytes.subarray(at - count, at);
  };
  const number = (count: 1 | 2) => take(count).readUIntBE(0, count);
  return {
    number,
    skip: take,
    vector: (lengthBytes) => reader(take(number(lengthBytes))),
    isDone: () => at === bytes.length,
    text: () => bytes.toString('latin1'),
  };
}
