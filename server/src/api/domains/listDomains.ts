import Type from 'typebox';
import { permittedIds } from '../../access/permissions.ts';
import { LIVE_STATES } from '../../domain/live.ts';
import { presentDomain } from '../../domain/presented-domain.ts';
import type { EnvironmentPath } from '../../store/store.ts';
import { type Find, lacksPermission } from '../find.ts';
import { defineList, type OperationCall } from '../operation.ts';
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
  description: 'Returns the domains in order of creation, one page at a time.',
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

export const within = Type.Optional(
  Type.Object(environmentPath, { ...closed, description: 'Only domains of this environment.' }),
);

/** The environments whose domains a call may read, or asks for; undefined: all. Throws a `Problem`. */
export async function environmentsOf({
  principal: { grants },
  input,
  find,
}: Pick<OperationCall<{ within?: EnvironmentPath }>, 'principal' | 'input'> & { find: Find }) {
  const permitted = permittedIds(grants, permission);
  if (permitted?.size === 0) throw lacksPermission({ permission });
  return input.within === undefined ? permitted : new Set([(await find.environment(input.within)).id]);
}

export const listWorkspaceDomains = defineList({
  name: 'domains.listWorkspaceDomains',
  summary: 'List the domains of all environments',
  description:
    'Returns the domains of the workspace in order of their names, one page at a time, each as domains.getSite returns it. A key with the permission on single environments gets only the domains of these. For such a key, and with `within`, `externalId` or `metadata`, the order differs: one environment after the other, each in order of creation. You can combine filters. A page may have fewer items than `limit`, or none, although more follow, so continue until `hasMore` is false. This happens with several filters, with `live`, `ready`, `search` or a time of creation, and for a key with single environments. The response time does not depend on the number of domains.',
  permission,
  request: Type.Object(
    {
      ...pageRequest,
      cursor: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 255,
          pattern: NAME_CURSOR,
          description: '`pagination.cursor` of the previous page; absent for the first page.',
        }),
      ),
      status: Type.Optional(Type.Enum(STATUSES, { type: 'string', description: 'Only domains with this status.' })),
      certificate: Type.Optional(
        Type.Enum(CERTIFICATE_STATES, {
          type: 'string',
          description: 'Only domains whose certificate is in this state.',
        }),
      ),
      live: Type.Optional(
        Type.Enum([...LIVE_STATES], {
          type: 'string',
          description: 'Only domains whose `live.state` is this one.',
        }),
      ),
      ...wantedOwnData,
      createdAfter: Type.Optional(GivenTime('Only domains created at this time or later.')),
      createdBefore: Type.Optional(GivenTime('Only domains created before this time.')),
      search: SEARCH,
      ready: Type.Optional(
        Type.Boolean({ description: 'True: only domains without a `blocker`. False: only domains with one.' }),
      ),
      within,
    },
    closed,
  ),
  item: SiteSchema,
  problems: ['authorization/insufficient_permissions', 'data/environment_not_found'],
  example: {
    request: { status: 'verifying', externalId: 'customer_42', limit: 10 },
    items: [exampleSite],
  },
  async handle(call, { store, ...context }) {
    const { within: _, limit: __, cursor: ___, ready, ...filters } = call.input;
    const page = await store.listWorkspaceDomains(call.principal.workspaceId, {
      ...pageOf(call.input),
      ...filters,
      environmentIds: await environmentsOf(call),
      readyAt: ready === undefined ? undefined : { is: ready, at: context.clock.now() },
    });
    return { ...page, items: page.items.map((each) => presentSite(each, context)) };
  },
});
