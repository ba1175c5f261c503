import { canonicalAddress } from '../net/addresses.ts';
import { type Heard, type HeardFailure, hear, hearInTurn, putLast, type Server, shuffled } from './ask-server.ts';
import { isWithin, parentOf } from './protocol/dns-name.ts';
import type { Question } from './protocol/wire.ts';
import type { DnsClient } from './transport/dns-client.ts';
import type { Endpoint } from './transport/exchange.ts';

/**
 * The configured recursive resolvers. They are trusted: their own addresses may be special, and their answers are taken
 * whole.
 */
export interface Recursion {
  /** Asks them in turn, in random order, until one knows. */
  ask(question: Question, options: RecursionOptions): Promise<Heard>;
  /**
   * Finds the apex of the zone that holds a name: the zone that denies that there is a CNAME. A resolver follows any other question to where a
   * CNAME leads, and what is wrong there would hide the zone here.
   */
  findApex(name: string, options: RecursionOptions): Promise<{ kind: 'apex'; apex: string } | HeardFailure>;
  /** Whether one of them has this address. */
  has(address: string): boolean;
}

export interface RecursionOptions {
  signal: AbortSignal;
  /** Resolvers at these addresses are asked last. */
  avoid?: readonly Pick<Endpoint, 'address'>[] | undefined;
  /** Sends from ports that nobody has seen yet. */
  newPort?: boolean;
}

export interface RecursionSetup {
  client: DnsClient;
  resolvers: readonly Endpoint[];
  /** Yields numbers in [0, 1). */
  random: () => number;
  /** Called with whatever a resolver said. */
  onHeard: (heard: Heard) => void;
  triesMs?: readonly number[] | undefined;
}

/** How long a resolver may take: it may have to ask others first. */
const TRIES_MS = [1500, 3000] as const;
/** Steps towards the root when resolvers do not say which zone denies a name. */
const MAX_STEPS = 10;

/** Throws on a resolver whose address is not one. */
export function recursion({ client, resolvers, random, onHeard, triesMs = TRIES_MS }: RecursionSetup): Recursion {
  const servers = resolvers.map(toServer);

  async function ask(question: Question, { signal, avoid = [], newPort = false }: RecursionOptions): Promise<Heard> {
    const order = putLast(shuffled(servers, random), ({ address }) => avoid.some((one) => one.address === address));
    return hearInTurn(order, triesMs, async (server, timeoutMs) => {
      const heard = await hear(client, question, server, { recursion: true, signal, timeoutsMs: [timeoutMs], newPort });
      onHeard(heard);
      return heard;
    });
  }

  return {
    ask,
    async findApex(name, options) {
      let current = name;
      for (let step = 0; step < MAX_STEPS; step++) {
        const heard = await ask({ name: current, type: 'CNAME' }, options);
        if (heard.kind === 'failed') return heard;
        const { answers, authorities } = heard.answer;
        // A name with a CNAME is no apex.
        const aliased = answers.some(({ type, name: owner }) => type === 'CNAME' && owner === current);
        const denying = authorities.find(({ type, name: owner }) => type === 'SOA' && isWithin(current, owner));
        if (!aliased && denying !== undefined) return { kind: 'apex', apex: denying.name };
        if (!aliased) {
          // Some resolvers leave out who denies it; an apex has an SOA itself.
          const own = await ask({ name: current, type: 'SOA' }, options);
          if (own.kind === 'failed') return own;
          if (own.answer.answers.some(({ type, name: owner }) => type === 'SOA' && owner === current))
            return { kind: 'apex', apex: current };
        }
        if (current === '.') break;
        current = parentOf(current);
      }
      return { kind: 'failed', reason: 'no_nameserver' };
    },
    has: (address) => servers.some((server) => server.address === address),
  };
}

function toServer({ address, port }: Endpoint): Server {
  const canonical = canonicalAddress(address);
  if (canonical === null) throw new Error(`"${address}" is not the address of a resolver.`);
  return { name: canonical, address: canonical, port };
}
