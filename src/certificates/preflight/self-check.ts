import { randomBytes } from 'node:crypto';
import type { Clock } from '../../clock.ts';
import type { Resolver } from '../../dns/resolver.ts';
import type { SelfCheck, SelfCheckAnswer } from '../../domain/certificate-state.ts';
import { quote } from '../../domain/text.ts';
import type { AddressRule } from '../../net/addresses.ts';
import { createDialler } from '../../net/dialer.ts';
import type { CertificateStore } from '../../store/contract/store.ts';
import type { Obstacle } from '../policy/explain.ts';
import { type Probed, type ProbeOptions, probe } from './probe.ts';

/**
 * Looks at a name as a CA is going to: every one of its addresses has to answer our challenge. Whatever keeps one from it is found out here, at no cost at
 * the CA. Rejects with the signal's reason, or with that of the store.
 */
export type SelfChecker = (hostname: string, signal: AbortSignal) => Promise<SelfChecked>;

export interface SelfChecked {
  /** Null: there was no address to ask. */
  selfCheck: SelfCheck | null;
  /** Null: a CA would find our answer. */
  obstacle: Obstacle | null;
}

export interface SelfCheckOptions {
  store: Pick<CertificateStore, 'putChallenge'>;
  resolver: Pick<Resolver, 'lookupAddresses'>;
  /** Tells which addresses may be connected to (`addressRule`). */
  mayDial: AddressRule;
  clock: Clock;
  /** Ports that the world reaches the edge at. */
  ports?: { http: number; https: number };
  /** Longest time for one address. */
  timeoutMs?: number;
}

/** For machines that cannot reach their own address on the Internet: nothing is looked at, and nothing is in the way. */
export const unchecked: SelfChecker = async () => ({ selfCheck: null, obstacle: null });

/** Addresses that are asked; a name with more than that is served by somebody else. */
const MAX_ASKED = 8;
/** Requests of one check, in all: names lead, and redirect, to whomever their owners like. Ten redirects at each of two addresses, two at each of eight. */
const MAX_REQUESTS = 24;
const MAX_REDIRECTS = 10;
/** Every node has to answer meanwhile, also those whose clocks are ahead. */
const CHALLENGE_KEPT_MS = 10 * 60_000;
const LOOKUP_MS = 10_000;

export function createSelfChecker(options: SelfCheckOptions): SelfChecker {
  const { store, resolver, mayDial, clock, ports = { http: 80, https: 443 }, timeoutMs = 10_000 } = options;
  const dialler = createDialler({
    mayDial,
    timeoutMs,
    async lookUp(hostname, signal) {
      const found = await resolver.lookupAddresses(hostname, { signal });
      if (found.kind === 'unreadable') throw new Error(found.reason);
      return found.kind === 'found' ? found.addresses : [];
    },
  });

  return async (hostname, signal) => {
    const found = await resolver.lookupAddresses(hostname, { signal: withLimit(signal, LOOKUP_MS) });
    signal.throwIfAborted();
    if (found.kind === 'unreadable') {
      return {
        selfCheck: null,
        obstacle: { reason: 'dns_unreadable', record: 'address', name: hostname, seen: found },
      };
    }
    if (found.kind === 'absent') {
      return { selfCheck: null, obstacle: { reason: 'no_address', chain: found.chain } };
    }
    const token = `np-${randomBytes(24).toString('base64url')}`;
    const expected = `${token}.${randomBytes(24).toString('base64url')}`;
    const at = clock.now();
    await store.putChallenge({ hostname, token, keyAuthorization: expected, expiresAt: at + CHALLENGE_KEPT_MS });
    const url = new URL(`http://${hostname}:${ports.http}/.well-known/acme-challenge/${token}`);
    const asked = found.addresses.slice(0, MAX_ASKED);
    const maxRedirects = Math.min(MAX_REDIRECTS, Math.floor(MAX_REQUESTS / asked.length) - 1);
    const how = { dialler, ports, maxRedirects, signal, timeoutMs };
    const answers = await Promise.all(asked.map((address) => look(url, address, expected, how)));
    return {
      selfCheck: { at, answers: answers.map(toAnswer) },
      obstacle: obstacleIn(answers, found.chain.at(-1) ?? null),
    };
  };
}

interface Look extends SelfCheckAnswer {
  /** This machine has no way to such an address. */
  beyondReach: boolean;
}

async function look(
  url: URL,
  address: string,
  expected: string,
  { timeoutMs, signal, ...options }: ProbeOptions & { timeoutMs: number },
): Promise<Look> {
  try {
    const probed = await probe(url, address, { ...options, signal: withLimit(signal, timeoutMs) });
    return { address, ...judge(probed, expected) };
  } catch (error) {
    signal.throwIfAborted();
    if (!isTimeout(error)) throw error;
    const seen = `there was no answer within ${timeoutMs / 1000} s`;
    return { address, outcome: 'unreachable', seen, beyondReach: false };
  }
}

function judge(probed: Probed, expected: string): Omit<Look, 'address'> {
  const beyondReach = false;
  switch (probed.kind) {
    case 'unreachable': {
      if (probed.reason === 'not_allowed') return { outcome: 'not_public', seen: null, beyondReach };
      return { outcome: 'unreachable', seen: probed.seen, beyondReach: probed.reason === 'no_route' };
    }
    case 'astray':
      return { outcome: 'another', seen: probed.seen, beyondReach };
    case 'answer': {
      // CAs take off white space at the end (RFC 8555 section 8.3).
      if (probed.status === 200 && probed.body.trimEnd() === expected)
        return { outcome: 'ours', seen: null, beyondReach };
      // What others answer to our address is none of the customer's business.
      const what = probed.from === null ? `, ${quote(probed.body)}` : ` from ${quote(probed.from)}`;
      return { outcome: 'another', seen: `HTTP ${probed.status}${what}`, beyondReach };
    }
    default:
      return probed satisfies never;
  }
}

/**
 * Any address may be the one that the CA asks. What lies beyond the reach of this machine says nothing about the name, as long as it is reached at
 * another.
 */
function obstacleIn(looks: Look[], end: string | null): Obstacle | null {
  const answers = looks.map(toAnswer);
  const isReached = looks.some(({ outcome }) => outcome === 'ours');
  const found = (wanted: SelfCheckAnswer['outcome']) =>
    looks.some(({ outcome, beyondReach }) => outcome === wanted && !(beyondReach && isReached));
  if (found('not_public')) return { reason: 'address_not_public', answers, end };
  if (found('another')) return { reason: 'answered_by_another', answers, end };
  return found('unreachable') ? { reason: 'unreachable', answers, end } : null;
}

function toAnswer({ address, outcome, seen }: Look): SelfCheckAnswer {
  return { address, outcome, seen };
}

function withLimit(signal: AbortSignal, limitMs: number): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(limitMs)]);
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError';
}
