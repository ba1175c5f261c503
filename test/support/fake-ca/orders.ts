import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../../../server/src/base/clock.ts';
import { challengeName } from '../../../server/src/domain/wildcard.ts';
import type { CaLimit } from '../../../server/src/store/store.ts';
import { createFakeAuthority, type FakeCertificate, readRequest } from './authority.ts';
import { createLimits } from './limits.ts';
import { AcmeProblem } from './problem.ts';

/** Orders and certificates of the fake CA (RFC 8555 section 7.1.6). */

export interface FakeOrder {
  id: string;
  accountUrl: string;
  hostname: string;
  status: 'pending' | 'ready' | 'processing' | 'valid' | 'invalid';
  replaces: string | null;
  exempt: boolean;
  token: string;
  /** The challenge that the client chose. */
  type: FakeChallengeType;
  challenge: 'pending' | 'processing' | 'valid' | 'invalid';
  /** Error of the challenge, or of the order. */
  error: object | null;
  certificate: ProvenCertificate | null;
  /** Polls left before it continues. */
  looks: number;
  expiresAt: number;
  begunAt: number;
}

export type FakeChallengeType = 'http-01' | 'dns-01' | 'tls-alpn-01';

/** Remembers how its name was proven: orders may be forgotten. */
export type ProvenCertificate = FakeCertificate & { type: FakeChallengeType };

export interface OrdersOptions {
  clock: Clock;
  limits: readonly CaLimit[];
  /** Fetches a name's challenge response. Rejects if nothing answers. */
  fetchChallenge(hostname: string, token: string): Promise<string>;
  /** The TXT records at a name, behind CNAME records; none unless given. */
  findTxt?: ((name: string) => Promise<string[]>) | undefined;
  /**
   * The certificate (DER) with which a name answers `acme-tls/1`. Rejects if nothing answers. TLS-ALPN-01 is offered
   * only if this is given.
   */
  fetchTlsChallenge?: ((hostname: string) => Promise<Buffer>) | undefined;
}

const HOUR_MS = 3_600_000;
const ORDER_LIFE_MS = 7 * 24 * HOUR_MS;

