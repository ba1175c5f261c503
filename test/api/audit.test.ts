import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isRead } from '../../client/operation-kinds.ts';
import { openOperations, operations } from '../../server/src/api/operations.ts';
import { NO_MEMORY } from '../../server/src/domain/status.ts';
import type { AuditEntry } from '../../server/src/store/store.ts';
import { createDiagnoser } from '../../server/src/verification/observation/diagnoser.ts';
import { ALL_GRANTS, dataOf, type Harness, START, startApi, type Tree } from '../support/api-harness.ts';
import { verifiedAt } from '../support/entities.ts';
import { issueChain, keyPem } from '../support/issue-chain.ts';
import { observation } from '../support/observations.ts';

let api: Harness;
let tree: Tree;
let key: { key: string; id: string };
beforeAll(async () => {
  const now = { now: () => START };
  api = await startApi({
    diagnoser: createDiagnoser({
      clock: now,
      observe: async ({ domain }) => observation(domain, 'acme.test'),
      sharedForMs: 0,
    }),
  });
  tree = await api.createTree();
  key = await api.createKey();
});
afterAll(() => api.close());

const place = () => ({ project: tree.project, app: tree.app, environment: tree.environment });
const URL = 'https://hooks.acme.test/secret-path';

/** Ids that earlier steps created. */
const made: Record<string, string> = {};
const keep = (name: string) => (data: Record<string, string>) => {
  made[name] = data[name] ?? '';
};

interface Step {
  operation: string;
  body(): object;
  /** The changes, as entries name them; none: it changes nothing. */
  changes?: () => unknown[];
  after?(data: Record<string, string>): void;
  /** It makes the key that signs tokens, which belongs to no workspace. */
  signs?: true;
}

const DOMAIN = { domain: 'api.acme.test' };

