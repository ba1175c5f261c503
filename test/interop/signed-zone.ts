import { sign } from 'node:crypto';
import type { ZoneKey } from './knot.ts';

/**
 * Changes to a signed zone, in the notation of zone files with one record a line and whole names, as Knot prints it.
 */

/** Changes the data of records and keeps their signatures. */
export function tamper(signed: string, from: string, to: string): string {
  if (!signed.includes(` ${from}\n`)) throw new Error(`the zone has no record with ${from}`);
  return signed.replaceAll(` ${from}\n`, ` ${to}\n`);
}

/**
 * The zone with other signatures of its TXT and CNAME records: made by the zone's own keys, and valid until a month
 * ago.
 */
export function withExpiredSignatures(signed: string, keys: ZoneKey[]): string {
  const lines = signed.split('\n');
  return lines
    .map((line) => {
      const [owner = '', ttl, type, covered, ...rest] = line.split(/\s+/);
      if (type !== 'RRSIG' || (covered !== 'TXT' && covered !== 'CNAME')) return line;
      const data = lines
        .map((one) => one.match(/^(\S+)\s+\d+\s+(\S+)\s+(.*)$/))
        .flatMap((found) => (found?.[1] === owner && found[2] === covered ? [found[3] ?? ''] : []));
      const signature = expiredSignature({ owner, covered, data, fields: rest }, keys);
      return [owner, ttl, 'RRSIG', covered, ...signature].join(' ');
    })
    .join('\n');
}

interface RecordSet {
  owner: string;
  covered: 'TXT' | 'CNAME';
  /** Data of each record, as zone files have it. */
  data: string[];
  /** Fields of the present RRSIG: algorithm, labels, TTL, expiration, inception, key tag, signer, signature. */
  fields: string[];
}

const TYPES = { CNAME: 5, TXT: 16 };
const DAY_SECONDS = 86_400;

/** RFC 4034 section 3.1.8.1, for algorithm 13 (ECDSA P-256 with SHA-256). */
function expiredSignature({ owner, covered, data, fields }: RecordSet, keys: ZoneKey[]): string[] {
  const [algorithm, labels, ttl, , , tag, signer = ''] = fields;
  const key = keys.find((one) => one.tag === Number(tag));
  if (key === undefined || algorithm !== '13') throw new Error(`no key ${tag} of algorithm 13`);
  const expiration = Math.floor(Date.now() / 1000) - 30 * DAY_SECONDS;
  const inception = expiration - 14 * DAY_SECONDS;
  const head = Buffer.alloc(18);
  head.writeUInt16BE(TYPES[covered], 0);
  head.writeUInt8(13, 2);
  head.writeUInt8(Number(labels), 3);
  head.writeUInt32BE(Number(ttl), 4);
  head.writeUInt32BE(expiration, 8);
  head.writeUInt32BE(inception, 12);
  head.writeUInt16BE(Number(tag), 16);
  const records = data.map((text) => encodeData(covered, text)).toSorted(Buffer.compare);
  const recordSet = records.map((octets) => {
    const fixed = Buffer.alloc(10);
    fixed.writeUInt16BE(TYPES[covered], 0);
    fixed.writeUInt16BE(1, 2);
    fixed.writeUInt32BE(Number(ttl), 4);
    fixed.writeUInt16BE(octets.length, 8);
    return Buffer.concat([encodeName(owner), fixed, octets]);
  });
  const octets = Buffer.concat([head, encodeName(signer), ...recordSet]);
  const signature = sign('sha256', octets, { key: key.pem, dsaEncoding: 'ieee-p1363' }).toString('base64');
  return [algorithm, labels ?? '', ttl ?? '', timeOf(expiration), timeOf(inception), tag ?? '', signer, signature];
}

function encodeData(type: 'TXT' | 'CNAME', text: string): Buffer {
  if (type === 'CNAME') return encodeName(text);
  const strings = [...text.matchAll(/"([^"]*)"/g)].map(([, string = '']) => Buffer.from(string));
  return Buffer.concat(strings.flatMap((string) => [Buffer.from([string.length]), string]));
}

function encodeName(name: string): Buffer {
  const labels = name.toLowerCase().split('.').filter(Boolean);
  const octets = labels.flatMap((label) => [Buffer.from([label.length]), Buffer.from(label)]);
  return Buffer.concat([...octets, Buffer.from([0])]);
}

/** `YYYYMMDDHHmmSS`. */
function timeOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replaceAll(/[-:T]|\..*/g, '');
}
