import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signToken } from '../../server/src/access/dashboard-token.ts';
import { createRootKey } from '../../server/src/access/secret-text.ts';
import { currentSigningKey } from '../../server/src/access/signing-key.ts';
import { operations } from '../../server/src/api/operations.ts';
import { idMaker } from '../../server/src/base/ids.ts';
import type { Store } from '../../server/src/store/store.ts';
import type { Answer } from '../support/api-contract.ts';
import { ALL_GRANTS, dataOf, type Harness, startApi, type Tree } from '../support/api-harness.ts';

/** Names of the store's methods, in the order in which they were called. */
const asked: string[] = [];

function listening(store: Store): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      // Asks the store for nothing.
      if (typeof member !== 'function' || name === 'changesBy') return member;
      return (...args: unknown[]) => {
        asked.push(String(name));
        return Reflect.apply(member, target, args);
      };
    },
  });
}

let api: Harness;
let tree: Tree;
let webhookId: string;
let linkId: string;
let keyId: string;
let foreign: { key: string; tree: Tree };

beforeAll(async () => {
  api = await startApi({ wrap: listening, settings: { rateLimits: { '*': { limit: 10_000, windowMs: 60_000 } } } });
  tree = await api.createTree();
  await api.createDomain(tree, 'api.acme.com');
  await api.createDomain(tree, 'gone.acme.com');
  await api.call('domains.deleteDomain', { domain: 'gone.acme.com' });
  const url = 'https://hooks.acme.com/';
  ({ webhookId } = dataOf<{ webhookId: string }>(await api.call('webhooks.createWebhook', { url })));
  ({ linkId } = dataOf<{ linkId: string }>(await api.call('domains.createSetupLink', { domain: 'api.acme.com' })));
  ({ id: keyId } = await api.createKey());
  const other = await api.createWorkspace();
  const { key } = await api.createKey({ workspaceId: other.id });
  foreign = { key, tree: await api.createTree('demo', key) };
});
afterAll(() => api.close());

