import Type from 'typebox';
import { waitingOf } from '../../domain/board.ts';
import type { Metadata } from '../../domain/own-data.ts';
import { newNamesPerWindow, timeToIssue } from '../../domain/time-to-issue.ts';
import { defineOperation, type HandlerContext } from '../operation.ts';
import { closed, exampleEnvironmentPath, shownBy, Time } from '../schemas.ts';
import { environmentsOf, within } from './listDomains.ts';
import { wantedOwnData } from './own-data-schema.ts';
import { exampleDomain } from './present-domain.ts';
import { BlockerSchema } from './site.ts';

const { reason, ...why } = BlockerSchema.properties;
const Count = (description: string) => Type.Integer({ minimum: 0, description });

export const SiteCountsSchema = Type.Object(
  {
    total: Count('Number of the domains counted.'),
    readyToSwitch: Type.Integer({ minimum: 0, description: 'Domains that are ready to switch.' }),
    live: Type.Integer({
      minimum: 0,
      description: 'Domains that visitors reach here at every address, as last seen from outside.',
    }),
    blockers: Type.Array(
      Type.Object(
        {
          reason,
          count: Count('Number of domains with this reason.'),
          oldest: Type.Object(
            { domain: Type.String({ description: 'Its name.' }), ...why },
            { description: 'The domain that has had this reason for the longest time.' },
          ),
        },
        { title: 'BoardGroup' },
      ),
      { description: 'Why the others are not ready to switch, most frequent reason first.' },
    ),
    waiting: Type.Integer({
      minimum: 0,
      description: 'Domains whose certificate is ordered as soon as the limits of the CA allow.',
    }),
    timeLeftMs: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          "Longest time until the last of the `waiting` certificates can be ordered, in milliseconds, under the CA's limit of all orders. It assumes that no other names are ordered meanwhile. Absent if none waits.",
      }),
    ),
    pace: Type.Optional(
      Type.Object(
        {
          names: Count('Number of names in a window.'),
          windowMs: Count('Length of the window, in milliseconds.'),
          cas: Count('Number of CAs.'),
        },
        {
          description: 'How fast certificates for new names can be ordered, at all CAs together.',
        },
      ),
    ),
    edgeAddresses: Type.Array(Type.String(), {
      description: 'IP addresses that lead to the edge, as the operator has set them; empty if none are set.',
    }),
    countedAt: Time('When the domains were counted.'),
  },
  { title: 'SiteCounts', description: 'How far a move is. More properties may be added.' },
);

const onePair = Type.Optional(
  Type.Unsafe<Metadata>({
    ...wantedOwnData.metadata,
    maxProperties: 1,
    description: 'Only domains whose metadata has this pair.',
  }),
);

const showCounts = shownBy(SiteCountsSchema);

export const countSites = defineOperation({
  name: 'domains.countSites',
  summary: 'Count the names of a move that are ready to switch',
  description:
    'Counts the domains that are ready to switch, and those that have a `blocker`, by its reason. Names that `nameplate move from` added have the metadata `moved_from`: `cloudflare`, `vercel`, `caddy` or `csv`. If the workspace has more than 10,000 domains, each process counts them at most once a minute: see `countedAt`.',
  permission: { resource: 'environment', action: 'read_domain' },
  request: Type.Object({ within, metadata: onePair }, closed),
  response: SiteCountsSchema,
  problems: ['authorization/insufficient_permissions', 'data/environment_not_found'],
  example: {
    request: { within: exampleEnvironmentPath, metadata: { moved_from: 'cloudflare' } },
    response: {
      total: 1000,
      readyToSwitch: 912,
      live: 0,
      blockers: [
        {
          reason: 'not_ordered',
          count: 88,
          oldest: {
            domain: exampleDomain.name,
            since: exampleDomain.createdAt + 60_000,
          },
        },
      ],
      waiting: 88,
      timeLeftMs: 0,
      pace: { names: 240, windowMs: 10_800_000, cas: 1 },
      edgeAddresses: ['198.51.100.7'],
      countedAt: exampleDomain.createdAt + 600_000,
    },
  },
  async handle(call, context) {
    const board = { environmentIds: await environmentsOf(call), metadata: call.input.metadata };
    const counts = await context.countSites(call.principal.workspaceId, board);
    const waiting = waitingOf(counts);
    const edgeAddresses = context.settings.edgeAddresses ?? [];
    return showCounts({ ...counts, waiting, ...(await timeLeft(waiting, context)), edgeAddresses });
  },
});

/** The time until the last of the names that wait may be ordered. */
async function timeLeft(waiting: number, { store, settings: { ordering }, clock }: HandlerContext) {
  const orders = ordering?.limits.find(({ name }) => name === 'orders');
  if (ordering === undefined || orders === undefined) return {};
  const { limit, windowMs } = orders;
  const cas = ordering.issuers.length;
  const since = clock.now() - windowMs;
  const counted = await Promise.all(ordering.issuers.map((issuer) => store.countLedgerEntries(issuer, since)));
  const ordersInWindow = counted.reduce((sum, each) => sum + each.orders - each.exempt, 0);
  const timeLeftMs = timeToIssue(waiting, ordersInWindow, { limit, windowMs, cas });
  return { timeLeftMs, pace: { names: newNamesPerWindow(limit, cas), windowMs, cas } };
}
