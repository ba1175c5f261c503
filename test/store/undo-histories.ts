import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Domain, WINDOW_MS } from '../../server/src/domain/domain.ts';
import { readObservation } from '../../server/src/domain/read-observation.ts';
import { type CheckMemory, NO_MEMORY, transition } from '../../server/src/domain/status.ts';
import type { SuspensionStatus } from '../../server/src/domain/suspension.ts';
import type { Environment } from '../../server/src/store/store.ts';
import { DAY_MS, lose } from '../support/certificates.ts';
import { aDomain, anEnvironment, NOW, type Planted, timelineOf, unique } from '../support/entities.ts';
import { cname, everywhere, observation, rightTxt } from '../support/observations.ts';
import type { Subject } from './subject.ts';

/**
 * Three workspaces with two environments each claim one name, publish records, are checked, lose it, delete, restore,
 * move and suspend it, several at once.
 */
const WORKSPACES = 3;
const NAMES = 1;

interface Step {
  do: 'create' | 'contest' | 'check' | 'lose' | 'delete' | 'restore' | 'move' | 'suspend' | 'resume' | 'operator';
  by: number;
  name: number;
  /** Index of one of its two environments. */
  to: number;
  /**
   * Whose records the zone of the name gets before a check: those of the domain, of the newest one that the workspace
   * deleted, or none.
   */
  publishes: 'own' | 'deleted' | 'nothing';
  status: SuspensionStatus;
}

const STEPS: Record<Step['do'], number> = {
  ...{ create: 4, check: 4, contest: 4, delete: 2, restore: 3 },
  ...{ lose: 1, move: 1, suspend: 1, resume: 1, operator: 1 },
};

const step: fc.Arbitrary<Step> = fc.record({
  do: weighted(STEPS),
  by: fc.nat(WORKSPACES - 1),
  name: fc.nat(NAMES - 1),
  to: fc.nat(1),
  publishes: weighted<Step['publishes']>({ own: 2, deleted: 2, nothing: 1 }),
  status: fc.constantFrom<SuspensionStatus[]>(451, 503),
});
/** Steps that are asked for at once. */
const history = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { minLength: 20, maxLength: 40, size: 'max' });

/** How often each comes, in relation to the others. */
function weighted<Value extends string>(weights: Record<Value, number>): fc.Arbitrary<Value> {
  return fc.constantFrom(...(Object.keys(weights) as Value[]).flatMap((value) => Array(weights[value]).fill(value)));
}

interface World {
  workspaces: (Planted & { environments: Environment[] })[];
  names: string[];
  created: Domain[];
  /** The domain whose two records are in the zone of each name. */
  zones: Map<string, Domain>;
  /** Workspaces that have added the name anew, with their records, since the last round. */
  contests: number[];
  /** The memory that each check passed on to the next, by domain. */
  memories: Map<string, CheckMemory>;
  /** When each domain was deleted last. */
  deletedAt: Map<string, number>;
  /** Who became verified for a name, and when, as it was seen after each round. */
  verified: { name: string; workspaceId: string; at: number }[];
  /** Suspensions by the operator. */
  operator: Map<string, SuspensionStatus | null>;
}

