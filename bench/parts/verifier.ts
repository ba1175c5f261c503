import { setTimeout as delay } from 'node:timers/promises';
import type { Question } from '../../server/src/dns/protocol/wire.ts';
import { dnsClient } from '../../server/src/dns/transport/dns-client.ts';
import { WINDOW_MS } from '../../server/src/domain/domain.ts';
import type { Store } from '../../server/src/store/store.ts';
import { type Checking, prepareChecks, type Report } from '../checking.ts';
import { importSource } from '../checkout.ts';
import { offer } from '../part.ts';
import type { Population } from '../population.ts';
import { addressOf, nameOf, nameserversOf, zoneOf } from '../zone.ts';

/**
 * The verifier in a process of its own, as with `NAMEPLATE_ROLES=verifier`; and the bare loop of queries it is held
 * against.
 */
const methods = {
  async open({ path, ...options }: { path: string; port: number; checkIntervalMs: number }): Promise<void> {
    const { sqliteStore } = await importSource('sqlite');
    const store = await sqliteStore({ path });
    opened = { store, checking: await prepareChecks(store, options) };
  },

  /** Checks until the end of the process. */
  start: () => parts().checking.start(),

  /** Checks until so many are done, so that the compilers have settled and the caches know what they can hold. */
  async warmUp(checks: number): Promise<void> {
    const { checking } = parts();
    checking.start();
    for (let done = 0; done < checks; done += (await checking.report()).checks) await delay(100);
    await checking.stop();
    await checking.report();
  },

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

  find: ({ ids, zones }: Population, number: number) =>
    parts().store.findDomainByName(ids.workspaceId, nameOf(number, zones)),

  /** Asks for a check at once, as domains.verifyDomain does. Resolves with the time, Unix ms. */
  async retry({ ids }: Population, domainId: string): Promise<number> {
    const now = Date.now();
    await parts().store.retryVerification(ids.workspaceId, domainId, now, WINDOW_MS);
    return now;
  },

  /**
   * Sends as many queries as checks do, two at a time, of so many checks at a time, and does nothing with the
   * responses.
   */
  async ask({ port, domains, zones, checksAtOnce, seconds, queriesPerCheck }: BareInput): Promise<Ran> {
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
        const name = nameOf(number, zones);
        const address = addressOf(nameserversOf(zoneOf(number, zones))[checks % 2] ?? 0);
        const asked = Math.floor(checks * queriesPerCheck) - Math.floor((checks - 1) * queriesPerCheck);
        for (let left = asked; left > 0; left -= 2) {
          await Promise.all(
            questionsOf(name)
              .slice(0, left)
              .map((question) => ask(question, address)),
          );
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
  /** Port of the nameserver. */
  port: number;
  domains: number;
  zones: number;
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
