import { setTimeout as delay } from 'node:timers/promises';
import type { Question } from '../../src/dns/protocol/wire.ts';
import { dnsClient } from '../../src/dns/transport/dns-client.ts';
import { WINDOW_MS } from '../../src/domain/domain.ts';
import type { Store } from '../../src/store/contract/store.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite.ts';
import { type Checking, prepareChecks, type Report } from '../checking.ts';
import { offer } from '../part.ts';
import { nameOf, type Population, zoneOf } from '../population.ts';
import { addressOf, nameserversOf } from '../zone.ts';

/** The verifier in a process of its own, as with `NAMEPLATE_ROLES=verifier`; and the bare loop of queries it is held against. */
const methods = {
  async open({ path, ...options }: { path: string; port: number; checkIntervalMs: number }): Promise<void> {
    const store = await sqliteStore({ path });
    opened = { store, checking: prepareChecks(store, options) };
  },

  /** Checks until the end of the process. */
  start: () => parts().checking.start(),

  /** Checks for so many seconds, and completes what is under way then. */
  async run(seconds: number): Promise<Ran> {
    const { checking } = parts();
    const began = performance.now();
    checking.start();
    await delay(seconds * 1000);
    await checking.stop();
    const { checks, queries, queriesLost } = await checking.report();
    return { checks, seconds: (performance.now() - began) / 1000, queries, queriesLost };
  },

  report: (): Promise<Report> => parts().checking.report(),

  find: ({ ids }: Population, number: number) => parts().store.findDomainByName(ids.workspaceId, nameOf(number)),

  /** Asks for a check at once, as domains.verifyDomain does. Resolves with the time, Unix ms. */
  async retry({ ids }: Population, domainId: string): Promise<number> {
    const now = Date.now();
    await parts().store.retryVerification(ids.workspaceId, domainId, now, WINDOW_MS);
    return now;
  },

  /** Asks the queries of each check, of so many checks at a time, and does nothing with the answers. */
  async ask({ port, domains, checksAtOnce, seconds, records }: BareInput): Promise<Ran> {
    const client = dnsClient();
    const { signal } = new AbortController();
    const began = performance.now();
    const end = began + seconds * 1000;
    let checks = 0;
    let queries = 0;
    let queriesLost = 0;
    async function ask(question: Question, address: string): Promise<void> {
      const response = await client.query(question, { address, port }, { recursion: false, signal });
      queries++;
      if (typeof response === 'string') queriesLost++;
    }
    async function askOn(): Promise<void> {
      while (performance.now() < end) {
        const number = checks++ % domains;
        const address = addressOf(nameserversOf(zoneOf(number))[checks % 2] ?? 0);
        for (const pair of questionsOf(nameOf(number), records)) {
          await Promise.all(pair.map((question) => ask(question, address)));
        }
      }
    }
    await Promise.all(Array.from({ length: checksAtOnce }, askOn));
    client.close();
    return { checks, seconds: (performance.now() - began) / 1000, queries, queriesLost };
  },
};

export interface Ran {
  checks: number;
  seconds: number;
  queries: number;
  queriesLost: number;
}

export interface BareInput {
  /** Of the nameserver. */
  port: number;
  domains: number;
  checksAtOnce: number;
  seconds: number;
  records: 'absent' | 'wrong';
}

/** The queries of one check. Where the records are absent, it asks for the name with its zone doubled too. */
function questionsOf(name: string, records: 'absent' | 'wrong'): Question[][] {
  const both: Question[] = [
    { name: `_service.${name}`, type: 'TXT' },
    { name, type: 'A' },
  ];
  const zone = name.slice(name.indexOf('.') + 1);
  return records === 'wrong' ? [both] : [both, [{ name: `${name}.${zone}`, type: 'A' }]];
}

let opened: { store: Store; checking: Checking } | undefined;

function parts() {
  if (opened === undefined) throw new Error('nothing was opened');
  return opened;
}

export type VerifierPart = typeof methods;
offer(methods, async () => {
  await opened?.checking.close();
  await opened?.store.close();
});
