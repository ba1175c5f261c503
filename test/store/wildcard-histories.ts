import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Domain, WINDOW_MS } from '../../server/src/domain/domain.ts';
import { readObservation } from '../../server/src/domain/read-observation.ts';
import { type CheckMemory, NO_MEMORY, transition, windowEndsAt } from '../../server/src/domain/status.ts';
import { challengeName, challengeRecordOf, isWildcard, wildcardOf } from '../../server/src/domain/wildcard.ts';
import { createSites, type Sites } from '../../server/src/edge/cache/site-cache.ts';
import { type PolledChangeFeed, startChangeFeed } from '../../server/src/store/cache/change-feed.ts';
import type { Environment } from '../../server/src/store/store.ts';
import { DAY_MS, lose } from '../support/certificates.ts';
import { aDomain, anEnvironment, NOW, type Planted, unique } from '../support/entities.ts';
import { cname, everywhere, observation, recordSeen, rightTxt, zoneOf } from '../support/observations.ts';
import type { Subject } from './subject.ts';

/** Names that stand for each other, below a base of each history. */
const NAMES = ['*.', 'a.', 'b.', '*.a.', 'x.a.'];
/** Host names that visitors ask for: those with domains of their own, and others. */
const HOSTS = ['a.', 'b.', 'c.', 'x.a.', 'y.a.', 'x.b.', ''];
const WORKSPACES = 3;
const CHALLENGES = 'acme.nameplate.test';
const HOUR_MS = 3_600_001;
/** More than a history takes on a busy machine. */
const HISTORY_MS = 2000;

interface Step {
  do:
    | 'create'
    | 'contest'
    | 'publish'
    | 'check'
    | 'prepare'
    | 'arrive'
    | 'last check'
    | 'lose'
    | 'delete'
    | 'restore'
    | 'move'
    | 'suspend'
    | 'resume';
  by: number;
  name: number;
  /** Index of one of its two environments. */
  to: number;
  /** Which records of the domain `publish` puts in the zone. Others of the name are gone. `switch`: ownership and challenge. */
  records: 'both' | 'ownership' | 'routing' | 'switch' | 'none';
}

const WEIGHTS: Record<Step['do'], number> = {
  ...{ create: 2, publish: 3, check: 3, contest: 7, delete: 4, restore: 6 },
  ...{ prepare: 6, arrive: 5 },
  ...{ lose: 1, move: 1, suspend: 1, resume: 1, 'last check': 2 },
};

const step: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom(...(Object.keys(WEIGHTS) as Step['do'][]).flatMap((what) => Array(WEIGHTS[what]).fill(what))),
  by: fc.nat(WORKSPACES - 1),
  name: fc.nat(NAMES.length - 1),
  to: fc.nat(1),
  records: fc.constantFrom('both', 'both', 'switch', 'switch', 'ownership', 'routing', 'none'),
});
/** Steps that are asked for at once. */
const history = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 8, maxLength: 16, size: 'max' });

type Workspace = Planted & { environments: Environment[] };

/** The records in DNS, and the domains that they have proved. */
interface World {
  base: string;
  created: Domain[];
  /** By name: whose records are in the zone. */
  ownership: Map<string, Domain>;
  routing: Map<string, Domain>;
  /** By the name of the record, which a wildcard and its base name share. */
  challenges: Map<string, Domain>;
  /** Ids of the domains that a check found to lead to them, against another holder with their token, and which have not failed since. */
  proved: Set<string>;
  /** Ids of the domains whose own TXT and challenge records a check found, and which have not failed since. */
  claimed: Set<string>;
  /** By name: the id of the domain that is prepared. */
  prepared: Map<string, string>;
  /** Has added the name anew with its records in the last round, and is checked again a period later. */
  contests: Step[];
  memories: Map<string, CheckMemory>;
}

interface Domains {
  verified: Map<string, Domain>;
  byId: Map<string, Domain>;
}

