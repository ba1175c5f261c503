import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { type ChallengeType, lifetimeWindow } from '../../domain/certificate-state.ts';
import { registrableDomain } from '../../domain/name.ts';
import { baseName } from '../../domain/wildcard.ts';
import type { CaLimit, Certificate, CertificateOrder, DueCertificate, Store } from '../../store/store.ts';
import { CaProblem, ChallengeNotOffered, caHost, type Issuer, ReplacesRefused } from '../issuer.ts';
import { afterMs, backoffMs } from '../policy/backoff.ts';
import { budget } from '../policy/budget.ts';
import type { OwnDns } from '../policy/challenge-place.ts';
import { isExempt, longestBackoffMs, nextDueAt, quietUntil, urgencyOf } from '../policy/renewal.ts';
import type { AwaitDnsChallenge } from '../preflight/await-dns-challenge.ts';
import { readChain } from '../x509/certificate-chain.ts';
import { newPrivateKey, readPrivateKey } from '../x509/private-key.ts';
import { type AttemptResult, type Blocked, blockedBy, orderingState, unchanged } from './attempt-result.ts';
import type { CertificateMetrics } from './certificate-metrics.ts';
import { ChallengeBlocked, type ChallengeResponses, challengeResponses } from './challenge-responses.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import type { Fallback } from './fallback.ts';
import { type Lease, LeaseLost } from './lease.ts';

export interface Orders {
  /**
   * Adds an order to the ledger and saves it. After another order, the new one replaces no certificate and is not
   * exempt. Rejects with the reason of the lease's signal, or with `CaProblem`.
   */
  begin(
    due: DueCertificate,
    issuer: Issuer,
    challenge: ChallengeType,
    lease: Lease,
  ): Promise<CertificateOrder | Blocked>;
  /**
   * Takes a begun order to its end, and sets its URL once the CA has given one. Rejects with the reason of the lease's signal, with `ReplacesRefused`, with
   * `ChallengeNotOffered`, `ChallengeBlocked` or the store's error; then the order stays in flight.
   */
  finish(
    due: DueCertificate,
    issuer: Issuer,
    order: CertificateOrder,
    challenge: ChallengeType,
    lease: Lease,
  ): Promise<AttemptResult>;
}

interface OrdersOptions {
  store: Pick<Store, 'beginOrder' | 'saveOrderUrl' | 'putChallenge' | 'addDnsChallenge' | 'removeDnsChallenge'>;
  ownDns?: OwnDns | null;
  /** Null: our servers answer no challenges. */
  awaitDns: AwaitDnsChallenge | null;
  circuitBreaker: CircuitBreaker;
  fallback: Fallback;
  /** As published by each ACME CA. */
  limits: readonly CaLimit[];
  clock: Clock;
  random: () => number;
  log: Log;
  metrics: CertificateMetrics;
}

const DAY_MS = 24 * 3_600_000;
/** An order that the CA has not completed by then is given up. */
const ORDER_LIFE_MS = 2 * DAY_MS;

