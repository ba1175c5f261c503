import { exampleDeployment } from '../../server/src/api/deployment-operations.ts';
import { exampleDomain } from '../../server/src/api/domains/present-domain.ts';
import { exampleWebhook } from '../../server/src/api/webhooks/webhook-operations.ts';
import { type CheckResult, digestOfMistakes } from '../../server/src/domain/check-result.ts';
import { type Domain, newDomain, WINDOW_MS } from '../../server/src/domain/domain.ts';
import type { FindingFields } from '../../server/src/domain/finding.ts';
import { withSentences } from '../../server/src/domain/findings/sentences.ts';
import { NO_MEMORY } from '../../server/src/domain/status.ts';
import { describeTakeover } from '../../server/src/domain/verification-error.ts';
import { webhookBody } from '../../server/src/domain/webhook-message.ts';
import type { DueCertificate, DueLook, DueRecheck, IssuedCertificate, Store } from '../../server/src/store/store.ts';
import { anIssuedCertificate, aSave, DAY_MS } from '../support/certificates.ts';
import { openEngine } from '../support/engine.ts';
import { AUTHOR, aCheckResult, failedAt, prepare, preparedAt, verifiedAt, verifyingAt } from '../support/entities.ts';
import { aDeliveryResult, addWebhook, claimDue, saveResults } from '../support/webhooks.ts';

const START = exampleDomain.createdAt;
const MINUTE_MS = 60_000;
const LEFT_OUT = '…';
const BY = { ...AUTHOR, actor: 'key_01kaghm6r7t8y9u0p1a2s3d4f5' };
const ISSUER = 'https://acme-v02.api.letsencrypt.org/directory';

/**
 * By type of event, the first body that a store with a webhook had for its receiver, while domains lived through
 * everything that can happen.
 */
export async function producedBodies(): Promise<Map<string, string>> {
  const bodies = new Map<string, string>();
  for (const story of [verified, refused, redirected, prepared]) {
    const { store, remove } = await openEngine();
    await plantExamples(store);
    await story(store);
    for (const body of await received(store)) {
      const { type } = JSON.parse(body);
      if (!bodies.has(type)) bodies.set(type, body);
    }
    await store.close();
    await remove();
  }
  return bodies;
}

/** The workspace, the environment and the webhook of the API's examples. */
async function plantExamples(store: Store): Promise<void> {
  const { workspaceId, projectId, appId, environmentId } = exampleDomain;
  const common = { workspaceId, name: null, createdAt: START };
  const limits = { rates: {}, domains: null };
  await store.createWorkspace({ id: workspaceId, name: 'Acme', disabledAt: null, limits, createdAt: START });
  await store.createProject({ ...common, id: projectId, slug: 'demo' });
  await store.createApp({ ...common, id: appId, projectId, slug: 'web' });
  const environment = { ...common, id: environmentId, projectId, appId, slug: 'production', currentDeploymentId: null };
  await store.createEnvironment(environment);
  await store.createDeployment(exampleDeployment);
  await addWebhook(store, { ...exampleWebhook, types: null });
}

/** A check that found this mistake in the CNAME record, or in the TXT record. */
function checkOf(
  domain: Domain,
  about: Pick<FindingFields, 'code' | 'record' | 'seen'>,
): { result: CheckResult; mistakes: string } {
  const isRouting = about.record === 'routing';
  const name = isRouting ? domain.name : `_service.${domain.name}`;
  const value = isRouting ? domain.target : `service-domain-verify=${domain.token}`;
  const nameInZone = name.replace('.example.com', '');
  const kind = about.seen === undefined ? 'add' : 'change';
  const type = isRouting ? 'CNAME' : 'TXT';
  const finding = withSentences({
    ...{ ...about, severity: 'blocking', name, expected: value, retryable: false },
    action: { kind, at: 'zone', zone: 'example.com', type, name, nameInZone, value, valueInZone: value },
  });
  return { result: { ...aCheckResult(domain), findings: [finding] }, mistakes: digestOfMistakes([finding]) };
}

/** Added, verified, served; lost and found again; taken over by another workspace. */
async function verified(store: Store): Promise<void> {
  const added = newDomain(exampleDomain);
  await store.changesBy(BY).createDomain(added, START + WINDOW_MS);
  const typo = checkOf(added, {
    code: 'txt_wrong_value',
    record: 'ownership',
    seen: [`service-domain-verify=${added.token.slice(0, -1)}`],
  });
  let now = START + MINUTE_MS / 2;
  await store.saveTransition({ before: added, after: added, memory: NO_MEMORY, ...typo, now });
  now = START + MINUTE_MS;
  const owned = { ...verifyingAt(added, now), ownershipVerifiedAt: now };
  const ownership = [`service-domain-verify=${added.token}`];
  await store.saveTransition({ before: added, after: owned, memory: NO_MEMORY, seen: { ownership }, now });
  now += MINUTE_MS;
  const routing = [`${added.target}.`];
  const domain = verifiedAt(owned, now);
  await store.saveTransition({ before: owned, after: domain, memory: NO_MEMORY, seen: { routing }, now });
  await certify(store, domain, now);
  await look(store, 'site.live', now + 3 * MINUTE_MS);
  now += DAY_MS;
  const drifted = await recheck(store, domain, now, {
    routingVerifiedAt: null,
    verificationError: `api.example.com leads to "old.example.net.". Point it to ${added.target} by a CNAME record; if a provider proxies it, set that host as the origin there.`,
  });
  await look(store, 'site.unreachable', now + MINUTE_MS);
  now += DAY_MS;
  const recovered = await recheck(store, drifted, now, { routingVerifiedAt: now, verificationError: null });
  await takeOver(store, recovered, now + DAY_MS);
}

