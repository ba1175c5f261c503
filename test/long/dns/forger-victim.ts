// Checks the claims that an attacker makes, in the victim's namespace. forger-lab.ts starts a copy of it beside the
// sources that are attacked.
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '../../../server/src/base/clock.ts';
import { createLog } from '../../../server/src/base/log.ts';
import { authoritativeResolver } from '../../../server/src/dns/authoritative.ts';
import { dnsClient } from '../../../server/src/dns/transport/dns-client.ts';
import { type Domain, newDomain } from '../../../server/src/domain/domain.ts';
import { createMetrics } from '../../../server/src/roles/metrics.ts';
import { migrate, sqliteStore } from '../../../server/src/store/engine/sqlite/sqlite.ts';
import { createVerifier } from '../../../server/src/verification/verifier.ts';

// The sources that are attacked may be older than clocks that are trusted.
const clock = { ...systemClock, isTrusted: () => true };

/** A domain: its workspace is its token too, so that the records are known beforehand. */
export interface LabDomain {
  workspace: string;
  name: string;
}

export interface VictimPlan {
  seconds: number;
  resolver: string;
  networks: string[];
  /** Verified before the attack: the attacker's own domain, and the incumbent of a takeover. */
  honest: LabDomain[];
  /**
   * The attacker's claims, all of which are checked all the time. Those of its own zone show the ports to its
   * nameserver.
   */
  claims: LabDomain[];
  /** A takeover needs two checks that far apart. */
  betweenProofsMs: number;
}

const DAY_MS = 86_400_000;
/** The first checks of a domain look at everything; then the attacker creates the claim anew. */
const CHECKS_EACH = 3;

const plan: VictimPlan = JSON.parse(process.argv[2] ?? '');
setTimeout(() => process.exit(), plan.seconds * 1000);
process.on('disconnect', () => process.exit());

const path = join(import.meta.dirname, 'nameplate.db');
await migrate(path);
const store = await sqliteStore({ path });
const resolver = authoritativeResolver({
  ...{ client: dnsClient(), clock, allowedNetworks: plan.networks },
  resolvers: [{ address: plan.resolver, port: 53 }],
});
/** Called when what is due has been claimed. */
let onClaimed = () => {};
const claimDue: typeof store.claimDue = async (...args) => {
  const due = await store.claimDue(...args);
  onClaimed();
  return due;
};
const verifier = createVerifier({
  ...{ store: { ...store, claimDue }, resolver, clock, random: () => 0.5 },
  ...{ log: createLog('error'), metrics: createMetrics() },
});

async function createWorkspace(id: string): Promise<void> {
  const common = {
    workspaceId: id,
    name: null,
    createdAt: 0,
    slug: 'demo',
    projectId: `proj_${id}`,
    appId: `app_${id}`,
  };
  await store.createWorkspace({ id, name: id, disabledAt: null, limits: { rates: {}, domains: null }, createdAt: 0 });
  await store.createProject({ ...common, id: common.projectId });
  await store.createApp({ ...common, id: common.appId });
  await store.createEnvironment({ ...common, id: `env_${id}`, currentDeploymentId: null });
}

let serial = 0;
async function create({ workspace: token, name }: LabDomain): Promise<Domain> {
  serial += 1;
  const domain = newDomain({
    ...{ id: `dom_${serial}`, workspaceId: token, environmentId: `env_${token}`, service: 'service', name, token },
    ...{ projectId: `proj_${token}`, appId: `app_${token}`, target: `${token}.cname.nameplate.test` },
    ...{ kind: name.split('.').length === 2 ? 'apex' : 'subdomain', createdAt: clock.now() },
  });
  await store.createDomain(domain, clock.now() + DAY_MS);
  return domain;
}

async function retry(domain: Domain): Promise<Domain> {
  await store.retryVerification(domain.workspaceId, domain.id, clock.now(), DAY_MS);
  return domain;
}

let turn: Promise<unknown> = Promise.resolve();
let checks = 0;
/**
 * Makes one check due, as the API does, and completes it. One is due at a time, so that each caller waits for its own.
 */
async function check(makeDue: () => Promise<Domain>): Promise<Domain> {
  const claim = async () => {
    const domain = await makeDue();
    const claimed = new Promise<void>((resolve) => {
      onClaimed = resolve;
    });
    const completed = verifier.runOnce();
    await claimed;
    return { domain, completed };
  };
  const claimed = turn.then(claim);
  turn = claimed;
  const { domain, completed } = await claimed;
  await completed;
  checks += 1;
  const checked = await store.findDomainById(domain.workspaceId, domain.id);
  if (checked === null) throw new Error(`${domain.id} is gone.`);
  return checked;
}

/** Claims a name over and over, until it is verified. */
async function claimName(claim: LabDomain): Promise<void> {
  for (;;) {
    let domain = await check(() => create(claim));
    for (let done = 1; domain.status !== 'verified'; done++) {
      const isProven = domain.ownershipVerifiedAt !== null;
      if (isProven) await delay(plan.betweenProofsMs * (1 + Math.random() / 10));
      else if (done >= CHECKS_EACH) break;
      const checked = domain;
      domain = await check(() => retry(checked));
    }
    if (domain.status === 'verified') return void process.send?.({ verified: domain.workspaceId });
    await store.deleteDomain(domain.workspaceId, domain.id, clock.now());
  }
}

for (const { workspace } of [...plan.honest, ...plan.claims]) await createWorkspace(workspace);
for (const honest of plan.honest) {
  const { status, verificationError } = await check(() => create(honest));
  if (status !== 'verified') throw new Error(`${honest.name} is ${status}: ${verificationError}`);
}
process.send?.('ready');
process.on('message', () => {
  for (const claim of plan.claims) void claimName(claim);
  setInterval(() => process.send?.({ checks }), 500);
});
