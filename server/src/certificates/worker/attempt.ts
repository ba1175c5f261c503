import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Resolver } from '../../dns/resolver.ts';
import {
  type ChallengeType,
  IMPORTED,
  isBeforeChallenge,
  problemWhileOrdering,
} from '../../domain/certificate-state.ts';
import type {
  Certificate,
  CertificateOrder,
  CertificateStore,
  DueCertificate,
  IssuedCertificate,
} from '../../store/store.ts';
import { CaProblem, ChallengeNotOffered, type Issuer, ReplacesRefused } from '../issuer.ts';
import { afterMs, recheckMs } from '../policy/backoff.ts';
import type { Blocker } from '../policy/blocker.ts';
import {
  isExempt,
  isRenewalDue,
  isSuggestionDue,
  nextDueAt,
  suggestedWindow,
  unchangedWindow,
} from '../policy/renewal.ts';
import { checkCaa } from '../preflight/check-caa.ts';
import {
  type AttemptResult,
  type Blocked,
  blockedBy,
  blockedSince,
  orderingState,
  unchanged,
} from './attempt-result.ts';
import type { ChallengeChooser } from './challenge-chooser.ts';
import { ChallengeBlocked } from './challenge-responses.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import type { Fallback } from './fallback.ts';
import type { Lease } from './lease.ts';
import type { Orders } from './place-order.ts';

interface AttemptOptions {
  store: Pick<CertificateStore, 'findCaAccount' | 'findFallback'>;
  /** In order of preference. */
  issuers: readonly Issuer[];
  orders: Orders;
  circuitBreaker: CircuitBreaker;
  fallback: Fallback;
  /** Chooses the type of challenge, with what it has to check for that. */
  chooserFor(due: DueCertificate, signal: AbortSignal): ChallengeChooser;
  resolver: Pick<Resolver, 'lookupCaa'>;
  clock: Clock;
  random: () => number;
  log: Log;
}

/**
 * Resumes an order, updates a renewal window, or orders a certificate. Rejects with the reason of the lease's signal,
 * or with the store's error.
 */
type Attempt = (due: DueCertificate, lease: Lease) => Promise<AttemptResult>;

/** One certificate at one CA. */
interface Work {
  due: DueCertificate;
  issuer: Issuer;
  /** Null until it has begun. */
  order: CertificateOrder | null;
}