/** Has its certificate before the switch. */
async function prepared(store: Store): Promise<void> {
  const added = newDomain(exampleDomain);
  await store.changesBy(BY).createDomain(added, START + WINDOW_MS);
  const now = START + MINUTE_MS;
  await prepare(store, added, now);
  await certify(store, preparedAt(added, now), now);
}

/** Not verified in time, tried again, deleted. */
async function refused(store: Store): Promise<void> {
  const added = newDomain(exampleDomain);
  await store.changesBy(BY).createDomain(added, START + WINDOW_MS);
  let now = START + WINDOW_MS;
  const after = {
    ...failedAt(added, now),
    verificationError:
      'Not verified within 24 hours: no TXT record was found at _service.api.example.com. Add it with the value that dnsRecords lists, then start again with domains.verifyDomain.',
  };
  const missing = checkOf(added, { code: 'txt_missing', record: 'ownership' });
  await store.saveTransition({ before: added, after, memory: NO_MEMORY, ...missing, now });
  await store.changesBy(BY).retryVerification(added.workspaceId, added.id, now + MINUTE_MS, WINDOW_MS);
  now += 2 * MINUTE_MS;
  await store.changesBy(BY).deleteDomain(added.workspaceId, added.id, now, now + DAY_MS);
  const deleted = await store.findDeletedDomain(added.workspaceId, added.id, now);
  if (deleted !== null) await store.changesBy(BY).restoreDomain(deleted, now + MINUTE_MS, WINDOW_MS);
}

/** Redirects to another domain of the workspace, until that is deleted. */
async function redirected(store: Store): Promise<void> {
  const others = { id: 'dom_2', name: 'www.example.com', target: 'two.test', token: 'two' };
  const [domain, destination] = [newDomain(exampleDomain), newDomain({ ...exampleDomain, ...others })];
  let now = START + MINUTE_MS;
  for (const each of [domain, destination]) {
    await store.changesBy(BY).createDomain(each, START + WINDOW_MS);
    await store.saveTransition({ before: each, after: verifiedAt(each, now), memory: NO_MEMORY, now });
  }
  now += MINUTE_MS;
  const redirect = { domainId: domain.id, destinationId: destination.id, status: 308 } as const;
  await store.changesBy(BY).setRedirect(domain.workspaceId, redirect, now);
  const { workspaceId, projectId, appId } = domain;
  const staging = { id: 'env_01kaghmj6k5l4z3x2c1v0b9n8m', workspaceId, projectId, appId };
  await store.createEnvironment({
    ...staging,
    slug: 'staging',
    name: null,
    currentDeploymentId: null,
    createdAt: START,
  });
  now += MINUTE_MS;
  await store.changesBy(BY).moveDomain(domain.id, staging, now);
  await store.changesBy(BY).suspendDomain(workspaceId, domain.id, 503, now + MINUTE_MS);
  await store.changesBy(BY).resumeDomain(workspaceId, domain.id, now + 2 * MINUTE_MS);
  await store.changesBy(BY).deleteDomain(domain.workspaceId, destination.id, now + DAY_MS);
}

/** Fails once, is issued, expires, is renewed. */
async function certify(store: Store, { name }: Domain, start: number): Promise<void> {
  const claim = async (now: number) => {
    const [due] = await store.claimCertificates({ now, limit: 1, leaseMs: MINUTE_MS, newNames: true });
    return due as DueCertificate;
  };
  const issuedAt = (now: number): IssuedCertificate & { privateKey: Uint8Array } =>
    anIssuedCertificate({ issuer: ISSUER, notBefore: now, notAfter: now + 90 * DAY_MS, issuedAt: now });
  const reason = 'caa_forbids' as const;
  const message =
    'CAA records of example.com do not allow letsencrypt.org to issue for api.example.com. Add a CAA record: 0 issue "letsencrypt.org".';
  const nextTryAt = start + MINUTE_MS;
  const failed = {
    state: 'waiting_for_routing',
    problem: { reason, message, at: start },
    nextTryAt,
    now: start,
  } as const;
  await store.saveCertificate(aSave(await claim(start), failed));
  const done = { state: 'issued', problem: null } as const;
  const first = { ...done, issued: issuedAt(nextTryAt), nextTryAt: nextTryAt + DAY_MS, now: nextTryAt };
  await store.saveCertificate(aSave(await claim(nextTryAt), first));
  const expiringAt = nextTryAt + 81 * DAY_MS;
  await store.recordExpiring(expiringAt, 9);
  const second = { ...done, issued: issuedAt(expiringAt + 1), nextTryAt: expiringAt + DAY_MS, now: expiringAt + 1 };
  const due = await claim(expiringAt + 1);
  if (due.certificate.hostname === name) await store.saveCertificate(aSave(due, second));
}

