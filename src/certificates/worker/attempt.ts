import type { Clock } from '../../clock.ts';
import type { Resolver } from '../../dns/resolver.ts';
import type { Log } from '../../log.ts';
import type { Certificate, CertificateStore, DueCertificate } from '../../store/contract/store.ts';
import { CaProblem, type Issuer, ReplacesRefused } from '../issuer.ts';
import { afterMs, waitingMs } from '../policy/backoff.ts';
import type { Obstacle } from '../policy/explain.ts';
import { isToBeAsked, isToBeRenewed, nextLookAt, suggestedWindow, unaskedWindow } from '../policy/renewal.ts';
import { whyForbidden } from '../preflight/check-caa.ts';
import type { SelfChecked, SelfChecker } from '../preflight/self-check.ts';
import type { Pauses } from './circuit-breaker.ts';
import type { Substitutes } from './fallback.ts';
import type { Lease } from './lease.ts';
import type { Ordering } from './ordering.ts';
import { type Outcome, problemWith, stateWith, unchanged } from './outcome.ts';

export interface AttemptOptions {
  store: Pick<CertificateStore, 'findCaAccount'>;
  /** In the order in which they are asked. */
  issuers: readonly Issuer[];
  ordering: Ordering;
  pauses: Pauses;
  substitutes: Substitutes;
  checkSelf: SelfChecker;
  resolver: Pick<Resolver, 'lookupCaa'>;
  clock: Clock;
  random: () => number;
  log: Log;
}

/** Does for a due certificate what is to be done. Rejects with what ended the lease, or with what the store rejects with. */
export type Attempt = (due: DueCertificate, lease: Lease) => Promise<Outcome>;

/** What is in the way of an order at one CA, and when that is looked at again. */
interface Hindrance {
  obstacle: Obstacle;
  until: number;
  /** It is in the way of every new name. */
  ofAll: boolean;
}

