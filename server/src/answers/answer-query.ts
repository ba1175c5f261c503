import { isTargetLabel } from '../base/ids.ts';
import { isWithin } from '../dns/protocol/dns-name.ts';
import { CLASS_IN, TYPES } from '../dns/protocol/wire.ts';
import { type Query, TYPE_AXFR, TYPE_IXFR } from './query.ts';
import { ANY_SET, type RecordSet, type Records, type ServedZones, type Zone } from './zones.ts';

/** RCODEs by their number (RFC 6895 section 2.3); `badvers` does not fit into a header (RFC 6891 section 6.1.3). */
export const RCODES = { noerror: 0, formerr: 1, servfail: 2, nxdomain: 3, notimp: 4, refused: 5, badvers: 16 } as const;
export type AnswerCode = keyof typeof RCODES;

/** A response, but for what its transport decides. */
export interface ZoneAnswer {
  rcode: AnswerCode;
  /** The zone of the name; null: it is in none of ours. */
  zone: Zone | null;
  /** Records of the name that was asked for. */
  answers: RecordSet | null;
  /** Whether the zone's SOA is in the authority section: there is no such name, or no such record. */
  isNegative: boolean;
  /** With the addresses of nameservers. */
  withGlue: boolean;
}

const TYPE_ANY = 255;

/** Answers one query: a function of the zones alone. */
export function answerQuery(query: Query, zones: ServedZones): ZoneAnswer {
  const { name, type } = query;
  if (query.edns !== null && query.edns.version !== 0) return failure('badvers');
  if (query.class !== CLASS_IN || type === TYPE_AXFR || type === TYPE_IXFR) return failure('refused');
  const zone = zones.all.find((each) => isWithin(name, each.name));
  if (zone === undefined) return failure('refused');

  const label = name.slice(0, -zone.name.length - 1);
  const fixed = zone.hosts.get(name);
  const isTarget = fixed === undefined && isTargetLabel(label);
  if (fixed === undefined && !isTarget) return negative('nxdomain', zone);
  if (type === TYPE_ANY && fixed?.size !== 0) return positive(zone, ANY_SET);
  if (isTarget && type === TYPES.TXT) {
    // "No such record" would be remembered, and might be wrong.
    if (zones.challenges === null) return failure('servfail');
    return answerFrom(zone, zones.challenges.get(label));
  }
  const records: Records = fixed ?? zone.target;
  return answerFrom(zone, records.get(type));
}

function answerFrom(zone: Zone, set: RecordSet | undefined): ZoneAnswer {
  return set === undefined ? negative('noerror', zone) : positive(zone, set);
}

function positive(zone: Zone, answers: RecordSet): ZoneAnswer {
  return { rcode: 'noerror', zone, answers, isNegative: false, withGlue: answers.type === TYPES.NS };
}

function negative(rcode: 'noerror' | 'nxdomain', zone: Zone): ZoneAnswer {
  return { rcode, zone, answers: null, isNegative: true, withGlue: false };
}

/** An answer without records, which no zone gives. */
export function failure(rcode: AnswerCode): ZoneAnswer {
  return { rcode, zone: null, answers: null, isNegative: false, withGlue: false };
}
