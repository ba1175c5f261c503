import { PAGE_NAMES, type PageName } from './http/pages.ts';

/**
 * What the edge counts: plain numbers in memory that threads share. Counting costs nanoseconds, what all threads have counted adds up
 * without asking them, and nothing is lost with a thread. Each tally has one writer.
 */
export interface Tally {
  /** A request was answered, or came to an end otherwise; `seconds` since its header. */
  request(protocol: Protocol, status: number, seconds: number): void;
  handshake(outcome: HandshakeOutcome): void;
  /** An own page was served. */
  page(name: PageName): void;
  /** The store was asked. */
  lookup(kind: LookupKind): void;
  /** How many there are now. */
  measure(what: Measured, count: number): void;
}

export const PROTOCOLS = ['http/1.0', 'http/1.1', 'h2'] as const;
export const STATUS_CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const;
/** `refused`: too many unknown names from there. `closed`: by the client, or because of an error of its own. */
export const HANDSHAKE_OUTCOMES = [
  'full',
  'resumed',
  'unknown_name',
  'not_certified',
  'unavailable',
  'refused',
  'timeout',
  'closed',
] as const;
export const LOOKUP_KINDS = ['route', 'origin', 'certificate', 'challenge'] as const;
export const MEASURED = ['connections', 'tunnels', 'routes', 'origins', 'certificates', 'tls_contexts'] as const;
/** Upper bounds in seconds. */
export const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;

export type Protocol = (typeof PROTOCOLS)[number];
export type HandshakeOutcome = (typeof HANDSHAKE_OUTCOMES)[number];
export type LookupKind = (typeof LOOKUP_KINDS)[number];
export type Measured = (typeof MEASURED)[number];

/** Every number there is, by name; its place in this list is its place in memory. */
const SLOTS = [
  ...PROTOCOLS.flatMap((protocol) => STATUS_CLASSES.map((status) => `request ${protocol} ${status}`)),
  ...SECONDS.map((bound) => `seconds ${bound}`),
  'seconds +Inf',
  'seconds sum',
  ...PAGE_NAMES.map((name) => `page ${name}`),
  ...HANDSHAKE_OUTCOMES.map((outcome) => `handshake ${outcome}`),
  ...LOOKUP_KINDS.map((kind) => `lookup ${kind}`),
  ...MEASURED.map((what) => `measured ${what}`),
];
const PLACES = new Map(SLOTS.map((slot, place) => [slot, place]));

/** Memory for one tally. */
export function tallyMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(SLOTS.length * Float64Array.BYTES_PER_ELEMENT);
}

export function createTally(memory: SharedArrayBuffer): Tally {
  const numbers = new Float64Array(memory);
  const add = (slot: string, amount: number) => {
    const place = placeOf(slot);
    numbers[place] = (numbers[place] ?? 0) + amount;
  };
  return {
    request(protocol, status, seconds) {
      add(`request ${protocol} ${Math.floor(status / 100)}xx`, 1);
      add(`seconds ${SECONDS.find((bound) => seconds <= bound) ?? '+Inf'}`, 1);
      add('seconds sum', seconds);
    },
    handshake: (outcome) => add(`handshake ${outcome}`, 1),
    page: (name) => add(`page ${name}`, 1),
    lookup: (kind) => add(`lookup ${kind}`, 1),
    measure(what, count) {
      numbers[placeOf(`measured ${what}`)] = count;
    },
  };
}

/** What all of them have counted under a name, such as `request h2 2xx`. */
export function sumOf(memories: readonly SharedArrayBuffer[], slot: string): number {
  const place = placeOf(slot);
  return memories.reduce((sum, memory) => sum + (new Float64Array(memory)[place] ?? 0), 0);
}

function placeOf(slot: string): number {
  const place = PLACES.get(slot);
  if (place === undefined) throw new Error(`nothing is counted as "${slot}"`);
  return place;
}