export function createOrders(options: OrdersOptions) {
  const { clock, limits: published, fetchChallenge, findTxt, fetchTlsChallenge } = options;
  const orders = new Map<string, FakeOrder>();
  const certificates: ProvenCertificate[] = [];
  const replaced = new Set<string>();
  const limits = createLimits(published);
  const failing = new Map<string, AcmeProblem>();
  const paused = new Set<string>();
  const authority = createFakeAuthority(clock.now());

  const settings = {
    /** Lifetime of certificates from now on. */
    lifetimeMs: 64 * 24 * HOUR_MS,
    /** How many polls an authorization and a finalized order take. */
    looks: 0,
  };

  function isOpen({ status, expiresAt }: FakeOrder): boolean {
    return status !== 'valid' && status !== 'invalid' && clock.now() < expiresAt;
  }

  function isExempt(hostname: string, replaces: string | null): boolean {
    if (replaces === null) return false;
    const before = certificates.find(({ renewalId }) => renewalId === replaces);
    if (before?.hostname !== hostname)
      throw new AcmeProblem(404, 'malformed', 'could not find the certificate to replace');
    if (replaced.has(replaces)) throw new AcmeProblem(409, 'alreadyReplaced', 'the certificate was replaced already');
    return true;
  }

  function begin(accountUrl: string, hostname: string, replaces: string | null): FakeOrder {
    const now = clock.now();
    if (paused.has(hostname)) throw pausedProblem(hostname);
    const exempt = isExempt(hostname, replaces);
    limits.check(accountUrl, hostname, exempt, now);
    if (!exempt) limits.count('orders', accountUrl, hostname, now);
    const order: FakeOrder = {
      id: randomBytes(8).toString('hex'),
      accountUrl,
      hostname,
      status: 'pending',
      replaces,
      exempt,
      token: randomBytes(32).toString('base64url'),
      type: 'http-01',
      challenge: 'pending',
      error: null,
      certificate: null,
      looks: 0,
      expiresAt: now + ORDER_LIFE_MS,
      begunAt: now,
    };
    orders.set(order.id, order);
    return order;
  }

  async function whyNot(order: FakeOrder, keyAuthorization: string): Promise<AcmeProblem | null> {
    const failure = failing.get(order.hostname);
    if (failure !== undefined) return failure;
    if (order.type === 'dns-01') {
      const value = createHash('sha256').update(keyAuthorization).digest('base64url');
      if ((await findTxt?.(challengeName(order.hostname)))?.includes(value)) return null;
      return new AcmeProblem(403, 'unauthorized', `no TXT record of ${challengeName(order.hostname)} is right`);
    }
    try {
      if (order.type === 'tls-alpn-01') {
        const digest = createHash('sha256').update(keyAuthorization).digest();
        if ((await fetchTlsChallenge?.(order.hostname))?.includes(digest)) return null;
        return new AcmeProblem(403, 'unauthorized', `${order.hostname} answered with another certificate`);
      }
      const found = await fetchChallenge(order.hostname, order.token);
      if (found.trimEnd() === keyAuthorization) return null;
      return new AcmeProblem(403, 'unauthorized', `${order.hostname} answered "${found}"`);
    } catch (error) {
      return new AcmeProblem(400, 'connection', `Fetching http://${order.hostname}: ${error}`);
    }
  }

  /** Validates the name. */
  async function validate(order: FakeOrder, keyAuthorization: string, type: FakeChallengeType): Promise<void> {
    if (order.challenge !== 'pending') {
      throw new AcmeProblem(400, 'malformed', `Cannot update a challenge that is ${order.challenge}`);
    }
    order.challenge = 'processing';
    order.type = type;
    const failure = await whyNot(order, keyAuthorization);
    order.looks = settings.looks;
    order.error = failure?.document ?? null;
    if (failure !== null) limits.count('failures', order.accountUrl, order.hostname, clock.now());
    settle(order);
  }

  /** Continues after enough polls. */
  function settle(order: FakeOrder): void {
    if (order.looks-- > 0) return;
    if (order.challenge === 'processing') {
      order.challenge = order.error === null ? 'valid' : 'invalid';
      order.status = order.error === null ? 'ready' : 'invalid';
    } else if (order.status === 'processing') {
      order.status = order.certificate === null ? 'invalid' : 'valid';
    }
  }

  function finalize(order: FakeOrder, csr: string): void {
    if (order.status !== 'ready') throw new AcmeProblem(403, 'orderNotReady', `The order is ${order.status}`);
    const { hostname, key } = readRequest(Buffer.from(csr, 'base64url'));
    if (hostname !== order.hostname) throw new AcmeProblem(400, 'badCSR', `The CSR is for ${hostname}`);
    const now = clock.now();
    const validity = { notBefore: now - HOUR_MS, notAfter: now - HOUR_MS + settings.lifetimeMs };
    order.certificate = { ...authority.issue(hostname, key, validity), type: order.type };
    certificates.push(order.certificate);
    if (order.replaces !== null) replaced.add(order.replaces);
    if (!order.exempt) {
      limits.count('certificates', order.accountUrl, hostname, now);
      limits.count('duplicates', order.accountUrl, hostname, now);
    }
    order.status = 'processing';
    order.looks = settings.looks;
    settle(order);
  }

  function giveUp(): void {
    for (const order of orders.values()) if (isOpen(order)) order.status = 'invalid';
  }

  return {
    orders,
    certificates,
    limits,
    failing,
    paused,
    settings,
    root: authority.root,
    isOpen,
    giveUp,
    begin,
    validate,
    settle,
    finalize,
  };
}

/** With the message of Let's Encrypt. */
function pausedProblem(hostname: string): AcmeProblem {
  const words = `Your account is temporarily prevented from requesting certificates for ${hostname} and possibly others.`;
  const link = `https://portal.letsencrypt.test/sfe/v1/unpause?jwt=${'x'.repeat(300)}`;
  return new AcmeProblem(429, 'rateLimited', `${words} Please visit: ${link}`);
}
