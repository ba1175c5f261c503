import Type from 'typebox';
import { permittedIds } from '../../access/permissions.ts';
import { LIVE_STATES } from '../../domain/live.ts';
import { presentDomain } from '../../domain/presented-domain.ts';
import { lacksPermission } from '../find.ts';
import { defineList } from '../operation.ts';
import {
  closed,
  environmentPath,
  exampleEnvironmentPath,
  GivenTime,
  NAME_CURSOR,
  pageOf,
  pageRequest,
  SEARCH,
} from '../schemas.ts';
import { wantedOwnData } from './own-data-schema.ts';
import { DomainSchema, exampleDomain } from './present-domain.ts';
import { CERTIFICATE_STATES, exampleSite, presentSite, SiteSchema, STATUSES } from './site.ts';

export const listDomains = defineList({
  name: 'domains.listDomains',
  summary: 'List the domains of an environment',
  description: 'Domains in order of creation, one page at a time.',
  permission: { resource: 'environment', action: 'read_domain' },
  request: Type.Object(
    {
      ...environmentPath,
      ...pageRequest,
      search: SEARCH,
    },
    closed,
  ),
  item: DomainSchema,
  problems: ['data/environment_not_found'],
  example: {
    request: { ...exampleEnvironmentPath, limit: 10 },
    items: [presentDomain(exampleDomain)],
  },
  async handle({ principal, input, find }, { store, apexNote }) {
    const environment = await find.environment(input);
    const query = { ...pageOf(input), search: input.search };
    const page = await store.listDomains(principal.workspaceId, environment.id, query);
    return { ...page, items: page.items.map((domain) => presentDomain(domain, apexNote)) };
  },
});

const permission = { resource: 'environment', action: 'read_domain' } as const;

export const listWorkspaceDomains = defineList({
  name: 'domains.listWorkspaceDomains',
  summary: 'List the domains of all environments',
  description:
    'Domains of the workspace in order of their names, one page at a time, each as domains.getSite returns it. A key with the permission on some environments gets the domains of these, one environment after the other, each in order of creation. Filters may be combined. With `externalId` or `metadata` too, the order is one environment after the other, each in order of creation. One filter finds its domains by an index; with several, with `live`, `search` or a time of creation, and for such a key, a page looks at a fixed number of domains at most: it may have fewer items than `limit`, or none, and still a next page, so go on until `hasMore` is false. A page takes the same time however many domains there are.',
  permission,
  request: Type.Object(
    {
      ...pageRequest,
      cursor: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 255,
          pattern: NAME_CURSOR,
          description: '`pagination.cursor` of the page before; absent for the first page.',
        }),
      ),
      status: Type.Optional(Type.Enum(STATUSES, { type: 'string', description: 'Only domains with this status.' })),
      certificate: Type.Optional(
        Type.Enum(CERTIFICATE_STATES, {
          type: 'string',
          description:
            'Only domains whose certificate is in this state. They are verified, or have it ordered before they are.',
        }),
      ),
      live: Type.Optional(
        Type.Enum([...LIVE_STATES], {
          type: 'string',
          description: 'Only domains that were last seen in this state from outside.',
        }),
      ),
      ...wantedOwnData,
      createdAfter: Type.Optional(GivenTime('Only domains created then or later.')),
      createdBefore: Type.Optional(GivenTime('Only domains created before that.')),
      search: SEARCH,
      within: Type.Optional(
        Type.Object(environmentPath, {
          ...closed,
          description: 'Only domains of this environment, in order of creation.',
        }),
      ),
    },
    closed,
  ),
  item: SiteSchema,
  problems: ['authorization/insufficient_permissions', 'data/environment_not_found'],
  example: {
    request: { status: 'verifying', externalId: 'customer_42', limit: 10 },
    items: [exampleSite],
  },
  async handle({ principal: { workspaceId, grants }, input, find }, { store, ...context }) {
    const { within, limit: _, cursor: __, ...filters } = input;
    const permitted = permittedIds(grants, permission);
    if (permitted?.size === 0) throw lacksPermission({ permission });
    const environment = within && (await find.environment(within));
    const environmentIds = environment === undefined ? permitted : new Set([environment.id]);
    const page = await store.listWorkspaceDomains(workspaceId, {
      ...pageOf(input),
      ...filters,
      environmentIds,
    });
    return { ...page, items: page.items.map((each) => presentSite(each, context)) };
  },
});
