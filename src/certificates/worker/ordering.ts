import type { Clock } from '../../clock.ts';
import { registrableDomain } from '../../domain/name.ts';
import type { Log } from '../../log.ts';
import type { Metrics } from '../../metrics.ts';
import type {
  CaLimit,
  Certificate,
  CertificateOrder,
  CertificateStore,
  DueCertificate,
} from '../../store/contract/store.ts';
import { CaProblem, type Issuer, ReplacesRefused } from '../issuer.ts';
import { afterMs, backoffMs } from '../policy/backoff.ts';
import { spendable } from '../policy/budget.ts';
import type { Obstacle } from '../policy/explain.ts';
import {
  calmUntil,
  isAnnounced,
  lifetimeWindow,
  longestEmergencyWaitMs,
  nextLookAt,
  urgencyOf,
} from '../policy/renewal.ts';
import { readChain } from '../x509/certificate-chain.ts';
import { newPrivateKey, readPrivateKey } from '../x509/private-key.ts';
import type { Pauses } from './circuit-breaker.ts';
import type { Substitutes } from './fallback.ts';
import { type Lease, LeaseLost } from './lease.ts';
import { type Outcome, problemWith, stateOrdering, stateWith, unchanged } from './outcome.ts';

/** Orders, from the ledger to what becomes of them. */
export interface Ordering {
  /** Enters an order in the ledger and keeps it; after another, one that replaces no certificate and is not exempt. Rejects with what ended the lease, and with `CaProblem`. */
  begin(due: DueCertificate, issuer: Issuer, lease: Lease): Promise<CertificateOrder | Refusal>;
  /** Takes an order that was begun to its end. Rejects with what ended the lease, with `ReplacesRefused`, or with what the store rejects with; the order stays. */
  finish(due: DueCertificate, issuer: Issuer, order: CertificateOrder, lease: Lease): Promise<Outcome>;
}

/** Our own budget does not allow an order before. */
export interface Refusal {
  obstacle: Extract<Obstacle, { reason: 'budget_spent' }>;
  until: number;
}

