import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operations } from '../../../server/src/api/operations.ts';
import type { Domain } from '../../../server/src/domain/domain.ts';
import { NO_MEMORY } from '../../../server/src/domain/status.ts';
import { dataOf, type Harness, START, startApi, type Tree } from '../../support/api-harness.ts';
import { failedAt } from '../../support/entities.ts';

let api: Harness;
let tree: Tree;
let count = 0;
beforeAll(async () => {
  api = await startApi();
  tree = await api.createTree();
});
afterAll(() => api.close());

interface Link {
  linkId: string;
  url: string;
  token: string;
  expiresAt: number;
}

const newDomain = (): Promise<Domain> => {
  count += 1;
  return api.createDomain(tree, `help-${count}.acme.com`);
};
const make = (domain: string, about: object = {}, key = api.rootKey) =>
  api.call('domains.createSetupLink', { domain, purpose: 'support', ...about }, { key });
const open = (token: string) => api.call('setup.openSession', { token }, { key: null });
const sessionFor = async ({ name }: Domain, about: object = {}) => {
  const link = dataOf<Link>(await make(name, about));
  return { ...link, key: dataOf<{ sessionToken: string }>(await open(link.token)).sessionToken };
};
const ALLOWED = [
  'domains.getSite',
  'domains.diagnoseDomain',
  'domains.getCertificate',
  'domains.listEvents',
  'usage.getUsage',
];
const call = (operation: string, domain: string, key: string) =>
  api.call(
    operation,
    {
      domain,
      ...(operation === 'usage.getUsage' && { from: 0 }),
      ...(operation === 'domains.diagnoseDomain' && { cached: true }),
    },
    { key },
  );
const refused = (code: string) => ({ status: 401, body: { error: { type: code } } });

describe('a support link', () => {
  it('leads to the page of the domain in the dashboard for a day, and is listed with its purpose', async () => {
    const { name } = await newDomain();
    const link = dataOf<Link>(await make(name));
    expect(link).toMatchObject({
      url: `https://api.platform.test/dashboard/support#${link.token}`,
      expiresAt: START + 86_400_000,
    });
    await api.call('domains.createSetupLink', { domain: name });
    const { data } = (await api.call('domains.listSetupLinks', { domain: name })).body;
    expect(data).toMatchObject([{ id: link.linkId, purpose: 'support' }, { purpose: 'setup' }]);
  });

  it.each([
    ['read_usage', ['environment.*.create_setup_link', 'environment.*.read_domain']],
    ['read_domain', ['environment.*.create_setup_link', 'environment.*.read_usage']],
  ])('is not made by a key without %s, which could not read so much itself', async (action, permissions) => {
    const { name } = await newDomain();
    const { key } = await api.createKey({ permissions });
    expect(await make(name, {}, key)).toMatchObject({
      status: 403,
      body: { error: { detail: expect.stringContaining(action) } },
    });
    expect(await make(name, { purpose: 'setup' }, key)).toMatchObject({ status: 200 });
  });
});