export function createAttempt(options: AttemptOptions): Attempt {
  const { store, issuers, orders, circuitBreaker, fallback, chooserFor, resolver, clock, random, log } = options;

  async function attempt(due: DueCertificate, lease: Lease): Promise<AttemptResult> {
    const { certificate, order } = due;
    const issuer = order?.url ? issuers.find(({ id }) => id === order.issuer) : undefined;
    if (order !== null && issuer !== undefined && (await circuitBreaker.find(issuer.id)) === null) {
      return resume(due, issuer, order, lease);
    }
    if (order === null && certificate.issued !== null && !isRenewalDue(certificate.issued, clock.now())) {
      return updateWindow(certificate, certificate.issued);
    }
    const fallback =
      order === null && certificate.issued !== null && (await fallbackOf(certificate, certificate.issued));
    return fallback || obtain(due, lease);
  }

  /** Puts the managed certificate behind an imported one in use again, where it lasts longer: that costs no order. */
  async function fallbackOf(
    { hostname, selfCheck }: Certificate,
    { issuer, notAfter }: IssuedCertificate,
  ): Promise<AttemptResult | null> {
    const issued = issuer === IMPORTED ? await store.findFallback(hostname) : null;
    if (issued === null || issued.notAfter <= notAfter) return null;
    const nextTryAt = nextDueAt(issued.renewal, clock.now());
    return { state: 'issued', problem: null, selfCheck, failures: 0, nextTryAt, issued };
  }

  /** Asks the CA for its renewal window, if that is due. */
  async function updateWindow({ hostname, selfCheck }: Certificate, issued: IssuedCertificate): Promise<AttemptResult> {
    const issuer = issuers.find(({ id }) => id === issued.issuer);
    let { renewal } = issued;
    if (issuer !== undefined && isSuggestionDue(renewal, clock.now())) {
      const suggestion = await issuer.renewalInfo(issued.chain).catch((error: unknown) => {
        if (!(error instanceof CaProblem)) throw error;
        log.debug({ domain: hostname, issuer: issuer.id }, error.message);
        return null;
      });
      renewal =
        suggestion === null
          ? unchangedWindow(renewal, clock.now(), random())
          : suggestedWindow(issued, suggestion, clock.now(), random());
    }
    const nextTryAt = nextDueAt(renewal, clock.now());
    return { state: 'issued', problem: null, selfCheck, failures: 0, renewal, nextTryAt };
  }

  /** Orders a certificate from the first CA that may issue one. */
  async function obtain(due: DueCertificate, lease: Lease): Promise<AttemptResult> {
    const chooser = chooserFor(due, lease.signal);
    const blocked: Blocked[] = [];
    let selfCheck = due.certificate.selfCheck;
    for (const issuer of inOrder(due.certificate)) {
      const work = { due, issuer, order: null };
      const result = issuer.validatesNames
        ? await orderByChoice(chooser, work, null, lease)
        : await orderBy('http-01', work, lease);
      if (!('blocker' in result)) return result;
      blocked.push(result);
      if (issuer.validatesNames) ({ selfCheck } = chooser);
    }
    return wait({ ...due, certificate: { ...due.certificate, selfCheck } }, blocked);
  }

  /** A renewal that its CA exempts from its limits is ordered there first: at another one it would be a new order. */
  function inOrder({ issued }: Certificate): readonly Issuer[] {
    if (issued === null || !isExempt(issued.renewal, clock.now())) return issuers;
    const own = issuers.filter(({ id }) => id === issued.issuer);
    return [...own, ...issuers.filter((issuer) => !own.includes(issuer))];
  }

  /** Goes on by the type of challenge that the CA may have been told of. If it was told of none, one is chosen anew. */
  async function resume(due: DueCertificate, issuer: Issuer, order: CertificateOrder, lease: Lease) {
    const { problem, challenge } = due.certificate;
    const begunBy = problem !== null && isBeforeChallenge(problem) ? null : (challenge ?? 'http-01');
    const result = await orderByChoice(chooserFor(due, lease.signal), { due, issuer, order }, begunBy, lease);
    return 'blocker' in result ? wait(due, [result]) : result;
  }

  /**
   * Orders by the first type of challenge that works. A type that the CA does not offer, that CAA forbids, or that the
   * CA would not see is given up before the CA is told of it; then the order goes on by another. `begunBy` comes first.
   */
  async function orderByChoice(
    chooser: ChallengeChooser,
    work: Work,
    begunBy: ChallengeType | null,
    lease: Lease,
  ): Promise<AttemptResult | Blocked> {
    const refusals = new Map<ChallengeType, Blocker>();
    let isUnoffered = false;
    for (let first = begunBy; ; first = null) {
      const choice = first === null ? await chooser.choose(refusals) : { challenge: first };
      const { certificate } = work.due;
      if (first === null) work.due = { ...work.due, certificate: { ...certificate, selfCheck: chooser.selfCheck } };
      if ('blocker' in choice) {
        const blocked = recheck(certificate, choice.blocker);
        if (work.order === null) return blocked;
        if (isUnoffered && (await fallback.skip(certificate.hostname, work.issuer, blocked))) {
          const now = clock.now();
          return { ...unchanged(certificate, now), state: orderingState(certificate, now), orderOutcome: 'failed' };
        }
        // Another CA would not see it either, and an order in flight is not given up for that.
        return wait({ ...work.due, order: work.order }, [blocked]);
      }
      try {
        return await orderBy(choice.challenge, work, lease);
      } catch (error) {
        refusals.set(choice.challenge, refusalIn(error));
        isUnoffered ||= error instanceof ChallengeNotOffered;
      }
    }
  }

  /** Rejects as `orders.finish` does; then the order of `work` is in flight. */
  async function orderBy(challenge: ChallengeType, work: Work, lease: Lease): Promise<AttemptResult | Blocked> {
    const { issuer } = work;
    if (work.order !== null) return orders.finish(work.due, issuer, work.order, challenge, lease);
    const blocked = await preflight(issuer, work.due.certificate, challenge, lease.signal);
    if (blocked?.blocker.reason === 'caa_forbids' && blocked.blocker.because === 'method')
      throw new ChallengeBlocked(blocked.blocker);
    if (blocked !== null) return blocked;
    const problem = problemWhileOrdering(work.due.certificate.problem);
    const due = { ...work.due, certificate: { ...work.due.certificate, problem } };
    const begun = await askCa(issuer, () => orders.begin(due, issuer, challenge, lease));
    if ('blocker' in begun) return begun;
    work.order = begun;
    try {
      return await orders.finish(due, issuer, begun, challenge, lease);
    } catch (error) {
      if (!(error instanceof ReplacesRefused)) throw error;
      // After another order, `begin` names no certificate to replace. Only once: each order costs an entry in the
      // ledger.
      const other = await askCa(issuer, () => orders.begin({ ...due, order: begun }, issuer, challenge, lease));
      if ('blocker' in other) return other;
      work.order = other;
      return orders.finish(due, issuer, other, challenge, lease);
    }
  }

  /** Null: the CA may be asked. */
  async function preflight(
    issuer: Issuer,
    certificate: Certificate,
    challenge: ChallengeType,
    signal: AbortSignal,
  ): Promise<Blocked | null> {
    const { hostname } = certificate;
    const skipped = fallback.findSkipped(hostname, issuer);
    if (skipped !== null) return skipped;
    const open = await circuitBreaker.find(issuer.id);
    if (open !== null) return { ...open, until: later(open.until) };
    return askCa(issuer, async () => {
      const names = await issuer.caaNames();
      if (names.length === 0) return null;
      const ca = { names, accountUrl: (await store.findCaAccount(issuer.id))?.url ?? null };
      const forbidden = await checkCaa(resolver, hostname, ca, challenge, signal);
      return forbidden && recheck(certificate, forbidden);
    });
  }

  /** Opens the circuit of a CA that fails before an order has begun. */
  async function askCa<T>(issuer: Issuer, work: () => Promise<T>): Promise<T | Blocked> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof CaProblem)) throw error;
      const { isFirst: _, ...open } = await circuitBreaker.open(issuer.id, error);
      return { ...open, until: later(open.until) };
    }
  }

  /** No CA may be asked: the next attempt is when the first blocker may be gone. */
  function wait({ certificate, order }: DueCertificate, blocked: Blocked[]): AttemptResult {
    const now = clock.now();
    const [first] = blocked;
    if (first === undefined) return unchanged(certificate, later(now + 60_000));
    const { hostname, selfCheck, failures, issued } = certificate;
    const { state, problem } = blockedBy(first.blocker, certificate, now);
    const { reason, message } = problem;
    if (reason !== certificate.problem?.reason) log.info({ domain: hostname, reason }, message);
    const nextTryAt = Math.min(...blocked.map(({ until }) => until));
    // An order without a URL, or at a CA that is no longer configured, cannot be resumed.
    const isLost = order !== null && (order.url === null || issuers.every(({ id }) => id !== order.issuer));
    return {
      state,
      problem,
      selfCheck,
      failures,
      nextTryAt,
      ...(isLost && { orderOutcome: 'failed' }),
      ...(issued === null && blocked.every(({ allNames }) => allNames) && { newNamesBlockedUntil: nextTryAt }),
    };
  }

  function recheck(certificate: Certificate, blocker: Blocker): Blocked {
    const now = clock.now();
    const sinceMs = now - blockedSince(blocker.reason, certificate, now);
    return { blocker, until: now + recheckMs(sinceMs, random()), allNames: false };
  }

  /** With jitter: names that wait for the same time do not come together. */
  function later(until: number): number {
    const now = clock.now();
    return now + afterMs(until - now, random());
  }

  return attempt;
}

/** Why a type of challenge is given up. Throws any other error. */
function refusalIn(error: unknown): Blocker {
  if (error instanceof ChallengeBlocked) return error.blocker;
  if (error instanceof ChallengeNotOffered) return { reason: 'ca_refused', message: error.message };
  throw error;
}