/** A body with which each operation succeeds, for a caller who may do it. `tree` is there; `none` is not. */
const inputs: Record<string, (name: string) => object> = {
  'domains.createDomain': (name) => ({ ...path(name), domain: 'new.acme.com' }),
  'domains.createDomains': (name) => ({ ...path(name), domains: ['new.acme.com'] }),
  'domains.getDomain': (name) => ({ domain: name === 'none' ? 'none.acme.com' : 'api.acme.com' }),
  'domains.getSite': (name) => ({ domain: name === 'none' ? 'none.acme.com' : 'api.acme.com' }),
  'domains.updateDomain': (name) => ({ domain: name === 'none' ? 'none.acme.com' : 'api.acme.com', externalId: 'a' }),
  'domains.watchDomain': (name) => ({ domain: name === 'none' ? 'none.acme.com' : 'api.acme.com' }),
  'domains.getCertificate': (name) => ({ domain: name === 'none' ? 'none.acme.com' : 'api.acme.com' }),
  'domains.uploadCertificate': (name) => ({
    domain: name === 'none' ? 'none.acme.com' : 'api.acme.com',
    certificates: 'none',
    privateKey: 'none',
  }),
  'domains.removeCertificate': (name) => ({ domain: name === 'none' ? 'none.acme.com' : 'api.acme.com' }),
  'domains.diagnoseDomain': (name) => ({ domain: name === 'none' ? 'none.acme.com' : 'api.acme.com', cached: true }),
  'setup.getDomainConnect': (name) => ({ domain: name === 'none' ? 'none.acme.com' : 'api.acme.com' }),
  'domains.listEvents': (name) => ({ domain: name === 'none' ? 'none.acme.com' : 'api.acme.com' }),
  'usage.getUsage': (name) => ({ domain: name === 'none' ? 'none.acme.com' : 'api.acme.com', from: 0 }),
  'domains.checkName': (name) => ({ ...path(name), domain: 'new.acme.com' }),
  'domains.listDomains': (name) => path(name),
  'domains.verifyDomain': (name) => ({ domain: name === 'none' ? 'none.acme.com' : 'api.acme.com' }),
  'domains.createSetupLink': (name) => ({ domain: name === 'none' ? 'none.acme.com' : 'api.acme.com' }),
  'domains.listSetupLinks': (name) => ({ domain: name === 'none' ? 'none.acme.com' : 'api.acme.com' }),
  'domains.revokeSetupLink': (name) => ({ linkId: name === 'none' ? 'link_none' : linkId }),
  'domains.setRedirect': (name) => ({ domain: name === 'none' ? 'none.acme.com' : 'api.acme.com', to: 'acme.com' }),
  'domains.getRedirect': (name) => ({ domain: name === 'none' ? 'none.acme.com' : 'api.acme.com' }),
  'domains.removeRedirect': (name) => ({ domain: name === 'none' ? 'none.acme.com' : 'api.acme.com' }),
  'domains.deleteDomain': (name) => ({ domain: name === 'none' ? 'none.acme.com' : 'api.acme.com' }),
  'domains.restoreDomain': (name) => ({ domain: name === 'none' ? 'none.acme.com' : 'gone.acme.com' }),
  'domains.moveDomain': (name) => ({ ...path('tree'), domain: name === 'none' ? 'none.acme.com' : 'api.acme.com' }),
  'domains.suspendDomain': (name) => ({ domain: name === 'none' ? 'none.acme.com' : 'api.acme.com' }),
  'domains.resumeDomain': (name) => ({ domain: name === 'none' ? 'none.acme.com' : 'api.acme.com' }),
  'projects.getProject': (name) => ({ project: path(name).project }),
  'projects.deleteProject': (name) => ({ project: path(name).project }),
  'apps.createApp': (name) => ({ project: path(name).project, slug: 'second' }),
  'apps.getApp': (name) => ({ project: path(name).project, app: 'web' }),
  'apps.listApps': (name) => ({ project: path(name).project }),
  'apps.deleteApp': (name) => ({ project: path(name).project, app: 'web' }),
  'environments.createEnvironment': (name) => ({ project: path(name).project, app: 'web', slug: 'preview' }),
  'environments.getEnvironment': (name) => path(name),
  'environments.listEnvironments': (name) => ({ project: path(name).project, app: 'web' }),
  'environments.deleteEnvironment': (name) => path(name),
  'deployments.createDeployment': (name) => ({ ...path(name), origin: 'https://origin.acme.com' }),
  'deployments.listDeployments': (name) => path(name),
  'environments.updateOriginSettings': (name) => ({ ...path(name), hostHeader: 'origin' }),
  'environments.getOriginSettings': (name) => path(name),
  'environments.rotateOriginSecret': (name) => path(name),
  'webhooks.getWebhook': (name) => webhook(name),
  'webhooks.updateWebhook': (name) => ({ ...webhook(name), enabled: true }),
  'webhooks.rotateSecret': (name) => webhook(name),
  'webhooks.sendTest': (name) => webhook(name),
  'webhooks.listDeliveries': (name) => webhook(name),
  'webhooks.getDelivery': (name) => ({ ...webhook(name), deliveryId: 'dlv_none' }),
  'webhooks.redeliver': (name) => ({ ...webhook(name), deliveryId: 'dlv_none' }),
  'webhooks.deleteWebhook': (name) => webhook(name),
  'keys.getKey': (name) => rootKey(name),
  'keys.rotateKey': (name) => rootKey(name),
  'keys.revokeKey': (name) => rootKey(name),
};
const rootKey = (name: string) => ({ keyId: name === 'none' ? 'key_none' : keyId });
const webhook = (name: string) => ({ webhookId: name === 'none' ? 'wh_none' : webhookId });
const path = (name: string) => ({ project: name === 'none' ? 'none' : 'demo', app: 'web', environment: 'production' });
const input = (operation: string, name: string) => inputs[operation]?.(name) ?? {};
const masked = Object.keys(inputs);
/** domains.watchDomain responds with nothing else. */
const headers = { accept: 'text/event-stream' };
const onWorkspace = [
  'projects.createProject',
  'projects.listProjects',
  'domains.listWorkspaceDomains',
  'domains.countDomains',
  'domains.countSites',
  'webhooks.createWebhook',
  'webhooks.listWebhooks',
  'targets.listTargets',
  'setup.getBrand',
  'setup.setBrand',
  'audit.listEntries',
  'keys.createKey',
  'keys.listKeys',
  'tokens.createToken',
  'workspaces.createWorkspace',
  'workspaces.listWorkspaces',
  'usage.listUsage',
];
const WORKSPACE_INPUTS: Record<string, object> = {
  'usage.listUsage': { from: 0 },
  'projects.createProject': { slug: 'new' },
  'webhooks.createWebhook': { url: 'https://hooks.acme.com/' },
  'keys.createKey': { name: 'new', preset: 'support' },
  'tokens.createToken': { subject: 'ada' },
  'workspaces.createWorkspace': { name: 'new' },
};

