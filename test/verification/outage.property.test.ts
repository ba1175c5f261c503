import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLog } from '../../server/src/base/log.ts';
import type { DnsQueries, RecordQueries, RecordQuestion } from '../../server/src/dns/resolver.ts';
import type { Domain, DomainKind } from '../../server/src/domain/domain.ts';
import type { Answer } from '../../server/src/domain/observation.ts';
import { createMetrics } from '../../server/src/roles/metrics.ts';
import type { Store } from '../../server/src/store/store.ts';
import { createVerifier } from '../../server/src/verification/verifier.ts';
import { openEngine } from '../support/engine.ts';
import { attach, NOW, plant, timelineOf } from '../support/entities.ts';
import { fixedAnswers, ZONE } from '../support/fixed-answers.ts';
import { addresses, cname, fails, NXDOMAIN, rightTxt, txt } from '../support/observations.ts';

/** The real store and verifier, for an hour in which DNS cannot be read, in whatever way. */

const MINUTE_MS = 60_000;

/** The failure in one check. `resolver`: the answers that resolvers still have in their caches. */
interface Outage {
  fails: 'nameservers' | 'delegation' | 'everything';
  reason: 'timeout' | 'servfail' | 'refused' | 'unreachable' | 'lame';
  resolver: Answer | null;
}

const outage: fc.Arbitrary<Outage> = fc.record({
  fails: fc.constantFrom('nameservers', 'delegation', 'everything'),
  reason: fc.constantFrom('timeout', 'servfail', 'refused', 'unreachable', 'lame'),
  // A cache may hold the denial from before the record was published.
  resolver: fc.constantFrom(null, NXDOMAIN, fails('servfail')),
});

function queriesDuring({ fails: what, reason, resolver }: Outage): RecordQueries {
  const failing = fixedAnswers(() => fails(reason));
  const zone = { ...ZONE, nameservers: [], failure: { reason } };
  const answer = what === 'everything' ? null : resolver;
  return {
    ...failing,
    validate: async () => ({ status: 'unknown', answer, ttl: null, error: null, resolver: '192.0.2.9' }),
    ...(what === 'nameservers'
      ? {}
      : {
          findZone: async () => zone,
          query: async ({ name }: RecordQuestion) => ({ name, zone, nameservers: [], validation: null }),
        }),
  };
}

let store: Store;
let remove: () => Promise<void>;
beforeAll(async () => {
  ({ store, remove } = await openEngine());
});
afterAll(async () => {
  await store.close();
  await remove();
});

/** Records published before the outage, which do not verify the domain. */
const PUBLISHED: Record<string, { kind: DomainKind; queries(domain: Domain): RecordQueries }> = {
  'its TXT record, and a CNAME to another host': {
    kind: 'subdomain',
    queries: (domain) => fixedAnswers(({ type }) => (type === 'TXT' ? rightTxt(domain) : cname('old.example.net'))),
  },
  'wrong records': {
    kind: 'subdomain',
    queries: () => fixedAnswers(({ type }) => (type === 'TXT' ? txt('wrong') : addresses('192.0.2.7'))),
  },
  nothing: { kind: 'apex', queries: () => fixedAnswers(() => NXDOMAIN) },
};

test.each(Object.entries(PUBLISHED))(
  'an hour in which nothing can be read changes no flag and no status, and adds no event but its diagnosis, in ten minutes once: %s',
  async (_, before) => {
    const { environment } = await plant(store);
    await fc.assert(
      fc.asyncProperty(fc.array(outage, { minLength: 60, maxLength: 60 }), async (hour) => {
        const domain = await attach(store, environment, { kind: before.kind });
        let now = NOW;
        let resolver = before.queries(domain);
        const queries: RecordQueries = {
          query: (...asked) => resolver.query(...asked),
          findZone: (...asked) => resolver.findZone(...asked),
          askNameserver: (...asked) => resolver.askNameserver(...asked),
          locateNameservers: (...asked) => resolver.locateNameservers(...asked),
          ownNameservers: (...asked) => resolver.ownNameservers(...asked),
          validate: (...asked) => resolver.validate(...asked),
        };
        const common = {
          clock: { now: () => now, isTrusted: () => true },
          random: () => 0.5,
          log: createLog('silent'),
          metrics: createMetrics(),
        };
        const verifier = createVerifier({
          ...common,
          store,
          resolver: { ...queries, deciding: queries } satisfies DnsQueries,
        });
        const read = async () => {
          const found = await store.findDomainById(domain.workspaceId, domain.id);
          const types = (await timelineOf(store, domain)).map(({ type }) => type);
          const diagnoses = types.filter((type) => type === 'diagnosis.changed').length;
          return { found, diagnoses, events: types.length - diagnoses };
        };
        await verifier.runOnce();
        const start = await read();
        expect(start.found?.status).toBe('verifying');
        for (const minute of hour) {
          now += MINUTE_MS;
          resolver = queriesDuring(minute);
          await verifier.runOnce();
        }
        const end = await read();
        for (const field of ['status', 'ownershipVerifiedAt', 'routingVerifiedAt', 'verifiedAt'] as const)
          expect(end.found?.[field]).toBe(start.found?.[field]);
        expect(end.events).toBe(start.events);
        expect(end.diagnoses - start.diagnoses).toBeLessThanOrEqual(6);
        await store.deleteDomain(domain.workspaceId, domain.id, now);
      }),
      { numRuns: 5 },
    );
  },
);
