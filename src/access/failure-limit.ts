import { isIP } from 'node:net';
import type { Clock } from '../clock.ts';
import { memoryLimiter } from '../ratelimit/limiter.ts';

/** Bounds how often an address may fail to authenticate: each attempt may cost a read or the check of a signature. */
export interface Attempts {
  /** Whole seconds until the address may try again; null: it may now. */
  blockedSeconds(address: string): number | null;
  /** Counts an attempt that failed. */
  failed(address: string): void;
}

/** More than any mistake causes; nothing to a client whose key is in use. */
export const ATTEMPTS = { limit: 300, windowMs: 60_000 };
const OPERATION = 'authentication';

/** Addresses counted at once: an attacker who has more than these has others to begin anew with anyway. */
const CAPACITY = 50_000;

export function countAttempts(clock: Clock): Attempts {
  const limiter = memoryLimiter(clock, CAPACITY);
  return {
    blockedSeconds(address) {
      const { allowed, resetSeconds } = limiter.peek(network(address), OPERATION, ATTEMPTS);
      return allowed ? null : resetSeconds;
    },
    failed(address) {
      limiter.take(network(address), OPERATION, ATTEMPTS);
    },
  };
}

/** What one party has of the address space: an IPv4 address, or the first 64 bits of an IPv6 address (RFC 6177). */
export function network(address: string): string {
  // A proxy may have been sent anything in place of an address.
  if (isIP(address) === 0) return 'unknown';
  if (!address.includes(':')) return address;
  if (address.includes('.')) return address.slice(address.lastIndexOf(':') + 1);
  const [head = [], tail = []] = address.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0');
  return [...head, ...zeros, ...tail].slice(0, 4).join(':');
}
