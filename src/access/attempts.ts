import type { Clock } from '../clock.ts';
import { memoryLimiter } from '../ratelimit/limiter.ts';

/** Bounds how many unknown keys an address may have looked up: each costs a read, and a place among the keys that are remembered. */
export interface Attempts {
  /** Whole seconds until the address may have another key looked up; null: it may now. */
  blockedSeconds(address: string): number | null;
  /** Counts a look-up that found nothing. */
  failed(address: string): void;
}

/** More than any mistake causes; nothing to a client whose key is in use. */
const LIMIT = { limit: 300, windowMs: 60_000 };
const OPERATION = 'authentication';

export function countAttempts(clock: Clock): Attempts {
  const limiter = memoryLimiter(clock);
  return {
    blockedSeconds(address) {
      const { allowed, resetSeconds } = limiter.peek(network(address), OPERATION, LIMIT);
      return allowed ? null : resetSeconds;
    },
    failed(address) {
      limiter.take(network(address), OPERATION, LIMIT);
    },
  };
}

/** What one party has of the address space: an IPv4 address, or the first 64 bits of an IPv6 address (RFC 6177). */
export function network(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address;
  const [head = [], tail = []] = address.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0');
  return [...head, ...zeros, ...tail].slice(0, 4).join(':');
}
