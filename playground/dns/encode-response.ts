import packet, { type Answer, type CaaData, type DecodedPacket, type OptAnswer } from 'dns-packet';
import { parseCaa, parseMx, parseSoa } from './simulated-record.ts';
import { RCODES, type ResponseCode, type SimulatedResponse, type ZoneRecord } from './simulated-zones.ts';

const MAX_STRING_OCTETS = 255;
const PLAIN_UDP_OCTETS = 512;
const MAX_UDP_OCTETS = 4096;
const OUR_UDP_OCTETS = 1232;
const EXTENDED_ERROR = 15;

export function emptyResponse(rcode: ResponseCode): SimulatedResponse {
  return { rcode, authoritative: rcode === 'NOERROR', answers: [], authorities: [], additionals: [] };
}

/** Largest response that the client accepts over UDP (RFC 6891 section 6.2.5). */
export function udpOctets(query: DecodedPacket): number {
  const opt = optOf(query);
  return opt === undefined
    ? PLAIN_UDP_OCTETS
    : Math.min(Math.max(opt.udpPayloadSize, PLAIN_UDP_OCTETS), MAX_UDP_OCTETS);
}

/** The response on the wire; if it is longer than `limit`, or `truncated` is set, an empty one with TC. */
export function encodeResponse(
  query: DecodedPacket,
  response: SimulatedResponse,
  limit: number,
  truncated: boolean,
): Buffer {
  const octets = truncated ? null : encode(query, response, 0);
  if (octets !== null && octets.length <= limit) return octets;
  return encode(query, { ...response, answers: [], authorities: [], additionals: [] }, packet.TRUNCATED_RESPONSE);
}

function encode(query: DecodedPacket, response: SimulatedResponse, extraFlags: number): Buffer {
  const recursion = query.flag_rd ? packet.RECURSION_DESIRED | packet.RECURSION_AVAILABLE : 0;
  const authority = response.authoritative ? packet.AUTHORITATIVE_ANSWER : 0;
  const opt = optOf(query);
  return packet.encode({
    type: 'response',
    ...(query.id === undefined ? {} : { id: query.id }),
    flags: recursion | authority | extraFlags | RCODES.indexOf(response.rcode),
    questions: query.questions ?? [],
    answers: response.answers.map(toPacket),
    authorities: response.authorities.map(toPacket),
    additionals: [...response.additionals.map(toPacket), ...(opt === undefined ? [] : [ourOpt(response.error)])],
  });
}

function optOf(query: DecodedPacket): OptAnswer | undefined {
  return query.additionals?.find((record): record is OptAnswer => record.type === 'OPT');
}

function ourOpt(error: number | undefined): OptAnswer {
  return {
    type: 'OPT',
    name: '.',
    udpPayloadSize: OUR_UDP_OCTETS,
    extendedRcode: 0,
    ednsVersion: 0,
    flags: 0,
    flag_do: false,
    // The library writes any option; its types know few.
    options:
      error === undefined ? [] : [{ code: EXTENDED_ERROR, data: Buffer.from([error >> 8, error & 0xff]) } as never],
  };
}

function toPacket({ name, type, ttl, value }: ZoneRecord): Answer {
  switch (type) {
    case 'A':
    case 'AAAA':
    case 'CNAME':
    case 'NS':
      return { name, type, ttl, data: value };
    case 'TXT':
      return { name, type, ttl, data: toStrings(value) };
    case 'MX':
      return { name, type, ttl, data: parseMx(value) };
    case 'CAA':
      // The library writes any tag; its types know those of RFC 8659.
      return { name, type, ttl, data: parseCaa(value) as CaaData };
    case 'SOA':
      return { name, type, ttl, data: parseSoa(value) };
    default:
      return type satisfies never;
  }
}

/** A TXT value as the strings of one record, which hold at most 255 octets each. */
function toStrings(value: string): Buffer[] {
  const octets = Buffer.from(value);
  const strings = [octets.subarray(0, MAX_STRING_OCTETS)];
  for (let at = MAX_STRING_OCTETS; at < octets.length; at += MAX_STRING_OCTETS) {
    strings.push(octets.subarray(at, at + MAX_STRING_OCTETS));
  }
  return strings;
}
