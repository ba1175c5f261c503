import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PublishedRecord } from '../output/show-domain.ts';
import { renderZone } from './zone-file.ts';

function record(type: PublishedRecord['type'], name: string, value: string): PublishedRecord {
  return { type, name, value, ttl: 60, verified: false };
}

test('records become lines of a zone file', () => {
  const records = [
    record('CNAME', 'shop.example.com', 'abc.cname.example.net'),
    record('TXT', '_service.shop.example.com', 'service-domain-verify=x'),
  ];
  expect(renderZone('shop.example.com', records)).toBe(
    [
      '; Records for shop.example.com',
      'shop.example.com.           60  IN  CNAME  abc.cname.example.net.',
      '_service.shop.example.com.  60  IN  TXT    "service-domain-verify=x"',
    ].join('\n'),
  );
});

test('an ALIAS becomes a comment with instructions', () => {
  const lines = renderZone('example.com', [record('ALIAS', 'example.com', 'abc.cname.example.net')]).split('\n');
  expect(lines.every((line) => line.startsWith(';'))).toBe(true);
  expect(lines.join(' ')).toMatch(/ALIAS, ANAME or a flattened CNAME.*abc\.cname\.example\.net/);
});

test('a TXT value of any text reads back octet for octet, in strings of at most 255 octets', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 600 }), (value) => {
      const text = renderZone('example.com', [record('TXT', '_service.example.com', value)]);
      const strings = readStrings(text.slice(text.indexOf('"')));
      expect(Buffer.concat(strings).equals(Buffer.from(value))).toBe(true);
      for (const string of strings) expect(string.length).toBeLessThanOrEqual(255);
      expect(text.split('\n')).toHaveLength(2);
    }),
  );
});

/** Quoted strings of a master file, as RFC 1035 section 5.1 reads them. */
function readStrings(text: string): Buffer[] {
  return [...text.matchAll(/"((?:[^"\\]|\\\d{3}|\\[^\d])*)"/g)].map(([, inner = '']) => {
    const octets = [...inner.matchAll(/\\(\d{3})|\\(.)|(.)/gs)].map(([, decimal, escaped, plain]) =>
      decimal === undefined ? (escaped ?? plain ?? '').charCodeAt(0) : Number(decimal),
    );
    return Buffer.from(octets);
  });
}