export function createOrders(options: OrdersOptions): Orders {
  const { store, circuitBreaker, fallback, limits, clock, random, log, metrics } = options;
  const responsesTo = challengeResponses(options);

  async function begin(
    { certificate, order: previous }: DueCertificate,
    issuer: Issuer,
    challenge: ChallengeType,
    lease: Lease,
  ) {
    const { hostname, issued } = certificate;
    const registeredDomain = registeredDomainOf(hostname);
    const now = clock.now();
    // The CA accepts one replacement per certificate: the previous order may have used it up, or the CA refused it.
    const mayReplace = previous === null && issued?.issuer === issuer.id;
    const replaces = mayReplace ? await issuer.renewalId(issued.chain) : null;
    const exempt = replaces !== null && issued !== null && isExempt(issued.renewal, now);
    const privateKey = newPrivateKey();
    const order: CertificateOrder = { hostname, issuer: issuer.id, url: null, privateKey, replaces, startedAt: now };
    lease.signal.throwIfAborted();
    const begun = await store.beginOrder({
      lease: lease.token,
      order,
      entry: { issuer: issuer.id, hostname: baseName(hostname), registeredDomain, exempt },
      limits: issuer.validatesNames ? budget(limits, urgencyOf(issued, now)) : [],
      challenge: issuer.validatesNames ? challenge : null,
      shown: { problem: certificate.problem, selfCheck: certificate.selfCheck },
      now,
    });
    if (begun.kind === 'lost') throw new LeaseLost();
    if (begun.kind !== 'limit_reached') return order;
    const { limit, until } = begun;
    const waitMs = Math.min(Math.max(until - now, 0), DAY_MS);
    return {
      blocker: { reason: 'budget_spent', limit, ca: caHost(issuer), registeredDomain } as const,
      until: Math.min(now + afterMs(waitMs, random()), quietUntil(issued, now)),
      allNames: limit === 'orders',
    };
  }

  async function finish(
    due: DueCertificate,
    issuer: Issuer,
    order: CertificateOrder,
    challenge: ChallengeType,
    lease: Lease,
  ): Promise<AttemptResult> {
    const responses = responsesTo(due, lease.signal);
    try {
      const result = await goOn(due, issuer, order, challenge, lease, responses);
      if (result.orderOutcome !== undefined) await responses.withdraw();
      return result;
    } catch (error) {
      if (error instanceof ChallengeBlocked) await responses.withdraw();
      throw error;
    }
  }

  async function goOn(
    due: DueCertificate,
    issuer: Issuer,
    order: CertificateOrder,
    challenge: ChallengeType,
    lease: Lease,
    responses: ChallengeResponses,
  ): Promise<AttemptResult> {
    const { hostname, privateKey, replaces } = order;
    try {
      const { chain } = await issuer.issue({
        hostname,
        privateKey,
        orderUrl: order.url,
        replaces,
        challenge,
        signal: lease.signal,
        ensureLease: lease.ensure,
        async onOrder(created) {
          if ((await store.saveOrderUrl(hostname, lease.token, created)) === 'lost') throw new LeaseLost();
          order.url = created;
        },
        present: responses.publish,
      });
      lease.signal.throwIfAborted();
      const issued = await succeed(due.certificate, issuer, order, chain);
      return issuer.validatesNames ? { ...issued, challenge } : issued;
    } catch (error) {
      lease.signal.throwIfAborted();
      // An error on our side proves nothing about the order: it stays in flight, and is resumed when the lease has
      // expired.
      const isFinal = !(error instanceof ReplacesRefused || error instanceof ChallengeNotOffered);
      if (!(error instanceof CaProblem && isFinal)) throw error;
      return fail(due, issuer, order, challenge, error);
    }
  }

  async function succeed(
    { hostname, issued: previous, selfCheck }: Certificate,
    issuer: Issuer,
    { privateKey, startedAt }: CertificateOrder,
    pem: string,
  ): Promise<AttemptResult> {
    const now = clock.now();
    const { chain, notBefore, notAfter } = readChain(pem, { hostname, key: readPrivateKey(privateKey), now });
    await circuitBreaker.close(issuer.id);
    const ca = caHost(issuer);
    metrics.certificateOrders.inc({ issuer: ca, outcome: 'issued' });
    metrics.certificateSeconds.observe({ issuer: ca }, Math.max(0, now - startedAt) / 1000);
    const line = { domain: hostname, issuer: issuer.id, notAfter: new Date(notAfter).toISOString() };
    log.info(line, previous === null ? 'certificate issued' : 'certificate renewed');
    const renewal = lifetimeWindow({ notBefore, notAfter }, now, random(), issuer.validatesNames);
    return {
      state: 'issued',
      problem: null,
      selfCheck,
      failures: 0,
      nextTryAt: nextDueAt(renewal, now),
      orderOutcome: 'issued',
      issued: { issuer: issuer.id, chain, notBefore, notAfter, issuedAt: now, renewal, privateKey },
    };
  }

  async function fail(
    { certificate, order: claimed }: DueCertificate,
    issuer: Issuer,
    order: CertificateOrder,
    challenge: ChallengeType,
    problem: CaProblem,
  ): Promise<AttemptResult> {
    const { hostname, issued, selfCheck } = certificate;
    const { kind, message, retryAfterMs } = problem;
    const now = clock.now();
    metrics.certificateOrders.inc({ issuer: caHost(issuer), outcome: kind });
    const open = await updateCircuit(issuer, problem, hostname);
    // The first server error of a CA may be the fault of this name.
    const isNamesFault = open === null || (open.isFirst && kind === 'unavailable');
    const failures = certificate.failures + (isNamesFault ? 1 : 0);
    const atMostMs = longestBackoffMs(issued, now);
    const waits = isNamesFault ? [backoffMs(failures, random(), { retryAfterMs, atMostMs })] : [];
    if (open !== null) waits.push(afterMs(open.until - now, random()));
    const nextTryAt = now + Math.max(...waits);

    const isResumable = kind === 'unavailable' && order.url !== null && now - order.startedAt < ORDER_LIFE_MS;
    const ended = isResumable ? {} : { orderOutcome: 'failed' as const };
    const failed = kind === 'authorization_failed' && { authorizationFailedAt: now };
    const blocker = { reason: REASONS[kind], message, challenge };
    log.info({ domain: hostname, issuer: issuer.id, kind, failures }, message);
    const retryNow = { ...unchanged(certificate, now), ...ended, ...failed, state: orderingState(certificate, now) };
    // As long as another CA may issue, the problem is not shown.
    const mayFallBack =
      kind !== 'order_gone' && (kind !== 'authorization_failed' || urgencyOf(issued, now) === 'emergency');
    if (mayFallBack && (await fallback.skip(hostname, issuer, { blocker, until: nextTryAt, allNames: false }))) {
      return { ...retryNow, failures };
    }
    // The CA has lost an order of an earlier attempt.
    if (kind === 'order_gone' && claimed?.url === order.url) return retryNow;
    return { ...blockedBy(blocker, certificate, now), selfCheck, failures, nextTryAt, ...ended, ...failed };
  }

  /** Opens the circuit if the CA is in trouble, or our account; otherwise closes it, and resolves with null. */
  async function updateCircuit(issuer: Issuer, problem: CaProblem, hostname: string) {
    const { kind } = problem;
    const isCas =
      kind === 'unavailable' || kind === 'account' || (kind === 'rate_limited' && !isAbout(hostname, problem));
    if (isCas) return circuitBreaker.open(issuer.id, problem);
    await circuitBreaker.close(issuer.id);
    return null;
  }

  return { begin, finish };
}

const REASONS = {
  rate_limited: 'ca_rate_limited',
  unavailable: 'ca_unavailable',
  account: 'ca_account',
  authorization_failed: 'authorization_failed',
  refused: 'ca_refused',
  order_gone: 'ca_unavailable',
} as const;

function registeredDomainOf(hostname: string): string {
  const name = baseName(hostname);
  return registrableDomain(name) ?? name;
}

/** Whether the CA's message names the registered domain, so that its rate limit is not one of the account. */
function isAbout(hostname: string, { message }: CaProblem): boolean {
  const domain = registeredDomainOf(hostname).replaceAll('.', '\\.');
  return new RegExp(`(?<![a-z0-9-])${domain}(?![a-z0-9-])`, 'i').test(message);
}
