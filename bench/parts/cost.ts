import { CHECK_INTERVAL_MS } from '../../src/domain/schedule.ts';
import { createLog } from '../../src/log.ts';
import { createMetrics } from '../../src/metrics.ts';
import type { Store } from '../../src/store/contract/store.ts';
import { sqliteStore } from '../../src/store/sqlite/sqlite.ts';
import { createVerifier, type Verifier } from '../../src/verification/verifier.ts';
import { fixedLooks } from '../../test/support/fixed-looks.ts';
import { cpuMicros, offer } from '../part.ts';
import { apexOf, type Population } from '../population.ts';

/** Checks on the real store and schedule, under a clock that runs as fast as they do, with a resolver that costs nothing. */
const methods = {
  async open({ path, domains, createdAt }: Population): Promise<void> {
    // A claim finds as many checks due with a thousand domains as with a million.
    tickMs = (CHECK_INTERVAL_MS * CLAIMED_AT_ONCE) / domains;
    nowMs = createdAt;
    const clock = { now: () => Math.floor(nowMs) };
    store = await sqliteStore({ path, clock });
    const options = { clock, random: Math.random, log: createLog('warn'), metrics: createMetrics() };
    verifier = createVerifier({ ...options, store, resolver: nothingThere, maxInFlight: 2 * CLAIMED_AT_ONCE });
  },

  /** CPU-µs of a check, over so many of them. */
  async measure(checks: number): Promise<number> {
    if (verifier === undefined) throw new Error('nothing was opened');
    const before = cpuMicros();
    let done = 0;
    while (done < checks) {
      nowMs += tickMs;
      done += await verifier.runOnce();
    }
    return (cpuMicros() - before) / done;
  },
};

const CLAIMED_AT_ONCE = 250;

const nothingThere = fixedLooks(() => ({ kind: 'absent', reason: 'nxdomain', chain: [] }), apexOf);

let nowMs = 0;
let tickMs = 0;
let store: Store | undefined;
let verifier: Verifier | undefined;

export type Cost = typeof methods;
offer(methods, () => store?.close());