export function createAttempt(options: AttemptOptions): Attempt {
  const { store, issuers, ordering, pauses, substitutes, checkSelf, resolver, clock, random, log } = options;

  async function attempt(due: DueCertificate, lease: Lease): Promise<Outcome> {
    const { certificate, order } = due;
    const issuer = order?.url ? issuers.find(({ id }) => id === order.issuer) : undefined;
    if (order !== null && issuer !== undefined && (await pauses.find(issuer.id)) === null) {
      return ordering.finish(due, issuer, order, lease);
    }
    if (order === null && certificate.issued !== null && !isToBeRenewed(certificate.issued, clock.now())) {
      return look(certificate, certificate.issued);
    }
    return obtain(due, lease);
  }

  /** Asks when a certificate in use is to be renewed. */
  async function look(certificate: Certificate, issued: NonNullable<Certificate['issued']>): Promise<Outcome> {
    const issuer = issuers.find(({ id }) => id === issued.issuer);
    const asks = issuer !== undefined && isToBeAsked(issued.renewal, clock.now());
    const renewal = asks ? await ask(issuer, certificate.hostname, issued) : issued.renewal;
    const { selfCheck } = certificate;
    return {
      state: 'issued',
      problem: null,
      selfCheck,
      failures: 0,
      renewal,
      nextTryAt: nextLookAt(renewal, clock.now()),
    };
  }

  async function ask(issuer: Issuer, hostname: string, issued: NonNullable<Certificate['issued']>) {
    try {
      const suggestion = await issuer.renewalInfo(issued.chain);
      if (suggestion === null) return unaskedWindow(issued.renewal, clock.now(), random());
      return suggestedWindow(issued, suggestion, clock.now(), random());
    } catch (error) {
      if (!(error instanceof CaProblem)) throw error;
      log.debug({ domain: hostname, issuer: issuer.id }, error.message);
      return unaskedWindow(issued.renewal, clock.now(), random());
    }
  }

  /** Orders a certificate from the first CA that may issue one. */
  async function obtain(due: DueCertificate, lease: Lease): Promise<Outcome> {
    let checked: SelfChecked | null = null;
    const hindrances: Hindrance[] = [];
    for (const issuer of issuers) {
      if (issuer.usesHttp01) checked ??= await checkSelf(due.certificate.hostname, lease.signal);
      const seen = withCheck(due, checked);
      const hindrance = await hindranceAt(issuer, seen.certificate, checked, lease);
      if (hindrance !== null) {
        hindrances.push(hindrance);
        continue;
      }
      const done = await orderAt(issuer, seen, lease);
      if (!('obstacle' in done)) return done;
      hindrances.push(done);
    }
    return stand(withCheck(due, checked), hindrances);
  }

  async function hindranceAt(
    issuer: Issuer,
    certificate: Certificate,
    checked: SelfChecked | null,
    { signal }: Lease,
  ): Promise<Hindrance | null> {
    const { hostname } = certificate;
    if (issuer.usesHttp01 && checked?.obstacle) return waitFor(certificate, checked.obstacle);
    const refused = substitutes.refusedBy(issuer, hostname);
    if (refused !== null) return { ...refused, ofAll: false };
    const pause = await pauses.find(issuer.id);
    if (pause !== null) return { obstacle: pause.obstacle, until: later(pause.until), ofAll: true };
    if (!issuer.usesHttp01) return null;
    return orPause(issuer, async () => {
      const accountUrl = (await store.findCaAccount(issuer.id))?.url ?? null;
      const ca = { names: await issuer.caaNames(), accountUrl };
      const forbidden = await whyForbidden(resolver, hostname, ca, signal);
      return forbidden && waitFor(certificate, forbidden);
    });
  }

  async function orderAt(issuer: Issuer, due: DueCertificate, lease: Lease): Promise<Outcome | Hindrance> {
    const begun = await beginAt(issuer, due, lease);
    if (!('privateKey' in begun)) return begun;
    try {
      return await ordering.finish(due, issuer, begun, lease);
    } catch (error) {
      if (!(error instanceof ReplacesRefused)) throw error;
      const another = await beginAt(issuer, { ...due, order: begun }, lease);
      return 'privateKey' in another ? ordering.finish(due, issuer, another, lease) : another;
    }
  }

  async function beginAt(issuer: Issuer, due: DueCertificate, lease: Lease) {
    return orPause(issuer, async () => {
      const begun = await ordering.begin(due, issuer, lease);
      return 'privateKey' in begun ? begun : { ...begun, ofAll: begun.obstacle.by === 'orders' };
    });
  }

  /** A CA that cannot even be asked this is paused. */
  async function orPause<T>(issuer: Issuer, work: () => Promise<T>): Promise<T | Hindrance> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof CaProblem)) throw error;
      await pauses.pause(issuer.id, error);
      const pause = await pauses.find(issuer.id);
      const obstacle = pause?.obstacle ?? { reason: 'ca_unavailable', said: error.message };
      return { obstacle, until: later(pause?.until ?? clock.now()), ofAll: true };
    }
  }

  /** Nothing was ordered: it is looked at again when the first thing in the way may be out of it. */
  function stand({ certificate, order }: DueCertificate, hindrances: Hindrance[]): Outcome {
    const now = clock.now();
    const [first] = hindrances;
    if (first === undefined) return unchanged(certificate, later(now + 60_000));
    const problem = problemWith(first.obstacle, certificate, now);
    const { hostname, selfCheck, failures, issued } = certificate;
    if (problem.reason !== certificate.problem?.reason)
      log.info({ domain: hostname, reason: problem.reason }, problem.message);
    const until = Math.min(...hindrances.map((one) => one.until));
    // Of an order without a URL nothing is left, nor of one at a CA that we no longer have.
    const isLost = order !== null && (order.url === null || issuers.every(({ id }) => id !== order.issuer));
    return {
      state: stateWith(problem.reason, certificate, now),
      problem,
      selfCheck,
      failures,
      nextTryAt: until,
      ...(isLost && { orderOutcome: 'failed' }),
      ...(issued === null && hindrances.every(({ ofAll }) => ofAll) && { fullUntil: until }),
    };
  }

  function waitFor(certificate: Certificate, obstacle: Obstacle): Hindrance {
    const now = clock.now();
    const since = now - problemWith(obstacle, certificate, now).at;
    return { obstacle, until: now + waitingMs(since, random()), ofAll: false };
  }

  /** So that what waits for the same does not come at the same moment. */
  function later(until: number): number {
    const now = clock.now();
    return now + afterMs(until - now, random());
  }

  return attempt;
}

function withCheck(due: DueCertificate, checked: SelfChecked | null): DueCertificate {
  if (checked === null) return due;
  return { ...due, certificate: { ...due.certificate, selfCheck: checked.selfCheck } };
}
