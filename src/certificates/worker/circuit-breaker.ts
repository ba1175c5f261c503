import type { Clock } from '../../clock.ts';
import { LONGEST_WAIT_MS } from '../../domain/certificate-state.ts';
import type { Log } from '../../log.ts';
import type { CertificateStore } from '../../store/contract/store.ts';
import type { CaProblem } from '../issuer.ts';
import { circuitBreakerMs } from '../policy/backoff.ts';
import type { CaBlocker } from '../policy/blocker.ts';
import type { Blocked } from './attempt-result.ts';

/** Leaves a CA in trouble alone for a while. Its state is saved with the account, for all nodes; without an account it is local to this process. */
export interface CircuitBreaker {
  /** Null: the circuit is closed, and the CA may be asked. */
  find(issuer: string): Promise<Blocked | null>;
  /** Opens the circuit, for longer each time. `isFirst`: this process had no trouble with the CA before. */
  open(issuer: string, problem: CaProblem): Promise<Blocked & { isFirst: boolean }>;
  /** Closes the circuit: the CA has answered. */
  close(issuer: string): Promise<void>;
}

interface CircuitBreakerOptions {
  store: Pick<CertificateStore, 'findCaAccount' | 'updateCaAccount'>;
  clock: Clock;
  random: () => number;
  log: Log;
}

/** An account problem needs the operator, which takes a while. */
const ACCOUNT_MS = 3_600_000;

export function createCircuitBreaker({ store, clock, random, log }: CircuitBreakerOptions): CircuitBreaker {
  /** By issuer. `failures`: in a row. */
  const circuits = new Map<string, Blocked & { failures: number }>();

  /** A time further ahead than any wait was written by a clock that has been set back. */
  function isAhead(until: number): boolean {
    const now = clock.now();
    return now < until && until <= now + LONGEST_WAIT_MS;
  }

  return {
    async find(issuer) {
      const own = circuits.get(issuer);
      const account = await store.findCaAccount(issuer);
      const until = [account?.pausedUntil ?? 0, own?.until ?? 0].find(isAhead);
      if (until === undefined) return null;
      const blocker = own?.blocker ?? { reason: 'ca_unavailable', message: account?.problem ?? '' };
      return { blocker, until, allNames: true };
    },

    async open(issuer, problem) {
      const { kind, message, retryAfterMs } = problem;
      const own = circuits.get(issuer);
      const isOpen = own !== undefined && isAhead(own.until);
      // Orders that were in flight together fail for the same reason.
      const failures = (own?.failures ?? 0) + (isOpen ? 0 : 1);
      const asked = kind === 'account' ? Math.max(retryAfterMs ?? 0, ACCOUNT_MS) : retryAfterMs;
      const saved = (await store.findCaAccount(issuer))?.pausedUntil ?? 0;
      const others = [saved, own?.until ?? 0].filter(isAhead);
      const until = Math.max(clock.now() + circuitBreakerMs(failures, random(), asked), ...others);
      const blocked: Blocked = { blocker: { reason: reasonOf(problem), message }, until, allNames: true };
      circuits.set(issuer, { ...blocked, failures });
      if (!isOpen) log.warn({ issuer, kind, until: new Date(until).toISOString() }, message);
      await store.updateCaAccount(issuer, { pausedUntil: until, problem: message });
      return { ...blocked, isFirst: own === undefined };
    },

    async close(issuer) {
      const own = circuits.get(issuer);
      // A request that began before the circuit opened does not close it.
      if (own !== undefined && isAhead(own.until)) return;
      circuits.delete(issuer);
      const account = await store.findCaAccount(issuer);
      if (account === null || account.problem === null || isAhead(account.pausedUntil ?? 0)) return;
      await store.updateCaAccount(issuer, { pausedUntil: null, problem: null });
      log.info({ issuer }, 'the certificate authority is available again');
    },
  };
}

function reasonOf({ kind }: CaProblem): CaBlocker['reason'] {
  if (kind === 'rate_limited') return 'ca_rate_limited';
  return kind === 'account' ? 'ca_account' : 'ca_unavailable';
}