/** An answer without what differs from request to request. */
const told = ({ status, headers, text, body }: Answer) => {
  const { date: _, 'x-request-id': __, 'ratelimit-remaining': ___, ...rest } = headers;
  return { status, headers: rest, text: text.replace(body.meta?.requestId ?? '', 'REQUEST') };
};

/** The grant of each operation, written by hand: the operation's own statement would prove nothing. */
const GRANTS: Record<string, string> = {
  'environment.*.create_domain': 'domains.createDomain domains.createDomains domains.restoreDomain domains.checkName',
  'environment.*.read_domain':
    'domains.getDomain domains.getSite domains.watchDomain domains.listDomains domains.listWorkspaceDomains domains.countDomains domains.countSites domains.diagnoseDomain domains.listEvents domains.getCertificate domains.getRedirect setup.getDomainConnect',
  'environment.*.verify_domain': 'domains.verifyDomain',
  'environment.*.delete_domain': 'domains.deleteDomain domains.moveDomain',
  'environment.*.update_domain':
    'domains.updateDomain domains.suspendDomain domains.resumeDomain domains.setRedirect domains.removeRedirect domains.uploadCertificate domains.removeCertificate',
  'environment.*.create_setup_link': 'domains.createSetupLink domains.listSetupLinks domains.revokeSetupLink',
  'environment.*.use_shared_target': 'targets.listTargets',
  'setup.*.set_brand': 'setup.setBrand',
  'setup.*.read_brand': 'setup.getBrand',
  'project.*.create_project': 'projects.createProject',
  'project.*.read_project': 'projects.getProject projects.listProjects',
  'project.*.delete_project': 'projects.deleteProject',
  'app.*.create_app': 'apps.createApp',
  'app.*.read_app': 'apps.getApp apps.listApps',
  'app.*.delete_app': 'apps.deleteApp',
  'environment.*.create_environment': 'environments.createEnvironment',
  'environment.*.read_environment': 'environments.getEnvironment environments.listEnvironments',
  'environment.*.delete_environment': 'environments.deleteEnvironment',
  'environment.*.create_deployment': 'deployments.createDeployment',
  'environment.*.read_deployment': 'deployments.listDeployments',
  'environment.*.update_origin_settings': 'environments.updateOriginSettings environments.rotateOriginSecret',
  'environment.*.read_origin_settings': 'environments.getOriginSettings',
  'webhook.*.create_webhook': 'webhooks.createWebhook',
  'webhook.*.read_webhook': 'webhooks.getWebhook webhooks.listWebhooks webhooks.listDeliveries webhooks.getDelivery',
  'webhook.*.update_webhook': 'webhooks.updateWebhook webhooks.rotateSecret webhooks.sendTest webhooks.redeliver',
  'webhook.*.delete_webhook': 'webhooks.deleteWebhook',
  'audit.*.read_entries': 'audit.listEntries',
  'key.*.create_key': 'keys.createKey',
  'key.*.read_key': 'keys.getKey keys.listKeys',
  'key.*.rotate_key': 'keys.rotateKey',
  'key.*.revoke_key': 'keys.revokeKey',
  'token.*.create_token': 'tokens.createToken',
  'workspace.*.create_workspace': 'workspaces.createWorkspace',
  'workspace.*.read_workspace': 'workspaces.listWorkspaces',
  'environment.*.read_usage': 'usage.getUsage usage.listUsage',
};
const grants = new Map(
  Object.entries(GRANTS).flatMap(([grant, names]) => names.split(' ').map((name) => [name, grant] as const)),
);
const grantOf = (operation: string) => grants.get(operation) ?? `the grant of ${operation}, which GRANTS lacks`;

/** A key with one of these sees the resource. */
const isReading = (grant: string) => /\.read_(?:domain|environment|app|project|webhook|key|workspace)$/.test(grant);

