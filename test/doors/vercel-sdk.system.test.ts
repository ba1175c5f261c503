import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FETCH_LIMIT_MS, npmPackages } from '../support/npm-packages.ts';
import { cname, everywhere } from '../support/observations.ts';
import { openVercelDoor, type VercelDoor } from './vercel-door.ts';

// The vendor's own client, unchanged but for its server. It has 42 MB, so it is no devDependency.
const SDK = ['@vercel/sdk@1.28.35', 'zod@4.6.7'];

type Method = (request: object) => Promise<Record<string, unknown>>;

/** The part of the client that is used here. It validates each response against the vendor's schemas. */
interface Client {
  projects: Record<
    | 'addProjectDomain'
    | 'getProjectDomain'
    | 'getProjectDomains'
    | 'updateProjectDomain'
    | 'verifyProjectDomain'
    | 'removeProjectDomain',
    Method
  >;
  domains: Record<'getDomainConfig' | 'deleteDomain', Method>;
}

/** Models of the vendor's requests and responses, by module. */
const MODELS = {
  addprojectdomainop: ['AddProjectDomainRequestBody$outboundSchema', 'AddProjectDomainResponseBody$inboundSchema'],
  updateprojectdomainop: ['UpdateProjectDomainRequestBody$outboundSchema'],
  removeprojectdomainop: ['RemoveProjectDomainRequestBody$outboundSchema'],
  getdomainconfigop: ['GetDomainConfigResponseBody$inboundSchema'],
};

let door: VercelDoor;
let idOrName: string;
let connect: (bearerToken: string) => Client;
let vercel: Client;
beforeAll(async () => {
  // Before the server runs, which would be overloaded while the client is fetched and read.
  const { Vercel } = await import(npmPackages('vercel-sdk', SDK, '@vercel/sdk/esm/index.js'));
  door = await openVercelDoor();
  idOrName = door.tree.environmentId;
  connect = (bearerToken) => new Vercel({ bearerToken, serverURL: door.url });
  vercel = connect(door.api.rootKey);
}, FETCH_LIMIT_MS);
afterAll(() => door.api.close());

const failure = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error) => ({ status: error.statusCode, body: JSON.parse(error.body) }),
  );

describe("the vendor's client takes", () => {
  it('a domain from its addition to its removal', async () => {
    const domain = 'shop.acme.com';
    const named = { idOrName, domain };
    const added = await vercel.projects.addProjectDomain({ idOrName, teamId: 'team_1', requestBody: { name: domain } });
    expect(added).toMatchObject({ name: domain, apexName: 'acme.com', projectId: idOrName, verified: false });
    expect(await vercel.projects.getProjectDomain({ ...named, slug: 'acme' })).toEqual(added);

    expect(await failure(vercel.projects.verifyProjectDomain(named))).toMatchObject({
      status: 400,
      body: { error: { code: 'missing_txt_record' } },
    });
    const config = await vercel.domains.getDomainConfig({ domain, projectIdOrName: idOrName, strict: 'true' });
    expect(config).toMatchObject({
      configuredBy: null,
      misconfigured: true,
      acceptedChallenges: [],
      recommendedIPv4: [],
    });
    const [{ value: target }] = config.recommendedCNAME as [{ rank: number; value: string }];

    door.publish(domain, { routing: everywhere(cname(target)) });
    const verified = vercel.projects.verifyProjectDomain(named);
    await door.check(domain);
    expect(await verified).toMatchObject({ name: domain, verified: true });
    expect(await vercel.domains.getDomainConfig({ domain })).toMatchObject({
      configuredBy: 'CNAME',
      misconfigured: false,
    });

    await vercel.projects.addProjectDomain({ idOrName, requestBody: { name: 'www.acme.com', redirect: domain } });
    const www = { idOrName, domain: 'www.acme.com' };
    const moved = await vercel.projects.updateProjectDomain({ ...www, requestBody: { redirectStatusCode: 301 } });
    expect(moved).toMatchObject({ redirect: domain, redirectStatusCode: 301 });
    expect(await vercel.projects.updateProjectDomain({ ...www, requestBody: { redirect: null } })).toMatchObject({
      redirect: null,
      redirectStatusCode: null,
    });

    expect(await vercel.projects.removeProjectDomain({ ...named, requestBody: { removeRedirects: true } })).toEqual({});
    expect(await vercel.domains.deleteDomain({ domain: 'www.acme.com' })).toMatchObject({ uid: expect.any(String) });
    expect(await failure(vercel.projects.getProjectDomain(named))).toMatchObject({
      status: 404,
      body: { error: { code: 'not_found' } },
    });
  });

  it('the list, page by page and filtered', async () => {
    for (let at = 0; at < 5; at++) {
      door.api.clock.advance(1);
      await vercel.projects.addProjectDomain({ idOrName, requestBody: { name: `page${at}.acme.com` } });
    }
    await door.verified('listed.acme.com');
    for (const [order, bound] of [
      ['DESC', 'until'],
      ['ASC', 'since'],
    ] as const) {
      const names: string[] = [];
      for (let next: number | null | undefined; next !== null; ) {
        const page = await vercel.projects.getProjectDomains({
          idOrName,
          limit: 2,
          order,
          ...(next && { [bound]: next }),
        });
        const { domains, pagination } = page as { domains: { name: string }[]; pagination: { next: number | null } };
        names.push(...domains.map(({ name }) => name));
        next = pagination.next;
      }
      const expected = ['page0', 'page1', 'page2', 'page3', 'page4', 'listed'].map((name) => `${name}.acme.com`);
      expect(names).toEqual(order === 'ASC' ? expected : expected.toReversed());
    }
    const filtered = await vercel.projects.getProjectDomains({ idOrName, verified: 'true', production: 'true' });
    expect(filtered).toMatchObject({ domains: [{ name: 'listed.acme.com' }], pagination: { count: 1, next: null } });
  });

  it('errors as those of the vendor', async () => {
    const add = (name: string, more: object = {}) =>
      failure(vercel.projects.addProjectDomain({ idOrName, requestBody: { name, ...more } }));
    await add('once.acme.com');
    const found = [
      await add('once.acme.com'),
      await add('not a name'),
      await add('branch.acme.com', { gitBranch: 'main' }),
      await failure(connect('np_wrong').projects.getProjectDomains({ idOrName })),
      await failure(vercel.projects.getProjectDomain({ idOrName: 'another', domain: 'once.acme.com' })),
    ];
    expect(found.map((each) => [each?.status, each?.body.error.code])).toEqual([
      [400, 'domain_already_in_use'],
      [400, 'invalid_domain'],
      [400, 'bad_request'],
      [403, 'forbidden'],
      [404, 'not_found'],
    ]);
  });

  it('no field that docs/reference/compat-vercel.md does not list', async () => {
    const page = readFileSync(new URL('../../docs/reference/compat-vercel.md', import.meta.url), 'utf8');
    for (const [file, names] of Object.entries(MODELS)) {
      const models = await import(npmPackages('vercel-sdk', SDK, `@vercel/sdk/esm/models/${file}.js`));
      for (const field of names.flatMap((name) => Object.keys(models[name].shape)))
        expect(page).toContain(`| \`${field}\` |`);
    }
    const { GetProjectDomainsRequest$outboundSchema: query } = await import(
      npmPackages('vercel-sdk', SDK, '@vercel/sdk/esm/models/getprojectdomainsop.js')
    );
    const filters = Object.keys(query.shape).filter((field) => field !== 'idOrName');
    expect(filters).toContain('until');
    for (const field of filters) expect(page).toContain(`| \`?${field}\` |`);
  });
});
