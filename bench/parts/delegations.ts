import { systemClock } from '../../src/clock.ts';
import type { DnsAnswer } from '../../src/dns/ask-server.ts';
import type { NameserverQueries } from '../../src/dns/nameserver-queries.ts';
import type { Question, ResourceRecord } from '../../src/dns/protocol/wire.ts';
import { queryBudget } from '../../src/dns/query-budget.ts';
import type { Recursors } from '../../src/dns/recursors.ts';
import { type ZoneFinder, zoneFinder } from '../../src/dns/zone-finder.ts';
import { cpuMicros, offer } from '../part.ts';

const { signal } = new AbortController();
/** Lookups between two looks at the clock. */
const BATCH = 1000;

let finder: ZoneFinder;
let names: string[];
let next = 0;

const methods = {
  /** Fills the cache. */
  async open(count: number): Promise<void> {
    const options = { recursors, queries, mayAsk: () => true, isAllowedNetwork: null };
    finder = zoneFinder({ ...options, clock: systemClock, random: Math.random });
    names = Array.from({ length: count }, (_, i) => `zone${i}.test`);
    for (const name of names) await finder.closest(name, { signal, budget: queryBudget() });
  },

  /** CPU-µs until the cached zone of a name is found; every zone in turn. */
  async run(seconds: number): Promise<number> {
    const options = { signal, budget: queryBudget() };
    const before = cpuMicros();
    const end = performance.now() + seconds * 1000;
    let lookups = 0;
    while (performance.now() < end) {
      for (let i = 0; i < BATCH; i++) await finder.closest(names[next++ % names.length] ?? '', options);
      lookups += BATCH;
    }
    return (cpuMicros() - before) / lookups;
  },
};

/** An answer with one section filled. */
function answerWith(
  section: 'answers' | 'authorities',
  records: ResourceRecord[],
  additionals: ResourceRecord[],
): DnsAnswer {
  const sections = { answers: [], authorities: [], [section]: records, additionals };
  const flags = { authoritative: section === 'answers', authenticated: false } as const;
  return {
    kind: 'answer',
    response: { transport: 'udp', rcode: 'noerror', ...flags, ...sections, error: null },
    by: { server: '192.0.2.53', address: '192.0.2.53', authoritative: false },
  };
}

/** Every zone has one nameserver with one address. */
function delegation({ name }: Question, section: 'answers' | 'authorities'): DnsAnswer {
  const ns = `ns1.${name}`;
  return answerWith(
    section,
    [{ name, type: 'NS', ttl: 3600, value: ns }],
    [{ name: ns, type: 'A', ttl: 3600, value: '192.0.2.1' }],
  );
}

const recursors: Recursors = {
  servers: [],
  ask: async (question) => delegation(question, 'answers'),
  findApex: async (name) => ({ kind: 'apex', apex: name }),
};

const queries: NameserverQueries = {
  port: 53,
  ask: async (question) => delegation(question, 'authorities'),
  askZone: async (_zone, question) => ({ answer: delegation(question, 'authorities'), failures: [] }),
  inOrder: (addresses) => [...addresses],
};

export type DelegationsPart = typeof methods;
offer(methods);
