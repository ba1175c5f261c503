import { setTimeout as delay } from 'node:timers/promises';
import { createLog } from '../../server/src/base/log.ts';
import { CHECK_INTERVAL_MS } from '../../server/src/domain/schedule.ts';
import { createMetrics } from '../../server/src/roles/metrics.ts';
import { postgresStore } from '../../server/src/store/engine/postgres/postgres.ts';
import type { Store } from '../../server/src/store/store.ts';
import { createVerifier, type Verifier } from '../../server/src/verification/verifier.ts';
import { fixedAnswers } from '../../test/support/fixed-answers.ts';
import { addressOf } from '../../test/support/postgres.ts';
import { cpuMicros, offer } from '../part.ts';
import type { PostgresPopulation } from '../postgres.ts';
import { apexOf } from '../zone.ts';

/** Checks on PostgreSQL, on the real schedule, under a clock that is set here, with a resolver that costs nothing. */
const methods = {
  async open({ url, domains, createdAt }: PostgresPopulation): Promise<void> {
    // A claim finds as many checks due with a thousand domains as with a million.
    tickMs = (CHECK_INTERVAL_MS * DUE_AT_ONCE) / domains;
    nowMs = createdAt;
    const clock = { now: () => Math.floor(nowMs), isTrusted: () => true };
    store = timing(await postgresStore({ address: addressOf(url), clock }));
    const options = { clock, random: Math.random, log: createLog('warn'), metrics: createMetrics() };
    verifier = createVerifier({ ...options, store, resolver });
  },

  /** Time runs as fast as the checks do. With `saving`, each check has seen something new. */
  async race({ seconds, saving }: { seconds: number; saving: boolean }): Promise<Raced> {
    records = saving ? 'wrong' : 'absent';
    const began = performance.now();
    const before = cpuMicros();
    let checks = 0;
    while (performance.now() - began < seconds * 1000) {
      nowMs += tickMs;
      checks += await opened().runOnce();
    }
    return { checks, cpuMicros: cpuMicros() - before, wallMicros: (performance.now() - began) * 1000 };
  },

  /** Time runs as it does, as many seconds. Resolves with how long each claim took. */
  async pace(seconds: number): Promise<Paced> {
    records = 'absent';
    claimsMs.length = 0;
    const before = nowMs;
    const began = performance.now();
    let checks = 0;
    for (let elapsedMs = 0; elapsedMs < seconds * 1000; elapsedMs = performance.now() - began) {
      nowMs = before + elapsedMs;
      checks += await opened().runOnce();
      await delay(POLL_MS);
    }
    return { checks, claimsMs: [...claimsMs] };
  },
};

export interface Raced {
  checks: number;
  /** CPU time of this process. */
  cpuMicros: number;
  wallMicros: number;
}

export interface Paced {
  checks: number;
  /** Duration of each claim. */
  claimsMs: number[];
}

const DUE_AT_ONCE = 400;
const POLL_MS = 250;

let records: 'absent' | 'wrong' = 'absent';
let wrongValues = 0;
const resolver = fixedAnswers(
  ({ type }) =>
    records === 'absent' || type !== 'TXT'
      ? { kind: 'absent', reason: 'nxdomain', chain: [] }
      : { kind: 'found', values: [`wrong-${++wrongValues}`], chain: [] },
  apexOf,
);

let nowMs = 0;
let tickMs = 0;
let store: Store | undefined;
let verifier: Verifier | undefined;
const claimsMs: number[] = [];

function opened(): Verifier {
  if (verifier === undefined) throw new Error('nothing was opened');
  return verifier;
}

/** The store, whose claims are timed. */
function timing(timed: Store): Store {
  return {
    ...timed,
    async claimDue(now, limit, ...rest) {
      const began = performance.now();
      const due = await timed.claimDue(now, limit, ...rest);
      claimsMs.push(performance.now() - began);
      return due;
    },
  };
}

export type PostgresChecks = typeof methods;
offer(methods, () => store?.close());
