import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { document } from '../support/api-contract.ts';
import { dataOf, type Harness, START, startApi } from '../support/api-harness.ts';

let api: Harness;
let environmentId: string;
beforeAll(async () => {
  api = await startApi();
  ({ environmentId } = await api.createTree());
});
afterAll(() => api.close());

const where = { project: 'demo', app: 'web', environment: 'production' };
const deploy = (origin: unknown, more: object = {}) =>
  api.call('deployments.createDeployment', { ...where, origin, ...more });
const notFound = { status: 404, body: { error: { type: 'not-found' } } };

describe('deployments.createDeployment', () => {
  it('answers with the id, and the deployment is the environment’s current one', async () => {
    const { deploymentId } = dataOf<{ deploymentId: string }>(await deploy('https://origin.acme.com:8443'));
    expect(deploymentId).toMatch(/^dep_[0-9a-z]{26}$/);
    const environment = await api.call('environments.getEnvironment', where);
    expect(environment.body.data).toMatchObject({ currentDeploymentId: deploymentId });
  });

  it('names everything that an origin must not have, and what to send instead', async () => {
    const fix = 'use "https://origin.acme.com"';
    expect(await deploy('https://user:pass@origin.acme.com/shop?a#b')).toMatchObject({
      status: 400,
      body: {
        error: {
          errors: ['a user or a password', 'a path, nor a slash at its end', 'a query', 'a fragment'].map((part) => ({
            location: 'body.origin',
            message: `must not have ${part}`,
            fix,
          })),
        },
      },
    });
  });

  it('names every field that is wrong at once', async () => {
    const answer = await api.call('deployments.createDeployment', { ...where, app: '!', origin: 'http://a.test/b?c' });
    expect(answer.body.error?.errors?.map(({ location }) => location)).toEqual(
      expect.arrayContaining(['body.app', 'body.origin', 'body.origin']),
    );
    expect(answer.body.error?.errors).toHaveLength(4);
  });

  it('accepts nothing that its published schema refuses', async () => {
    const { post } = document.paths['/v2/deployments.createDeployment'] ?? {};
    const { properties } = post?.requestBody?.content['application/json']?.schema ?? {};
    const { pattern } = (properties as { origin: { pattern: string } }).origin;
    for (const origin of ['HTTP://Origin.Acme.com', 'https://origin.acme.com:8443', 'http://[2001:db8::1]:80']) {
      expect(await deploy(origin)).toMatchObject({ status: 200 });
      expect(origin).toMatch(new RegExp(pattern));
    }
    for (const origin of ['https://a.test/', 'https://a.test?b', 'https://u@a.test', 'ftp://a.test', 'a.test:8443'])
      expect(origin).not.toMatch(new RegExp(pattern));
  });

  it.each(['ftp://origin.acme.com', 'origin.acme.com', 'javascript:alert(1)', 'file:///etc/passwd'])(
    'refuses %j',
    async (origin) => {
      expect(await deploy(origin)).toMatchObject({
        status: 400,
        body: { error: { errors: [{ location: 'body.origin', message: 'must be an http or https URL' }] } },
      });
    },
  );

  it('answers 404 for an environment that does not exist', async () => {
    expect(await deploy('https://origin.acme.com', { environment: 'nowhere' })).toMatchObject(notFound);
  });
});

describe('deployments.listDeployments', () => {
  it('lists the deployments of an environment in order of creation, page by page', async () => {
    const there = { project: 'demo', app: 'web', environment: 'listed' };
    await api.call('environments.createEnvironment', { project: 'demo', app: 'web', slug: 'listed' });
    for (const host of ['one', 'two', 'three']) await deploy(`http://${host}.acme.com`, { environment: 'listed' });
    const first = await api.call('deployments.listDeployments', { ...there, limit: 2 });
    expect(first.body).toMatchObject({
      data: [{ origin: 'http://one.acme.com', createdAt: START }, { origin: 'http://two.acme.com' }],
      pagination: { hasMore: true },
    });
    const { cursor } = first.body.pagination ?? {};
    const second = await api.call('deployments.listDeployments', { ...there, limit: 2, cursor });
    expect(second.body).toMatchObject({ data: [{ origin: 'http://three.acme.com' }], pagination: { hasMore: false } });
    expect(dataOf<{ environmentId: string }[]>(second)[0]?.environmentId).not.toBe(environmentId);
  });

  it('answers 404 for an environment that does not exist', async () => {
    expect(await api.call('deployments.listDeployments', { ...where, environment: 'nowhere' })).toMatchObject(notFound);
  });
});
