import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRootKey } from '../../server/src/access/secret-text.ts';
import { createApi } from '../../server/src/api/api.ts';
import { operations } from '../../server/src/api/operations.ts';
import { idMaker } from '../../server/src/base/ids.ts';
import { createLog } from '../../server/src/base/log.ts';
import { WINDOW_MS } from '../../server/src/domain/domain.ts';
import { NO_MEMORY } from '../../server/src/domain/status.ts';
import { createMetrics } from '../../server/src/roles/metrics.ts';
import { migrate, sqliteStore } from '../../server/src/store/engine/sqlite/sqlite.ts';

/** A call of an operation, and the response of a server. */
export interface Recorded {
  input: object;
  response: object;
}

type Input = Record<string, unknown>;

/** A call; `noted` has the ids and tokens that earlier responses had. */
type Step = [operation: string, input: Input | ((noted: Record<string, string>) => Input)];

/** In place of the records that a customer publishes. */
const VERIFY = 'verify';

const STARTED = Date.UTC(2026, 10, 20, 12);
const PLACE = { project: 'demo', app: 'web', environment: 'production' };
const DOMAIN = { domain: 'shop.example.com' };

/** A platform's first day, in an order in which each call finds what it is about. */
const STEPS: readonly Step[] = [
  ['projects.createProject', { slug: 'demo', name: 'Demo' }],
  ['apps.createApp', { project: 'demo', slug: 'web' }],
  ['environments.createEnvironment', { project: 'demo', app: 'web', slug: 'production' }],
  ['deployments.createDeployment', { ...PLACE, origin: 'https://origin.example.net' }],
  [
    'webhooks.createWebhook',
    { url: 'https://hooks.example.net/nameplate', types: ['domain.verified', 'domain.failed'] },
  ],
  ['domains.createDomain', { ...PLACE, ...DOMAIN, externalId: 'customer_42' }],
  [
    'domains.createDomains',
    { ...PLACE, domains: ['www.example.org', { domain: 'example.org', externalId: 'customer_43' }] },
  ],
  ['domains.getDomain', DOMAIN],
  [VERIFY, DOMAIN],
  [VERIFY, { domain: 'example.org' }],
  ['domains.getSite', DOMAIN],
  ['domains.updateDomain', { ...DOMAIN, metadata: { plan: 'pro' }, settings: { minTlsVersion: '1.3' } }],
  ['domains.verifyDomain', { domain: 'www.example.org' }],
  ['domains.listDomains', { ...PLACE, limit: 2 }],
  ['domains.listWorkspaceDomains', { externalId: 'customer_42' }],
  ['domains.countDomains', {}],
  ['domains.countSites', {}],
  ['domains.listEvents', { ...DOMAIN, limit: 2 }],
  ['domains.getCertificate', DOMAIN],
  ['domains.suspendDomain', DOMAIN],
  ['domains.resumeDomain', DOMAIN],
  ['domains.setRedirect', { domain: 'www.example.org', to: 'example.org' }],
  ['domains.getRedirect', { domain: 'www.example.org' }],
  ['domains.removeRedirect', { domain: 'www.example.org' }],
  ['domains.createSetupLink', DOMAIN],
  ['domains.listSetupLinks', DOMAIN],
  ['setup.setBrand', { brand: { name: 'Acme Shops', accent: '#1d5fd1', support: 'mailto:help@example.net' } }],
  ['setup.getBrand', {}],
  ['setup.openSession', ({ token }) => ({ token })],
  ['domains.revokeSetupLink', ({ linkId }) => ({ linkId })],
  ['environments.getEnvironment', PLACE],
  ['environments.listEnvironments', { project: 'demo', app: 'web' }],
  ['environments.updateOriginSettings', { ...PLACE, hostHeader: 'origin' }],
  ['environments.getOriginSettings', PLACE],
  ['environments.rotateOriginSecret', PLACE],
  ['deployments.listDeployments', PLACE],
  ['webhooks.getWebhook', ({ webhookId }) => ({ webhookId })],
  ['webhooks.listWebhooks', {}],
  ['webhooks.updateWebhook', ({ webhookId }) => ({ webhookId, types: ['*'] })],
  ['webhooks.rotateSecret', ({ webhookId }) => ({ webhookId })],
  ['webhooks.sendTest', ({ webhookId }) => ({ webhookId })],
  ['webhooks.listDeliveries', ({ webhookId }) => ({ webhookId, limit: 1 })],
  ['webhooks.getDelivery', ({ webhookId, deliveryId }) => ({ webhookId, deliveryId })],
  ['webhooks.redeliver', ({ webhookId, deliveryId }) => ({ webhookId, deliveryId })],
  ['usage.getUsage', { ...DOMAIN, from: STARTED - 3_600_000, to: STARTED }],
  ['usage.listUsage', { from: STARTED - 3_600_000, to: STARTED }],
  ['targets.listTargets', {}],
  ['tokens.createToken', { subject: 'ada', permissions: ['environment.*.read_domain'] }],
  ['keys.createKey', { name: 'support desk', permissions: ['environment.*.read_domain'] }],
  ['keys.getKey', ({ keyId }) => ({ keyId })],
  ['keys.listKeys', { limit: 1 }],
  ['keys.rotateKey', ({ keyId }) => ({ keyId })],
  ['keys.revokeKey', ({ keyId }) => ({ keyId })],
  ['workspaces.createWorkspace', { name: 'Acme' }],
  ['workspaces.listWorkspaces', {}],
  ['projects.getProject', { project: 'demo' }],
  ['projects.listProjects', {}],
  ['apps.getApp', { project: 'demo', app: 'web' }],
  ['apps.listApps', { project: 'demo' }],
  ['domains.deleteDomain', DOMAIN],
  ['domains.restoreDomain', DOMAIN],
  ['environments.createEnvironment', { project: 'demo', app: 'web', slug: 'preview' }],
  ['domains.moveDomain', { ...DOMAIN, ...PLACE, environment: 'preview' }],
  ['audit.listEntries', { target: 'shop.example.com', limit: 2 }],
  ['webhooks.deleteWebhook', ({ webhookId }) => ({ webhookId })],
  ['projects.createProject', { slug: 'trial' }],
  ['apps.createApp', { project: 'trial', slug: 'web' }],
  ['environments.createEnvironment', { project: 'trial', app: 'web', slug: 'production' }],
  ['environments.deleteEnvironment', { ...PLACE, project: 'trial' }],
  ['apps.deleteApp', { project: 'trial', app: 'web' }],
  ['projects.deleteProject', { project: 'trial' }],
];