/** The permission of these is the one by which what they find is seen; no permission shows a set-up link alone. */
const blind = [
  ...[
    'getDomain',
    'getSite',
    'watchDomain',
    'getCertificate',
    'diagnoseDomain',
    'listEvents',
    'getRedirect',
    'revokeSetupLink',
  ].map((name) => `domains.${name}`),
  'setup.getDomainConnect',
  ...['projects.getProject', 'apps.getApp', 'environments.getEnvironment', 'keys.getKey'],
  ...['webhooks.getWebhook', 'webhooks.listDeliveries', 'webhooks.getDelivery'],
];
const telling = masked.filter((operation) => !blind.includes(operation));

describe('permissions cannot be used to discover what exists', () => {
  it('and every operation is tried', () => {
    const names = operations.map(({ name }) => name).sort();
    expect([...masked, ...onWorkspace].sort()).toEqual(names);
    expect([...grants.keys()].sort()).toEqual(names);
  });

  it.each(masked)(
    '%s: a missing permission answers exactly like a missing resource, after the same work',
    async (operation) => {
      const permissions = ALL_GRANTS.filter((grant) => grant !== grantOf(operation) && !isReading(grant));
      const { key } = await api.createKey({ permissions });
      const ask = async (name: string) => {
        await api.call(operation, input(operation, name), { key, headers });
        asked.length = 0;
        const answer = told(await api.call(operation, input(operation, name), { key, headers }));
        return { ...answer, asked: asked.filter((name) => !['changesSince', 'findPrincipal'].includes(name)) };
      };
      const hidden = await ask('tree');
      expect(hidden).toMatchObject({ status: 404 });
      expect(hidden).toEqual(await ask('none'));
      expect(hidden.asked).toHaveLength(1);
    },
  );

  it.each(telling)('%s: who may read the resource gets 403, which names the missing permission', async (operation) => {
    const { key } = await api.createKey({ permissions: ALL_GRANTS.filter((grant) => grant !== grantOf(operation)) });
    const refused = await api.call(operation, input(operation, 'tree'), { key, headers });
    expect(refused.status).toBe(403);
    expect(refused.headers['nameplate-error-code']).toBe('authorization/insufficient_permissions');
    expect(refused.body.error?.detail).toContain(`"${grantOf(operation)}"`);
    expect((await api.call(operation, input(operation, 'none'), { key, headers })).status).toBe(404);
  });

  it.each(blind)('%s: who may read anything else gets 404 all the same', async (operation) => {
    const { key } = await api.createKey({ permissions: ALL_GRANTS.filter((grant) => grant !== grantOf(operation)) });
    const answer = await api.call(operation, input(operation, 'tree'), { key, headers });
    expect(answer).toMatchObject({ status: 404 });
  });

  it('a refusal that names the permission has the id of the resource, and one elsewhere does not help', async () => {
    const { environmentId } = tree;
    const readsIt = [`environment.${environmentId}.read_domain`, 'environment.env_other.verify_domain'];
    const { key } = await api.createKey({ permissions: readsIt });
    const { body } = await api.call('domains.verifyDomain', { domain: 'api.acme.com' }, { key });
    expect(body.error?.detail).toBe(
      `The root key lacks the permission for this operation: "environment.*.verify_domain" or "environment.${environmentId}.verify_domain".`,
    );
    const { key: elsewhere } = await api.createKey({
      permissions: ['environment.env_other.read_domain', 'environment.env_other.verify_domain'],
    });
    expect(await api.call('domains.verifyDomain', { domain: 'api.acme.com' }, { key: elsewhere })).toMatchObject({
      status: 404,
    });
  });

  it.each(masked)("%s: another workspace's resource answers exactly like a missing one", async (operation) => {
    const { key } = await api.createKey({ workspaceId: (await api.createWorkspace()).id });
    expect(told(await api.call(operation, input(operation, 'tree'), { key, headers }))).toEqual(
      told(await api.call(operation, input(operation, 'none'), { key, headers })),
    );
  });

  it.each(onWorkspace)(
    '%s works on the workspace itself: a missing permission yields 403, which names it',
    async (operation) => {
      const { key } = await api.createKey({ permissions: ALL_GRANTS.filter((grant) => grant !== grantOf(operation)) });
      const answer = await api.call(operation, WORKSPACE_INPUTS[operation] ?? {}, { key });
      expect(answer).toMatchObject({ status: 403, body: { error: { title: 'Forbidden', type: 'forbidden' } } });
      expect(answer.body.error?.detail).toContain(`"${grantOf(operation)}"`);
    },
  );

  it('where one resource is enough, the detail says so', async () => {
    const { key } = await api.createKey({ permissions: [] });
    const detail = async (operation: string) => (await api.call(operation, {}, { key })).body.error?.detail;
    expect(await detail('domains.listWorkspaceDomains')).toBe(
      'The root key lacks the permission for this operation: "environment.*.read_domain" or "environment.<environment_id>.read_domain".',
    );
    expect(await detail('projects.listProjects')).toBe(
      'The root key lacks the permission for this operation: "project.*.read_project".',
    );
  });
});