async function recheck(store: Store, before: Domain, now: number, change: Partial<Domain>): Promise<Domain> {
  const claim = { now: now + DAY_MS, limit: 1, intervalMs: DAY_MS, jitter: () => 0 };
  const [due] = (await store.claimMonitored(claim)) as [DueRecheck];
  const after = { ...before, ...change, updatedAt: now, revision: before.revision + 1 };
  const isLost = change.routingVerifiedAt === null;
  const memory = { suspected: [], driftedSince: isLost ? now : null, goneSince: null, goneUntil: null };
  const seen = { routing: isLost ? ['old.example.net.'] : [`${before.target}.`] };
  const found = isLost
    ? checkOf(before, { code: 'cname_elsewhere', record: 'routing', seen: ['old.example.net.'] })
    : {};
  await store.saveMonitoring({ before, after, memory, attempts: due.attempts, seen, ...found, now });
  return after;
}

async function takeOver(store: Store, loser: Domain, now: number): Promise<void> {
  const ids = { workspaceId: 'ws_2', projectId: 'proj_2', appId: 'app_2', environmentId: 'env_2' };
  const common = { ...ids, name: null, createdAt: now };
  const limits = { rates: {}, domains: null };
  await store.createWorkspace({ id: 'ws_2', name: 'Other', disabledAt: null, limits, createdAt: now });
  await store.createProject({ ...common, id: ids.projectId, slug: 'demo' });
  await store.createApp({ ...common, id: ids.appId, slug: 'web' });
  await store.createEnvironment({ ...common, id: ids.environmentId, slug: 'production', currentDeploymentId: null });
  const claim = newDomain({ ...exampleDomain, ...ids, id: 'dom_2', target: 'two.test', token: 'two', createdAt: now });
  await store.changesBy(BY).createDomain(claim, now + WINDOW_MS);
  const lost = { ...failedAt(loser, now), verificationError: describeTakeover(loser) };
  const flags = { routingVerifiedAt: null, ownershipVerifiedAt: null };
  const save = { before: claim, after: verifiedAt(claim, now), memory: NO_MEMORY, now };
  await store.saveTransition({ ...save, loser: { before: loser, after: { ...lost, ...flags } } });
}

/** A look from outside finds that. */
async function look(store: Store, event: 'site.live' | 'site.unreachable', now: number): Promise<void> {
  const [due] = (await store.claimLooks({ now, limit: 1 })) as [DueLook];
  const problem = event === 'site.live' ? null : 'answered_by_another';
  const state = event === 'site.live' ? 'live' : 'unreachable';
  const addresses = [{ address: '93.184.215.14', problem } as const];
  const live = { state, problem, addresses, since: now, checkedAt: now, from: 'fra-1' } as const;
  const memory = { live, isDoubted: false };
  await store.saveLook({ domain: due.domain, lease: due.lease, memory, event, nextAt: now, now });
}

/** Everything that waits for the webhook, in order. */
async function received(store: Store): Promise<string[]> {
  const bodies: string[] = [];
  await store.addTestDelivery(exampleWebhook.workspaceId, exampleWebhook.id, START);
  for (let now = START + 1000 * DAY_MS; ; ) {
    const due = await claimDue(store, { now });
    if (due.length === 0) return bodies;
    bodies.push(...due.map((each) => webhookBody(each)));
    const results = due.map((each) => aDeliveryResult(each));
    await saveResults(store, results, now);
  }
}

/**
 * A body as the page shows it: JSON with two spaces, a DNS record in one line. Its domain is whole where it is the `first`
 * on the page; else it has its id and what differs from that one.
 */
export function formatted(body: string, first: string): string {
  const records: string[] = [];
  const event = JSON.parse(body);
  if (body !== first && event.data.domain !== undefined)
    event.data.domain = changesOf(event.data.domain, JSON.parse(first).data.domain);
  const text = JSON.stringify(
    event,
    (key, value) => {
      if (key !== 'dnsRecords' || value[0] === LEFT_OUT) return value;
      return (value as object[]).map((record) => `@${records.push(inOneLine(record)) - 1}@`);
    },
    2,
  );
  return text.replace(/"@(\d+)@"/g, (_, at) => records[Number(at)] ?? '');
}

function changesOf(domain: Record<string, unknown>, first: Record<string, unknown>): Record<string, unknown> {
  const changes = Object.entries(domain).filter(
    ([key, value]) => key === 'id' || JSON.stringify(value) !== JSON.stringify(first[key]),
  );
  return Object.fromEntries(changes.map(([key, value]) => [key, key === 'dnsRecords' ? [LEFT_OUT] : value]));
}

function inOneLine(record: object): string {
  return `{ ${Object.entries(record)
    .map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`)
    .join(', ')} }`;
}
