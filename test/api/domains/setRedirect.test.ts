import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Domain } from '../../../server/src/domain/domain.ts';
import { ALL_GRANTS, dataOf, type Harness, START, startApi, type Tree } from '../../support/api-harness.ts';
import { blindDiagnoser } from '../../support/blind-diagnoser.ts';
import { prove } from '../../support/certificates.ts';
import { attach, unique, verifiedAt } from '../../support/entities.ts';
import { observation } from '../../support/observations.ts';

let api: Harness;
let tree: Tree;
let staging: Tree;
let www: Domain;
let apex: Domain;

beforeAll(async () => {
  api = await startApi({
    diagnoser: {
      ...blindDiagnoser,
      diagnose: async ({ domain }) => ({ observation: observation(domain, 'example.com'), at: START }),
    },
  });
  tree = await api.createTree();
  await api.call('environments.createEnvironment', { project: 'demo', app: 'web', slug: 'staging' });
  const { data } = (await api.call('environments.getEnvironment', { ...path(tree), environment: 'staging' })).body;
  staging = { ...tree, environment: 'staging', environmentId: (data as { id: string }).id };
});
afterAll(() => api.close());
beforeEach(async () => {
  const name = `${unique('shop')}.com`;
  www = await verified(`www.${name}`);
  apex = await verified(name);
});

const path = ({ project, app, environment }: Tree) => ({ project, app, environment });

async function verified(name: string, where = tree): Promise<Domain> {
  const domain = await api.createDomain(where, name);
  expect(await prove(api.store, domain, api.clock.now())).toBe('saved');
  return verifiedAt(domain, api.clock.now());
}

const set = (domain: string, to: string, about: object = {}, key = api.rootKey) =>
  api.call('domains.setRedirect', { domain, to, ...about }, { key });
const get = (domain: string, key = api.rootKey) => api.call('domains.getRedirect', { domain }, { key });
const remove = (domain: string, key = api.rootKey) => api.call('domains.removeRedirect', { domain }, { key });

