import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../base/log.ts';
import type { Resolver } from '../../dns/resolver.ts';
import { challengeName } from '../../domain/wildcard.ts';
import type { Blocker } from '../policy/blocker.ts';
import type { ChallengePlace, OwnDns } from '../policy/challenge-place.ts';
import { judgeChallengeRecord } from './challenge-record.ts';

/**
 * Waits until a CA would see the value of a challenge: every server of ours that answers has it, at least one answers,
 * and then a resolver finds it from the name. Null: a CA would; else why not, after `timeoutMs`. Rejects with the
 * signal's reason.
 */
export type AwaitDnsChallenge = (
  challenge: { hostname: string; place: ChallengePlace; value: string },
  signal: AbortSignal,
) => Promise<Blocker | null>;

/** Asks one of our servers for TXT records; a text: why it gave no answer. Never rejects. */
export type AskTxt = (name: string, address: string, signal: AbortSignal) => Promise<string[] | string>;

export interface AwaitDnsChallengeOptions {
  own: OwnDns & { ask: AskTxt };
  resolver: Pick<Resolver, 'lookupAddresses' | 'lookupTxt'>;
  log: Pick<Log, 'warn'>;
  /** For both steps together. */
  timeoutMs?: number | undefined;
  pollMs?: number;
}

/** Negative answers stay in a resolver's cache for 5 s, and a change reaches our servers within one. */
const TIMEOUT_MS = 20_000;
const POLL_MS = 500;

export function awaitDnsChallenge(options: AwaitDnsChallengeOptions): AwaitDnsChallenge {
  const { own, resolver, log, timeoutMs = TIMEOUT_MS, pollMs = POLL_MS } = options;

  async function addressesOf({ name, addresses }: OwnDns['servers'][number], signal: AbortSignal) {
    if (addresses.length > 0) return addresses;
    const found = await resolver.lookupAddresses(name, { signal });
    return found.kind === 'found' ? found.addresses : [];
  }

  /** Null: our servers answer a CA. One that fails does not count beside one that answers: resolvers go on to that. */
  async function checkServers(name: string, value: string, signal: AbortSignal): Promise<Blocker | null> {
    const asked = own.servers.map(async (server) =>
      (await addressesOf(server, signal)).map(async (address) => ({
        server: `${server.name} (${address})`,
        answer: await own.ask(name, address, signal),
      })),
    );
    const answers = await Promise.all((await Promise.all(asked)).flat());
    const silent = answers.filter(({ answer }) => typeof answer === 'string');
    const without = answers.filter(({ answer }) => typeof answer !== 'string' && !answer.includes(value));
    if (without.length > 0 || silent.length === answers.length) {
      const faults = [...without, ...silent].map(({ server, answer }) => ({
        server,
        seen: typeof answer === 'string' ? answer : 'no challenge',
      }));
      return { reason: 'dns_servers_failing', faults };
    }
    if (silent.length > 0) log.warn({ servers: silent.map(({ server }) => server) }, ONE_SILENT);
    return null;
  }

  return async ({ hostname, place, value }, signal) => {
    const [name = ''] = place.names;
    const until = performance.now() + timeoutMs;
    // Without a list of servers, the resolver alone is asked.
    let mayAsk = own.servers.length === 0;
    for (;;) {
      let blocker = mayAsk ? null : await checkServers(name, value, signal);
      mayAsk = blocker === null;
      if (mayAsk) {
        const found = await resolver.lookupTxt(challengeName(hostname), { signal });
        if (found.kind === 'found' && found.values.includes(value)) return null;
        const values = found.kind === 'found' ? found.values : [];
        blocker = judgeChallengeRecord(hostname, place, found) ?? { reason: 'challenge_not_seen', values };
      }
      signal.throwIfAborted();
      if (performance.now() > until) return blocker;
      await sleep(pollMs, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  };
}

const ONE_SILENT = 'a DNS server of ours does not answer for a challenge; another one does';
