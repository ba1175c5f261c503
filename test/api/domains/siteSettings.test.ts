import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALL_GRANTS, dataOf, type Harness, startApi, type Tree } from '../../support/api-harness.ts';
import { prove } from '../../support/certificates.ts';
import { unique } from '../../support/entities.ts';

let api: Harness;
let tree: Tree;
beforeAll(async () => {
  api = await startApi({ settings: { deletedKeepMs: 60_000 } });
  tree = await api.createTree();
});
afterAll(() => api.close());

const newName = () => `${unique('shop')}.com`;
const update = (domain: string, settings: unknown, key = api.rootKey) =>
  api.call('domains.updateDomain', { domain, settings }, { key });
const ORIGIN = 'https://own.acme.test:8443';

/** The settings and the origin that getSite and the list of the workspace have, which are the same. */
async function shownOf(domain: string): Promise<{ settings?: object; origin?: object }> {
  const site = dataOf<{ settings?: object; origin?: object }>(await api.call('domains.getSite', { domain }));
  const [listed] = dataOf<object[]>(await api.call('domains.listWorkspaceDomains', { search: domain }));
  expect(listed).toEqual(site);
  return { ...(site.settings && { settings: site.settings }), ...(site.origin && { origin: site.origin }) };
}

describe('settings of a domain', () => {
  it('change one by one: what is absent stays, null removes, and only what was set is shown', async () => {
    const { name, id } = await api.createDomain(tree, newName());
    expect(await shownOf(name)).toEqual({});
    const hsts = { maxAge: 60, includeSubDomains: true };
    const steps: [settings: object, after: object | undefined][] = [
      [{ hsts }, { hsts }],
      [{ minTlsVersion: '1.3' }, { hsts, minTlsVersion: '1.3' }],
      [{ hsts: { maxAge: 0 } }, { hsts: { maxAge: 0 }, minTlsVersion: '1.3' }],
      [{}, { hsts: { maxAge: 0 }, minTlsVersion: '1.3' }],
      [
        { redirectToHttps: false, origin: 'HTTPS://Own.Acme.Test:8443' },
        { hsts: { maxAge: 0 }, minTlsVersion: '1.3', redirectToHttps: false, origin: ORIGIN },
      ],
      [
        { redirectToHttps: true, hsts: null },
        { minTlsVersion: '1.3', redirectToHttps: true, origin: ORIGIN },
      ],
      [{ minTlsVersion: null, redirectToHttps: null, origin: null }, undefined],
    ];
    for (const [settings, after] of steps) {
      const shown = after && { settings: after };
      expect(dataOf(await update(name, settings))).toEqual({ domainId: id, domain: name, ...shown });
      expect((await shownOf(name)).settings).toEqual(after);
    }
  });

  it("has the domain's own origin shown in place of the deployment of its environment", async () => {
    const other = await api.createTree(unique('own'));
    const { name } = await api.createDomain(other, newName());
    const { project, app, environment } = other;
    const deployment = { project, app, environment, origin: 'https://all.acme.test' };
    const { deploymentId } = dataOf<{ deploymentId: string }>(
      await api.call('deployments.createDeployment', deployment),
    );
    const deployed = { url: 'https://all.acme.test', deploymentId };
    expect(await shownOf(name)).toEqual({ origin: deployed });
    dataOf(await update(name, { origin: ORIGIN }));
    expect(await shownOf(name)).toEqual({ origin: { url: ORIGIN }, settings: { origin: ORIGIN } });
    dataOf(await update(name, { origin: null }));
    expect(await shownOf(name)).toEqual({ origin: deployed });
  });

  it('are in no answer of getDomain, which stays as it was', async () => {
    const { name } = await api.createDomain(tree, newName());
    const before = await api.call('domains.getDomain', { domain: name });
    dataOf(await update(name, { origin: ORIGIN, hsts: { maxAge: 1 } }));
    expect(dataOf(await api.call('domains.getDomain', { domain: name }))).toEqual(dataOf(before));
  });

  it('stay with a domain that is moved, and with one that is deleted and restored; a new one has none', async () => {
    const domain = await api.createDomain(tree, newName());
    await prove(api.store, domain, api.clock.now());
    const { name } = domain;
    const settings = { origin: ORIGIN, hsts: { maxAge: 60 }, minTlsVersion: '1.3', redirectToHttps: false };
    dataOf(await update(name, settings));
    const { project, app } = tree;
    const slug = unique('other');
    dataOf(await api.call('environments.createEnvironment', { project, app, slug }));
    dataOf(await api.call('domains.moveDomain', { domain: name, project, app, environment: slug }));
    expect(await shownOf(name)).toEqual({ settings, origin: { url: ORIGIN } });
    dataOf(await api.call('domains.deleteDomain', { domain: name }));
    dataOf(await api.call('domains.restoreDomain', { domain: name }));
    expect(await shownOf(name)).toEqual({ settings, origin: { url: ORIGIN } });
    expect((await api.store.findSite(name))?.settings).toMatchObject({ origin: ORIGIN, hsts: { maxAge: 60 } });
    dataOf(await api.call('domains.deleteDomain', { domain: name }));
    await api.createDomain(tree, name);
    expect(await shownOf(name)).toEqual({});
  });

  it.for([
    ['a URL with a path', { origin: 'https://own.acme.test/app' }, 'body.settings.origin'],
    ['a URL with a password', { origin: 'https://a:b@own.acme.test' }, 'body.settings.origin'],
    ['a host that is none', { origin: 'https://256.1.1.1' }, 'body.settings.origin'],
    ['another scheme', { origin: 'ftp://own.acme.test' }, 'body.settings.origin'],
    ['an age below 0', { hsts: { maxAge: -1 } }, 'body.settings.hsts.maxAge'],
    ['an age above two years', { hsts: { maxAge: 63_072_001 } }, 'body.settings.hsts.maxAge'],
    ['an age that is no whole number', { hsts: { maxAge: 1.5 } }, 'body.settings.hsts.maxAge'],
    ['HSTS without an age', { hsts: { includeSubDomains: true } }, 'body.settings.hsts.maxAge'],
    ['HSTS with more', { hsts: { maxAge: 1, report: 'x' } }, 'body.settings.hsts.report'],
    [
      'preload for less than a year',
      { hsts: { maxAge: 31_535_999, includeSubDomains: true, preload: true } },
      'body.settings.hsts.preload',
    ],
    ['preload without subdomains', { hsts: { maxAge: 31_536_000, preload: true } }, 'body.settings.hsts.preload'],
    ['TLS 1.1', { minTlsVersion: '1.1' }, 'body.settings.minTlsVersion'],
    ['a redirect that is a text', { redirectToHttps: 'no' }, 'body.settings.redirectToHttps'],
    ['a setting that does not exist', { cache: true }, 'body.settings.cache'],
    ['null in place of all', null, 'body.settings'],
  ] as const)('refuse %s, and nothing changes', async ([, settings, location]) => {
    const { name } = await api.createDomain(tree, newName());
    const answer = await update(name, settings && { redirectToHttps: false, ...settings });
    expect(answer).toMatchObject({ status: 400, body: { error: { errors: [{ location }] } } });
    expect(await shownOf(name)).toEqual({});
  });

  it('accept preload where the lists do', async () => {
    const { name } = await api.createDomain(tree, newName());
    const hsts = { maxAge: 31_536_000, includeSubDomains: true, preload: true };
    expect(dataOf(await update(name, { hsts }))).toMatchObject({ settings: { hsts } });
  });

  it('need update_domain, and an origin needs create_deployment there too, which the refusal names', async () => {
    const { name } = await api.createDomain(tree, newName());
    const here = (action: string) => `environment.${tree.environmentId}.${action}`;
    const updater = await api.createKey({ permissions: [here('update_domain')] });
    dataOf(await update(name, { hsts: { maxAge: 60 }, redirectToHttps: false }, updater.key));
    for (const origin of [ORIGIN, null]) {
      const refused = await update(name, { origin, minTlsVersion: '1.3' }, updater.key);
      expect(refused).toMatchObject({ status: 403 });
      expect(JSON.stringify(refused.body)).toContain('create_deployment');
    }
    expect(await shownOf(name)).toEqual({ settings: { hsts: { maxAge: 60 }, redirectToHttps: false } });

    const elsewhere = await api.createTree(unique('else'));
    const deployer = await api.createKey({
      permissions: [here('update_domain'), `environment.${elsewhere.environmentId}.create_deployment`],
    });
    expect(await update(name, { origin: ORIGIN }, deployer.key)).toMatchObject({ status: 403 });
    const both = await api.createKey({ permissions: [here('update_domain'), here('create_deployment')] });
    expect(await update(name, { origin: ORIGIN }, both.key)).toMatchObject({ status: 200 });

    const permissions = ALL_GRANTS.filter((grant) => !/\.(?:update|read)_domain$/.test(grant));
    const without = await api.createKey({ permissions });
    expect(await update(name, { origin: null }, without.key)).toMatchObject({ status: 404 });
  });

  it('leave an entry in the audit log that says what was changed', async () => {
    const { name } = await api.createDomain(tree, newName());
    await update(name, { origin: ORIGIN, hsts: null });
    await update(name, { origin: ORIGIN });
    expect(dataOf(await api.call('audit.listEntries', { target: name }))).toMatchObject([
      { action: 'domains.updateDomain', detail: { settings: { origin: ORIGIN, hsts: null } } },
      { action: 'domains.createDomain' },
    ]);
  });
});