/** Each operation at least once, in an order in which each succeeds. */
const steps: Step[] = [
  { operation: 'projects.createProject', body: () => ({ slug: 'second' }), changes: () => ['second'] },
  { operation: 'projects.getProject', body: () => ({ project: 'second' }) },
  { operation: 'projects.listProjects', body: () => ({}) },
  { operation: 'apps.createApp', body: () => ({ project: 'second', slug: 'shop' }), changes: () => ['shop'] },
  { operation: 'apps.getApp', body: () => ({ project: 'second', app: 'shop' }) },
  { operation: 'apps.listApps', body: () => ({ project: 'second' }) },
  {
    operation: 'environments.createEnvironment',
    body: () => ({ project: 'second', app: 'shop', slug: 'preview' }),
    changes: () => ['preview'],
  },
  { operation: 'environments.getEnvironment', body: place },
  { operation: 'environments.listEnvironments', body: () => ({ project: 'second', app: 'shop' }) },
  {
    operation: 'environments.deleteEnvironment',
    body: () => ({ project: 'second', app: 'shop', environment: 'preview' }),
    changes: () => ['preview'],
  },
  { operation: 'apps.deleteApp', body: () => ({ project: 'second', app: 'shop' }), changes: () => ['shop'] },
  { operation: 'projects.deleteProject', body: () => ({ project: 'second' }), changes: () => ['second'] },
  {
    operation: 'deployments.createDeployment',
    body: () => ({ ...place(), origin: 'https://origin.acme.test' }),
    changes: () => [made.deploymentId],
    after: keep('deploymentId'),
  },
  { operation: 'deployments.listDeployments', body: place },
  {
    operation: 'environments.updateOriginSettings',
    body: () => ({ ...place(), hostHeader: 'origin' }),
    changes: () => [tree.environment],
  },
  { operation: 'environments.getOriginSettings', body: place },
  { operation: 'environments.rotateOriginSecret', body: place, changes: () => [tree.environment] },
  { operation: 'domains.checkName', body: () => ({ ...place(), ...DOMAIN }) },
  { operation: 'domains.createDomain', body: () => ({ ...place(), ...DOMAIN }), changes: () => [DOMAIN.domain] },
  {
    operation: 'domains.createDomains',
    body: () => ({ ...place(), domains: ['b.acme.test', DOMAIN.domain, 'c.acme.test'] }),
    changes: () => ['b.acme.test', 'c.acme.test'],
  },
  ...['getDomain', 'getSite', 'watchDomain', 'getCertificate', 'listEvents', 'getRedirect', 'listSetupLinks'].map(
    (name) => ({
      operation: `domains.${name}`,
      body: () => DOMAIN,
    }),
  ),
  { operation: 'domains.diagnoseDomain', body: () => DOMAIN },
  { operation: 'usage.getUsage', body: () => ({ ...DOMAIN, from: 0 }) },
  { operation: 'usage.listUsage', body: () => ({ from: 0 }) },
  { operation: 'domains.listDomains', body: place },
  { operation: 'domains.listWorkspaceDomains', body: () => ({}) },
  { operation: 'domains.countDomains', body: () => ({}) },
  { operation: 'domains.countSites', body: () => ({}) },
  { operation: 'domains.verifyDomain', body: () => DOMAIN, changes: () => [DOMAIN.domain] },
  {
    operation: 'domains.setRedirect',
    body: () => ({ ...DOMAIN, to: 'b.acme.test' }),
    changes: () => [DOMAIN.domain],
  },
  { operation: 'domains.removeRedirect', body: () => DOMAIN, changes: () => [DOMAIN.domain] },
  {
    operation: 'domains.uploadCertificate',
    body() {
      const { leaf, intermediate, key } = issueChain('b.acme.test', { now: api.clock.now() });
      return { domain: 'b.acme.test', certificates: leaf + intermediate, privateKey: keyPem(key) };
    },
    changes: () => ['b.acme.test'],
  },
  {
    operation: 'domains.removeCertificate',
    body: () => ({ domain: 'b.acme.test' }),
    changes: () => ['b.acme.test'],
  },
  {
    operation: 'domains.createSetupLink',
    body: () => DOMAIN,
    changes: () => [made.linkId],
    after(data) {
      keep('linkId')(data);
      made.token = new globalThis.URL(data.url ?? '').hash.slice(1);
    },
  },
  { operation: 'domains.revokeSetupLink', body: () => ({ linkId: made.linkId }), changes: () => [made.linkId] },
  { operation: 'domains.deleteDomain', body: () => DOMAIN, changes: () => [DOMAIN.domain] },
  { operation: 'domains.restoreDomain', body: () => DOMAIN, changes: () => [DOMAIN.domain] },
  {
    operation: 'domains.updateDomain',
    body: () => ({ ...DOMAIN, externalId: 'customer_1', metadata: { plan: 'pro' } }),
    changes: () => [DOMAIN.domain],
  },
  { operation: 'domains.suspendDomain', body: () => DOMAIN, changes: () => [DOMAIN.domain] },
  { operation: 'domains.resumeDomain', body: () => DOMAIN, changes: () => [DOMAIN.domain] },
  {
    operation: 'environments.createEnvironment',
    body: () => ({ project: tree.project, app: tree.app, slug: 'staging' }),
    changes: () => ['staging'],
  },
  {
    operation: 'domains.moveDomain',
    body: () => ({ ...place(), environment: 'staging', ...DOMAIN }),
    changes: () => [DOMAIN.domain],
  },
  {
    operation: 'setup.setBrand',
    body: () => ({ brand: { name: 'Acme' } }),
    changes: () => [api.workspaceId],
  },
  { operation: 'setup.getBrand', body: () => ({}) },
  { operation: 'setup.getDomainConnect', body: () => DOMAIN },
  { operation: 'targets.listTargets', body: () => ({}) },
  {
    operation: 'webhooks.createWebhook',
    body: () => ({ url: URL }),
    changes: () => [made.webhookId],
    after: keep('webhookId'),
  },
  { operation: 'webhooks.getWebhook', body: webhook },
  { operation: 'webhooks.listWebhooks', body: () => ({}) },
  {
    operation: 'webhooks.updateWebhook',
    body: () => ({ ...webhook(), types: ['domain.verified'] }),
    changes: () => [made.webhookId],
  },
  { operation: 'webhooks.rotateSecret', body: webhook, changes: () => [made.webhookId] },
  {
    operation: 'webhooks.sendTest',
    body: webhook,
    changes: () => [made.webhookId],
    after: keep('deliveryId'),
  },
  { operation: 'webhooks.listDeliveries', body: webhook },
  { operation: 'webhooks.getDelivery', body: () => ({ ...webhook(), deliveryId: made.deliveryId }) },
  {
    operation: 'webhooks.redeliver',
    body: () => ({ ...webhook(), deliveryId: made.deliveryId }),
    changes: () => [made.webhookId],
  },
  { operation: 'webhooks.deleteWebhook', body: webhook, changes: () => [made.webhookId] },
  {
    operation: 'keys.createKey',
    body: () => ({ name: 'made', preset: 'support' }),
    changes: () => ['made'],
    after: keepKey,
  },
  { operation: 'keys.getKey', body: () => ({ keyId: made.keyId }) },
  { operation: 'keys.listKeys', body: () => ({}) },
  {
    operation: 'keys.rotateKey',
    body: () => ({ keyId: made.keyId }),
    changes: () => ['made', 'made'],
    after: keepKey,
  },
  { operation: 'keys.revokeKey', body: () => ({ keyId: made.keyId }), changes: () => ['made'] },
  {
    operation: 'tokens.createToken',
    body: () => ({ subject: 'ada' }),
    changes: () => ['test'],
    after: (data) => secrets.push(data.token ?? ''),
    signs: true,
  },
  {
    operation: 'workspaces.createWorkspace',
    body: () => ({ name: 'Customer' }),
    changes: () => ['Customer'],
    after(data) {
      keepKey(data);
      keep('workspaceId')(data);
    },
  },
  { operation: 'workspaces.listWorkspaces', body: () => ({}) },
  { operation: 'audit.listEntries', body: () => ({}) },
];

