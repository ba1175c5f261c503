import { systemClock } from '../../src/clock.ts';
import { type Delegations, delegations } from '../../src/dns/delegation.ts';
import type { RecordType, ResourceRecord } from '../../src/dns/protocol/wire.ts';
import type { Recursors } from '../../src/dns/recursors.ts';
import { cpuMicros, offer } from '../part.ts';

const { signal } = new AbortController();
const READ = { signal, fresh: false };
/** Lookups between two looks at the clock. */
const BATCH = 1000;

let cached: Delegations;
let zones: string[];
let next = 0;

const methods = {
  /** Fills the cache. */
  async open(count: number): Promise<void> {
    cached = delegations({ recursors, mayAsk: () => true, clock: systemClock, random: Math.random });
    zones = Array.from({ length: count }, (_, i) => `zone${i}.test`);
    for (const zone of zones) await cached.at(zone, READ);
  },

  /** CPU-µs of a lookup of a cached zone; every zone in turn. */
  async run(seconds: number): Promise<number> {
    const before = cpuMicros();
    const end = performance.now() + seconds * 1000;
    let lookups = 0;
    while (performance.now() < end) {
      for (let i = 0; i < BATCH; i++) await cached.at(zones[next++ % zones.length] ?? '', READ);
      lookups += BATCH;
    }
    return (cpuMicros() - before) / lookups;
  },
};

/** Every zone has one nameserver with one address. */
const recursors: Recursors = {
  async ask({ name, type }) {
    const by = { server: '192.0.2.53', address: '192.0.2.53', authoritative: false };
    const values: Partial<Record<RecordType, string>> = { NS: `ns1.${name}`, A: '192.0.2.1' };
    const value = values[type];
    const answers: ResourceRecord[] = value === undefined ? [] : [{ name, type, ttl: 3600, value }];
    return {
      kind: 'answer',
      response: {
        transport: 'udp',
        rcode: 'noerror',
        authoritative: false,
        authenticated: false,
        answers,
        authorities: [],
        additionals: [],
        error: null,
      },
      by,
    };
  },
  findApex: async (name) => ({ kind: 'apex', apex: name }),
  has: () => false,
  servers: [],
};

export type DelegationsPart = typeof methods;
offer(methods);
