import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Resolver } from '../../dns/resolver.ts';
import { type ChallengeType, problemWhileOrdering } from '../../domain/certificate-state.ts';
import type { Certificate, CertificateStore, DueCertificate, IssuedCertificate } from '../../store/store.ts';
import type { SelfChecker } from '../../verification/observation/self-check.ts';
import { CaProblem, type Issuer, ReplacesRefused } from '../issuer.ts';
import { type AddressPolicy, addressPolicy } from '../policy/address-rule.ts';
import { afterMs, recheckMs } from '../policy/backoff.ts';
import type { Blocker } from '../policy/blocker.ts';
import { isRenewalDue, isSuggestionDue, nextDueAt, suggestedWindow, unchangedWindow } from '../policy/renewal.ts';
import { checkCaa } from '../preflight/check-caa.ts';
import { type CheckedRouting, checkedRouting, UNCHECKED_ROUTING } from '../preflight/routing-blocker.ts';
import { type AttemptResult, type Blocked, blockedBy, blockedSince, unchanged } from './attempt-result.ts';
import type { CertificateMetrics } from './certificate-metrics.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import type { Fallback } from './fallback.ts';
import type { Lease } from './lease.ts';
import type { Orders } from './place-order.ts';

interface AttemptOptions {
  store: Pick<CertificateStore, 'findCaAccount'>;
  /** In order of preference. */
  issuers: readonly Issuer[];
  orders: Orders;
  circuitBreaker: CircuitBreaker;
  fallback: Fallback;
  /** Null: this machine cannot check itself. */
  checkSelf: SelfChecker | null;
  /** For names with several addresses. */
  multiAddress: AddressPolicy;
  resolver: Pick<Resolver, 'lookupCaa'>;
  clock: Clock;
  random: () => number;
  log: Log;
  metrics: Pick<CertificateMetrics, 'certificateToleratedAddresses'>;
}

/**
 * Resumes an order, updates a renewal window, or orders a certificate. Rejects with the reason of the lease's signal,
 * or with the store's error.
 */
type Attempt = (due: DueCertificate, lease: Lease) => Promise<AttemptResult>;

export function createAttempt(options: AttemptOptions): Attempt {
  const { store, issuers, orders, circuitBreaker, fallback, checkSelf, resolver, clock, random, log, metrics } =
    options;

  async function attempt(due: DueCertificate, lease: Lease): Promise<AttemptResult> {
    const { certificate, order } = due;
    const issuer = order?.url ? issuers.find(({ id }) => id === order.issuer) : undefined;
    if (order !== null && issuer !== undefined && (await circuitBreaker.find(issuer.id)) === null) {
      return orders.finish(due, issuer, order, certificate.challenge ?? 'http-01', lease);
    }
    if (order === null && certificate.issued !== null && !isRenewalDue(certificate.issued, clock.now())) {
      return updateWindow(certificate, certificate.issued);
    }
    return obtain(due, lease);
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
  async function obtain(claimed: DueCertificate, lease: Lease): Promise<AttemptResult> {
    let due = claimed;
    let checked: CheckedRouting | null = null;
    const blocked: Blocked[] = [];
    for (const issuer of issuers) {
      if (issuer.validatesNames && checked === null) {
        checked = await checkRouting(due.certificate, lease.signal);
        due = { ...due, certificate: { ...due.certificate, selfCheck: checked.selfCheck } };
      }
      const routing = issuer.validatesNames ? (checked?.blocker ?? null) : null;
      const result =
        (await preflight(issuer, due.certificate, routing, lease.signal)) ??
        (await orderFrom(issuer, due, 'http-01', lease));
      if (!('blocker' in result)) return result;
      blocked.push(result);
    }
    return wait(due, blocked);
  }

  async function checkRouting(certificate: Certificate, signal: AbortSignal): Promise<CheckedRouting> {
    if (checkSelf === null) return UNCHECKED_ROUTING;
    const { hostname, authorizationFailedAt } = certificate;
    const result = await checkSelf(hostname, signal);
    const policy = addressPolicy(options.multiAddress, authorizationFailedAt, clock.now());
    const checked = checkedRouting(hostname, result, policy);
    if (checked.blocker === null && checked.tolerated.length > 0) {
      metrics.certificateToleratedAddresses.inc(checked.tolerated.length);
      log.warn(
        { domain: hostname, addresses: checked.tolerated },
        'an address of a name does not answer; another one does',
      );
    }
    return checked;
  }

  /** Null: the CA may be asked. `routing`: what the self-check found. */
  async function preflight(
    issuer: Issuer,
    certificate: Certificate,
    routing: Blocker | null,
    signal: AbortSignal,
  ): Promise<Blocked | null> {
    const { hostname } = certificate;
    if (routing !== null) return recheck(certificate, routing);
    const skipped = fallback.findSkipped(hostname, issuer);
    if (skipped !== null) return skipped;
    const open = await circuitBreaker.find(issuer.id);
    if (open !== null) return { ...open, until: later(open.until) };
    if (!issuer.validatesNames) return null;
    return askCa(issuer, async () => {
      const accountUrl = (await store.findCaAccount(issuer.id))?.url ?? null;
      const forbidden = await checkCaa(resolver, hostname, { names: await issuer.caaNames(), accountUrl }, signal);
      return forbidden && recheck(certificate, forbidden);
    });
  }

  async function orderFrom(
    issuer: Issuer,
    claimed: DueCertificate,
    challenge: ChallengeType,
    lease: Lease,
  ): Promise<AttemptResult | Blocked> {
    const problem = problemWhileOrdering(claimed.certificate.problem);
    const due = { ...claimed, certificate: { ...claimed.certificate, problem } };
    const begun = await askCa(issuer, () => orders.begin(due, issuer, challenge, lease));
    if ('blocker' in begun) return begun;
    try {
      return await orders.finish(due, issuer, begun, challenge, lease);
    } catch (error) {
      if (!(error instanceof ReplacesRefused)) throw error;
      // After another order, `begin` names no certificate to replace. Only once: each order costs an entry in the
      // ledger.
      const other = await askCa(issuer, () => orders.begin({ ...due, order: begun }, issuer, challenge, lease));
      return 'blocker' in other ? other : orders.finish(due, issuer, other, challenge, lease);
    }
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
