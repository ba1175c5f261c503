// Nameplate's checks of the claims that an attacker makes, in the victim's namespace. Started by forger-lab.ts.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Domain } from '../../../src/domain/domain.ts';
import type { CheckStore, Store } from '../../../src/store/contract/store.ts';

/** A domain of a workspace; its token is the workspace, so that the records are known beforehand. */
export interface LabDomain {
  workspace: string;
  name: string;
  kind: Domain['kind'];
  target: string;
}

export interface VictimPlan {
  seconds: number;
  /** The directory of the sources that are attacked. */
  tree: string;
  resolver: string;
  networks: string[];
  /** Verified before the attack: the attacker's own domain, and the incumbent of a takeover. */
  honest: LabDomain[];
  /** The attacker's claims of one name, all of which are checked all the time. */
  claims: LabDomain[];
  /** A takeover needs two checks that far apart. */
  betweenProofsMs: number;
  /** A domain without records, whose checks show the ports to the attacker's nameserver. */
  probe: LabDomain;
}

const DAY_MS = 86_400_000;
/** The first checks of a domain look at everything; then the attacker creates the claim anew. */
const CHECKS_EACH = 3;

const plan: VictimPlan = JSON.parse(process.argv[2] ?? '');
setTimeout(() => process.exit(), plan.seconds * 1000);
process.on('disconnect', () => process.exit());

const at = (path: string) => pathToFileURL(join(plan.tree, 'src', path)).href;
const { authoritativeResolver } = (await import(
  at('dns/authoritative.ts')
)) as typeof import('../../../src/dns/authoritative.ts');
const { dnsClient } = (await import(
  at('dns/transport/dns-client.ts')
)) as typeof import('../../../src/dns/transport/dns-client.ts');
const { newDomain } = (await import(at('domain/domain.ts'))) as typeof import('../../../src/domain/domain.ts');
const { createLog } = (await import(at('log.ts'))) as typeof import('../../../src/log.ts');
const { createMetrics } = (await import(at('metrics.ts'))) as typeof import('../../../src/metrics.ts');
const { migrate, sqliteStore } = (await import(
  at('store/sqlite/sqlite.ts')
)) as typeof import('../../../src/store/sqlite/sqlite.ts');
const { createVerifier } = (await import(
  at('verification/verifier.ts')
)) as typeof import('../../../src/verification/verifier.ts');
const { systemClock: clock } = (await import(at('clock.ts'))) as typeof import('../../../src/clock.ts');

const directory = mkdtempSync(join(tmpdir(), 'nameplate-forger-'));
process.on('exit', () => rmSync(directory, { recursive: true, force: true }));
const path = join(directory, 'nameplate.db');
await migrate(path);
const store: Store = await sqliteStore({ path });

/** Called when a verifier has claimed what is due. */
let onClaimed = () => {};
const checkStore: CheckStore = {
  ...store,
  async claimDue(...args) {
    const due = await store.claimDue(...args);
    onClaimed();
    return due;
  },
};
const resolver = authoritativeResolver({
  client: dnsClient(),
  resolvers: [{ address: plan.resolver, port: 53 }],
  allowedNetworks: plan.networks,
  clock,
});
const log = createLog('error');
const verifier = createVerifier({
  store: checkStore,
  resolver,
  clock,
  random: () => 0.5,
  log,
  metrics: createMetrics(),
});
const workspaces = new Set<string>();
let serial = 0;
let checks = 0;

async function create(attached: LabDomain): Promise<Domain> {
  const { workspace: id, name, kind, target } = attached;
  const ids = { projectId: `proj_${id}`, appId: `app_${id}`, environmentId: `env_${id}` };
  if (!workspaces.has(id)) {
    workspaces.add(id);
    const common = { workspaceId: id, name: null, createdAt: 0 };
    await store.createWorkspace({ id, name: id, disabledAt: null, limits: { rates: {}, domains: null }, createdAt: 0 });
    await store.createProject({ ...common, id: ids.projectId, slug: 'demo' });
    await store.createApp({ ...common, id: ids.appId, projectId: ids.projectId, slug: 'web' });
    const environment = { id: ids.environmentId, projectId: ids.projectId, appId: ids.appId, slug: 'production' };
    await store.createEnvironment({ ...common, ...environment, currentDeploymentId: null });
  }
  serial += 1;
  const given = { target, token: id, service: 'service', createdAt: clock.now() };
  const domain = newDomain({ id: `dom_${serial}`, workspaceId: id, name, kind, ...ids, ...given });
  await store.createDomain(domain, clock.now() + DAY_MS);
  return domain;
}

let turn = Promise.resolve();
/** Makes one check due, as the API does, and completes it. One is due at a time, so that each caller waits for its own. */
async function check(makeDue: () => Promise<Domain>): Promise<Domain | null> {
  const claimed = turn.then(async () => {
    const { workspaceId, id } = await makeDue();
    const claim = new Promise<void>((resolve) => {
      onClaimed = resolve;
    });
    const completed = verifier.runOnce();
    await claim;
    return { workspaceId, id, completed };
  });
  turn = claimed.then(() => {});
  const { workspaceId, id, completed } = await claimed;
  await completed;
  checks += 1;
  return store.findDomainById(workspaceId, id);
}

async function checkAgain(domain: Domain): Promise<Domain> {
  await store.retryVerification(domain.workspaceId, domain.id, clock.now(), DAY_MS);
  return domain;
}

/** Claims the name over and over, with the first checks of each claim. */
async function claimForEver(claim: LabDomain): Promise<void> {
  for (;;) {
    let domain = await check(() => create(claim));
    for (
      let checked = 1;
      domain !== null && (checked < CHECKS_EACH || domain.ownershipVerifiedAt !== null);
      checked++
    ) {
      const seen = domain;
      if (seen.status === 'verified') return void process.send?.({ verified: seen.workspaceId });
      if (seen.ownershipVerifiedAt !== null) await delay(plan.betweenProofsMs);
      domain = await check(() => checkAgain(seen));
    }
    if (domain?.status === 'verified') return void process.send?.({ verified: domain.workspaceId });
    if (domain !== null) await store.deleteDomain(domain.workspaceId, domain.id, clock.now());
  }
}

for (const honest of plan.honest) {
  const domain = await check(() => create(honest));
  if (domain?.status !== 'verified')
    throw new Error(`${honest.name} is ${domain?.status}: ${domain?.verificationError}`);
}
process.send?.('ready');
process.on('message', () => {
  for (const claim of plan.claims) void claimForEver(claim);
  void (async () => {
    for (let domain = await create(plan.probe); ; ) domain = (await check(() => checkAgain(domain))) ?? domain;
  })();
  setInterval(() => process.send?.({ checks }), 500);
});