export interface OrderingOptions {
  store: Pick<CertificateStore, 'beginOrder' | 'saveOrderUrl' | 'putChallenge'>;
  pauses: Pauses;
  substitutes: Substitutes;
  /** What every CA that looks at names allows. */
  limits: readonly CaLimit[];
  clock: Clock;
  random: () => number;
  log: Log;
  metrics: Metrics;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Answers are forgotten with their order; what is left behind, after so long. */
const CHALLENGE_KEPT_MS = DAY_MS;
/** A CA that has not done an order after so long never will. */
const GIVEN_UP_MS = 2 * DAY_MS;

export function createOrdering(options: OrderingOptions): Ordering {
  const { store, pauses, substitutes, limits, clock, random, log, metrics } = options;

  async function begin({ certificate, order: before }: DueCertificate, issuer: Issuer, lease: Lease) {
    const { hostname, issued } = certificate;
    const registeredDomain = registrableDomain(hostname) ?? hostname;
    const now = clock.now();
    // An order whose URL was lost may have taken the place, and the exemption with it; or the CA has refused it.
    const mayReplace = before === null && issued?.issuer === issuer.id;
    const replaces = mayReplace ? await issuer.renewalId(issued.chain) : null;
    const exempt = replaces !== null && issued !== null && isAnnounced(issued.renewal, now);
    const privateKey = newPrivateKey();
    const order: CertificateOrder = { hostname, issuer: issuer.id, url: null, privateKey, replaces, startedAt: now };
    lease.signal.throwIfAborted();
    const begun = await store.beginOrder({
      lease: lease.number,
      order,
      entry: { issuer: issuer.id, hostname, registeredDomain, exempt },
      limits: issuer.usesHttp01 ? spendable(limits, urgencyOf(issued, now)) : [],
      now,
    });
    if (begun.kind !== 'limit_reached') {
      if (begun.kind === 'lost') throw new LeaseLost();
      return order;
    }
    const { limit: by, until } = begun;
    const waitMs = Math.min(Math.max(until - now, 0), DAY_MS);
    const obstacle = { reason: 'budget_spent', by, ca: hostOf(issuer), registeredDomain } as const;
    return { obstacle, until: Math.min(now + afterMs(waitMs, random()), calmUntil(issued, now)) };
  }

  async function finish(due: DueCertificate, issuer: Issuer, order: CertificateOrder, lease: Lease): Promise<Outcome> {
    let { url } = order;
    const { hostname, privateKey, replaces } = order;
    try {
      const { chain } = await issuer.issue({
        hostname,
        privateKey,
        orderUrl: url,
        replaces,
        signal: lease.signal,
        alive: lease.alive,
        async onOrder(known) {
          if ((await store.saveOrderUrl(hostname, lease.number, known)) === 'lost') throw new LeaseLost();
          url = known;
        },
        async present(token, keyAuthorization) {
          const expiresAt = clock.now() + CHALLENGE_KEPT_MS;
          await store.putChallenge({ hostname, token, keyAuthorization, expiresAt });
        },
      });
      lease.signal.throwIfAborted();
      return await succeed(due.certificate, issuer, order, chain);
    } catch (error) {
      // The order stays, and is gone on with.
      lease.signal.throwIfAborted();
      // What is wrong on our own side says nothing about the order, which is gone on with when the lease has ended.
      if (!(error instanceof CaProblem) || error instanceof ReplacesRefused) throw error;
      return fail(due, issuer, { ...order, url }, error);
    }
  }

  async function succeed(
    { hostname, issued: before, selfCheck }: Certificate,
    issuer: Issuer,
    { privateKey, startedAt }: CertificateOrder,
    pem: string,
  ): Promise<Outcome> {
    const now = clock.now();
    const { chain, notBefore, notAfter } = readChain(pem, { hostname, key: readPrivateKey(privateKey), now });
    await pauses.well(issuer.id);
    const ca = hostOf(issuer);
    metrics.certificateOrders.inc({ issuer: ca, outcome: 'issued' });
    metrics.certificateSeconds.observe({ issuer: ca }, Math.max(0, now - startedAt) / 1000);
    const line = { domain: hostname, issuer: issuer.id, notAfter: new Date(notAfter).toISOString() };
    log.info(line, before === null ? 'certificate issued' : 'certificate renewed');
    const renewal = lifetimeWindow({ notBefore, notAfter }, now, random(), issuer.usesHttp01);
    return {
      state: 'issued',
      problem: null,
      selfCheck,
      failures: 0,
      nextTryAt: nextLookAt(renewal, now),
      orderOutcome: 'issued',
      issued: { issuer: issuer.id, chain, notBefore, notAfter, issuedAt: now, renewal, privateKey },
    };
  }

  async function fail(
    due: DueCertificate,
    issuer: Issuer,
    order: CertificateOrder,
    problem: CaProblem,
  ): Promise<Outcome> {
    const { certificate } = due;
    const { hostname, issued, failures, selfCheck } = certificate;
    const now = clock.now();
    metrics.certificateOrders.inc({ issuer: hostOf(issuer), outcome: problem.kind });
    const trouble = await troubleWith(issuer, problem, hostname);
    // A CA that has just been well may have stumbled over the name.
    const isNamesFault = trouble === null || (trouble.wasWell && problem.kind === 'unavailable');
    const counted = failures + (isNamesFault ? 1 : 0);
    const urgent = urgencyOf(issued, now) === 'emergency';
    const atMostMs = urgent && issued !== null ? longestEmergencyWaitMs(issued) : calmUntil(issued, now) - now;
    const { retryAfterMs } = problem;
    const waits = isNamesFault ? [backoffMs(counted, random(), { retryAfterMs, atMostMs })] : [];
    if (trouble !== null) waits.push(afterMs(trouble.until - now, random()));
    const nextTryAt = now + Math.max(...waits);

    const stays = problem.kind === 'unavailable' && order.url !== null && now - order.startedAt < GIVEN_UP_MS;
    const orderOutcome = stays ? {} : { orderOutcome: 'failed' as const };
    const obstacle: Obstacle = { reason: REASONS[problem.kind], said: problem.message };
    log.info({ domain: hostname, issuer: issuer.id, kind: problem.kind, failures: counted }, problem.message);
    // What another CA may still do is no failure yet, and nobody is told of one.
    const mayTakeOver = problem.kind !== 'order_gone' && (problem.kind !== 'authorization_failed' || urgent);
    if (mayTakeOver && (await substitutes.takeOver(hostname, issuer, { obstacle, until: nextTryAt }))) {
      return {
        ...unchanged(certificate, now),
        ...orderOutcome,
        state: stateOrdering(certificate, now),
        failures: counted,
      };
    }
    // The order that was to be gone on with was the CA's to lose.
    const again = problem.kind === 'order_gone' && due.order?.url === order.url;
    if (again) return { ...unchanged(certificate, now), ...orderOutcome, state: stateOrdering(certificate, now) };
    return {
      state: stateWith(obstacle.reason, certificate, now),
      problem: problemWith(obstacle, certificate, now),
      selfCheck,
      failures: counted,
      nextTryAt,
      ...orderOutcome,
    };
  }

  /** Pauses the CA where the trouble is its own, or ours with it; null: it is the name's, and the CA is well. */
  async function troubleWith(issuer: Issuer, problem: CaProblem, hostname: string) {
    const { kind } = problem;
    const isCas =
      kind === 'unavailable' || kind === 'account' || (kind === 'rate_limited' && !isAbout(hostname, problem));
    if (isCas) return pauses.pause(issuer.id, problem);
    await pauses.well(issuer.id);
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

/** Whether the CA's words are about the name or its registered domain, and not about all that we ask of it. */
export function isAbout(hostname: string, { message }: CaProblem): boolean {
  const domain = registrableDomain(hostname) ?? hostname;
  const escaped = domain.replaceAll('.', '\\.');
  return new RegExp(`(?<![a-z0-9-])${escaped}(?![a-z0-9-])`, 'i').test(message);
}

/** The CA's host, or `internal`. */
export function hostOf({ id }: Pick<Issuer, 'id'>): string {
  return URL.parse(id)?.host || id;
}
