import { type AnswerKind, counting } from './answer-kinds.ts';
import { unreadable } from './ask-server.ts';
import { isWithin } from './protocol/dns-name.ts';
import type { Message } from './protocol/wire.ts';
import { type Ask, chainResolver } from './record-lookups.ts';
import { recursion } from './recursors.ts';
import type { Resolver } from './resolver.ts';
import type { DnsClient } from './transport/dns-client.ts';
import type { Endpoint } from './transport/exchange.ts';

export interface RecursiveOptions {
  client: DnsClient;
  resolvers: readonly Endpoint[];
  /** Yields numbers in [0, 1): which resolver is asked. */
  random?: () => number;
  /** How long each try waits; one number for each. */
  triesMs?: readonly number[];
  /** Called with what each query came to, for counting. */
  onAnswer?: (kind: AnswerKind) => void;
}

/**
 * Asks the configured resolvers only, for networks in which nameservers cannot be asked. What they have cached may be
 * older than what the zone says. A confirmation comes from another resolver where there is one.
 */
export function recursiveResolver(setup: RecursiveOptions): Resolver {
  const { client, resolvers, random = Math.random, onAnswer, triesMs } = setup;
  const servers = recursion({ client, resolvers, random, onHeard: counting(onAnswer), triesMs });

  const ask: Ask = async (question, { signal, confirming }) => {
    const options = { signal, avoid: confirming, newPort: confirming !== undefined };
    const heard = await servers.ask(question, options);
    if (heard.kind === 'failed') return unreadable(heard);
    const { answer, server } = heard;
    const zone = denyingZone(answer, question.name);
    const found =
      zone === null ? await servers.findApex(question.name, options) : { kind: 'apex' as const, apex: zone };
    if (found.kind === 'failed') return unreadable(found);
    const by = { server: server.name, address: server.address, authoritative: false };
    return { kind: 'answer', answer, zone: found.apex, bailiwick: '.', by };
  };
  return chainResolver(ask);
}

/** The zone that says in a negative answer that the name or type is not there. */
function denyingZone({ answers, authorities }: Message, name: string): string | null {
  if (answers.length > 0) return null;
  return authorities.find(({ type, name: owner }) => type === 'SOA' && isWithin(name, owner))?.name ?? null;
}