describe('a session of a support link', () => {
  it.each(ALLOWED)('may call %s for its domain, by name and by id', async (operation) => {
    const domain = await newDomain();
    const { key } = await sessionFor(domain);
    for (const identifier of [domain.name, domain.id])
      expect(await call(operation, identifier, key)).toMatchObject({ status: 200 });
  });

  it.each(ALLOWED)('%s: another domain answers like one that is missing', async (operation) => {
    const [mine, other] = [await newDomain(), await newDomain()];
    const { key } = await sessionFor(mine);
    for (const identifier of [other.name, other.id, 'none.acme.com'])
      expect(await call(operation, identifier, key)).toMatchObject({ status: 404 });
  });

  it('may call no other operation: it checks nothing and changes nothing', async () => {
    const { name, id } = await newDomain();
    const { key } = await sessionFor({ name, id } as Domain);
    const others = operations.filter((each) => !ALLOWED.includes(each.name));
    expect(others).toHaveLength(operations.length - ALLOWED.length);
    for (const operation of others)
      expect(await api.call(operation.name, { domain: name }, { key }), operation.name).toMatchObject({
        status: 403,
        body: { error: { detail: expect.stringContaining('cannot call') } },
      });
  });

  it.each(['domains.getSite', 'domains.listEvents', 'usage.getUsage'])(
    'may call %s, and a session of a set-up link may not',
    async (operation) => {
      const domain = await newDomain();
      const { key } = await sessionFor(domain, { purpose: 'setup' });
      expect(await call(operation, domain.name, key)).toMatchObject({ status: 403 });
    },
  );

  it('is told its purpose, so that its page opens', async () => {
    const { token } = await sessionFor(await newDomain());
    expect((await open(token)).body.data).toMatchObject({ purpose: 'support' });
  });

  it('learns neither of other customers, nor of the data that the platform keeps, nor who did what', async () => {
    const domain = await newDomain();
    await api.call('domains.updateDomain', {
      domain: domain.name,
      externalId: 'customer_42',
      metadata: { plan: 'secret plan' },
    });
    const { key } = await sessionFor(domain);
    const verificationError = `The TXT record at _service.${domain.name} has the value "x". That is the value of blog.acme.com. Change it.`;
    const current = (await api.store.findDomainById(api.workspaceId, domain.id)) as Domain;
    const after = { ...failedAt(current, START), verificationError };
    await api.store.saveTransition({ before: current, after, memory: NO_MEMORY, now: START });
    await api.changes.poll();
    const texts = async (by: string) => {
      const [site, events] = [
        await call('domains.getSite', domain.name, by),
        await call('domains.listEvents', domain.name, by),
      ];
      return [site.text, events.text];
    };
    const [ownSite, ownEvents] = await texts(api.rootKey);
    for (const text of [ownSite, ownEvents]) expect(text).toContain('blog.acme.com');
    expect(ownSite).toContain('secret plan');
    expect(ownEvents).toContain('"actor"');
    const [site, events] = await texts(key);
    expect(events).toContain('domain.failed');
    for (const text of [site, events])
      for (const hidden of ['blog.acme.com', 'customer_42', 'secret plan', '"actor"'])
        expect(text).not.toContain(hidden);
  });

  it('ends with its link, from the millisecond on at which it expires', async () => {
    const { name } = await newDomain();
    const { key, token, expiresAt } = await sessionFor({ name } as Domain, { expiresInSeconds: 60 });
    api.clock.set(expiresAt - 1);
    expect(await call('domains.getSite', name, key)).toMatchObject({ status: 200 });
    api.clock.set(expiresAt);
    for (const operation of ALLOWED)
      expect(await call(operation, name, key)).toMatchObject(refused('setup-link-expired'));
    expect(await open(token)).toMatchObject(refused('setup-link-expired'));
    api.clock.set(START);
  });

  it('ends with the revocation of its link, at the next poll of the change feed', async () => {
    const { name } = await newDomain();
    const { key, token, linkId } = await sessionFor({ name } as Domain);
    expect(await call('domains.getSite', name, key)).toMatchObject({ status: 200 });
    await api.call('domains.revokeSetupLink', { linkId });
    await api.changes.poll();
    for (const operation of ALLOWED)
      expect(await call(operation, name, key)).toMatchObject(refused('setup-link-revoked'));
    expect(await open(token)).toMatchObject(refused('setup-link-revoked'));
  });

  it('reads usage 20 times a minute, of a limit of its own beside that of the workspace', async () => {
    const domain = await newDomain();
    const { key } = await sessionFor(domain);
    for (let asked = 0; asked < 20; asked += 1)
      expect(await call('usage.getUsage', domain.name, key)).toMatchObject({ status: 200 });
    expect(await call('usage.getUsage', domain.name, key)).toMatchObject({ status: 429 });
    expect(await call('usage.getUsage', domain.name, api.rootKey)).toMatchObject({ status: 200 });
  });
});