describe('what an operation needs beside its permission', () => {
  /** Calls that need each, of those in docs/reference/permissions.md. */
  const calls: Record<string, () => Promise<Answer>> = {};
  const calling = async (operation: string, body: object, action: string) => {
    const { key } = await api.createKey({ permissions: ALL_GRANTS.filter((grant) => !grant.endsWith(`.${action}`)) });
    return api.call(operation, body, { key });
  };
  beforeAll(async () => {
    const created = await api.call('environments.createEnvironment', { app: tree.appId, slug: 'beside' });
    const { environmentId: environment } = dataOf<{ environmentId: string }>(created);
    const replaced = { environment, domain: 'api.acme.com', replaceUnverified: true };
    const { replaceUnverified, domain } = replaced;
    calls['domains.createDomain replace_domain'] = () => calling('domains.createDomain', replaced, 'replace_domain');
    calls['domains.createDomains replace_domain'] = async () => {
      const body = { environment, domains: [domain], replaceUnverified };
      const answer = await calling('domains.createDomains', body, 'replace_domain');
      const [outcome] = dataOf<{ error: { status: number } }[]>(answer);
      return { ...answer, status: outcome?.error.status ?? 200 };
    };
    const named = { environment, domain: 'new.acme.com', target: 'customers.acme.com' };
    calls['domains.createDomain use_shared_target'] = () => calling('domains.createDomain', named, 'use_shared_target');
    calls['domains.createDomains use_shared_target'] = async () => {
      const { domain, target } = named;
      const body = { environment, domains: [{ domain, target }] };
      const answer = await calling('domains.createDomains', body, 'use_shared_target');
      const [outcome] = dataOf<{ error: { status: number } }[]>(answer);
      return { ...answer, status: outcome?.error.status ?? 200 };
    };
    calls['domains.createDomains update_domain'] = () => {
      const certificate = { certificates: 'PEM', privateKey: 'PEM' };
      const body = { environment, domains: [{ domain: 'brought.acme.com', certificate }] };
      return calling('domains.createDomains', body, 'update_domain');
    };
    calls['domains.moveDomain create_domain'] = () =>
      calling('domains.moveDomain', { environment, domain }, 'create_domain');
    calls['domains.moveDomain create_deployment'] = async () => {
      const update = (origin: string | null) => api.call('domains.updateDomain', { domain, settings: { origin } });
      await update('https://own.acme.com');
      const answer = await calling('domains.moveDomain', { environment, domain }, 'create_deployment');
      await update(null);
      return answer;
    };
    calls['domains.updateDomain create_deployment'] = () =>
      calling('domains.updateDomain', { domain, settings: { origin: null } }, 'create_deployment');
    calls['domains.setRedirect update_domain'] = () =>
      calling('domains.setRedirect', { domain, to: domain }, 'update_domain');
    for (const action of ['read_domain', 'read_usage'])
      calls[`domains.createSetupLink ${action}`] = () =>
        calling('domains.createSetupLink', { domain, purpose: 'support' }, action);
    calls['webhooks.createWebhook read_domain'] = () =>
      calling('webhooks.createWebhook', { url: 'https://hooks.acme.com/' }, 'read_domain');
    calls['webhooks.updateWebhook read_domain'] = () =>
      calling('webhooks.updateWebhook', { webhookId, types: ['*'] }, 'read_domain');
  });

  it('is what it declares, which is what the table of permissions says', () => {
    const declared = operations.flatMap(({ name, needs = [] }) =>
      needs.map(({ permission }) => `${name} ${permission.action}`),
    );
    expect(Object.keys(calls).sort()).toEqual(declared.sort());
    const table = readFileSync('docs/reference/permissions.md', 'utf8');
    for (const each of declared)
      expect(table).toMatch(new RegExp(`\\| \`${each.replace(' ', '` \\| `[a-z]+\\.\\*\\.')}\` \\|`));
  });

  it('is enforced: without it, the call is refused', async () => {
    for (const [each, call] of Object.entries(calls)) {
      const { status } = await call();
      expect([each, status >= 403 && status <= 409]).toEqual([each, true]);
    }
  });
});

