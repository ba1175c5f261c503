import Type, { type Static } from 'typebox';
import { permittedIds } from '../../access/permissions.ts';
import { BOARD_REASONS, boardBlocker, isReadyToSwitch, statusSince, waitingOf } from '../../domain/board.ts';
import { presentLive } from '../../domain/live.ts';
import { LONGEST_VALUE } from '../../domain/own-data.ts';
import { newNamesPerWindow, timeToIssue } from '../../domain/time-to-issue.ts';
import type { Board, ListedDomain } from '../../store/store.ts';
import { type Find, lacksPermission } from '../find.ts';
import { defineList, defineOperation, type HandlerContext, type OperationCall } from '../operation.ts';
import {
  closed,
  environmentPath,
  exampleEnvironmentPath,
  Id,
  NAME_CURSOR,
  pageOf,
  pageRequest,
  shownBy,
  TEXT,
  Time,
} from '../schemas.ts';
import { CERTIFICATE_REASONS } from './getCertificate.ts';
import { exampleDomain } from './present-domain.ts';
import { exampleLive, LiveSchema, presentSiteCertificate, SiteCertificateSchema, STATUSES } from './site.ts';

const permission = { resource: 'environment', action: 'read_domain' } as const;

const boardRequest = {
  within: Type.Optional(Type.Object(environmentPath, { ...closed, description: 'Only domains of this environment.' })),
  movedFrom: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: LONGEST_VALUE,
      pattern: TEXT,
      description:
        'Only domains whose metadata has it as `moved_from`: `cloudflare`, `vercel`, `caddy` or `csv` where `nameplate move from` added them.',
    }),
  ),
};

const BlockerReason = Type.Enum([...BOARD_REASONS, ...CERTIFICATE_REASONS], {
  type: 'string',
  description:
    'The reason, for programs. `not_checked`: no check has completed. `not_verified`: its records are not in place. `verification_failed`: as the status `failed`. `not_ordered`: the certificate is about to be ordered. `ordering`: the order is in progress. The others are those of domains.getCertificate. More values may be added.',
});

export const BoardSiteSchema = Type.Object(
  {
    domainId: Id('dom', 'The domain.'),
    domain: Type.String({ minLength: 4, maxLength: 253, description: 'Its canonical name.' }),
    status: Type.Enum(STATUSES, { type: 'string', description: 'As in domains.getDomain.' }),
    since: Time('Since when it has been in this status; before it is verified, when the verification window began.'),
    certificate: SiteCertificateSchema,
    live: Type.Optional(LiveSchema),
    readyToSwitch: Type.Boolean({
      description:
        'Whether the edge serves the name with a certificate in use, so that its DNS may lead here. It stays true after the switch.',
    }),
    blocker: Type.Optional(
      Type.Object(
        {
          reason: BlockerReason,
          message: Type.Optional(
            Type.String({
              maxLength: 512,
              description:
                'For people: `verificationError` of the domain, or the message of the problem of its certificate; absent while it makes normal progress.',
            }),
          ),
          since: Time('Since when.'),
        },
        { title: 'BoardBlocker', description: 'Why the name is not ready to switch; absent where it is.' },
      ),
    ),
  },
  { title: 'BoardSite', description: 'A name of the board of a move. More properties may be added.' },
);

const show = shownBy(BoardSiteSchema);

function presentBoardSite(site: ListedDomain, now: number): Static<typeof BoardSiteSchema> {
  const { domain, certificate, live } = site;
  return show({
    domainId: domain.id,
    domain: domain.name,
    status: domain.status,
    since: statusSince(domain),
    certificate: presentSiteCertificate(certificate),
    live: live && presentLive(live),
    readyToSwitch: isReadyToSwitch(site, now),
    blocker: boardBlocker(site, now),
  });
}

type BoardInput = { [Name in keyof typeof boardRequest]?: Static<(typeof boardRequest)[Name]> };

/** The board that a call asks for. Throws a `Problem` where the caller may read no domain, or not find the environment. */
async function boardOf({
  principal: { grants },
  input: { within, movedFrom },
  find,
}: Pick<OperationCall<BoardInput>, 'principal' | 'input'> & { find: Find }): Promise<Board> {
  const permitted = permittedIds(grants, permission);
  if (permitted?.size === 0) throw lacksPermission({ permission });
  const environment = within && (await find.environment(within));
  return {
    environmentIds: environment === undefined ? permitted : new Set([environment.id]),
    metadata: movedFrom === undefined ? undefined : { moved_from: movedFrom },
  };
}

