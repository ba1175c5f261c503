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

  /** Asks as many queries as checks do, two at a time, of so many checks at a time, and does nothing with the answers. */
  async ask({ port, domains, checksAtOnce, seconds, queriesPerCheck }: BareInput): Promise<Ran> {
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
        const asked = Math.floor(checks * queriesPerCheck) - Math.floor((checks - 1) * queriesPerCheck);
        for (let left = asked; left > 0; left -= 2) {
          const questions = questionsOf(nameOf(number)).slice(0, left);
          await Promise.all(questions.map((question) => ask(question, address)));
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
  /** On average. */
  queriesPerCheck: number;
}

function questionsOf(name: string): Question[] {
  return [
    { name: `_service.${name}`, type: 'TXT' },
    { name, type: 'A' },
  ];
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
