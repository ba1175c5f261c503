import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLog } from '../../server/src/base/log.ts';
import type { Domain, DomainKind } from '../../server/src/domain/domain.ts';
import { ownershipName, ownershipValue } from '../../server/src/domain/records.ts';
import { CHECK_INTERVAL_MS } from '../../server/src/domain/schedule.ts';
import { baseName, wildcardOf } from '../../server/src/domain/wildcard.ts';
import { createMetrics } from '../../server/src/roles/metrics.ts';
import { sqliteStore } from '../../server/src/store/engine/sqlite/sqlite.ts';
import type { Store } from '../../server/src/store/store.ts';
import { createVerifier } from '../../server/src/verification/verifier.ts';
import { aClaim } from '../support/entities.ts';
import { fixedAnswers } from '../support/fixed-answers.ts';
import { addresses, cname, fails, NXDOMAIN, txt } from '../support/observations.ts';

/**
 * The real store and the real verifier against random histories of one name that three workspaces claim. DNS is a value
 * that the history changes. The rule for `verified` is stated here again, from that value, independently of
 * `domain/status.ts`.
 */

const DAY_MS = 86_400_000;
const WORKSPACES = ['ws_0', 'ws_1', 'ws_2'];

type Step =
  | { do: 'create' | 'delete' | 'retry' | 'publish' | 'withdraw' | 'route'; by: number }
  | { do: 'check'; times: number; meanwhile?: Step }
  | { do: 'pass'; ms: number }
  | { do: 'addresses' | 'unroute' | 'breakTxt' | 'breakRoute' | 'mend' };

const by = fc.nat(WORKSPACES.length - 1);
const own = (...what: ('create' | 'delete' | 'retry' | 'publish' | 'withdraw' | 'route')[]): fc.Arbitrary<Step> =>
  fc.record({ do: fc.constantFrom(...what), by });
const check: fc.Arbitrary<Step> = fc.record(
  {
    do: fc.constant('check' as const),
    times: fc.integer({ min: 1, max: 3 }),
    meanwhile: own('create', 'delete', 'retry'),
  },
  { requiredKeys: ['do', 'times'] },
);
const outside: fc.Arbitrary<Step> = fc.record({
  do: fc.constantFrom(
    'addresses' as const,
    'unroute' as const,
    'breakTxt' as const,
    'breakRoute' as const,
    'mend' as const,
  ),
});
const pass: fc.Arbitrary<Step> = fc.record({
  do: fc.constant('pass' as const),
  ms: fc.constantFrom(1, 59_999, 3_600_000, DAY_MS - 1, DAY_MS),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: own('create', 'delete', 'retry') },
  { weight: 5, arbitrary: own('publish', 'withdraw', 'route') },
  { weight: 2, arbitrary: outside },
  { weight: 6, arbitrary: check },
  { weight: 2, arbitrary: pass },
);
/** Makes takeovers likely: one workspace leaves the name, another claims it, with anything in between. */
const handover: fc.Arbitrary<Step[]> = fc
  .record({ from: by, to: by, between: fc.array(step, { maxLength: 2 }) })
  .map(({ from, to, between }) => [
    { do: 'mend' },
    { do: 'pass', ms: 1 },
    { do: 'create', by: to },
    { do: 'publish', by: to },
    { do: 'route', by: to },
    { do: 'withdraw', by: from },
    ...between,
    { do: 'check', times: 2 },
  ]);
const history: fc.Arbitrary<Step[]> = fc
  .array(fc.oneof({ weight: 8, arbitrary: step.map((one) => [one]) }, { weight: 2, arbitrary: handover }), {
    minLength: 5,
    maxLength: 40,
    size: 'max',
  })
  .map((parts) => parts.flat());

let directory: string;
let store: Store;
let serial = 0;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'nameplate-'));
  store = await sqliteStore({ path: join(directory, 'nameplate.db') });
  for (const id of WORKSPACES) {
    const limits = { rates: {}, domains: null };
    await store.createWorkspace({ id, name: id, disabledAt: null, limits, createdAt: 0 });
    await store.createProject({ id: `proj_${id}`, workspaceId: id, slug: 'demo', name: null, createdAt: 0 });
    await store.createApp({
      id: `app_${id}`,
      workspaceId: id,
      projectId: `proj_${id}`,
      slug: 'web',
      name: null,
      createdAt: 0,
    });
    await store.createEnvironment({
      id: `env_${id}`,
      workspaceId: id,
      projectId: `proj_${id}`,
      appId: `app_${id}`,
      slug: 'production',
      name: null,
      currentDeploymentId: null,
      createdAt: 0,
    });
  }
});
afterAll(async () => {
  await store.close();
  await rm(directory, { recursive: true });
});

type Shape = DomainKind | 'wildcard';

