import { createHmac, timingSafeEqual } from 'node:crypto';

/**
 * DNS cookies (RFC 7873): a client that repeats ours has received it, so its address is not forged. They have the
 * layout of RFC 9018, with HMAC-SHA-256 in place of SipHash: each node checks only its own.
 */
export interface Cookies {
  /** The cookie to send, and whether that of the client is one of ours. `now`: Unix ms. */
  check(given: Uint8Array, address: string, now: number): { cookie: Uint8Array; isOurs: boolean };
}

const CLIENT_OCTETS = 8;
/** Version, three reserved octets, and the time in seconds. */
const HEAD_OCTETS = 8;
const HASH_OCTETS = 8;
const COOKIE_OCTETS = CLIENT_OCTETS + HEAD_OCTETS + HASH_OCTETS;
const VERSION = 1;
/** RFC 9018 section 4.3. */
const LIFE_S = 3600;
const AHEAD_S = 300;
const RENEW_S = 1800;

export function createCookies(secret: Uint8Array): Cookies {
  /** The first 16 octets of a cookie, with their hash. */
  function hashOf(head: Uint8Array, address: string): Buffer {
    return createHmac('sha256', secret).update(head).update(address).digest().subarray(0, HASH_OCTETS);
  }

  function make(client: Uint8Array, address: string, seconds: number): Buffer {
    const cookie = Buffer.alloc(COOKIE_OCTETS);
    cookie.set(client);
    cookie.writeUInt8(VERSION, CLIENT_OCTETS);
    cookie.writeUInt32BE(seconds, CLIENT_OCTETS + 4);
    const hashAt = CLIENT_OCTETS + HEAD_OCTETS;
    cookie.set(hashOf(cookie.subarray(0, hashAt), address), hashAt);
    return cookie;
  }

  return {
    check(given, address, now) {
      const seconds = Math.floor(now / 1000) >>> 0;
      const client = given.subarray(0, CLIENT_OCTETS);
      if (given.length !== COOKIE_OCTETS || given[CLIENT_OCTETS] !== VERSION)
        return { cookie: make(client, address, seconds), isOurs: false };
      const madeAt = Buffer.from(given).readUInt32BE(CLIENT_OCTETS + 4);
      // Wraps around, as serial numbers do (RFC 1982).
      const ageS = (seconds - madeAt) | 0;
      const hashAt = CLIENT_OCTETS + HEAD_OCTETS;
      const isOurs =
        ageS <= LIFE_S &&
        ageS >= -AHEAD_S &&
        timingSafeEqual(hashOf(given.subarray(0, hashAt), address), given.subarray(hashAt));
      const isFresh = isOurs && ageS <= RENEW_S;
      return { cookie: isFresh ? given : make(client, address, seconds), isOurs };
    },
  };
}