/**
 * Calls operations of a server on a new store, and returns the first call of each with its response. Clock and randomness are its own, so
 * that every run has the same. Rejects where a call fails.
 */
export async function recordCalls(): Promise<Map<string, Recorded>> {
  const directory = await mkdtemp(join(tmpdir(), 'nameplate-reference-'));
  const path = join(directory, 'nameplate.db');
  await migrate(path);
  const clock = { now: () => STARTED };
  const randomBytes = seededBytes();
  const newId = idMaker(clock, randomBytes);
  const store = await sqliteStore({ path, clock });
  const app = createApi({
    ...{ store, clock, newId, randomBytes, metrics: createMetrics() },
    log: createLog('error', { write() {} }),
    diagnoser: {
      diagnose: async () => ({ refused: 'unavailable' }),
      diagnoseName: async () => ({ refused: 'unavailable' }),
      discoverConnect: async () => ({ refused: 'unavailable' }),
    },
    settings: {
      service: 'service',
      cnameZone: 'cname.your-platform.com',
      reservedNames: [],
      publicUrl: 'https://api.your-platform.com',
      rateLimits: {},
      webhooks: { perWorkspace: 10, schemes: ['https'], allowedNetworks: [] },
      windowMs: WINDOW_MS,
      deletedKeepMs: 7 * 86_400_000,
    },
  });
  try {
    await app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = app.server.address() as AddressInfo;
    const { key, hash, start } = createRootKey(randomBytes);
    const workspaceId = newId('ws');
    const created = { disabledAt: null, createdAt: STARTED };
    await store.createWorkspace({ ...created, id: workspaceId, name: 'Demo', limits: { rates: {}, domains: null } });
    const permissions = operations.flatMap(({ permission, needs = [] }) =>
      [permission, ...needs.map((need) => need.permission)].map(({ resource, action }) => `${resource}.*.${action}`),
    );
    const about = { id: newId('key'), workspaceId, name: 'platform', start, expiresAt: null };
    await store.createRootKey({ ...created, ...about, permissions: [...new Set(permissions)] }, hash);
    return await play(`http://127.0.0.1:${port}/v2/`, key, async (name) => {
      const before = await store.findDomainByName(workspaceId, name);
      if (before === null) throw new Error(`there is no ${name}`);
      const verified = { status: 'verified', routingVerifiedAt: STARTED, ownershipVerifiedAt: STARTED } as const;
      const after = { ...before, ...verified, verifiedAt: STARTED, revision: before.revision + 1 };
      await store.saveTransition({ before, after, memory: NO_MEMORY, now: STARTED });
    });
  } finally {
    await app.close();
    await store.close();
    await rm(directory, { recursive: true });
  }
}

async function play(url: string, key: string, verify: (name: string) => Promise<void>): Promise<Map<string, Recorded>> {
  const recorded = new Map<string, Recorded>();
  const noted: Record<string, string> = {};
  const steady = new Map<string, string>();
  for (const [operation, given] of STEPS) {
    const input = typeof given === 'function' ? given(noted) : given;
    if (operation === VERIFY) {
      await verify(String(input.domain));
      continue;
    }
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(url + operation, { method: 'POST', headers, body: JSON.stringify(input) });
    const response = (await answer.json()) as { data: object };
    if (!answer.ok) throw new Error(`${operation} answered ${answer.status}: ${JSON.stringify(response)}`);
    const steadily = JSON.parse(withSteadyIds(JSON.stringify({ input, response }), steady));
    if (!recorded.has(operation)) recorded.set(operation, steadily);
    for (const [name, value] of Object.entries(response.data)) if (typeof value === 'string') noted[name] = value;
  }
  return recorded;
}

/** The store makes the ids of what calls leave behind, from the system's randomness. */
function withSteadyIds(text: string, steady: Map<string, string>): string {
  return text.replace(/\b((?:evt|dlv|aud)_\w{10})\w{16}\b/g, (id, kept) => {
    const number = steady.get(id) ?? String(steady.size + 1);
    steady.set(id, number);
    return kept + number.padStart(16, '0');
  });
}

/** The same bytes in each run. */
function seededBytes(): (count: number) => Buffer {
  let calls = 0;
  return (count) => {
    calls += 1;
    const blocks = Array.from({ length: Math.ceil(count / 32) }, (_, at) =>
      createHash('sha256').update(`${calls} ${at}`).digest(),
    );
    return Buffer.concat(blocks).subarray(0, count);
  };
}
