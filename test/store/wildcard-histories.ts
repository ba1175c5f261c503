import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Domain, WINDOW_MS } from '../../server/src/domain/domain.ts';
import { readObservation } from '../../server/src/domain/read-observation.ts';
import { type CheckMemory, NO_MEMORY, transition } from '../../server/src/domain/status.ts';
import { isWildcard, wildcardOf } from '../../server/src/domain/wildcard.ts';
import { createSites, type Sites } from '../../server/src/edge/cache/site-cache.ts';
import { type PolledChangeFeed, startChangeFeed } from '../../server/src/store/cache/change-feed.ts';
import type { Environment } from '../../server/src/store/store.ts';
import { DAY_MS, lose } from '../support/certificates.ts';
import { aDomain, anEnvironment, NOW, type Planted, unique } from '../support/entities.ts';
import { cname, everywhere, observation, rightTxt } from '../support/observations.ts';
import type { Subject } from './subject.ts';

/** Names that stand for each other, below a base of each history. */
const NAMES = ['*.', 'a.', 'b.', '*.a.', 'x.a.'];
/** Host names that visitors ask for: those with domains of their own, and others. */
const HOSTS = ['a.', 'b.', 'c.', 'x.a.', 'y.a.', 'x.b.', ''];
const WORKSPACES = 3;
const HOUR_MS = 3_600_001;
/** More than a history takes on a busy machine. */
const HISTORY_MS = 2000;

interface Step {
  do: 'create' | 'contest' | 'publish' | 'check' | 'lose' | 'delete' | 'restore' | 'move' | 'suspend' | 'resume';
  by: number;
  name: number;
  /** Index of one of its two environments. */
  to: number;
  /** Which records of the domain `publish` puts in the zone. Others of the name are gone. */
  records: 'both' | 'ownership' | 'routing' | 'none';
}

const WEIGHTS: Record<Step['do'], number> = {
  ...{ create: 3, publish: 4, check: 4, contest: 5, delete: 2, restore: 2 },
  ...{ lose: 1, move: 1, suspend: 1, resume: 1 },
};

const step: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom(...(Object.keys(WEIGHTS) as Step['do'][]).flatMap((what) => Array(WEIGHTS[what]).fill(what))),
  by: fc.nat(WORKSPACES - 1),
  name: fc.nat(NAMES.length - 1),
  to: fc.nat(1),
  records: fc.constantFrom('both', 'both', 'both', 'ownership', 'routing', 'none'),
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
  /** Ids of the domains that a check found to lead to them, against another holder with their token, and which have not failed since. */
  proved: Set<string>;
  /** Has added the name anew with its records in the last round, and is checked again a period later. */
  contests: Step[];
  memories: Map<string, CheckMemory>;
}

/** A store for the histories. `close`: called at their end. */
type Opened = Pick<Subject, 'store' | 'plant'> & { close?(): Promise<void> };

