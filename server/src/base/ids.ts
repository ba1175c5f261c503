import { randomBytes, randomInt } from 'node:crypto';
import type { Clock } from './clock.ts';

type IdPrefix =
  | 'ws'
  | 'key'
  | 'sig'
  | 'ses'
  | 'dck'
  | 'proj'
  | 'app'
  | 'env'
  | 'dep'
  | 'dom'
  | 'evt'
  | 'req'
  | 'wh'
  | 'whs'
  | 'dlv'
  | 'lease'
  | 'link'
  | 'aud';

type RandomBytes = (bytes: number) => Uint8Array;

/** In place of `Math.random`, where who sees some of its numbers must not foresee others. */
export const secureRandom = () => randomInt(2 ** 47) / 2 ** 47;

/** Generates TypeIDs (prefix, `_`, 26 letters and digits) that sort in the order of creation. */
export type NewId = (prefix: IdPrefix) => string;

/** Crockford's base32 in lower case (TypeID specification 0.3). */
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';
/**
 * Digits of five bits. The time has 48 bits after 2 zero bits. The version and the counter's 12 bits come next, then
 * the variant and 60 random bits.
 */
const TIME_DIGITS = 10;
const COUNTER_DIGITS = 4;
const RANDOM_DIGITS = 12;
/** Random bytes are drawn in blocks: a system call costs more than the rest of an id. No byte is used twice. */
const RANDOM_BYTES = 630 * (1 + RANDOM_DIGITS);

/**
 * Ids from a clock and 62 random bits (UUID version 7, RFC 9562 section 5.7). A 12-bit counter (section 6.2, method 1)
 * keeps the ids of one maker in order within a millisecond, and while the clock stands still or steps back.
 */
export function idMaker(clock: Clock, random: RandomBytes = randomBytes): NewId {
  const text = Buffer.alloc(TIME_DIGITS + COUNTER_DIGITS + RANDOM_DIGITS);
  let bytes: Uint8Array = new Uint8Array();
  let used = 0;
  let lastMs = 0;
  let counter = 0;

  function setTime(ms: number): void {
    lastMs = ms;
    counter = 0;
    for (let at = TIME_DIGITS - 1, rest = ms; at >= 0; at--, rest = Math.floor(rest / 32)) text[at] = digit(rest % 32);
  }

  function randomByte(): number {
    if (used === bytes.length) {
      bytes = random(RANDOM_BYTES);
      used = 0;
    }
    return bytes[used++] ?? 0;
  }

  return (prefix) => {
    const ms = clock.now();
    if (ms > lastMs) setTime(ms);
    else if (++counter > 0xfff) setTime(lastMs + 1);
    text[10] = digit(0b01110 | (counter >> 11));
    text[11] = digit(counter >> 6);
    text[12] = digit(counter >> 1);
    text[13] = digit(((counter & 1) << 4) | 0b01000 | (randomByte() & 0b11));
    for (let at = TIME_DIGITS + COUNTER_DIGITS; at < text.length; at++) text[at] = digit(randomByte());
    return `${prefix}_${text.toString('latin1')}`;
  };
}

/** The digit of the last five bits. */
function digit(bits: number): number {
  return DIGITS.charCodeAt(bits & 31);
}

/** Draws many bytes at a time: a system call for a few costs more than all else. No byte is used twice. */
export function pooled(random: RandomBytes): RandomBytes {
  let pool = random(0);
  return (bytes) => {
    if (pool.length < bytes) pool = random(Math.max(8192, bytes));
    const taken = pool.subarray(0, bytes);
    pool = pool.subarray(bytes);
    return taken;
  };
}

/** Generated parts of a domain's records: new for every domain, never reused. Random bytes come from a CSPRNG. */

/** Whether a text has the form of an id, and so is no slug: ids have an underscore, slugs have none. */
export function isId(text: string): boolean {
  return text.includes('_');
}

const DECIMALS = '0123456789';
const LOWER = 'abcdefghijklmnopqrstuvwxyz';
const UPPER = LOWER.toUpperCase();

/** 103 bits: a letter, then 19 letters and digits, which is a valid host name everywhere. */
const TARGET_CHARACTERS = 20;
/** 142 bits. */
const TOKEN_CHARACTERS = 24;

/** A new host under the CNAME zone: the value of the routing record. */
export function newTarget(cnameZone: string, randomBytes: RandomBytes): string {
  const label = draw(1, LOWER, randomBytes) + draw(TARGET_CHARACTERS - 1, LOWER + DECIMALS, randomBytes);
  return `${label}.${cnameZone}`;
}

const TARGET_LABEL = new RegExp(`^[a-z][a-z0-9]{${TARGET_CHARACTERS - 1}}$`);

/** Whether `label` could be that of a target, whatever zone it is in. */
export function isTargetLabel(label: string): boolean {
  return TARGET_LABEL.test(label);
}

/** A new token for the ownership record. */
export function newToken(randomBytes: RandomBytes): string {
  return draw(TOKEN_CHARACTERS, UPPER + LOWER + DECIMALS, randomBytes);
}

/** Characters of an alphabet (at most 256), uniformly distributed. */
function draw(length: number, alphabet: string, randomBytes: RandomBytes): string {
  // A larger byte is dropped: it would make the first characters of the alphabet likelier.
  const usable = 256 - (256 % alphabet.length);
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(2 * length)) {
      if (byte < usable && text.length < length) text += alphabet.charAt(byte % alphabet.length);
    }
  }
  return text;
}
