import Type, { type Static } from 'typebox';
import type { DomainUsage, UsageHour } from '../../store/store.ts';
import { DomainIdentifier, exampleDomain } from '../domains/present-domain.ts';
import { canonicalIdentifier } from '../find.ts';
import { defineList, defineOperation } from '../operation.ts';
import { closed, GivenTime, Id, pageOf, pageRequest, shownBy, Time } from '../schemas.ts';

/** A call unpacks up to 90 days of hours. */
const rateLimit = { limit: 60, windowMs: 60_000 };

const permission = { resource: 'environment', action: 'read_usage' } as const;

function Count(description: string) {
  return Type.Integer({ format: 'int64', minimum: 0, description });
}

const counts = {
  requests: Count('Number of requests and WebSocket connections.'),
  bytesIn: Count('Bytes of content that visitors sent, without header fields.'),
  bytesOut: Count('Bytes of content that visitors received, without header fields.'),
  edgeErrors: Count('Responses with status 5xx from the edge itself, for example because the origin was down.'),
  originErrors: Count('Responses with status 5xx from the origin.'),
};

const range = {
  from: GivenTime('Start of the period: hours that begin then or later are counted.'),
  to: Type.Optional(GivenTime('End of the period: hours that begin before it are counted. Now if absent.')),
};

const RESOLUTIONS = ['hour', 'day'] as const;

export const UsageSchema = Type.Object(
  {
    domainId: Id('dom', 'The domain.'),
    domain: Type.Optional(Type.String({ maxLength: 253, description: 'Its name; absent if the domain is deleted.' })),
    usage: Type.Array(
      Type.Object(
        { at: Time('Start of the hour, or of the day in UTC.'), ...counts },
        { title: 'UsageInTime', description: 'More properties may be added.' },
      ),
      { description: 'Hours or days in order; those without usage are absent.' },
    ),
  },
  { title: 'UsageHistory', description: 'More properties may be added.' },
);

export const DomainUsageSchema = Type.Object(
  {
    domainId: Id('dom', 'The domain.'),
    domain: Type.Optional(Type.String({ maxLength: 253, description: 'Its name; absent if the domain is deleted.' })),
    ...counts,
  },
  { title: 'DomainUsage', description: 'More properties may be added.' },
);

const show = shownBy(UsageSchema);
const showSum = shownBy(DomainUsageSchema);

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const { createdAt } = exampleDomain;
const exampleFrom = createdAt - (createdAt % DAY_MS);
const exampleCounts = { requests: 1204, bytesIn: 48_210, bytesOut: 19_403_112, edgeErrors: 0, originErrors: 3 };

export const getUsage = defineOperation({
  name: 'usage.getUsage',
  summary: 'Get the usage of a domain',
  description:
    'Returns the usage of a domain by hour or by day: requests, bytes, and errors of the edge and of the origin. Usage is written once a minute and kept for 90 days, even if the domain is deleted. For a deleted domain, give its id.',
  permission,
  sessions: ['support'],
  rateLimit,
  request: Type.Object(
    {
      domain: DomainIdentifier,
      ...range,
      resolution: Type.Optional(
        Type.Enum([...RESOLUTIONS], { type: 'string', description: '`hour` if absent. Days are those of UTC.' }),
      ),
    },
    closed,
  ),
  response: UsageSchema,
  problems: ['data/domain_not_found'],
  example: {
    request: { domain: exampleDomain.name, from: exampleFrom, to: exampleFrom + 7 * DAY_MS },
    response: {
      domainId: exampleDomain.id,
      domain: exampleDomain.name,
      usage: [{ at: exampleFrom + 13 * HOUR_MS, ...exampleCounts }],
    },
  },
  async handle({ principal: { workspaceId }, input, find, noteDomain }, { store, clock }) {
    const { from, to = clock.now(), resolution } = input;
    const found = await store.findUsageDomain(workspaceId, canonicalIdentifier(input.domain) ?? '');
    const { domainId, domain, number } = find.permitted(found, found?.environmentId, 'data/domain_not_found');
    noteDomain(domainId);
    const hours = number === null ? [] : await store.findUsage(number, { from, to });
    return show({ domainId, domain, usage: resolution === 'day' ? inDays(hours) : inHours(hours) });
  },
});

export const listUsage = defineList({
  name: 'usage.listUsage',
  summary: 'List the usage of all domains',
  description:
    'Returns the totals of each domain of the workspace, for billing. It lists the domains with usage in the period, in order of their first verification, one page at a time. Deleted domains are included for 90 days. A page may have fewer items than `limit`, or none, although more follow. Continue until `hasMore` is false.',
  permission,
  rateLimit,
  onAll: 'workspace',
  request: Type.Object({ ...range, ...pageRequest }, closed),
  item: DomainUsageSchema,
  problems: [],
  example: {
    request: { from: exampleFrom, to: exampleFrom + 30 * DAY_MS, limit: 10 },
    items: [{ domainId: exampleDomain.id, domain: exampleDomain.name, ...exampleCounts }],
  },
  async handle({ principal: { workspaceId }, input }, { store, clock }) {
    const { from, to = clock.now() } = input;
    const page = await store.listUsage(workspaceId, { from, to }, pageOf(input));
    return { ...page, items: page.items.map((item: DomainUsage) => showSum(item)) };
  },
});

type InTime = Static<typeof UsageSchema>['usage'];

function inHours(hours: readonly UsageHour[]): InTime {
  return hours.map(({ hour, ...counted }) => ({ at: hour, ...counted }));
}

function inDays(hours: readonly UsageHour[]): InTime {
  const days = new Map<number, InTime[number]>();
  for (const { hour, ...counted } of hours) {
    const at = hour - (hour % DAY_MS);
    const day = days.get(at);
    if (day === undefined) days.set(at, { at, ...counted });
    else for (const name of Object.keys(counted) as (keyof typeof counted)[]) day[name] += counted[name];
  }
  return [...days.values()];
}
