import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_PROXY_HEADER_BYTES, readProxyHeader } from './proxy-header.ts';

const SIGNATURE = '0d0a0d0a000d0a515549540a';

/** A header of version 2. */
function binary(versionAndCommand: number, family: number, rest: Buffer, length = rest.length): Buffer {
  const fixed = Buffer.from(`${SIGNATURE}00000000`, 'hex');
  fixed.writeUInt8(versionAndCommand, 12);
  fixed.writeUInt8(family, 13);
  fixed.writeUInt16BE(length, 14);
  return Buffer.concat([fixed, rest]);
}

const inet = (source: number[], destination = [192, 0, 2, 1]) =>
  Buffer.from([...source, ...destination, 0xdc, 0x04, 0x01, 0xbb]);
const inet6 = (source: string, destination = '20010db8000000000000000000000001') =>
  Buffer.from(`${source}${destination}dc0401bb`, 'hex');
/** NOOP, of so many bytes in all. */
const noop = (bytes: number) => {
  const tlv = Buffer.alloc(bytes);
  tlv.writeUInt8(4, 0);
  tlv.writeUInt16BE(bytes - 3, 1);
  return tlv;
};

describe('a header', () => {
  it.each<[what: string, header: string | Buffer, source: string | null]>([
    ['IPv4, version 1', 'PROXY TCP4 203.0.113.7 192.0.2.1 56324 443\r\n', '203.0.113.7'],
    ['the longest of IPv4', 'PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535\r\n', '255.255.255.255'],
    ['IPv6, version 1', 'PROXY TCP6 2001:DB8:0::7 2001:db8::1 56324 443\r\n', '2001:db8::7'],
    [
      'the longest of IPv6',
      `PROXY TCP6 ${'ffff:'.repeat(7)}ffff ${'ffff:'.repeat(7)}ffff 65535 65535\r\n`,
      `${'ffff:'.repeat(7)}ffff`,
    ],
    ['port 0', 'PROXY TCP4 203.0.113.7 192.0.2.1 0 0\r\n', '203.0.113.7'],
    ['IPv4 in IPv6', 'PROXY TCP6 ::ffff:203.0.113.7 ::ffff:192.0.2.1 1 2\r\n', '::ffff:203.0.113.7'],
    ['UNKNOWN', 'PROXY UNKNOWN\r\n', null],
    [
      'UNKNOWN with addresses, the longest line of all',
      `PROXY UNKNOWN ${'ffff:'.repeat(7)}ffff ${'ffff:'.repeat(7)}ffff 65535 65535\r\n`,
      null,
    ],
    ['IPv4, version 2', binary(0x21, 0x11, inet([203, 0, 113, 7])), '203.0.113.7'],
    ['IPv6, version 2', binary(0x21, 0x21, inet6('20010db8000000000000000000000007')), '2001:db8::7'],
    ['mapped, version 2', binary(0x21, 0x21, inet6('00000000000000000000ffffcb007107')), '::ffff:203.0.113.7'],
    ['TLVs behind the addresses', binary(0x21, 0x11, Buffer.concat([inet([203, 0, 113, 7]), noop(80)])), '203.0.113.7'],
    [
      'as many TLVs as are accepted',
      binary(0x21, 0x11, Buffer.concat([inet([203, 0, 113, 7]), noop(MAX_PROXY_HEADER_BYTES - 28)])),
      '203.0.113.7',
    ],
    [
      'TLVs that are none',
      binary(0x21, 0x11, Buffer.concat([inet([203, 0, 113, 7]), Buffer.from([1])])),
      '203.0.113.7',
    ],
    [
      'a wrong checksum',
      binary(0x21, 0x11, Buffer.concat([inet([203, 0, 113, 7]), Buffer.from('03000400000000', 'hex')])),
      '203.0.113.7',
    ],
    ['Unix sockets', binary(0x21, 0x31, Buffer.alloc(216, 'a')), null],
    ['UDP', binary(0x21, 0x12, inet([203, 0, 113, 7])), null],
    ['an unspecified protocol', binary(0x21, 0x10, inet([203, 0, 113, 7])), null],
    ['an unspecified family', binary(0x21, 0x00, Buffer.alloc(0)), null],
    ['LOCAL', binary(0x20, 0x00, Buffer.alloc(0)), null],
    ['LOCAL with addresses, which are ignored', binary(0x20, 0x11, inet([203, 0, 113, 7])), null],
    ['LOCAL with a family that does not exist', binary(0x20, 0xff, noop(9)), null],
  ])('is read: %s', (_, header, source) => {
    const bytes = Buffer.from(header as string, 'latin1');
    expect(readProxyHeader(Buffer.concat([bytes, Buffer.from('\x16\x03\x01')]))).toEqual({
      kind: 'complete',
      source,
      length: bytes.length,
    });
  });

  it.each<[what: string, header: string | Buffer]>([
    ['HTTP', 'GET / HTTP/1.1\r\n'],
    ['TLS', Buffer.from('16030100', 'hex')],
    ['in small letters', 'proxy TCP4 203.0.113.7 192.0.2.1 1 2\r\n'],
    ['another family', 'PROXY UDP4 203.0.113.7 192.0.2.1 1 2\r\n'],
    ['a family that its addresses are not of', 'PROXY TCP4 2001:db8::7 2001:db8::1 1 2\r\n'],
    ['addresses of two families', 'PROXY TCP6 2001:db8::7 192.0.2.1 1 2\r\n'],
    ['an address in octal', 'PROXY TCP4 0203.0.113.7 192.0.2.1 1 2\r\n'],
    ['an address of three parts', 'PROXY TCP4 203.0.7 192.0.2.1 1 2\r\n'],
    ['an address with a zone', 'PROXY TCP6 fe80::7%eth0 2001:db8::1 1 2\r\n'],
    ['a name', 'PROXY TCP4 localhost 192.0.2.1 1 2\r\n'],
    ['no ports', 'PROXY TCP4 203.0.113.7 192.0.2.1\r\n'],
    ['a port above 65535', 'PROXY TCP4 203.0.113.7 192.0.2.1 65536 2\r\n'],
    ['a port with a leading zero', 'PROXY TCP4 203.0.113.7 192.0.2.1 01 2\r\n'],
    ['a negative port', 'PROXY TCP4 203.0.113.7 192.0.2.1 1 -2\r\n'],
    ['more behind the ports', 'PROXY TCP4 203.0.113.7 192.0.2.1 1 2 3\r\n'],
    ['two spaces', 'PROXY TCP4  203.0.113.7 192.0.2.1 1 2\r\n'],
    ['a tab', 'PROXY TCP4\t203.0.113.7 192.0.2.1 1 2\r\n'],
    ['LF alone at the end, and a request', 'PROXY TCP4 203.0.113.7 192.0.2.1 1 2\nGET / HTTP/1.1\r\n'],
    ['UNKNOWN with LF alone, and a request', 'PROXY UNKNOWN\nGET / HTTP/1.1\r\n'],
    ['UNKNOWN with CR alone, and a request', 'PROXY UNKNOWN \rGET / HTTP/1.1\r\n'],
    ['UNKNOWN with more letters', 'PROXY UNKNOWNS\r\n'],
    ['a line that is too long by one byte', `PROXY UNKNOWN ${'x'.repeat(92)}\r\n`],
    ['a line without an end', `PROXY UNKNOWN ${'x'.repeat(200)}`],
    ['another signature', Buffer.from('0d0a0d0a000d0a515549540b', 'hex')],
    ['version 1 in binary', binary(0x11, 0x11, inet([203, 0, 113, 7]))],
    ['version 3', binary(0x31, 0x11, inet([203, 0, 113, 7]))],
    ['another command', binary(0x22, 0x11, inet([203, 0, 113, 7]))],
    ['another family, version 2', binary(0x21, 0x41, Buffer.alloc(216))],
    ['another protocol, version 2', binary(0x21, 0x13, inet([203, 0, 113, 7]))],
    ['too few bytes for IPv4', binary(0x21, 0x11, Buffer.alloc(11))],
    ['too few bytes for IPv6', binary(0x21, 0x21, Buffer.alloc(35))],
    ['too few bytes for Unix sockets', binary(0x21, 0x31, Buffer.alloc(215))],
    ['more bytes than are accepted', binary(0x21, 0x11, Buffer.alloc(0), MAX_PROXY_HEADER_BYTES - 15)],
    ['as many bytes as can be said', binary(0x20, 0x00, Buffer.alloc(0), 65_535)],
  ])('is malformed: %s', (_, header) => {
    expect(readProxyHeader(Buffer.from(header as string, 'latin1'))).toEqual({ kind: 'malformed' });
  });
});

