import { afterAll, beforeAll, expect, it } from 'vitest';
import { operations } from '../../src/api/operations.ts';
import { dataOf, type Harness, START, startApi } from '../support/api-harness.ts';
import { blindDiagnoser } from '../support/blind-diagnoser.ts';
import { cname, everywhere, observation } from '../support/observations.ts';
import { observed } from '../support/observed.ts';
import { watch } from '../support/watching.ts';

// One pass over the API on PostgreSQL; `npm run test:system` runs all its tests there too.

let api: Harness;
beforeAll(async () => {
  api = await startApi({
    diagnoser: {
      ...blindDiagnoser,
      async diagnose({ domain }) {
        const seen = observation(domain, 'example.com', { routing: everywhere(cname(domain.target)) });
        return { observation: seen, at: START };
      },
    },
  });
});
afterAll(() => api.close());

it('every operation does on PostgreSQL what it is for', async () => {
  const called = new Set<string>();
  const call = async <T = object>(operation: string, body: object): Promise<T> => {
    called.add(operation);
    return dataOf<T>(await api.call(operation, body));
  };
  const refused = async (operation: string, body: object) => (await api.call(operation, body)).status;
  const project = { project: 'shop' };
  const app = { ...project, app: 'web' };
  const environment = { ...app, environment: 'live' };
  const domain = { domain: 'shop.example.com' };
  const origin = 'https://origin.example.net';

  const { projectId } = await call<{ projectId: string }>('projects.createProject', { slug: 'shop', name: 'Zoë’s' });
  expect(await call('projects.getProject', project)).toMatchObject({ id: projectId, slug: 'shop', name: 'Zoë’s' });
  expect(await call('projects.listProjects', {})).toMatchObject([{ id: projectId }]);
  const { appId } = await call<{ appId: string }>('apps.createApp', { ...project, slug: 'web' });
  expect(await call('apps.getApp', app)).toMatchObject({ id: appId, slug: 'web' });
  expect(await call('apps.listApps', project)).toMatchObject([{ id: appId }]);
  const { environmentId } = await call<{ environmentId: string }>('environments.createEnvironment', {
    ...app,
    slug: 'live',
  });
  const { deploymentId } = await call<{ deploymentId: string }>('deployments.createDeployment', {
    ...environment,
    origin,
  });
  expect(await call('deployments.listDeployments', environment)).toMatchObject([{ id: deploymentId, origin }]);
  expect(await call('environments.getEnvironment', environment)).toMatchObject({
    id: environmentId,
    currentDeploymentId: deploymentId,
  });
  expect(await call('environments.listEnvironments', app)).toMatchObject([{ id: environmentId }]);

  const { domainId } = await call<{ domainId: string }>('domains.createDomain', { ...environment, ...domain });
  expect(await call('domains.listDomains', environment)).toMatchObject([{ id: domainId, status: 'pending' }]);
  await call('domains.verifyDomain', domain);
  const stored = await api.store.findDomainById(api.workspaceId, domainId);
  if (stored === null) throw new Error('the domain is not in the store');
  await observed(api, stored, { routing: everywhere(cname(stored.target)) });
  expect(await call('domains.getDomain', domain)).toMatchObject({ id: domainId, status: 'verified' });
  expect(await call('domains.diagnoseDomain', domain)).toMatchObject({ domainId, status: 'verified' });
  expect(await call('domains.listEvents', domain)).toMatchObject([
    { type: 'domain.verified' },
    { type: 'record.seen' },
    { type: 'domain.created' },
  ]);
  expect(await call('domains.checkName', { ...environment, ...domain })).toMatchObject({ held: true });
  expect(await call('domains.getCertificate', domain)).toMatchObject({ domainId, state: 'wanted' });

  const stream = await watch(api.url, { key: api.rootKey, ...domain });
  called.add('domains.watchDomain');
  expect(await stream.next()).toMatchObject({ event: 'domain' });
  stream.close();
  const many = { domains: ['www.example.com', 'shop.example.com'] };
  const [{ domainId: second }] = await call<[{ domainId: string }]>('domains.createDomains', {
    ...environment,
    ...many,
  });
  expect(await call('domains.listWorkspaceDomains', { status: 'verified' })).toMatchObject([
    { domain: { id: domainId } },
  ]);
  const www = { domain: 'www.example.com' };
  const redirect = { to: 'shop.example.com', status: 308 };
  expect(await call('domains.setRedirect', { ...www, to: 'shop.example.com' })).toMatchObject({ ...www, redirect });
  expect(await call('domains.getRedirect', www)).toMatchObject({ domainId: second, redirect });
  await call('domains.removeRedirect', www);
  await call('domains.deleteDomain', { domain: second });
  expect(await call('domains.restoreDomain', { domain: second })).toMatchObject({ id: second, status: 'pending' });
  const suspension = { status: 503, by: 'workspace' };
  expect(await call('domains.suspendDomain', domain)).toMatchObject({ domainId, suspension });
  expect(await call('domains.resumeDomain', domain)).toEqual({ domainId, ...domain });
  expect(await call('domains.moveDomain', { ...environment, ...domain })).toMatchObject({
    id: domainId,
    environmentId,
  });
  await call('domains.deleteDomain', { domain: second });
  expect(await call('audit.listEntries', { limit: 2 })).toMatchObject([
    { action: 'domains.deleteDomain', target: second },
    { action: 'domains.resumeDomain', target: domainId },
  ]);

  const { linkId } = await call<{ linkId: string }>('domains.createSetupLink', domain);
  expect(await call('domains.listSetupLinks', domain)).toMatchObject([{ id: linkId, domainId }]);
  await call('domains.revokeSetupLink', { linkId });
  const page = { brand: { name: 'Zoë’s' }, origins: ['https://app.example.net'] };
  expect(await call('setup.setBrand', page)).toEqual(page);
  expect(await call('setup.getBrand', {})).toEqual(page);

  const url = 'https://hooks.example.com/';
  const { webhookId } = await call<{ webhookId: string }>('webhooks.createWebhook', { url });
  expect(await call('webhooks.getWebhook', { webhookId })).toMatchObject({ url, enabled: true });
  expect(await call('webhooks.listWebhooks', {})).toMatchObject([{ id: webhookId }]);
  expect(await call('webhooks.updateWebhook', { webhookId, types: ['*'] })).toMatchObject({ types: ['*'] });
  await call('webhooks.rotateSecret', { webhookId });
  const { deliveryId } = await call<{ deliveryId: string }>('webhooks.sendTest', { webhookId });
  expect(await call('webhooks.getDelivery', { webhookId, deliveryId })).toMatchObject({ state: 'waiting' });
  expect(await call('webhooks.redeliver', { webhookId, deliveryId })).toEqual({ deliveryId });
  expect(await call('webhooks.listDeliveries', { webhookId })).toMatchObject([{ id: deliveryId }]);
  await call('webhooks.deleteWebhook', { webhookId });

  expect(await refused('environments.deleteEnvironment', environment)).toBe(403);
  await call('domains.deleteDomain', domain);
  expect(await refused('domains.getDomain', domain)).toBe(404);
  expect(await refused('apps.deleteApp', app)).toBe(403);
  await call('environments.deleteEnvironment', environment);
  await call('apps.deleteApp', app);
  await call('projects.deleteProject', project);
  expect(await call('projects.listProjects', {})).toEqual([]);

  expect([...called].sort()).toEqual(operations.map(({ name }) => name).sort());
});