/** Secrets that responses had. */
const secrets: string[] = [];

function keepKey(data: Record<string, string>): void {
  keep('keyId')(data);
  secrets.push(data.key ?? '');
}

function webhook() {
  return { webhookId: made.webhookId };
}

async function entries(): Promise<AuditEntry[]> {
  const { items } = await api.store.listAuditEntries(undefined, { limit: 100 });
  return items;
}

/** Resolves with those that were added meanwhile, the oldest first. */
async function added(work: () => Promise<unknown>): Promise<AuditEntry[]> {
  const before = new Set((await entries()).map(({ id }) => id));
  await work();
  return (await entries()).filter(({ id }) => !before.has(id)).toReversed();
}

describe('the audit log', () => {
  it('has exactly one entry for each thing that an operation changed, with who, what and from where, and none of a read', async () => {
    for (const { operation, body, changes, after, signs } of steps) {
      if (operation === 'domains.setRedirect') await verify('b.acme.test');
      let requestId: string | undefined;
      const found = await added(async () => {
        if (operation === 'domains.watchDomain') return watch();
        const answer = await api.call(operation, body(), { key: key.key });
        const data = dataOf<Record<string, string>>(answer);
        requestId = answer.body.meta?.requestId;
        after?.(data);
      });
      const by = { action: operation, kind: 'root_key', actor: key.id, from: '127.0.0.1', requestId };
      const expected = (changes?.() ?? []).map((what) => ({
        ...by,
        what,
        workspaceId: api.workspaceId as string | null,
      }));
      if (signs) expected.unshift({ ...by, what: expect.stringMatching(/^sig_/), workspaceId: null });
      const told = found.map(({ target, targetName, action, kind, actor, from, requestId, workspaceId }) => ({
        ...{ action, kind, actor, from, requestId, workspaceId },
        what: targetName ?? target,
      }));
      expect(told, operation).toEqual(expected);
      expect(changes === undefined, operation).toBe(isRead(operation) || operation === 'domains.watchDomain');
    }
    // An operation that is not tried is not known to leave an entry.
    expect(new Set(steps.map((step) => step.operation))).toEqual(new Set(operations.map(({ name }) => name)));
  });

  it('has no secret', async () => {
    const text = JSON.stringify(await entries());
    for (const secret of [key.key, made.token, 'secret-path', 'whsec_', 'npe_', ...secrets])
      expect(text).not.toContain(secret);
  });

  it('has no entry of a session that a customer opens, and one of the check that the customer asks for', async () => {
    expect(openOperations.map(({ name }) => name)).toEqual(['setup.openSession']);
    const link = dataOf<{ linkId: string; url: string }>(await api.call('domains.createSetupLink', DOMAIN));
    const token = new globalThis.URL(link.url).hash.slice(1);
    const open = () => api.call('setup.openSession', { token }, { key: null });
    // The key to sign with is made once: the first token has made it.
    expect(await added(open)).toEqual([]);
    let sessionToken = '';
    expect(await added(async () => ({ sessionToken } = dataOf<{ sessionToken: string }>(await open())))).toEqual([]);
    const asked = await added(() => api.call('domains.verifyDomain', DOMAIN, { key: sessionToken }));
    expect(asked).toMatchObject([{ action: 'domains.verifyDomain', kind: 'setup_link', actor: link.linkId }]);
  });

  it('has no entry of a request that is refused, or that finds nothing to change', async () => {
    const none = await api.createKey({ permissions: [] });
    const found = await added(async () => {
      await api.call('domains.createDomain', { ...place(), domain: 'new.acme.test' }, { key: none.key });
      await api.call('domains.createDomain', { ...place(), ...DOMAIN });
      await api.call('domains.createDomain', { ...place(), domain: 'not a name' });
      await api.call('domains.deleteDomain', { domain: 'none.acme.test' });
      await api.call('domains.removeRedirect', DOMAIN);
      await api.call('domains.resumeDomain', DOMAIN);
      await api.call('domains.moveDomain', { ...place(), environment: 'staging', ...DOMAIN });
      await api.call('projects.createProject', { slug: tree.project });
      await api.call('projects.deleteProject', { project: tree.project });
    });
    expect(found).toEqual([]);
  });

  it('has one entry of a creation that is repeated with an Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'once' };
    const create = () => api.call('projects.createProject', { slug: 'repeated' }, { headers });
    expect(await added(async () => [await create(), await create()])).toMatchObject([{ targetName: 'repeated' }]);
  });
});

