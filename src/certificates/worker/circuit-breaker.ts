import type { Clock } from '../../clock.ts';
import { LONGEST_WAIT_MS } from '../../domain/certificate-state.ts';
import type { Log } from '../../log.ts';
import type { CertificateStore } from '../../store/contract/store.ts';
import type { CaProblem } from '../issuer.ts';
import { pauseMs } from '../policy/backoff.ts';
import type { Obstacle } from '../policy/explain.ts';

/**
 * CAs that want nothing of us for a while, or that nothing is wanted of. A pause lies with the account in the store, for all nodes; as long as there is no
 * account, it holds for this process.
 */
export interface Pauses {
  /** Until when a CA is paused, and why; null: it is not. */
  find(issuer: string): Promise<Pause | null>;
  /** A CA is in trouble, or we are with it: it is paused, for longer each time. Resolves with how it stood before. */
  pause(issuer: string, problem: CaProblem): Promise<{ wasWell: boolean; until: number }>;
  /** A CA did what it was asked to, or said why not: it is there. */
  well(issuer: string): Promise<void>;
}

export interface Pause {
  until: number;
  obstacle: Extract<Obstacle, { said: string }>;
}

export interface PausesOptions {
  store: Pick<CertificateStore, 'findCaAccount' | 'updateCaAccount'>;
  clock: Clock;
  random: () => number;
  log: Log;
}

/** What a person has to mend takes a while. */
const ACCOUNT_MS = 3_600_000;

interface Known extends Pause {
  /** Times in a row. */
  troubles: number;
}

export function createPauses({ store, clock, random, log }: PausesOptions): Pauses {
  const known = new Map<string, Known>();

  /** A pause that ends further ahead than any does was begun by a clock that has been set back since. */
  function isOn(until: number): boolean {
    const now = clock.now();
    return now < until && until <= now + LONGEST_WAIT_MS;
  }

  return {
    async find(issuer) {
      const own = known.get(issuer);
      const account = await store.findCaAccount(issuer);
      const kept = account?.pausedUntil ?? 0;
      const until = isOn(kept) ? kept : (own?.until ?? 0);
      if (!isOn(until)) return null;
      const said = account?.problem ?? '';
      return { until, obstacle: own?.obstacle ?? { reason: 'ca_unavailable', said } };
    },

    async pause(issuer, problem) {
      const own = known.get(issuer);
      const wasOn = own !== undefined && isOn(own.until);
      // Orders that were under way at the same time fail for the same reason.
      const troubles = wasOn ? own.troubles : (own?.troubles ?? 0) + 1;
      const asked = problem.kind === 'account' ? Math.max(problem.retryAfterMs ?? 0, ACCOUNT_MS) : problem.retryAfterMs;
      const kept = (await store.findCaAccount(issuer))?.pausedUntil ?? 0;
      const others = [kept, own?.until ?? 0].filter(isOn);
      const until = Math.max(clock.now() + pauseMs(troubles, random(), asked), ...others);
      known.set(issuer, { troubles, until, obstacle: { reason: reasonOf(problem), said: problem.message } });
      if (!wasOn) log.warn({ issuer, kind: problem.kind, until: new Date(until).toISOString() }, problem.message);
      await store.updateCaAccount(issuer, { pausedUntil: until, problem: problem.message });
      return { wasWell: own === undefined, until };
    },

    async well(issuer) {
      const own = known.get(issuer);
      // What was under way when a pause began does not end it.
      if (own !== undefined && isOn(own.until)) return;
      known.delete(issuer);
      const account = await store.findCaAccount(issuer);
      if (account === null || account.problem === null || isOn(account.pausedUntil ?? 0)) return;
      await store.updateCaAccount(issuer, { pausedUntil: null, problem: null });
      log.info({ issuer }, 'the certificate authority is asked again');
    },
  };
}

function reasonOf({ kind }: CaProblem): Pause['obstacle']['reason'] {
  if (kind === 'rate_limited') return 'ca_rate_limited';
  return kind === 'account' ? 'ca_account' : 'ca_unavailable';
}