describe('domains.setRedirect', () => {
  it('answers with the redirect, which getRedirect, the list and the diagnosis show from then on', async () => {
    const redirect = { to: apex.name, status: 308, setAt: api.clock.now() };
    const shown = { domainId: www.id, domain: www.name, redirect };
    expect(dataOf(await set(www.name, apex.name))).toEqual(shown);
    expect(dataOf(await get(www.name))).toEqual(shown);
    expect(dataOf(await get(apex.name))).toEqual({ domainId: apex.id, domain: apex.name });
    const listed = dataOf<object[]>(await api.call('domains.listWorkspaceDomains', { search: apex.name }));
    expect(listed).toMatchObject([{ domain: { id: apex.id } }, { domain: { id: www.id }, redirect }]);
    expect(listed[0]).not.toHaveProperty('redirect');
    for (const cached of [true, false])
      expect(dataOf(await api.call('domains.diagnoseDomain', { domain: www.name, cached }))).toMatchObject({
        redirect,
      });
    expect(dataOf(await api.call('domains.diagnoseDomain', { domain: apex.name, cached: true }))).not.toHaveProperty(
      'redirect',
    );
  });

  it('takes ids, names in any form, and the status; a second one replaces the first', async () => {
    const unicode = `${unique('bücher')}.com`;
    const other = await verified(unicode);
    await set(www.id, apex.id, { status: 301 });
    expect(dataOf(await get(www.id))).toMatchObject({ redirect: { to: apex.name, status: 301 } });
    await set(www.name.toUpperCase(), unicode.toUpperCase());
    expect(dataOf(await get(www.name))).toMatchObject({ redirect: { to: other.name, status: 308 } });
  });

  it('leaves the domain as it is: domains.getDomain shows what it has always shown', async () => {
    const before = (await api.call('domains.getDomain', { domain: www.name })).body.data;
    await set(www.name, apex.name);
    expect((await api.call('domains.getDomain', { domain: www.name })).body.data).toEqual(before);
  });

  it('is in the timeline with who did it, until the destination is deleted, which is there too', async () => {
    await set(www.name, apex.name);
    await remove(www.name);
    await set(www.name, apex.name, { status: 301 });
    await api.call('domains.deleteDomain', { domain: apex.name });
    const events = dataOf<{ type: string; actor: string; data: { redirect: object } }[]>(
      await api.call('domains.listEvents', { domain: www.name, limit: 4 }),
    );
    const to = apex.name;
    expect(events.map(({ type, data }) => [type, data.redirect])).toEqual([
      ['redirect.removed', { to, status: 301, reason: 'destination_deleted' }],
      ['redirect.set', { to, status: 301 }],
      ['redirect.removed', { to, status: 308, reason: 'requested' }],
      ['redirect.set', { to, status: 308 }],
    ]);
    expect(new Set(events.map(({ actor }) => actor))).toEqual(new Set([expect.stringMatching(/^key_/)]));
    expect(dataOf(await get(www.name))).not.toHaveProperty('redirect');
  });

  it('refuses a destination that is no domain of the workspace, as one that the key may not use', async () => {
    const other = await api.createWorkspace();
    const { key: theirKey } = await api.createKey({ workspaceId: other.id });
    const theirs = await api.createDomain(await api.createTree('demo', theirKey), `${unique('theirs')}.com`, theirKey);
    const elsewhere = await verified(`${unique('staged')}.com`, staging);
    const { key } = await api.createKey({ permissions: [`environment.${tree.environmentId}.update_domain`] });
    const answers = [];
    for (const to of [
      'none.example.com',
      'dom_none',
      'not a name',
      theirs.name,
      theirs.id,
      elsewhere.name,
      elsewhere.id,
    ])
      answers.push(await set(www.name, to, {}, key));
    for (const { status, body } of answers) {
      expect(status).toBe(404);
      expect(body.error).toEqual(answers[0]?.body.error);
    }
    expect(answers[0]?.body.error?.detail).toContain('"to"');
    expect((await set(www.name, apex.name, {}, key)).status).toBe(200);
    expect((await set(elsewhere.name, apex.name, {}, key)).status).toBe(404);
  });

  it('refuses a destination that is not verified, and says its status', async () => {
    const waiting = await api.createDomain(tree, `${unique('waiting')}.com`);
    expect(await set(www.name, waiting.name)).toMatchObject({
      status: 412,
      body: { error: { detail: expect.stringContaining(`${waiting.name} is not verified: its status is "pending"`) } },
    });
    // The other way round there is nothing to wait for.
    expect(await set(waiting.name, www.name)).toMatchObject({ status: 200 });
  });

  it('refuses a loop and a chain, and names what is in the way', async () => {
    expect(await set(www.name, www.id)).toMatchObject({
      status: 400,
      body: { error: { errors: [{ location: 'body.to', message: 'must be another domain' }] } },
    });
    const third = await verified(`${unique('third')}.com`);
    await set(www.name, apex.name);
    const refused = async (from: string, to: string) => {
      const { status, body } = await set(from, to);
      expect([status, body.error?.type]).toEqual([409, 'redirect-chain']);
      return body.error?.detail;
    };
    expect(await refused(third.name, www.name)).toBe(
      `${www.name} redirects itself, to ${apex.name}. Redirect to ${apex.name} instead, or remove the redirect of ${www.name} first.`,
    );
    expect(await refused(apex.name, third.name)).toBe(
      `${www.name} redirects to ${apex.name}, so ${apex.name} cannot redirect itself. Remove the redirect of ${www.name} first.`,
    );
    expect(await refused(apex.name, www.name)).toContain('redirects itself');
  });

  it('refuses a wildcard domain as the destination, and says what to do; it may redirect itself', async () => {
    const environment = await api.store.findEnvironment(apex.workspaceId, tree);
    if (environment === null) throw new Error('the environment is gone');
    const wildcard = await attach(api.store, environment, { name: `*.${apex.name}` });
    await prove(api.store, wildcard, api.clock.now());
    const { status, body } = await set(www.name, wildcard.id);
    expect([status, body.error?.errors]).toEqual([
      400,
      [
        {
          location: 'body.to',
          message: 'must not be a wildcard domain: a redirect leads to one host name',
          fix: `add a name below ${apex.name} as a domain of its own, and redirect to that`,
        },
      ],
    ]);
    expect(dataOf(await set(wildcard.id, apex.name))).toMatchObject({ redirect: { to: apex.name } });
  });

  it('names no domain in the way that the key may not use', async () => {
    const hidden = await verified(`${unique('hidden')}.com`, staging);
    await set(hidden.name, apex.name);
    const { key } = await api.createKey({ permissions: [`environment.${tree.environmentId}.update_domain`] });
    const { status, body } = await set(apex.name, www.name, {}, key);
    expect([status, body.error?.detail]).toEqual([
      409,
      `Another domain redirects to ${apex.name}, so ${apex.name} cannot redirect itself. Remove the redirect of that domain first.`,
    ]);
  });

  it.each([302, 307, '308', null, 0])('refuses the status %j', async (status) => {
    const answer = await set(www.name, apex.name, { status });
    expect(answer.status).toBe(400);
    expect(new Set(answer.body.error?.errors?.map(({ location }) => location))).toEqual(new Set(['body.status']));
  });

  it('needs its permission for both domains; reading needs that of getDomain', async () => {
    const without = (action: string) => ALL_GRANTS.filter((grant) => !grant.endsWith(action));
    const { key } = await api.createKey({ permissions: without('.update_domain') });
    expect((await set(www.name, apex.name, {}, key)).status).toBe(403);
    expect((await remove(www.name, key)).status).toBe(403);
    expect((await get(www.name, key)).status).toBe(200);
    const { key: blind } = await api.createKey({ permissions: without('.read_domain') });
    expect((await set(www.name, apex.name, {}, blind)).status).toBe(200);
    expect((await get(www.name, blind)).status).toBe(404);
  });
});

describe('domains.removeRedirect', () => {
  it('removes it, and changes nothing where there is none', async () => {
    await set(www.name, apex.name);
    for (let i = 0; i < 2; i++) expect(await remove(www.name)).toMatchObject({ status: 200, body: { data: {} } });
    expect(dataOf(await get(www.name))).toEqual({ domainId: www.id, domain: www.name });
    expect(await set(apex.name, www.name)).toMatchObject({ status: 200 });
  });

  it('answers 404 for a domain that is not there', async () => {
    expect((await remove('none.example.com')).status).toBe(404);
    expect((await get('none.example.com')).status).toBe(404);
  });
});
