import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { LONGEST_WAIT_MS } from '../../domain/certificate-state.ts';
import type { CaAccount, CertificateStore } from '../../store/store.ts';
import type { CaProblem } from '../issuer.ts';
import { circuitBreakerMs } from '../policy/backoff.ts';
import type { CaBlocker } from '../policy/blocker.ts';
import type { Blocked } from './attempt-result.ts';

/**
 * Stops asking a CA that fails for a while. Its state is saved with the account, for all nodes; without an account it
 * is local to this process.
 */
export interface CircuitBreaker {
  /** Null: the circuit is closed, and the CA may be asked. */
  find(issuer: string): Promise<Blocked | null>;
  /** Opens the circuit, for longer each time. `isFirst`: this process had no trouble with the CA before. */
  open(issuer: string, problem: CaProblem): Promise<Blocked & { isFirst: boolean }>;
  /** Closes the circuit: the CA has answered. */
  close(issuer: string): Promise<void>;
  /** Whether a circuit that `find` or `open` last found open is closed now: its time is over, or somebody closed it. */
  isAnyClosed(): Promise<boolean>;
}

interface CircuitBreakerOptions {
  store: Pick<CertificateStore, 'findCaAccount' | 'updateCaAccount'>;
  clock: Clock;
  random: () => number;
  log: Log;
}

/** An account problem needs the operator, which takes a while. */
const ACCOUNT_MS = 3_600_000;
const UNKNOWN: CaBlocker = { reason: 'ca_unavailable', message: '' };

export function createCircuitBreaker({ store, clock, random, log }: CircuitBreakerOptions): CircuitBreaker {
  /** By issuer. `failures`: in a row. */
  const circuits = new Map<string, Blocked & { blocker: CaBlocker; failures: number }>();
  const foundOpen = new Set<string>();

  /** A time further ahead than any wait was written by a clock that has been set back. */
  function isAhead(until: number): boolean {
    const now = clock.now();
    return now < until && until <= now + LONGEST_WAIT_MS;
  }

  /**
   * Until when the circuit is open; 0: it is closed. What is saved counts for all nodes, so that the operator can close
   * it.
   */
  function openUntil(issuer: string, account: CaAccount | null): number {
    const until = (account === null ? circuits.get(issuer)?.until : account.pausedUntil) ?? 0;
    return isAhead(until) ? until : 0;
  }

  async function find(issuer: string): Promise<Blocked | null> {
    const account = await store.findCaAccount(issuer);
    const until = openUntil(issuer, account);
    if (until === 0) return null;
    foundOpen.add(issuer);
    const { reason, message } = account?.problem ?? circuits.get(issuer)?.blocker ?? UNKNOWN;
    return { blocker: { reason, message } as CaBlocker, until, allNames: true };
  }

  return {
    find,

    async open(issuer, problem) {
      const { kind, message, retryAfterMs } = problem;
      const account = await store.findCaAccount(issuer);
      const own = circuits.get(issuer);
      const saved = openUntil(issuer, account);
      const isOpen = own !== undefined && saved !== 0 && isAhead(own.until);
      // Orders that were in flight together fail for the same reason.
      const failures = (own?.failures ?? 0) + (isOpen ? 0 : 1);
      const asked = kind === 'account' ? Math.max(retryAfterMs ?? 0, ACCOUNT_MS) : retryAfterMs;
      const now = clock.now();
      const until = Math.max(now + circuitBreakerMs(failures, random(), asked), saved);
      const reason = reasonOf(problem);
      const blocked = { blocker: { reason, message }, until, allNames: true };
      circuits.set(issuer, { ...blocked, failures });
      if (!isOpen) log.warn({ issuer, kind, until: new Date(until).toISOString() }, message);
      foundOpen.add(issuer);
      const at = account?.problem?.reason === reason ? Math.min(account.problem.at, now) : now;
      await store.updateCaAccount(issuer, { pausedUntil: until, problem: { reason, message, at } });
      return { ...blocked, isFirst: own === undefined };
    },

    async close(issuer) {
      const account = await store.findCaAccount(issuer);
      // A request that began before the circuit opened does not close it.
      if (openUntil(issuer, account) !== 0) return;
      circuits.delete(issuer);
      if (account === null || account.problem === null) return;
      await store.updateCaAccount(issuer, { pausedUntil: null, problem: null });
      log.info({ issuer }, 'the certificate authority is available again');
    },

    async isAnyClosed() {
      let isAny = false;
      for (const issuer of [...foundOpen]) {
        if ((await find(issuer)) === null) isAny = foundOpen.delete(issuer);
      }
      return isAny;
    },
  };
}

function reasonOf({ kind }: CaProblem): CaBlocker['reason'] {
  if (kind === 'rate_limited') return 'ca_rate_limited';
  return kind === 'account' ? 'ca_account' : 'ca_unavailable';
}