export const listSites = defineList({
  name: 'domains.listSites',
  summary: 'List the names of a move, and whether each is ready to switch',
  description:
    'Domains of the workspace, or of one environment, one page at a time: whether each is verified, has a certificate in use, and is seen from outside; and why it is not ready to switch. The order, and which domains a key gets, are as in domains.listWorkspaceDomains. With `ready`, a page looks at a fixed number of domains at most: it may have fewer items than `limit`, or none, and still a next page, so go on until `hasMore` is false.',
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
      ...boardRequest,
      ready: Type.Optional(
        Type.Boolean({ description: 'Only domains that are ready to switch, or only those that are not.' }),
      ),
    },
    closed,
  ),
  item: BoardSiteSchema,
  problems: ['authorization/insufficient_permissions', 'data/environment_not_found'],
  example: {
    request: { movedFrom: 'cloudflare', ready: false },
    items: [
      {
        domainId: exampleDomain.id,
        domain: exampleDomain.name,
        status: 'verified',
        since: exampleDomain.createdAt + 60_000,
        certificate: { state: 'wanted' },
        live: exampleLive,
        readyToSwitch: false,
        blocker: { reason: 'not_ordered', since: exampleDomain.createdAt + 60_000 },
      },
    ],
  },
  async handle(call, { store, clock }) {
    const { principal, input } = call;
    const now = clock.now();
    const readyAt = input.ready === undefined ? undefined : { is: input.ready, at: now };
    const query = { ...pageOf(input), ...(await boardOf(call)), readyAt };
    const page = await store.listWorkspaceDomains(principal.workspaceId, query);
    return { ...page, items: page.items.map((each) => presentBoardSite(each, now)) };
  },
});

const Count = Type.Integer({ minimum: 0 });

export const SiteCountsSchema = Type.Object(
  {
    total: Count,
    readyToSwitch: Type.Integer({ minimum: 0, description: 'Those that are ready to switch.' }),
    live: Type.Integer({
      minimum: 0,
      description: 'Those that visitors reached here, at every address, at the last look.',
    }),
    blockers: Type.Array(
      Type.Object(
        {
          reason: BlockerReason,
          count: Count,
          oldest: Type.Object(
            {
              domainId: Id('dom', 'The domain.'),
              domain: Type.String({ description: 'Its name.' }),
              message: Type.Optional(Type.String({ maxLength: 512, description: 'Its own reason, for people.' })),
              since: Time('Since when.'),
            },
            { description: 'The domain that has had the reason for longest.' },
          ),
        },
        { title: 'BoardGroup' },
      ),
      { description: 'Why the others are not ready to switch, the most frequent reason first.' },
    ),
    waiting: Type.Integer({
      minimum: 0,
      description: 'Those whose certificate is ordered as soon as the limits of the CA allow it.',
    }),
    timeLeftMs: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'Longest time until the last of these may be ordered, in milliseconds, as far as the limits of all orders go; absent where no CA has any.',
      }),
    ),
    pace: Type.Optional(
      Type.Object(
        {
          names: Type.Integer({
            minimum: 1,
            description: 'New names that may be ordered in each window, at all CAs together.',
          }),
          windowMs: Type.Integer({ minimum: 1, description: 'Length of the window, in milliseconds.' }),
          cas: Type.Integer({ minimum: 1, description: 'The number of CAs.' }),
        },
        { description: 'The pace that the time is computed of.' },
      ),
    ),
    edgeAddresses: Type.Array(Type.String(), {
      description: 'IP addresses that lead to the edge, as the operator has set them; empty where they are not known.',
    }),
    countedAt: Time('When they were counted.'),
  },
  { title: 'SiteCounts', description: 'How far a move is. More properties may be added.' },
);

const showCounts = shownBy(SiteCountsSchema);

export const countSites = defineOperation({
  name: 'domains.countSites',
  summary: 'Count the names of a move that are ready to switch',
  description:
    'How many of the domains that domains.listSites lists are ready to switch, and how many are not, by reason. Each process counts more than 10,000 at most once a minute: `countedAt` says when.',
  permission,
  request: Type.Object(boardRequest, closed),
  response: SiteCountsSchema,
  problems: ['authorization/insufficient_permissions', 'data/environment_not_found'],
  example: {
    request: { within: exampleEnvironmentPath, movedFrom: 'cloudflare' },
    response: {
      total: 1000,
      readyToSwitch: 912,
      live: 0,
      blockers: [
        {
          reason: 'not_ordered',
          count: 88,
          oldest: {
            domainId: exampleDomain.id,
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
    const counts = await context.countSites(call.principal.workspaceId, await boardOf(call));
    const waiting = waitingOf(counts);
    const edgeAddresses = context.settings.edgeAddresses ?? [];
    return showCounts({ ...counts, waiting, ...(await timeLeft(waiting, context)), edgeAddresses });
  },
});

/** The time until the last of the names that wait may be ordered. */
async function timeLeft(waiting: number, { store, settings: { ordering }, clock }: HandlerContext) {
  const orders = ordering?.limits.find(({ name }) => name === 'orders');
  if (ordering === undefined || orders === undefined) return {};
  const { issuers } = ordering;
  const { limit, windowMs } = orders;
  const since = clock.now() - windowMs;
  const counted = await Promise.all(issuers.map((issuer) => store.countLedgerEntries(issuer, since)));
  const ledgerOrdersInWindow = counted.reduce((sum, each) => sum + each.orders - each.exempt, 0);
  const cas = issuers.length;
  const timeLeftMs = timeToIssue({ waiting, ledgerOrdersInWindow, limits: [orders], cas });
  return { timeLeftMs, pace: { names: newNamesPerWindow(limit, cas), windowMs, cas } };
}