/** The DNS records of one name, and what checks have observed of them. */
class World {
  readonly name: string;
  readonly kind: DomainKind;
  /** Whether a name has the routing record. */
  private readonly isRouted: (name: string) => boolean;
  now = 1_800_000_000_000;
  txt = new Set<string>();
  /** A target, `addresses`, or nothing. */
  route: string | null = null;
  txtBroken = false;
  routeBroken = false;
  /** Run once, in the middle of the next check. */
  meanwhile: (() => Promise<void>) | null = null;
  readonly domains = new Map<string, Domain>();

  constructor(shape: Shape) {
    this.kind = shape === 'apex' ? 'apex' : 'subdomain';
    serial += 1;
    this.name = `${{ apex: '', subdomain: 'www.', wildcard: '*.' }[shape]}n${serial}.example`;
    this.isRouted = shape === 'wildcard' ? (name) => wildcardOf(name) === this.name : (name) => name === this.name;
  }

  readonly resolver = fixedAnswers(async ({ name, type }) => {
    if (type === 'TXT') {
      await this.interfere();
      if (this.txtBroken) return fails('timeout');
      return name === `_service.${baseName(this.name)}` && this.txt.size > 0 ? txt(...this.txt) : NXDOMAIN;
    }
    if (this.routeBroken) return fails('timeout');
    if (!this.isRouted(name) || this.route === null) return NXDOMAIN;
    return this.route === 'addresses' ? addresses('192.0.2.1') : cname(this.route);
  });

  private async interfere(): Promise<void> {
    const run = this.meanwhile;
    this.meanwhile = null;
    await run?.();
  }

  proves(domain: Domain): boolean {
    const owned = !this.txtBroken && this.txt.has(ownershipValue(domain));
    if (this.kind === 'apex') return owned;
    if (this.routeBroken) return false;
    return this.route === domain.target || (owned && this.route === 'addresses');
  }

  /** The sentence of the design about claimants, read literally. */
  outweighs(domain: Domain, incumbent: Domain): boolean {
    if (this.txtBroken || this.routeBroken) return false;
    const owned = this.txt.has(ownershipValue(domain));
    const routed = this.kind === 'apex' || this.route === domain.target || this.route === 'addresses';
    const younger = domain.createdAt > (incumbent.verifiedAt ?? 0);
    const gone = !this.txt.has(ownershipValue(incumbent)) && this.route !== incumbent.target;
    return owned && routed && younger && gone;
  }
}

async function create(world: World, by: number): Promise<void> {
  const workspaceId = WORKSPACES[by] ?? '';
  serial += 1;
  const domain = aClaim(workspaceId, serial, { name: world.name, kind: world.kind, createdAt: world.now });
  await store.createDomain(domain, world.now + DAY_MS);
}

const ALLOWED: Record<Domain['status'], Domain['status'][]> = {
  pending: ['pending', 'verifying', 'verified', 'failed'],
  verifying: ['verifying', 'verified', 'failed'],
  verified: ['verified', 'failed'],
  failed: ['failed', 'pending'],
};