/** A store for the histories. `close`: called at their end. */
type Opened = Pick<Subject, 'store' | 'plant'> & { close?(): Promise<void> };

/** A model of who may be served, beside the store and a cache of the edge. `runs`: histories. */
export function describeWildcardHistories(open: () => Promise<Opened>, runs: number): void {
  it(
    'random histories of exact names and wildcards of three workspaces: a name is never served for a workspace that did not prove it, or prepare it by records of its own; a verified one comes before a prepared one, then an exact name before its wildcard, and the cache of an edge agrees',
    async () => {
      const opened = await open();
      const { store } = opened;
      const seen = { exact: 0, wildcard: 0, beside: 0, takenOver: 0, restored: 0, suspended: 0, moved: 0, unproved: 0 };
      const early = { prepared: 0, wildcard: 0, hidden: 0, switched: 0, failed: 0 };
      const workspaces: Workspace[] = [];
      for (let i = 0; i < WORKSPACES; i++) {
        const planted = await opened.plant();
        const second = anEnvironment(planted.app);
        await store.createEnvironment(second);
        workspaces.push({ ...planted, environments: [planted.environment, second] });
      }
      const clock = { now: () => NOW };
      const changes = startChangeFeed(store);
      const sites = createSites({
        ...{ store, changes, clock, metrics: { lookup: () => {} }, warn: () => {} },
        isProxy: () => true,
        unknownPerMinute: 1,
      });
      try {
        await fc.assert(
          fc.asyncProperty(history, (rounds) => live(rounds, { workspaces, sites, changes })),
          { numRuns: runs, seed: 29 },
        );
      } finally {
        await changes.stop();
        await opened.close?.();
      }
      // The histories have all of it.
      for (const [what, count] of [...Object.entries(seen), ...Object.entries(early)])
        expect(count, what).toBeGreaterThan(0);

      interface Around {
        workspaces: Workspace[];
        sites: Sites;
        changes: PolledChangeFeed;
      }

      async function live(rounds: Step[][], around: Around): Promise<void> {
        const base = `${unique('histories')}.example.com`;
        const world: World = {
          ...{ base, created: [], contests: [] },
          ...{ ownership: new Map(), routing: new Map(), challenges: new Map(), memories: new Map() },
          ...{ proved: new Set(), claimed: new Set(), prepared: new Map() },
        };
        let now = NOW;
        for (const steps of rounds) {
          now += HOUR_MS;
          for (const contest of world.contests.splice(0)) await perform({ ...contest, do: 'check' }, world, now);
          await Promise.all(steps.map((each) => perform(each, world, now)));
          await around.changes.poll();
          const domains = await findAll(base);
          await Promise.all(HOSTS.map((label) => check(`${label}${base}`, domains, world, around.sites)));
        }
        for (const { workspaceId, id } of world.created) await store.deleteDomain(workspaceId, id, now);
      }

      async function perform(asked: Step, world: World, now: number): Promise<void> {
        const { environments, workspace } = workspaces[asked.by] as Workspace;
        const environment = environments[asked.to] as Environment;
        const name = `${NAMES[asked.name]}${world.base}`;
        if (asked.do === 'create') return create(environment, name, world, now);
        if (asked.do === 'restore') {
          const deleted = await store.findDeletedDomain(workspace.id, name, now);
          const result = deleted && (await store.restoreDomain(deleted, now, WINDOW_MS));
          if (result?.kind !== 'restored') return;
          seen.restored += 1;
          if (result.domain.status === 'verified') world.prepared.delete(name);
          return;
        }
        if (asked.do === 'prepare') await create(environment, name, world, now);
        const domain = await store.findDomainByName(workspace.id, name);
        if (domain === null) return;
        const { id } = domain;
        switch (asked.do) {
          case 'publish':
            return publish(domain, asked.records, world);
          case 'check':
            if (domain.status === 'failed') await store.retryVerification(workspace.id, id, now, WINDOW_MS);
            return checkOnce(domain, world, now);
          case 'prepare':
          case 'arrive':
            publish(domain, asked.do === 'prepare' ? 'switch' : 'both', world);
            return checkOnce(domain, world, now);
          case 'last check':
            return checkOnce(domain, world, now, windowEndsAt(domain));
          case 'contest': {
            // A newer token than that of whoever has the name.
            await remove(domain, world, now);
            await create(environment, name, world, now);
            const again = await store.findDomainByName(workspace.id, name);
            if (again === null) return;
            publish(again, 'both', world);
            world.contests.push(asked);
            return checkOnce(again, world, now);
          }
          case 'lose':
            if (domain.status === 'verified' && (await lose(store, domain, now)) === 'saved') world.proved.delete(id);
            return;
          case 'delete':
            return remove(domain, world, now);
          case 'move':
            if ((await store.moveDomain(id, environment, now)).kind === 'moved') seen.moved += 1;
            return;
          case 'suspend':
            await store.suspendDomain(workspace.id, id, 451, now);
            return;
          case 'resume':
            await store.resumeDomain(workspace.id, id, now);
            return;
          default:
            asked.do satisfies never;
        }
      }

      async function create(environment: Environment, name: string, world: World, now: number): Promise<void> {
        const challengeZone = isWildcard(name) ? CHALLENGES : null;
        const domain = aDomain(environment, { name, challengeZone, createdAt: now, windowStartedAt: now });
        if ((await store.createDomain(domain, now + WINDOW_MS)).kind === 'created') world.created.push(domain);
      }

      async function remove({ workspaceId, id, name }: Domain, { claimed, prepared }: World, now: number) {
        // Restored, it has to prove both records again.
        claimed.delete(id);
        await store.deleteDomain(workspaceId, id, now, now + 7 * DAY_MS);
        if (prepared.get(name) === id) prepared.delete(name);
      }

      function publish(domain: Domain, records: Step['records'], { ownership, routing, challenges }: World): void {
        for (const [zone, name, is] of [
          [ownership, domain.name, ['both', 'ownership', 'switch'].includes(records)],
          [routing, domain.name, records === 'both' || records === 'routing'],
          [challenges, challengeName(domain.name), records === 'switch'],
        ] as const)
          if (is) zone.set(name, domain);
          else zone.delete(name);
      }

      /** As the verifier does, with what both nameservers of the zone have: a wildcard record answers for names without their own. */
      async function checkOnce(domain: Domain, world: World, now: number, claimedAt = now) {
        const { ownership, routing, challenges, proved, claimed, prepared, memories } = world;
        const incumbent = await store.findIncumbent(domain);
        const own = ownership.get(domain.name);
        const target = routing.get(domain.name) ?? routing.get(wildcardOf(domain.name) ?? '');
        const record = challengeRecordOf(domain, CHALLENGES);
        const answering = challenges.get(challengeName(domain.name));
        const shown = answering && challengeRecordOf(answering, CHALLENGES);
        const seenBy = (each: Domain) =>
          observation(each, 'example.com', {
            ...(own && { ownership: everywhere(rightTxt(own)) }),
            ...(target && { routing: everywhere(cname(target.target)) }),
          });

        const challenge = shown &&
          record && {
            ...recordSeen(record.name, zoneOf('example.com'), everywhere(cname(shown.value))),
            expected: record.value,
          };
        const isPrepared = prepared.get(domain.name) === domain.id;
        const start = { domain, incumbent, isPrepared, memory: memories.get(domain.id) ?? NO_MEMORY, claimedAt };
        const seenNow = {
          ...seenBy(domain),
          ...(challenge && { challenge }),
          ...(incumbent && { incumbent: seenBy(incumbent) }),
        };
        const { after, memory, loser, prepares } = transition(start, readObservation(start, seenNow), [], now);
        const taken = loser && incumbent ? { before: incumbent, after: loser } : undefined;
        // Before it is saved: others look meanwhile.
        const isProof = target?.id === domain.id && (incumbent === null || own?.id === domain.id);
        if (isProof) proved.add(domain.id);
        if (own?.id === domain.id && answering?.id === domain.id) claimed.add(domain.id);
        const saved = await store.saveTransition({
          before: domain,
          after,
          memory,
          now,
          prepares,
          ...(taken && { loser: taken }),
        });
        if (saved !== 'saved') return;
        memories.set(domain.id, memory);
        if (prepares) prepared.set(domain.name, domain.id);
        if (after.status === 'verified' && prepared.get(domain.name) === domain.id) early.switched += 1;
        if (after.status === 'failed') {
          claimed.delete(domain.id);
          if (isPrepared) early.failed += 1;
        }
        const isOver =
          after.status === 'verified' || (after.status === 'failed' && prepared.get(domain.name) === domain.id);
        if (isOver) prepared.delete(domain.name);
        if (!isProof && after.status !== 'verified') seen.unproved += 1;
        if (after.status !== 'verified' || taken === undefined) return;
        proved.delete(taken.before.id);
        seen.takenOver += 1;
      }

      /** The verified ones by name, which no two workspaces have, and all by id. */
      async function findAll(base: string): Promise<Domains> {
        const found = await Promise.all(
          workspaces.flatMap(({ workspace }) =>
            NAMES.map((label) => store.findDomainByName(workspace.id, `${label}${base}`)),
          ),
        );
        const verified = found.filter((domain) => domain?.status === 'verified');
        const byName = new Map(verified.map((domain) => [domain?.name ?? '', domain as Domain]));
        expect(byName.size).toBe(verified.length);
        return { verified: byName, byId: new Map(found.flatMap((domain) => (domain ? [[domain.id, domain]] : []))) };
      }

      async function check(
        host: string,
        { verified, byId }: Domains,
        { proved, claimed, prepared }: World,
        sites: Sites,
      ): Promise<void> {
        const [exact, above] = [verified.get(host), verified.get(wildcardOf(host) ?? '')];
        const inAdvance = prepared.get(host) ?? prepared.get(wildcardOf(host) ?? '');
        const holder = exact ?? above ?? byId.get(inAdvance ?? '') ?? null;
        const site = await store.findSite(host);
        const shown = site && { id: site.domainId, workspaceId: site.workspaceId, environmentId: site.environmentId };
        const { id = '', workspaceId = '', environmentId = '' } = holder ?? {};
        expect(shown, host).toEqual(holder && { id, workspaceId, environmentId });
        const isPrepared = holder !== null && holder.status !== 'verified';
        expect(site?.isPrepared ?? false).toBe(isPrepared);
        if (site !== null) expect(isPrepared ? claimed : proved, `who is served at ${host}`).toContain(site.domainId);
        const cached = await sites.find(host, '');
        expect(cached.kind === 'site' ? pick(cached.site) : null, `${host} in the cache`).toEqual(site && pick(site));
        if (holder === null || site === null) return;
        const suspension = await store.findSuspension(workspaceId, id);
        expect(site.suspendedStatus).toBe(suspension?.status ?? null);
        if (suspension !== null) seen.suspended += 1;
        if (isPrepared) early[isWildcard(holder.name) ? 'wildcard' : 'prepared'] += 1;
        else if (holder === above && prepared.has(host)) early.hidden += 1;
        seen[isWildcard(holder.name) ? 'wildcard' : 'exact'] += 1;
        if (exact && above && exact.workspaceId !== above.workspaceId) seen.beside += 1;
      }
    },
    runs * HISTORY_MS,
  );
}

function pick({
  hostname,
  domainId,
  environmentId,
  suspendedStatus,
  isPrepared = false,
}: {
  hostname: string;
  domainId: string;
  environmentId: string;
  suspendedStatus: number | null;
  isPrepared?: boolean;
}) {
  return { hostname, domainId, environmentId, suspendedStatus, isPrepared };
}