describe('a rate limit of the workspace', () => {
  /** Requests left of each operation, for those who have the permission; reading them takes one of each. */
  async function left(): Promise<Record<string, number>> {
    const names = operations.map(({ name }) => name);
    const answers = await Promise.all(names.map((name) => api.call(name, '{', { headers })));
    return Object.fromEntries(names.map((name, i) => [name, Number(answers[i]?.headers['ratelimit-remaining'])]));
  }

  const withKey = async (about: Parameters<Harness['createKey']>[0]) => (await api.createKey(about)).key;
  const without = (operation: string) => ALL_GRANTS.filter((grant) => grant !== grantOf(operation));
  async function token(permissions: string[]) {
    const { store, clock } = api;
    const signingKey = await currentSigningKey({ store, clock, newId: idMaker(clock) });
    const claims = { sub: 'ada lovelace', workspaceId: api.workspaceId, permissions };
    return (await signToken(signingKey, claims, { now: clock.now(), lifeMs: 60_000 })).token;
  }
  async function session() {
    const link = dataOf<{ token: string }>(await api.call('domains.createSetupLink', { domain: 'api.acme.com' }));
    const opened = await api.call('setup.openSession', { token: link.token }, { key: null });
    return dataOf<{ sessionToken: string }>(opened).sessionToken;
  }
  const credentials: Record<string, (operation: string) => Promise<string | null>> = {
    'a key without permissions': () => withKey({ permissions: [] }),
    'a key with every other permission': (operation) => withKey({ permissions: without(operation) }),
    'a dashboard token with every other permission': (operation) => token(without(operation)),
    'a session of a set-up link': session,
    'a key of another workspace': async () => foreign.key,
    'a disabled key': () => withKey({ disabledAt: 1 }),
    'an expired key': () => withKey({ expiresAt: 1 }),
    'an unknown key': async () => createRootKey(randomBytes).key,
    'no key': async () => null,
  };

  it.each(Object.keys(credentials))('no operation counts against it for %s', async (kind) => {
    const before = await left();
    for (const { name } of operations) {
      const key = (await credentials[kind]?.(name)) ?? null;
      await api.call(name, inputs[name]?.('none') ?? WORKSPACE_INPUTS[name] ?? {}, { key, headers });
    }
    const made = (name: string) =>
      kind.includes('session') && name === 'domains.createSetupLink' ? operations.length : 0;
    const expected = Object.entries(before).map(([name, count]) => [name, count - 1 - made(name)]);
    expect(await left()).toEqual(Object.fromEntries(expected));
  });

  it('is not reached by a key without the permission, which has the same limit for itself', async () => {
    const rates = { '*': { limit: 3, windowMs: 60_000 } };
    const workspace = await api.createWorkspace({ limits: { rates, domains: null } });
    const [own, weak] = await Promise.all(
      [ALL_GRANTS, []].map((permissions) => withKey({ workspaceId: workspace.id, permissions })),
    );
    for (const operation of [
      'domains.createDomain',
      'webhooks.sendTest',
      'webhooks.redeliver',
      'webhooks.createWebhook',
    ]) {
      const body = inputs[operation]?.('none') ?? WORKSPACE_INPUTS[operation];
      const ask = async (key = '') => (await api.call(operation, body, { key })).status;
      const refused = operation === 'webhooks.createWebhook' ? 403 : 404;
      const weakly = [await ask(weak), await ask(weak), await ask(weak), await ask(weak)];
      expect(weakly, operation).toEqual([refused, refused, refused, 429]);
      expect(await ask(own), operation).not.toBe(429);
    }
  });
});

