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
  requests: Count('Requests, and WebSockets.'),
  bytesIn: Count('Bytes of content that its visitors sent, without header fields.'),
  bytesOut: Count('Bytes of content that its visitors were sent, without header fields.'),
  edgeErrors: Count('Responses with status 5xx that the edge gave itself, such as those for an origin that is down.'),
  originErrors: Count('Responses with status 5xx of the origin.'),
};

const range = {
  from: GivenTime('The first hour that counts is the first to begin then or later.'),
  to: Type.Optional(GivenTime('The hours that begin before it count; now if absent.')),
};

const RESOLUTIONS = ['hour', 'day'] as const;

export const UsageSchema = Type.Object(
  {
    domainId: Id('dom', 'The domain.'),
    domain: Type.Optional(Type.String({ maxLength: 253, description: 'Its name; absent once it is deleted.' })),
    usage: Type.Array(
      Type.Object(
        { at: Time('When the hour began, or the day in UTC.'), ...counts },
        { title: 'UsageInTime', description: 'More properties may be added.' },
      ),
      { description: 'In order. Hours and days without usage are absent.' },
    ),
  },
  { title: 'UsageHistory', description: 'More properties may be added.' },
);

export const DomainUsageSchema = Type.Object(
  {
    domainId: Id('dom', 'The domain.'),
    domain: Type.Optional(Type.String({ maxLength: 253, description: 'Its name; absent once it is deleted.' })),
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
    'The usage of a domain, by hour or by day: requests, bytes, and errors of the edge and of the origin. It is written once a minute and kept for 90 days, also when the domain is deleted meanwhile: name it by its id then.',
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
    'The sums of each domain of the workspace, for bills. Domains with usage in this time are listed in the order of their first verification, one page at a time. Deleted domains are among them for 90 days. A page may have fewer items than `limit`, or none, and still a next page, so go on until `hasMore` is false.',
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