describe('audit.listEntries', () => {
  it('shows only the entries of its own workspace, also of deleted things, and filters them exactly', async () => {
    const other = await api.createWorkspace();
    const foreign = await api.createKey({ workspaceId: other.id });
    await api.createTree('foreign', foreign.key);
    const listed = async (body: object, by = api.rootKey) =>
      dataOf<{ action: string; targetName: string; actor: string }[]>(
        await api.call('audit.listEntries', body, { key: by }),
      );
    expect((await listed({})).map(({ targetName }) => targetName)).not.toContain('foreign');
    expect((await listed({}, foreign.key)).map(({ targetName }) => targetName)).toEqual([
      'production',
      'web',
      'foreign',
    ]);
    expect(await listed({ target: 'preview' })).toMatchObject([
      { action: 'environments.deleteEnvironment' },
      { action: 'environments.createEnvironment' },
    ]);
    expect(await listed({ target: 'preview', action: 'environments.deleteEnvironment', actor: key.id })).toHaveLength(
      1,
    );
    expect(await listed({ target: 'previe' })).toEqual([]);
    expect(await listed({ actor: foreign.id })).toEqual([]);
  });

  it('pages through all of them, each once, the newest first', async () => {
    const all = dataOf<{ id: string }[]>(await api.call('audit.listEntries'));
    const paged: { id: string }[] = [];
    let cursor: string | undefined;
    do {
      const { body } = await api.call('audit.listEntries', { limit: 7, cursor });
      paged.push(...(body.data as { id: string }[]));
      cursor = body.pagination?.cursor;
    } while (cursor !== undefined);
    expect(paged.slice(0, all.length)).toEqual(all);
    expect(new Set(paged.map(({ id }) => id)).size).toBe(paged.length);
  });

  it('does not say which person of the operator ran a command, nor on which machine', async () => {
    const by = { kind: 'command', actor: 'root', action: 'workspaces brand', from: 'host-7', requestId: null } as const;
    await api.store.changesBy(by).saveSetupPage(api.workspaceId, { brand: { name: 'Acme' } });
    const answer = await api.call('audit.listEntries', { action: 'workspaces brand' });
    expect(answer.body.data).toMatchObject([{ actorKind: 'command', actor: 'operator' }]);
    expect(answer.text).not.toMatch(/root"|host-7/);
  });

  it('needs its own permission', async () => {
    const others = ALL_GRANTS.filter((grant) => grant !== 'audit.*.read_entries');
    const { key: without } = await api.createKey({ permissions: others });
    expect((await api.call('audit.listEntries', {}, { key: without })).status).toBe(403);
    const { key: withIt } = await api.createKey({ permissions: ['audit.*.read_entries'] });
    expect((await api.call('audit.listEntries', {}, { key: withIt })).status).toBe(200);
  });
});

async function verify(name: string): Promise<void> {
  const before = await api.store.findDomainByName(api.workspaceId, name);
  if (before === null) throw new Error(`there is no ${name}`);
  api.clock.advance(1);
  const now = api.clock.now();
  await api.store.saveTransition({ before, after: verifiedAt(before, now), memory: NO_MEMORY, now });
  await api.changes.poll();
}

/** Reads the first event of a stream, and ends it. */
async function watch(): Promise<void> {
  const response = await fetch(`${api.url}/v2/domains.watchDomain`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key.key}`,
      accept: 'text/event-stream',
      'content-type': 'application/json',
    },
    body: JSON.stringify(DOMAIN),
  });
  expect(response.status).toBe(200);
  const reader = response.body?.getReader();
  await reader?.read();
  await reader?.cancel();
}