async function play(shape: Shape, steps: Step[]): Promise<{ verified: number; takeovers: number }> {
  const world = new World(shape);
  const common = {
    store,
    resolver: world.resolver,
    random: () => 0.5,
    log: createLog('silent'),
    metrics: createMetrics(),
  };
  const verifier = createVerifier({ ...common, clock: { now: () => world.now, isTrusted: () => true } });
  /** In how many consecutive checks, up to the last one, a domain outweighed the incumbent of that moment. */
  const streaks = new Map<string, number>();
  const tally = { verified: 0, takeovers: 0 };

  const read = async () => {
    const found = await Promise.all(WORKSPACES.map((id) => store.findDomainByName(id, world.name)));
    return new Map(found.flatMap((d) => (d ? [[d.workspaceId, d] as const] : [])));
  };

  /** When the check of each domain was due that a check step completes. */
  const dueAt = new Map<string, number>();

  async function judge(step: Step, before: Map<string, Domain>): Promise<void> {
    const after = await read();
    const holders = [...after.values()].filter((d) => d.status === 'verified');
    expect(holders.length, 'workspaces that hold the name as verified').toBeLessThanOrEqual(1);
    const route = await store.findSite(world.name);
    expect(route?.domainId ?? null).toBe(holders[0]?.id ?? null);
    const incumbent = [...before.values()].find((d) => d.status === 'verified');
    for (const [workspaceId, now] of after) {
      const was = before.get(workspaceId);
      if (was?.id !== now.id || was.status === now.status) continue;
      expect(ALLOWED[was.status], `from ${was.status}`).toContain(now.status);
      if (now.status === 'verified') {
        expect(step.do).toBe('check');
        tally.verified += 1;
        if (incumbent && after.get(incumbent.workspaceId)?.id === incumbent.id) {
          tally.takeovers += 1;
          expect(world.outweighs(now, incumbent), 'a takeover outweighs the incumbent').toBe(true);
          expect(streaks.get(now.id), 'in two checks in a row').toBeGreaterThanOrEqual(1);
          expect(after.get(incumbent.workspaceId)?.status).toBe('failed');
        } else expect(world.proves(now), 'verified means proven').toBe(true);
      }
      if (now.status === 'failed' && was.status !== 'verified') {
        expect(world.now, 'failed at the end of the window').toBeGreaterThanOrEqual(now.windowStartedAt + DAY_MS);
        expect(now.verificationError).toMatch(/^Not verified within 24 hours\. /);
      }
      if (was.status === 'verified') expect(holders.length, 'a name changes hands, it is not dropped').toBe(1);
      if (now.status === 'pending')
        expect(step.do === 'retry' || (step.do === 'check' && step.meanwhile?.do === 'retry')).toBe(true);
    }
    const movedOn = holders.some((d) => before.get(d.workspaceId)?.status !== 'verified');
    if (step.do === 'check' && !step.meanwhile && !movedOn) {
      for (const d of after.values()) {
        const open = d.status === 'pending' || d.status === 'verifying';
        const dueBy = Math.min(world.now, dueAt.get(d.id) ?? 0);
        if (open)
          expect(dueBy, 'a check due at the end of the window is the last').toBeLessThan(d.windowStartedAt + DAY_MS);
      }
    }
    if (step.do === 'check') {
      for (const d of after.values()) {
        const counts = incumbent && incumbent.id !== d.id && world.outweighs(d, incumbent);
        streaks.set(d.id, counts ? (streaks.get(d.id) ?? 0) + 1 : 0);
      }
    }
  }

  async function take(step: Step): Promise<void> {
    const mine = 'by' in step ? (await read()).get(WORKSPACES[step.by] ?? '') : undefined;
    switch (step.do) {
      case 'create':
        return create(world, step.by);
      case 'delete':
        if (mine) await store.deleteDomain(mine.workspaceId, mine.id, world.now);
        return;
      case 'retry':
        if (mine) await store.retryVerification(mine.workspaceId, mine.id, world.now, DAY_MS);
        return;
      case 'publish':
        if (mine) world.txt.add(ownershipValue(mine));
        return;
      case 'withdraw':
        if (mine) world.txt.delete(ownershipValue(mine));
        return;
      case 'route':
        if (mine) world.route = mine.target;
        return;
      case 'addresses':
        world.route = 'addresses';
        return;
      case 'unroute':
        world.route = null;
        return;
      case 'breakTxt':
        world.txtBroken = true;
        return;
      case 'breakRoute':
        world.routeBroken = true;
        return;
      case 'mend':
        world.txtBroken = false;
        world.routeBroken = false;
        return;
      case 'pass':
        world.now += step.ms;
        return;
      case 'check': {
        const { meanwhile } = step;
        world.meanwhile = meanwhile ? () => take(meanwhile) : null;
        await verifier.runOnce();
        world.meanwhile = null;
        return;
      }
      default:
        return step satisfies never;
    }
  }

  for (const step of steps) {
    const times = step.do === 'check' ? step.times : 1;
    for (let i = 0; i < times; i++) {
      // After a period every undecided domain is due, so a check step checks all of them.
      if (step.do === 'check') world.now += CHECK_INTERVAL_MS;
      const before = await read();
      for (const { workspaceId, id } of before.values())
        dueAt.set(id, (await store.findCheckResult(workspaceId, id))?.schedule.nextCheckAt ?? 0);
      await take(step);
      await judge(step, before);
    }
  }
  for (const d of (await read()).values()) await store.deleteDomain(d.workspaceId, d.id, world.now);
  await verifier.stop();
  return tally;
}

describe.each(['subdomain', 'apex', 'wildcard'] as const)(
  'any history of one %s that three workspaces claim',
  (shape) => {
    test('never verifies it against the rule, never twice at once, and fails it only at the end of the window', async () => {
      const total = { verified: 0, takeovers: 0 };
      await fc.assert(
        fc.asyncProperty(history, async (steps) => {
          const { verified, takeovers } = await play(shape, steps);
          total.verified += verified;
          total.takeovers += takeovers;
        }),
        // More in `npm run test:long`.
        { numRuns: Number(process.env.RULE_RUNS ?? 120) },
      );
      // The property would also hold if nothing happened in any history.
      expect(total.verified).toBeGreaterThan(0);
      expect(total.takeovers).toBeGreaterThan(0);
    });

    test('a takeover happens in a history made for it', async () => {
      const steps: Step[] = [
        { do: 'create', by: 0 },
        { do: 'publish', by: 0 },
        { do: 'route', by: 0 },
        { do: 'check', times: 1 },
        { do: 'pass', ms: 1 },
        { do: 'create', by: 1 },
        { do: 'publish', by: 1 },
        { do: 'check', times: 3 },
        { do: 'route', by: 1 },
        { do: 'withdraw', by: 0 },
        { do: 'check', times: 2 },
      ];
      expect(await play(shape, steps)).toEqual({ verified: 2, takeovers: 1 });
    });
  },
);

test('the simulated ownership record has the name that the domain shows', () => {
  expect(ownershipName({ name: 'www.n1.example', service: 'service' })).toBe('_service.www.n1.example');
});
