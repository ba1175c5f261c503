import type { Clock } from '../../server/src/base/clock.ts';
import { createLog } from '../../server/src/base/log.ts';
import { type AuthoritativeOptions, authoritativeResolver } from '../../server/src/dns/authoritative.ts';
import type { DnsMessage, RecordType } from '../../server/src/dns/protocol/wire.ts';
import { dnsClient, type QueryOptions } from '../../server/src/dns/transport/dns-client.ts';
import type { Domain } from '../../server/src/domain/domain.ts';
import type { Finding } from '../../server/src/domain/finding.ts';
import { findingsOf } from '../../server/src/domain/findings/findings.ts';
import { dnsRecords, ownershipName } from '../../server/src/domain/records.ts';
import { NO_MEMORY } from '../../server/src/domain/status.ts';
import { createMetrics } from '../../server/src/roles/metrics.ts';
import type { CheckStore, DueCheck, TargetStore } from '../../server/src/store/store.ts';
import { observe } from '../../server/src/verification/observation/observe.ts';
import { sharedTargetsIn, tokenOwners } from '../../server/src/verification/observation/token-owners.ts';
import { createVerifier, type Verifier } from '../../server/src/verification/verifier.ts';
import { createWorld, type World } from '../support/dns-world.ts';
import type { Internet } from './internet.ts';

/** Leads to the edge; every target has it. */
export const EDGE_ADDRESS = '203.0.113.10';

/** The verification world, with real DNS servers. */
export interface InteropWorld extends Pick<World, 'store' | 'clock' | 'create' | 'read' | 'check' | 'close'> {
  verifier: Verifier;
  /** Diagnoses the domain's DNS now. */
  diagnose(domain: Domain, incumbent?: Domain | null): Promise<Finding[]>;
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
  /** Called with each domain that a check has saved. */
  onSaved?: (domain: Domain) => void;
};

export async function createInterop(internet: Internet, options: InteropOptions = {}): Promise<InteropWorld> {
  const { recursive = internet.resolver.address, random = Math.random, onClaimed, onSaved, ...asking } = options;
  const world = await createWorld();
  const clock = options.clock ?? world.clock;
  const client = dnsClient();
  const recursiveServer = { address: recursive, port: internet.port };
  const resolver = authoritativeResolver({
    ...asking,
    random,
    client,
    resolvers: [recursiveServer],
    nameserverPort: internet.port,
    allowedNetworks: ['127.0.0.0/8'],
    clock,
  });
  const watched: CheckStore & Pick<TargetStore, 'findSharedTarget'> = {
    ...world.store,
    async claimDue(now, ...rest) {
      const claimed = await world.store.claimDue(now, ...rest);
      for (const due of claimed) onClaimed?.(due, now);
      return claimed;
    },
    async saveTransition(save) {
      const outcome = await world.store.saveTransition(save);
      if (outcome === 'saved') onSaved?.(save.after);
      return outcome;
    },
  };
  const verifier = createVerifier({
    store: watched,
    resolver,
    clock: { now: () => clock.now(), isTrusted: () => true },
    random,
    log: createLog('silent'),
    metrics: createMetrics(),
  });
  return {
    ...world,
    verifier,
    async diagnose({ workspaceId, id }, incumbent = null) {
      const domain = await world.store.findDomainById(workspaceId, id);
      if (domain === null) throw new Error(`${id} is gone`);
      const signal = AbortSignal.timeout(10_000);
      const observation = await observe(resolver, domain, incumbent, { depth: 'diagnosis', signal, random });
      return findingsOf({ domain, incumbent, memory: NO_MEMORY }, observation, {
        ...FINDING_CONTEXT,
        domainOfToken: await tokenOwners(world.store, domain, observation),
        sharedTargets: await sharedTargetsIn(world.store, domain, observation),
        now: clock.now(),
      });
    },
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

const FINDING_CONTEXT = {
  edgeAddresses: [EDGE_ADDRESS],
  caNames: ['ca.nameplate.test'],
  isTarget: (host: string) => host.endsWith('.cname.nameplate.test'),
};

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
