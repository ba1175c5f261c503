import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { helloOf } from '../../../../test/support/client-hello.ts';
import { MAX_HELLO_BYTES, readClientHello } from './client-hello.ts';

/** Splits the message into records of so many bytes. */
function inRecords(hello: Buffer, size: number): Buffer {
  const message = hello.subarray(5);
  const records: Buffer[] = [];
  for (let at = 0; at < message.length; at += size) {
    const part = message.subarray(at, at + size);
    records.push(Buffer.from([22, 3, 1, part.length >> 8, part.length & 0xff]), part);
  }
  return Buffer.concat(records);
}

const hello = await helloOf({ servername: 'App.Example.com' });

describe('the server name of a ClientHello', () => {
  it('is read as OpenSSL sends it, with TLS 1.2 and 1.3', async () => {
    expect(readClientHello(hello)).toEqual({ kind: 'hello', serverName: 'App.Example.com', isAcmeTls: false });
    const old = await helloOf({ servername: 'old.example.com', maxVersion: 'TLSv1.2' });
    expect(readClientHello(old)).toEqual({ kind: 'hello', serverName: 'old.example.com', isAcmeTls: false });
  });

  it('is null where none is sent', async () => {
    expect(readClientHello(await helloOf({ servername: '' }))).toEqual({
      kind: 'hello',
      serverName: null,
      isAcmeTls: false,
    });
  });

  it('is read across records, once all of them have arrived', () => {
    for (const size of [1, 2, 7, 100, 1000]) {
      const bytes = inRecords(hello, size);
      expect(readClientHello(bytes)).toEqual({ kind: 'hello', serverName: 'App.Example.com', isAcmeTls: false });
      for (const end of [0, 1, 4, 5, 6, 9, bytes.length - 1]) {
        expect(readClientHello(bytes.subarray(0, end))).toEqual({ kind: 'partial' });
      }
    }
  });
});

describe('a client that offers acme-tls/1 alone', () => {
  it('is told from one that offers it among others, and from one that offers something like it', async () => {
    const offered = [
      ['acme-tls/1'],
      ['acme-tls/1', 'h2'],
      ['h2', 'acme-tls/1'],
      ['acme-tls/12'],
      ['ACME-TLS/1'],
      ['h2'],
    ];
    for (const ALPNProtocols of offered) {
      const isAcmeTls = ALPNProtocols.join() === 'acme-tls/1';
      const read = readClientHello(await helloOf({ servername: 'a.example.com', ALPNProtocols }));
      expect(read).toEqual({ kind: 'hello', serverName: 'a.example.com', isAcmeTls });
    }
  });
});

describe('invalid input', () => {
  it.each([
    ['a request in clear', Buffer.from('GET / HTTP/1.1\r\nHost: a.example\r\n\r\n')],
    ['another record', Buffer.from([23, 3, 3, 0, 1, 0])],
    ['another handshake message', Buffer.from([22, 3, 1, 0, 4, 2, 0, 0, 0])],
    ['a message longer than any', Buffer.from([22, 3, 1, 0, 4, 1, 0x7f, 0xff, 0xff])],
    ['an empty record', Buffer.from([22, 3, 1, 0, 0])],
    ['a message that ends inside', Buffer.from([22, 3, 1, 0, 6, 1, 0, 0, 2, 3, 3])],
    ['endless records of a byte', Buffer.alloc(6 * (2 * MAX_HELLO_BYTES), Buffer.from([22, 3, 1, 0, 1, 1]))],
  ])('is refused: %s', (_, bytes) => {
    expect(readClientHello(bytes)).toEqual({ kind: 'malformed' });
  });

  it('never makes the reader throw or take long, whatever is changed', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(hello.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 }),
        fc.nat(hello.length),
        (changes, length) => {
          const bytes = Buffer.from(hello.subarray(0, length));
          for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
          expect(['hello', 'partial', 'malformed']).toContain(readClientHello(bytes).kind);
        },
      ),
      { numRuns: 2000 },
    );
  });
});
