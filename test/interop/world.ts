import type { Clock } from '../../src/clock.ts';
import { type AuthoritativeOptions, authoritativeResolver } from '../../src/dns/authoritative.ts';
import type { DnsMessage, RecordType } from '../../src/dns/protocol/wire.ts';
import { dnsClient, type QueryOptions } from '../../src/dns/transport/dns-client.ts';
import type { Domain } from '../../src/domain/domain.ts';
import { dnsRecords, ownershipName } from '../../src/domain/records.ts';
import { createLog } from '../../src/log.ts';
import { createMetrics } from '../../src/metrics.ts';
import type { CheckStore, DueCheck } from '../../src/store/contract/store.ts';
import { createVerifier, type Verifier } from '../../src/verification/verifier.ts';
import { createWorld, type World } from '../support/dns-world.ts';
import type { Internet } from './internet.ts';

/** The verification world, with real DNS servers. */
export interface InteropWorld extends Pick<World, 'store' | 'clock' | 'create' | 'read' | 'check' | 'close'> {
  verifier: Verifier;
  /** Asks the recursive resolver. */
  ask(name: string, type: RecordType, options?: Pick<QueryOptions, 'timeoutsMs'>): Promise<DnsMessage>;
}

export type InteropOptions = Partial<Pick<AuthoritativeOptions, 'triesMs' | 'onAnswer' | 'random'>> & {
  /** Address of the recursive resolver; the one of `internet` unless given. */
  recursive?: string;
  /** The clock of checks; unless given, that of the world, which advances with each check only. */
  clock?: Clock;
  /** Called with each claimed check. */
  onClaimed?: (due: DueCheck, now: number) => void;
};

export async function createInterop(internet: Internet, options: InteropOptions = {}): Promise<InteropWorld> {
  const { recursive = internet.resolver.address, onClaimed, ...asking } = options;
  const world = await createWorld();
  const clock = options.clock ?? world.clock;
  const client = dnsClient();
  const recursiveServer = { address: recursive, port: internet.port };
  const resolver = authoritativeResolver({
    ...asking,
    client,
    resolvers: [recursiveServer],
    nameserverPort: internet.port,
    allowedNetworks: ['127.0.0.0/8'],
    clock,
  });
  const watched: CheckStore = {
    ...world.store,
    async claimDue(now, ...rest) {
      const claimed = await world.store.claimDue(now, ...rest);
      for (const due of claimed) onClaimed?.(due, now);
      return claimed;
    },
  };
  const verifier = createVerifier({
    store: watched,
    resolver,
    clock,
    random: Math.random,
    log: createLog('silent'),
    metrics: createMetrics(),
  });
  return {
    ...world,
    verifier,
    async ask(name, type, options = {}) {
      const signal = AbortSignal.timeout(20_000);
      const response = await client.query({ name, type }, recursiveServer, { recursion: true, signal, ...options });
      if (typeof response === 'string') throw new Error(`the resolver has no answer: ${response}`);
      return response;
    },
    async check(domain) {
      world.clock.pass(66_000);
      await verifier.runOnce();
      return world.read(domain);
    },
    async close() {
      await verifier.stop();
      client.close();
      await world.close();
    },
  };
}

/** As many checks as it takes until an unreadable zone is reported. */
export async function checkThrice(world: InteropWorld, domain: Domain): Promise<Domain> {
  await world.check(domain);
  await world.check(domain);
  return world.check(domain);
}

/** The routing record as the customer publishes it, in the notation of zone files. */
export function routingLine(domain: Domain): string {
  const [{ name, value }] = dnsRecords(domain);
  return `${name}. CNAME ${value}.`;
}

/** The ownership record. */
export function ownershipLine(domain: Domain): string {
  const [, { name, value }] = dnsRecords(domain);
  return `${name}. TXT "${value}"`;
}

/** A TXT record at the name of the ownership record, with other texts. */
export function txtLine(domain: Domain, ...strings: string[]): string {
  return `${ownershipName(domain)}. TXT ${strings.map((text) => `"${text}"`).join(' ')}`;
}