export function describeUndoHistories(subject: Subject, runs = 30): void {
  it('whatever happens, a name is served for the one workspace that it is verified for, from the environment that its domain is in, and with its page while it is suspended; nothing is restored over the name of another, and no token of a deleted domain is found or verifies anything', async () => {
    const seen = { restored: 0, moved: 0, suspended: 0, takenOver: 0, publishedDeleted: 0 };
    await fc.assert(
      fc.asyncProperty(history, async (rounds) => {
        const world = await plantWorld();
        let now = NOW;
        for (const steps of rounds) {
          now += 3_600_001;
          const [byOperator, byKeys] = [true, false].map((is) =>
            steps.filter((each) => (each.do === 'operator') === is),
          );
          // Who contests a name is checked again a period later.
          for (const by of world.contests.splice(0))
            await perform({ do: 'check', by, name: 0, to: 0, publishes: 'nothing', status: 503 }, world, now);
          await Promise.all((byKeys ?? []).map((each) => perform(each, world, now)));
          // One after the other: the last decides.
          for (const each of byOperator ?? []) await perform(each, world, now);
          await check(world);
        }
        // The next history begins without checks that are due.
        for (const { workspaceId, id } of world.created) await subject.store.deleteDomain(workspaceId, id, now);
      }),
      { numRuns: runs },
    );
    // The histories have all of it.
    for (const [what, count] of Object.entries(seen)) expect(count, what).toBeGreaterThan(0);

    async function plantWorld(): Promise<World> {
      const workspaces = [];
      for (let i = 0; i < WORKSPACES; i++) {
        const planted = await subject.plant();
        const second = anEnvironment(planted.app);
        await subject.store.createEnvironment(second);
        workspaces.push({ ...planted, environments: [planted.environment, second] });
      }
      const names = Array.from({ length: NAMES }, () => `${unique('undo')}.example.com`);
      return {
        workspaces,
        names,
        created: [],
        zones: new Map(),
        contests: [],
        memories: new Map(),
        deletedAt: new Map(),
        verified: [],
        operator: new Map(),
      };
    }

    async function perform(asked: Step, world: World, now: number): Promise<void> {
      const { do: what, by, name: index, to, publishes, status } = asked;
      const { store } = subject;
      const { workspace, environments } = world.workspaces[by] as World['workspaces'][number];
      const name = world.names[index] as string;
      const create = async () => {
        const about = { name, createdAt: now, windowStartedAt: now };
        const domain = aDomain(environments[to] as Environment, about);
        if ((await store.createDomain(domain, now + WINDOW_MS)).kind === 'created') world.created.push(domain);
      };
      const remove = async (id: string) => {
        if ((await store.deleteDomain(workspace.id, id, now, now + 7 * DAY_MS)) === 'deleted')
          world.deletedAt.set(id, now);
      };
      if (what === 'create') return create();
      if (what === 'operator') {
        // Lifted as often as set.
        const suspended = world.operator.get(workspace.id) ? null : status;
        world.operator.set(workspace.id, suspended);
        await store.setWorkspaceSuspension(workspace.id, suspended && { status: suspended, suspendedAt: now });
        return;
      }
      if (what === 'restore') {
        const deleted = await store.findDeletedDomain(workspace.id, name, now);
        if (deleted === null) return;
        const result = await store.restoreDomain(deleted, now, WINDOW_MS);
        if (result.kind !== 'restored') return;
        seen.restored += 1;
        const since = world.deletedAt.get(result.domain.id) ?? Number.POSITIVE_INFINITY;
        const others = world.verified.filter(
          (each) => each.name === name && each.workspaceId !== workspace.id && each.at > since,
        );
        expect(others, 'who was verified for the name since it was deleted').toEqual([]);
        return;
      }
      const domain = await store.findDomainByName(workspace.id, name);
      if (domain === null) return;
      const { id } = domain;
      switch (what) {
        case 'check': {
          if (domain.status === 'failed') await store.retryVerification(workspace.id, id, now, WINDOW_MS);
          const deleted = world.created.findLast((each) => each.workspaceId === workspace.id && each.id !== id);
          const published = { own: domain, deleted, nothing: undefined }[publishes];
          if (published !== undefined) world.zones.set(name, published);
          return checkOnce(domain, world, now);
        }
        case 'lose':
          if (domain.status === 'verified') await lose(store, domain, now);
          return;
        case 'delete':
          return remove(id);
        case 'contest':
          // A newer token than that of whoever has the name.
          await remove(id);
          await create();
          world.contests.push(by);
          return perform({ ...asked, do: 'check', publishes: 'own' }, world, now);
        case 'move':
          if ((await store.moveDomain(id, environments[to] as Environment, now)).kind === 'moved') seen.moved += 1;
          return;
        case 'suspend':
          await store.suspendDomain(workspace.id, id, status, now);
          return;
        case 'resume':
          await store.resumeDomain(workspace.id, id, now);
          return;
        default:
          what satisfies never;
      }
    }

    /** As the verifier does, with what both nameservers of the zone have. */
    async function checkOnce(domain: Domain, { zones, memories }: World, now: number): Promise<void> {
      const { store } = subject;
      const incumbent = await store.findIncumbent(domain);
      const published = zones.get(domain.name);
      const seenBy = (each: Domain) =>
        observation(each, 'example.com', {
          ...(published && {
            ownership: everywhere(rightTxt(published)),
            routing: everywhere(cname(published.target)),
          }),
        });
      const seenNow = { ...seenBy(domain), ...(incumbent && { incumbent: seenBy(incumbent) }) };
      const start = { domain, incumbent, memory: memories.get(domain.id) ?? NO_MEMORY, claimedAt: now };
      const { after, memory, loser } = transition(start, readObservation(start, seenNow), [], now);
      const wins = after.status === 'verified' && domain.status !== 'verified';
      if (wins) expect(published?.id, 'whose records made it verified').toBe(domain.id);
      const taken = loser && incumbent ? { before: incumbent, after: loser } : undefined;
      const saved = await store.saveTransition({ before: domain, after, memory, now, ...(taken && { loser: taken }) });
      if (saved !== 'saved') return;
      memories.set(domain.id, memory);
      if (wins && taken !== undefined) seen.takenOver += 1;
      if (!wins && published?.workspaceId === domain.workspaceId && published.id !== domain.id)
        seen.publishedDeleted += 1;
    }

    async function check({ workspaces, names, created, verified, operator }: World): Promise<void> {
      const { store } = subject;
      for (const name of names) {
        const live = await Promise.all(workspaces.map(({ workspace }) => store.findDomainByName(workspace.id, name)));
        const [holder, ...others] = live.filter((domain) => domain?.status === 'verified');
        expect(others, `others that ${name} is verified for`).toEqual([]);
        const site = await store.findSite(name);
        expect(site && { id: site.domainId, environmentId: site.environmentId }).toEqual(
          holder ? { id: holder.id, environmentId: holder.environmentId } : null,
        );
        if (holder == null || site === null) continue;
        const { workspaceId } = holder;
        verified.push({ name, workspaceId, at: holder.verifiedAt ?? 0 });
        const told = (await timelineOf(store, holder)).findLast(({ data }) => data.suspension !== undefined);
        const own = told?.type === 'domain.suspended' ? told.data.suspension?.status : undefined;
        const expected = operator.get(workspaceId) ?? own ?? null;
        expect(site.suspendedStatus).toBe(expected);
        if (expected !== null) seen.suspended += 1;
      }
      for (const { workspaceId, id, token, name } of created) {
        const isThere = (await store.findDomainById(workspaceId, id)) !== null;
        expect(await store.findNameByToken(workspaceId, token)).toBe(isThere ? name : null);
      }
    }
  });
}