const ipv4 = fc.ipV4();
const ipv6 = fc.ipV6().filter((address) => !address.includes('%'));
const port = fc.integer({ min: 0, max: 65_535 });
const lines = fc
  .oneof(fc.tuple(fc.constant('TCP4'), ipv4, ipv4, port, port), fc.tuple(fc.constant('TCP6'), ipv6, ipv6, port, port))
  .map((words) => Buffer.from(`PROXY ${words.join(' ')}\r\n`))
  .filter(({ length }) => length <= 107);
const blocks = fc
  .record({
    command: fc.constantFrom(0x20, 0x21),
    family: fc.constantFrom([0x00, 0], [0x11, 12], [0x12, 12], [0x21, 36], [0x22, 36], [0x31, 216], [0x32, 216]),
    address: fc.uint8Array({ minLength: 216, maxLength: 216 }),
    rest: fc.uint8Array({ maxLength: 300 }),
  })
  .map(({ command, family: [family = 0, length = 0], address, rest }) =>
    binary(command, family, Buffer.concat([address.subarray(0, length), rest])),
  );
const headers = fc.oneof(lines, blocks);

describe('whatever the bytes', () => {
  it('a header is complete with its last byte and not before, and what follows changes nothing', () => {
    fc.assert(
      fc.property(headers, fc.uint8Array({ maxLength: 300 }), (header, following) => {
        for (let length = 0; length < header.length; length += 1)
          expect(readProxyHeader(header.subarray(0, length))).toEqual({ kind: 'partial' });
        const complete = readProxyHeader(header);
        expect(complete).toMatchObject({ kind: 'complete', length: header.length });
        expect(readProxyHeader(Buffer.concat([header, following]))).toEqual(complete);
      }),
    );
  });

  it('no more than 4096 bytes are waited for, and nothing throws', () => {
    const damaged = fc
      .tuple(headers, fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 }))
      .map(([header, changes]) => {
        const bytes = Buffer.from(header);
        for (const [at, byte] of changes) bytes[at % Math.min(bytes.length, 60)] = byte;
        return bytes;
      });
    const begun = fc
      .uint8Array({ maxLength: 40 })
      .map((bytes) => Buffer.concat([Buffer.from(SIGNATURE, 'hex'), bytes]));
    fc.assert(
      fc.property(fc.oneof(damaged, begun, fc.uint8Array().map(Buffer.from)), (bytes) => {
        const header = readProxyHeader(bytes);
        if (header.kind === 'complete') expect(header.length).toBeLessThanOrEqual(bytes.length);
        const filled = Buffer.concat([bytes, Buffer.alloc(MAX_PROXY_HEADER_BYTES)]);
        expect(readProxyHeader(filled).kind).not.toBe('partial');
      }),
      { numRuns: 2000 },
    );
  });
});