describe("another workspace's resources", () => {
  it('cannot be reached by id either', async () => {
    const domain = await api.store.findDomainByName(api.workspaceId, 'api.acme.com');
    const gone = await api.store.findDeletedDomain(api.workspaceId, 'gone.acme.com', api.clock.now());
    const { projectId, appId, environmentId } = tree;
    const byId = { project: projectId, app: appId, environment: environmentId };
    const attempts: [string, object][] = [
      ['domains.getDomain', { domain: domain?.id }],
      ['domains.watchDomain', { domain: domain?.id }],
      ['domains.getCertificate', { domain: domain?.id }],
      ['domains.diagnoseDomain', { domain: domain?.id }],
      ['domains.diagnoseDomain', { domain: domain?.id, cached: true }],
      ['domains.listEvents', { domain: domain?.id }],
      ['domains.checkName', { ...byId, domain: 'mine.acme.com' }],
      ['domains.getSite', { domain: domain?.id }],
      ['domains.updateDomain', { domain: domain?.id, externalId: 'mine' }],
      ['domains.verifyDomain', { domain: domain?.id }],
      ['domains.createSetupLink', { domain: domain?.id }],
      ['domains.listSetupLinks', { domain: domain?.id }],
      ['domains.revokeSetupLink', { linkId }],
      ['domains.setRedirect', { domain: domain?.id, to: domain?.id }],
      ['domains.getRedirect', { domain: domain?.id }],
      ['domains.removeRedirect', { domain: domain?.id }],
      ['domains.deleteDomain', { domain: domain?.id }],
      ['domains.restoreDomain', { domain: gone?.domain.id }],
      ['domains.moveDomain', { ...byId, domain: domain?.id }],
      ['domains.suspendDomain', { domain: domain?.id }],
      ['domains.resumeDomain', { domain: domain?.id }],
      ['domains.listDomains', byId],
      ['domains.createDomain', { ...byId, domain: 'mine.acme.com' }],
      ['domains.createDomains', { ...byId, domains: ['mine.acme.com'] }],
      ['projects.getProject', { project: projectId }],
      ['apps.getApp', { project: projectId, app: appId }],
      ['apps.getApp', { project: foreign.tree.projectId, app: appId }],
      ['environments.getEnvironment', byId],
      ['environments.getEnvironment', { ...byId, project: foreign.tree.projectId, app: foreign.tree.appId }],
      ['deployments.createDeployment', { ...byId, origin: 'https://mine.acme.com' }],
      ['deployments.listDeployments', byId],
      ['environments.deleteEnvironment', byId],
    ];
    for (const [operation, body] of attempts) {
      expect(await api.call(operation, body, { key: foreign.key, headers }), operation).toMatchObject({ status: 404 });
    }
  });
});

describe('a permission on one resource', () => {
  it('gives the same as one on all of its kind, for that resource and no other', async () => {
    await api.call('environments.createEnvironment', { project: 'demo', app: 'web', slug: 'staging' });
    const grants = ['read_domain', 'create_domain', 'read_deployment', 'create_deployment', 'read_environment'];
    const { key } = await api.createKey({
      permissions: grants.map((action) => `environment.${tree.environmentId}.${action}`),
    });
    const there = path('tree');
    const elsewhere = { ...there, environment: 'staging' };
    const bodies: [string, object][] = [
      ['domains.listDomains', {}],
      ['domains.createDomain', { domain: 'one.acme.com' }],
      ['deployments.createDeployment', { origin: 'https://origin.acme.com' }],
      ['deployments.listDeployments', {}],
      ['environments.getEnvironment', {}],
    ];
    for (const [operation, body] of bodies) {
      expect(await api.call(operation, { ...there, ...body }, { key }), operation).toMatchObject({ status: 200 });
      expect(await api.call(operation, { ...elsewhere, ...body }, { key }), operation).toMatchObject({ status: 404 });
    }
  });

  it('on a parent gives nothing below it', async () => {
    const permissions = ['project', 'app'].flatMap((resource) =>
      ['read_domain', 'read_environment'].flatMap((action) => [
        `${resource}.*.${action}`,
        `${resource}.${tree.projectId}.${action}`,
        `${resource}.${tree.appId}.${action}`,
      ]),
    );
    const { key } = await api.createKey({ permissions });
    expect(await api.call('domains.getDomain', { domain: 'api.acme.com' }, { key })).toMatchObject({ status: 404 });
    expect(await api.call('environments.getEnvironment', path('tree'), { key })).toMatchObject({ status: 404 });
  });

  it('in the resource form gives nothing to domains', async () => {
    const permissions = [
      'domains/environment#read_domain',
      `environment/${tree.environmentId}#read_domain`,
      'environment/*#read_domain',
    ];
    const { key } = await api.createKey({ permissions });
    expect(await api.call('domains.getDomain', { domain: 'api.acme.com' }, { key })).toMatchObject({ status: 404 });
  });
});