/** A model of who may be served, beside the store and a cache of the edge. `runs`: histories. */
export function describeWildcardHistories(open: () => Promise<Opened>, runs: number): void {
  it(
    'random histories of exact names and wildcards of three workspaces: a name is never served for a workspace that did not prove it; an exact name comes before its wildcard, and the cache of an edge agrees',
    async () => {
      const opened = await open();
      const { store } = opened;
      const seen = { exact: 0, wildcard: 0, beside: 0, takenOver: 0, restored: 0, suspended: 0, moved: 0, unproved: 0 };
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
      for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(0);

      interface Around {
        workspaces: Workspace[];
        sites: Sites;
        changes: PolledChangeFeed;
      }

      async function live(rounds: Step[][], around: Around): Promise<void> {
        const base = `${unique('histories')}.example.com`;
        const world: World = {
          ...{ base, created: [], contests: [] },
          ...{ ownership: new Map(), routing: new Map(), proved: new Set(), memories: new Map() },
        };
        let now = NOW;
        for (const steps of rounds) {
          now += HOUR_MS;
          for (const contest of world.contests.splice(0)) await perform({ ...contest, do: 'check' }, world, now);
          await Promise.all(steps.map((each) => perform(each, world, now)));
          await around.changes.poll();
          const verified = await findVerified(base);
          await Promise.all(HOSTS.map((label) => check(`${label}${base}`, verified, world, around.sites)));
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
          if (result?.kind === 'restored') seen.restored += 1;
          return;
        }
        const domain = await store.findDomainByName(workspace.id, name);
        if (domain === null) return;
        const { id } = domain;
        switch (asked.do) {
          case 'publish':
            return publish(domain, asked.records, world);
          case 'check':
            if (domain.status === 'failed') await store.retryVerification(workspace.id, id, now, WINDOW_MS);
            return checkOnce(domain, world, now);
          case 'contest': {
            // A newer token than that of whoever has the name.
            await store.deleteDomain(workspace.id, id, now, now + 7 * DAY_MS);
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
            await store.deleteDomain(workspace.id, id, now, now + 7 * DAY_MS);
            return;
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
        const domain = aDomain(environment, { name, createdAt: now, windowStartedAt: now });
        if ((await store.createDomain(domain, now + WINDOW_MS)).kind === 'created') world.created.push(domain);
      }

      function publish(domain: Domain, records: Step['records'], { ownership, routing }: World): void {
        for (const [zone, is] of [
          [ownership, records === 'both' || records === 'ownership'],
          [routing, records === 'both' || records === 'routing'],
        ] as const)
          if (is) zone.set(domain.name, domain);
          else zone.delete(domain.name);
      }

      /** As the verifier does, with what both nameservers of the zone have: a wildcard record answers for names without their own. */
      async function checkOnce(domain: Domain, { ownership, routing, proved, memories }: World, now: number) {
        const incumbent = await store.findIncumbent(domain);
        const own = ownership.get(domain.name);
        const target = routing.get(domain.name) ?? routing.get(wildcardOf(domain.name) ?? '');
        const seenBy = (each: Domain) =>
          observation(each, 'example.com', {
            ...(own && { ownership: everywhere(rightTxt(own)) }),
            ...(target && { routing: everywhere(cname(target.target)) }),
          });
        const start = { domain, incumbent, memory: memories.get(domain.id) ?? NO_MEMORY, claimedAt: now };
        const seenNow = { ...seenBy(domain), ...(incumbent && { incumbent: seenBy(incumbent) }) };
        const { after, memory, loser } = transition(start, readObservation(start, seenNow), [], now);
        const taken = loser && incumbent ? { before: incumbent, after: loser } : undefined;
        // Before it is saved: others look meanwhile.
        const isProof = target?.id === domain.id && (incumbent === null || own?.id === domain.id);
        if (isProof) proved.add(domain.id);
        const saved = await store.saveTransition({
          before: domain,
          after,
          memory,
          now,
          ...(taken && { loser: taken }),
        });
        if (saved !== 'saved') return;
        memories.set(domain.id, memory);
        if (!isProof && after.status !== 'verified') seen.unproved += 1;
        if (after.status !== 'verified' || taken === undefined) return;
        proved.delete(taken.before.id);
        seen.takenOver += 1;
      }

      /** By name; no two workspaces have one verified. */
      async function findVerified(base: string): Promise<Map<string, Domain>> {
        const found = await Promise.all(
          workspaces.flatMap(({ workspace }) =>
            NAMES.map((label) => store.findDomainByName(workspace.id, `${label}${base}`)),
          ),
        );
        const verified = found.filter((domain) => domain?.status === 'verified');
        const byName = new Map(verified.map((domain) => [domain?.name ?? '', domain as Domain]));
        expect(byName.size).toBe(verified.length);
        return byName;
      }

      async function check(
        host: string,
        verified: Map<string, Domain>,
        { proved }: World,
        sites: Sites,
      ): Promise<void> {
        const [exact, above] = [verified.get(host), verified.get(wildcardOf(host) ?? '')];
        const holder = exact ?? above ?? null;
        const site = await store.findSite(host);
        const shown = site && { id: site.domainId, workspaceId: site.workspaceId, environmentId: site.environmentId };
        const { id = '', workspaceId = '', environmentId = '' } = holder ?? {};
        expect(shown, host).toEqual(holder && { id, workspaceId, environmentId });
        if (site !== null) expect(proved, `who is served at ${host}`).toContain(site.domainId);
        const cached = await sites.find(host, '');
        expect(cached.kind === 'site' ? pick(cached.site) : null, `${host} in the cache`).toEqual(site && pick(site));
        if (holder === null || site === null) return;
        const suspension = await store.findSuspension(workspaceId, id);
        expect(site.suspendedStatus).toBe(suspension?.status ?? null);
        if (suspension !== null) seen.suspended += 1;
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
}: {
  hostname: string;
  domainId: string;
  environmentId: string;
  suspendedStatus: number | null;
}) {
  return { hostname, domainId, environmentId, suspendedStatus };
}
